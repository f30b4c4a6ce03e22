//! Writing a store, within the transaction of the caller.

use rusqlite::{Connection, OptionalExtension, params};
use shakedown_campaign::Checkpoint;

use crate::checksum::{of_plan, of_row, of_standing};
use crate::{CampaignId, entries};

/// Enters a plan, or finds the campaign that has it.
pub(crate) fn enter(connection: &Connection, plan: &str) -> rusqlite::Result<CampaignId> {
    let known = connection.query_row("SELECT id FROM campaign WHERE plan = ?1", [plan], |row| row.get(0));
    if let Some(id) = known.optional()? {
        return Ok(CampaignId(id));
    }
    let insert = "INSERT INTO campaign (plan, checksum) VALUES (?1, ?2)";
    connection.execute(insert, params![plan, of_plan(plan)])?;
    Ok(CampaignId(connection.last_insert_rowid()))
}

/// Gives a campaign another plan.
pub(crate) fn replan(connection: &Connection, id: CampaignId, plan: &str) -> rusqlite::Result<()> {
    let update = "UPDATE campaign SET plan = ?2, checksum = ?3 WHERE id = ?1";
    connection.execute(update, params![id.0, plan, of_plan(plan)])?;
    Ok(())
}

/// Removes everything that is stored of a campaign but its plan. What was covered is only ever added to, so
/// it must go before another standing takes its place.
pub(crate) fn forget(connection: &Connection, id: CampaignId) -> rusqlite::Result<()> {
    for table in ["standing", "covered", "journal"] {
        connection.execute(&format!("DELETE FROM {table} WHERE campaign = ?1"), [id.0])?;
    }
    Ok(())
}

/// Writes a checkpoint. `text` is the JSON of its standing.
pub(crate) fn checkpoint(
    connection: &Connection,
    id: CampaignId,
    checkpoint: &Checkpoint<'_>,
    text: &str,
) -> rusqlite::Result<()> {
    let Checkpoint { standing, fresh, journal, learned, is_over } = *checkpoint;
    let executions = standing.executions;
    let covered: Vec<u64> = standing.coverage.iter().map(|coverage| coverage.covered()).collect();
    let checksum = of_standing(executions, is_over, text, learned, &covered);
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO standing (campaign, executions, is_over, standing, learned, checksum) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![id.0, executions, is_over, text, learned, checksum])?;
    for (guide, fresh) in fresh.iter().enumerate().filter(|(_, fresh)| !fresh.is_empty()) {
        let items: Vec<u8> = fresh.iter().flat_map(|item| item.to_le_bytes()).collect();
        let checksum = of_row(Some(guide), executions, &items);
        connection
            .prepare_cached(
                "INSERT INTO covered (campaign, guide, executions, items, checksum) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![id.0, guide, executions, items, checksum])?;
    }
    if !journal.is_empty() {
        let entries = entries::encode(journal);
        let checksum = of_row(None, executions, &entries);
        connection
            .prepare_cached(
                "INSERT INTO journal (campaign, executions, entries, checksum) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![id.0, executions, entries, checksum])?;
    }
    Ok(())
}

/// Gives a store of version 1 what version 2 adds.
pub(crate) fn upgrade(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(include_str!("version_2.sql"))?;
    let mut plans = connection.prepare("SELECT id, plan FROM campaign")?;
    let plans = plans.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    for (id, plan) in plans.collect::<rusqlite::Result<Vec<(i64, String)>>>()? {
        connection.execute("UPDATE campaign SET checksum = ?2 WHERE id = ?1", params![id, of_plan(&plan)])?;
    }
    let mut rows = connection.prepare("SELECT campaign, guide, executions, items FROM covered")?;
    let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
    for (id, guide, executions, items) in
        rows.collect::<rusqlite::Result<Vec<(i64, usize, u64, Vec<u8>)>>>()?
    {
        let update =
            "UPDATE covered SET checksum = ?4 WHERE campaign = ?1 AND guide = ?2 AND executions = ?3";
        let checksum = of_row(Some(guide), executions, &items);
        connection.execute(update, params![id, guide, executions, checksum])?;
    }
    Ok(())
}

/// Gives a standing of version 1 its checksum. `covered` is how much each guide has seen.
pub(crate) fn seal(connection: &Connection, id: CampaignId, covered: &[u64]) -> rusqlite::Result<()> {
    let read = "SELECT executions, is_over, standing, learned FROM standing WHERE campaign = ?1";
    let row = connection.query_row(read, [id.0], |row| {
        let (executions, is_over, text, learned): (u64, bool, String, Vec<u8>) =
            (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        Ok(of_standing(executions, is_over, &text, &learned, covered))
    });
    if let Some(checksum) = row.optional()? {
        connection
            .execute("UPDATE standing SET checksum = ?2 WHERE campaign = ?1", params![id.0, checksum])?;
    }
    Ok(())
}
