//! A campaign as it was stored.

use shakedown_campaign::{Coverage, PartRecord, Plan, Standing};

/// The number of a campaign in its store.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CampaignId(pub(crate) i64);

/// A campaign as it was stored last: everything here is of one checkpoint.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Its number; for parts that were joined, that of the first.
    pub id: CampaignId,
    /// What it was to do.
    pub plan: Plan,
    /// Where it stands; `None` if it has not begun. What was covered is there, too.
    pub standing: Option<Standing>,
    /// What its strategy has learned, in its own form; empty for parts that were joined, for each has its
    /// own.
    pub learned: Vec<u8>,
    /// Whether it has come to its end.
    pub is_over: bool,
    /// Of how many parts it was joined.
    pub parts: usize,
    /// What a reader should know of it, such as parts that are missing.
    pub notes: Vec<String>,
    /// What is needed to join it to the parts before it, if there may be any.
    pub(crate) record: PartRecord,
}

/// A campaign as it was stored last, without what was covered and what was learned, which may be large:
/// everything that can be shown of it while it runs.
#[derive(Clone, Debug)]
pub struct Overview {
    /// Its number.
    pub id: CampaignId,
    /// What it was to do.
    pub plan: Plan,
    /// Where it stands; `None` if it has not begun. Its coverage has curves only: see `covered`.
    pub standing: Option<Standing>,
    /// How much each guide has seen, in the order of [`Standing::coverage`].
    pub covered: Vec<u64>,
    /// Whether it has come to its end.
    pub is_over: bool,
}

impl Kept {
    /// The campaign at a glance.
    pub(crate) fn overview(self) -> Overview {
        let coverage = self.standing.iter().flat_map(|standing| &standing.coverage);
        let covered = coverage.map(Coverage::covered).collect();
        Overview { id: self.id, plan: self.plan, standing: self.standing, covered, is_over: self.is_over }
    }

    /// How far it has come: whether it is over, and after how many executions.
    pub(crate) fn progress(&self) -> (bool, Option<u64>) {
        (self.is_over, self.standing.as_ref().map(|standing| standing.executions))
    }
}
