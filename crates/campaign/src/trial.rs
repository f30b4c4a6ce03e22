//! Trials: whole campaigns as pieces of work. A comparison has many short ones, each of which one worker runs
//! from its beginning.

use std::time::Duration;

use data_encoding::BASE64;
use serde::{Deserialize, Serialize};
use shakedown_cluster::Fingerprint;

use crate::bench::{Bench, Means};
use crate::{
    AnyTarget, Campaign, CampaignError, Checkpoint, JournalEntry, Ledger, LedgerError, Plan, Room, Standing,
};

/// The name of the bench.
pub const TRIAL_BENCH: &str = "trial";
/// The most items of all guides together that a trial may have covered.
const COVERED_MAX: usize = 1 << 28;

/// A campaign that a worker runs from its beginning.
#[derive(Serialize, Deserialize)]
struct Piece {
    plan: Plan,
    time: Option<Duration>,
    steps: Option<u64>,
    step_time: Duration,
}

/// What an execution added: the fingerprint of its trace, and how much was new to each guide.
type Added = (Option<(u64, u64)>, Vec<u32>);

/// What came of a campaign that ran elsewhere: all that its ledger was to keep.
#[derive(Serialize, Deserialize)]
pub struct Trial {
    standing: Standing,
    /// What each guide has seen: eight bytes for each item.
    #[serde(with = "crate::corpus::as_base64")]
    covered: Vec<Vec<u8>>,
    journal: Vec<Added>,
    learned: String,
    is_over: bool,
}

impl Trial {
    /// A campaign as a piece of work.
    pub fn piece(campaign: &Campaign<'_>) -> Vec<u8> {
        let Campaign { plan, time, steps, step_time, .. } = campaign;
        let piece = Piece { plan: plan.clone(), time: *time, steps: *steps, step_time: *step_time };
        serde_json::to_vec(&piece).expect("a plan is plain data")
    }

    /// What came of this campaign. It comes from another machine: the error says what is wrong with it.
    pub fn read(campaign: &Campaign<'_>, result: &[u8]) -> Result<Trial, CampaignError> {
        let foreign = |what: String| {
            CampaignError::Fleet(format!("what came of a trial is not of its campaign: {what}").into())
        };
        let trial: Trial = serde_json::from_slice(result).map_err(|error| foreign(error.to_string()))?;
        let standing = &trial.standing;
        let guides = campaign.guides(campaign.explorer()?.as_ref());
        if !standing.coverage.iter().map(|coverage| &coverage.guide).eq(&guides)
            || trial.covered.len() != guides.len()
        {
            return Err(foreign("it has other guides".to_owned()));
        }
        if standing.executions > campaign.plan.executions || standing.failed > standing.executions {
            return Err(foreign(format!("it has {} executions", standing.executions)));
        }
        Ok(trial)
    }

    /// Where the campaign stands.
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// Hands it to a ledger.
    pub fn keep(&self, ledger: &mut dyn Ledger) -> Result<Room, LedgerError> {
        let learned = BASE64.decode(self.learned.as_bytes())?;
        let items = |bytes: &Vec<u8>| {
            let (items, rest) = bytes.as_chunks::<8>();
            match rest.is_empty() && items.len() <= COVERED_MAX {
                true => Ok(items.iter().map(|item| u64::from_le_bytes(*item)).collect()),
                false => Err(format!("{} bytes are not what a guide has seen", bytes.len())),
            }
        };
        let entry = |(fingerprint, new): &Added| JournalEntry {
            fingerprint: fingerprint.map(|(high, low)| Fingerprint(u128::from(high) << 64 | u128::from(low))),
            new: new.clone(),
        };
        let journal: Vec<_> = self.journal.iter().map(entry).collect();
        let fresh = self.covered.iter().map(items).collect::<Result<Vec<Vec<u64>>, String>>()?;
        let mut standing = self.standing.clone();
        for (coverage, items) in standing.coverage.iter_mut().zip(&fresh) {
            coverage.take_up(items.iter().copied());
        }
        ledger.keep(&Checkpoint {
            standing: &standing,
            fresh: &fresh,
            journal: &journal,
            learned: &learned,
            is_over: self.is_over,
        })
    }
}

/// A ledger in memory.
#[derive(Default)]
struct Memory {
    standing: Standing,
    covered: Vec<Vec<u8>>,
    journal: Vec<JournalEntry>,
    learned: Vec<u8>,
    is_over: bool,
}

impl Ledger for Memory {
    fn keep(&mut self, checkpoint: &Checkpoint<'_>) -> Result<Room, LedgerError> {
        let Checkpoint { standing, fresh, journal, learned, is_over } = *checkpoint;
        self.covered.resize(fresh.len(), Vec::new());
        for (covered, fresh) in self.covered.iter_mut().zip(fresh) {
            covered.extend(fresh.iter().flat_map(|item| item.to_le_bytes()));
        }
        self.standing = standing.clone();
        self.journal.extend_from_slice(journal);
        (self.learned, self.is_over) = (learned.to_vec(), is_over);
        Ok(Room::Enough)
    }
}

/// Runs trials.
pub(crate) struct TrialBench<'a>(pub &'a [Box<dyn AnyTarget>]);

impl Bench for TrialBench<'_> {
    fn run(&self, pieces: &[Vec<u8>], means: &Means<'_>) -> Result<Vec<Vec<u8>>, String> {
        pieces.iter().map(|piece| self.one(piece, means)).collect()
    }
}

impl TrialBench<'_> {
    fn one(&self, piece: &[u8], means: &Means<'_>) -> Result<Vec<u8>, String> {
        let Piece { plan, time, steps, step_time } =
            serde_json::from_slice(piece).map_err(|error| error.to_string())?;
        let target = self.0.iter().find(|target| target.name() == plan.target);
        let target = target.ok_or_else(|| format!("there is no target `{}` here", plan.target))?;
        if !target.info().is_deterministic {
            return Err(CampaignError::NotForFleets(plan.target).to_string());
        }
        let mut campaign = plan.campaign(target.as_ref()).map_err(|error| error.to_string())?;
        (campaign.jobs, campaign.time, campaign.steps) = (means.jobs, time, steps);
        campaign.step_time = step_time.max(Duration::from_millis(1));
        campaign.keep_every = Duration::MAX;
        let mut memory = Memory::default();
        let mut run = || {
            let mut explorer = campaign.explorer()?;
            let standing = Standing::new(&campaign.guides(explorer.as_ref()));
            campaign.go_on(standing, explorer.as_mut(), &mut memory, means.progress)
        };
        run().map_err(|error| error.to_string())?;
        let Memory { standing, covered, journal, learned, is_over } = memory;
        let entry = |JournalEntry { fingerprint, new }: JournalEntry| {
            (fingerprint.map(|Fingerprint(bits)| ((bits >> 64) as u64, bits as u64)), new)
        };
        let journal = journal.into_iter().map(entry).collect();
        let learned = BASE64.encode(&learned);
        Ok(serde_json::to_vec(&Trial { standing, covered, journal, learned, is_over })
            .expect("a standing is plain data"))
    }
}
