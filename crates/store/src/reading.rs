//! Reading a store: every row is checked against its checksum before it is used.
//!
//! A [`Reader`] reads within the transaction of its caller, so whatever it gives is of one moment, also while
//! a campaign goes on.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, Row, params};
use shakedown_campaign::{JournalEntry, PartRecord, Plan, Standing};

use crate::checksum::{of_plan, of_row, of_standing};
use crate::sql_error::sql_error;
use crate::{CampaignId, Kept, Overview, StoreError, entries};

/// The version that has no checksums and no journal.
pub(crate) const VERSION_1: i32 = 1;

/// Reads what a store holds.
pub(crate) struct Reader<'a> {
    /// Within a transaction.
    pub connection: &'a Connection,
    pub path: &'a Path,
    pub version: i32,
}

/// A row of the table `standing`.
struct StandingRow {
    executions: u64,
    is_over: bool,
    /// Not text before its checksum is right.
    text: Vec<u8>,
    learned: Vec<u8>,
    checksum: Option<i64>,
}

/// A row of bytes with its checksum.
struct Sealed {
    executions: u64,
    bytes: Vec<u8>,
    checksum: Option<i64>,
}

impl Reader<'_> {
    /// The campaigns, in the order in which they were entered.
    pub fn ids(&self) -> Result<Vec<CampaignId>, StoreError> {
        let lost = "SELECT count(*) FROM standing WHERE campaign NOT IN (SELECT id FROM campaign)";
        if self.count(lost, [])? > 0 {
            return Err(self.damaged("a plan is missing (table campaign)".to_owned()));
        }
        self.rows("SELECT id FROM campaign ORDER BY id", [], |row| row.get(0).map(CampaignId))
    }

    /// What every campaign is to do.
    pub fn plans(&self) -> Result<Vec<Plan>, StoreError> {
        self.ids()?.into_iter().map(|id| self.plan(id)).collect()
    }

    /// Every campaign.
    pub fn all(&self) -> Result<Vec<Kept>, StoreError> {
        self.ids()?.into_iter().map(|id| self.campaign(id)).collect()
    }

    /// A campaign. What was covered in order is left out where nothing can be joined to it.
    pub fn campaign(&self, id: CampaignId) -> Result<Kept, StoreError> {
        let mut kept = self.whole_campaign(id)?;
        if kept.plan.first == 0 {
            kept.record = PartRecord::default();
        }
        Ok(kept)
    }

    /// A campaign with everything that is stored of it.
    pub fn whole_campaign(&self, id: CampaignId) -> Result<Kept, StoreError> {
        let plan = self.plan(id)?;
        let mut kept = Kept {
            id,
            plan,
            standing: None,
            learned: Vec::new(),
            is_over: false,
            parts: 1,
            notes: Vec::new(),
            record: PartRecord::default(),
        };
        let Some((row, mut standing)) = self.standing(id)? else { return Ok(kept) };
        let guides: Vec<String> = standing.coverage.iter().map(|coverage| coverage.guide.clone()).collect();
        for (guide, name) in guides.iter().enumerate() {
            kept.record.covered.push(self.covered(id, guide, name)?);
        }
        let counts: Vec<u64> = kept.record.covered.iter().map(|items| items.len() as u64).collect();
        self.check(id, &row, &counts)?;
        kept.record.journal = self.journal(id, guides.len())?;
        for (coverage, items) in standing.coverage.iter_mut().zip(&kept.record.covered) {
            coverage.take_up(items.iter().copied());
        }
        (kept.standing, kept.learned, kept.is_over) = (Some(standing), row.learned, row.is_over);
        Ok(kept)
    }

    /// A campaign without what was covered and learned.
    pub fn overview(&self, id: CampaignId) -> Result<Overview, StoreError> {
        let plan = self.plan(id)?;
        let Some((row, standing)) = self.standing(id)? else {
            return Ok(Overview { id, plan, standing: None, covered: Vec::new(), is_over: false });
        };
        // SQLite knows the length of what it does not read.
        let count =
            "SELECT coalesce(sum(length(items)), 0) / 8 FROM covered WHERE campaign = ?1 AND guide = ?2";
        let guides = 0..standing.coverage.len();
        let covered =
            guides.map(|guide| self.count(count, params![id.0, guide])).collect::<Result<Vec<_>, _>>()?;
        self.check(id, &row, &covered)?;
        Ok(Overview { id, plan, standing: Some(standing), covered, is_over: row.is_over })
    }

    /// The standing of a campaign, and the row that it is in; nothing if it has not begun.
    fn standing(&self, id: CampaignId) -> Result<Option<(StandingRow, Standing)>, StoreError> {
        let Some(row) = self.standing_row(id)? else {
            if self.count("SELECT count(*) FROM covered WHERE campaign = ?1", [id.0])? > 0 {
                let what = format!("the standing of campaign {} is missing (table standing)", id.0);
                return Err(self.damaged(what));
            }
            return Ok(None);
        };
        match serde_json::from_slice(&row.text) {
            Ok(standing) => Ok(Some((row, standing))),
            Err(_) if row.checksum.is_some() => Err(self.damaged_standing(id)),
            Err(error) => Err(self.foreign(format!("a standing: {error}"))),
        }
    }

    /// Checks the row of a standing, given how much each guide has seen.
    fn check(&self, id: CampaignId, row: &StandingRow, covered: &[u64]) -> Result<(), StoreError> {
        let StandingRow { executions, is_over, text, learned, checksum: expected } = row;
        let text = str::from_utf8(text).map_err(|_| self.damaged_standing(id))?;
        let actual = of_standing(*executions, *is_over, text, learned, covered);
        match expected.is_some_and(|expected| expected != actual) {
            true => Err(self.damaged_standing(id)),
            false => Ok(()),
        }
    }

    fn damaged_standing(&self, id: CampaignId) -> StoreError {
        self.damaged(format!("the standing of campaign {} (table standing)", id.0))
    }

    fn standing_row(&self, id: CampaignId) -> Result<Option<StandingRow>, StoreError> {
        let query = format!(
            "SELECT executions, is_over, standing, learned, {} FROM standing WHERE campaign = ?1",
            self.checksum()
        );
        let read = |row: &Row<'_>| {
            Ok(StandingRow {
                executions: row.get(0)?,
                is_over: row.get(1)?,
                text: row.get_ref(2)?.as_bytes()?.to_vec(),
                learned: row.get(3)?,
                checksum: row.get(4)?,
            })
        };
        self.connection.query_row(&query, [id.0], read).optional().map_err(|error| self.sql(error))
    }

    fn plan(&self, id: CampaignId) -> Result<Plan, StoreError> {
        let query = format!("SELECT plan, {} FROM campaign WHERE id = ?1", self.checksum());
        let read = |row: &Row<'_>| Ok((row.get_ref(0)?.as_bytes()?.to_vec(), row.get(1)?));
        let (bytes, expected): (Vec<u8>, Option<i64>) =
            self.connection.query_row(&query, [id.0], read).map_err(|error| self.sql(error))?;
        let damaged = || self.damaged(format!("the plan of campaign {} (table campaign)", id.0));
        let text = String::from_utf8(bytes).map_err(|_| damaged())?;
        if expected.is_some_and(|expected| expected != of_plan(&text)) {
            return Err(damaged());
        }
        serde_json::from_str(&text).map_err(|error| self.foreign(format!("a plan: {error}")))
    }

    /// Everything that a guide has seen, in the order in which it was seen first.
    fn covered(&self, id: CampaignId, guide: usize, name: &str) -> Result<Vec<u64>, StoreError> {
        let query = format!(
            "SELECT executions, items, {} FROM covered WHERE campaign = ?1 AND guide = ?2 ORDER BY executions",
            self.checksum()
        );
        let mut items = Vec::new();
        for row in self.rows(&query, params![id.0, guide], sealed)? {
            let damaged = || {
                let (id, executions) = (id.0, row.executions);
                self.damaged(format!(
                    "what the guide {name} saw up to execution {executions} of campaign {id} (table covered)"
                ))
            };
            let (words, rest) = row.bytes.as_chunks();
            if !rest.is_empty() || !row.is_right(Some(guide)) {
                return Err(damaged());
            }
            items.extend(words.iter().map(|word| u64::from_le_bytes(*word)));
        }
        Ok(items)
    }

    fn journal(&self, id: CampaignId, guides: usize) -> Result<Vec<JournalEntry>, StoreError> {
        if self.version == VERSION_1 {
            return Ok(Vec::new());
        }
        let query =
            "SELECT executions, entries, checksum FROM journal WHERE campaign = ?1 ORDER BY executions";
        let mut journal = Vec::new();
        for row in self.rows(query, [id.0], sealed)? {
            let entries = entries::decode(&row.bytes, guides).filter(|_| row.is_right(None));
            journal.extend(entries.ok_or_else(|| {
                let (id, executions) = (id.0, row.executions);
                self.damaged(format!(
                    "the journal up to execution {executions} of campaign {id} (table journal)"
                ))
            })?);
        }
        Ok(journal)
    }

    fn checksum(&self) -> &'static str {
        if self.version == VERSION_1 { "NULL" } else { "checksum" }
    }

    fn count(&self, query: &str, parameters: impl rusqlite::Params) -> Result<u64, StoreError> {
        self.connection.query_row(query, parameters, |row| row.get(0)).map_err(|error| self.sql(error))
    }

    fn rows<T>(
        &self,
        query: &str,
        parameters: impl rusqlite::Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = self.connection.prepare(query).and_then(|mut statement| {
            let rows = statement.query_map(parameters, read)?;
            rows.collect()
        });
        rows.map_err(|error| self.sql(error))
    }

    fn sql(&self, error: rusqlite::Error) -> StoreError {
        sql_error(self.path, error)
    }

    fn damaged(&self, what: String) -> StoreError {
        StoreError::Damaged { path: self.path.into(), what }
    }

    fn foreign(&self, reason: String) -> StoreError {
        StoreError::Foreign { path: self.path.into(), reason }
    }
}

/// The number of executions, the bytes and the checksum of a row.
fn sealed(row: &Row<'_>) -> rusqlite::Result<Sealed> {
    Ok(Sealed { executions: row.get(0)?, bytes: row.get(1)?, checksum: row.get(2)? })
}

impl Sealed {
    /// Whether the checksum is right, if there is one.
    fn is_right(&self, guide: Option<usize>) -> bool {
        self.checksum.is_none_or(|checksum| checksum == of_row(guide, self.executions, &self.bytes))
    }
}
