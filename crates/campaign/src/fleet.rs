//! Fleets: the executions of a campaign run in other processes, and the campaign takes them in as if its own
//! workers had run them.
//!
//! What came of an execution follows from the plan and the number of the execution alone; for a strategy that
//! learns, also from what was learned in the generations before it, which follows from the plan as well. So a
//! report may come from any process, at any time, twice or from an earlier life of the campaign: it is the
//! same report. The loop takes reports in the order of numbers, and no result depends on who made them.

use std::error::Error;
use std::ops::{ControlFlow, Range};
use std::time::Duration;

use shakedown_cluster::Fingerprint;
use shakedown_explore::Seen;

use crate::{Checked, Job, Tally, Verdict};

/// Why a fleet cannot go on.
pub type FleetError = Box<dyn Error + Send + Sync>;

/// Runs the executions of a campaign elsewhere.
pub trait Fleet: Send + Sync {
    /// A campaign begins, or goes on, with this execution. What its strategy has learned by then is given if
    /// it is one that learns.
    fn begin(&self, job: &Job, start: u64, learned: Option<Vec<u8>>) -> Result<(), FleetError>;

    /// Gives the reports of these executions in the order of their numbers, as soon as all before are there,
    /// until one is answered by a break or the work is late.
    fn run(&self, order: &Order<'_>, take: &mut TakeReport<'_>) -> Result<(), FleetError>;

    /// A generation of a strategy that learns was taken in whole: this is what there is to learn of it.
    /// `learned` gives everything that was learned up to its end.
    fn teach(
        &self,
        generation: Range<u64>,
        lessons: Vec<PackedLesson>,
        learned: &dyn Fn() -> Vec<u8>,
    ) -> Result<(), FleetError>;

    /// The campaign is over, or is cut short here. What waits for workers is not wanted any more.
    fn end(&self);

    /// Gives what comes of pieces of work in the order of their numbers, as soon as all before are there,
    /// until one is answered by a break or the work is late. A campaign may be under way meanwhile.
    fn spread(&self, pieces: &Pieces<'_>, take: &mut TakePiece<'_>) -> Result<(), FleetError>;

    /// For how long the pieces of a round are tried here before the rest is given out: most rounds of a
    /// shrinking are over before a message would be there.
    fn patience(&self) -> Duration {
        Duration::from_millis(100)
    }
}

/// Takes what came of a piece; a break if no more is wanted.
pub type TakePiece<'a> = dyn FnMut(u64, Vec<u8>) -> ControlFlow<()> + 'a;

/// Work that is no execution of a campaign: candidates of a shrinking, trials of a comparison, keys of a
/// history. What comes of a piece follows from what it says and from what is common to all, so any process
/// may do it, or several.
pub struct Pieces<'a> {
    /// Which [`Bench`](crate::Bench) does them, by name.
    pub bench: &'static str,
    /// What they have in common.
    pub common: Vec<u8>,
    /// Their numbers.
    pub numbers: Range<u64>,
    /// What a piece says; it is asked again if the piece has to be given out once more. Nothing comes of an
    /// empty one.
    pub piece: &'a dyn Fn(u64) -> Vec<u8>,
    /// Whether each takes so long that it is given out by itself, and that a late one is not soon given to
    /// another worker.
    pub is_long: bool,
    /// Whether no more is to be begun.
    pub is_late: &'a (dyn Fn() -> bool + Sync),
}

/// Takes the report of an execution; a break if no more is wanted.
pub type TakeReport<'a> = dyn FnMut(u64, Report) -> ControlFlow<()> + 'a;

/// Which executions are wanted.
pub struct Order<'a> {
    /// These, now.
    pub numbers: Range<u64>,
    /// Up to this one, they may be run ahead of time: nothing is learned before.
    pub horizon: u64,
    /// Whether no more is to be begun.
    pub is_late: &'a (dyn Fn() -> bool + Sync),
    /// Gives everything that was learned before these, if the strategy learns: workers that join may need it.
    pub learned: &'a dyn Fn() -> Vec<u8>,
}

/// What came of an execution, without what can be had by running it again.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The verdict.
    pub verdict: Verdict,
    /// The fingerprint of its trace; nothing if the cluster did not boot.
    pub fingerprint: Option<Fingerprint>,
    /// What happened.
    pub tally: Tally,
    /// What came of each oracle.
    pub checked: Vec<Checked>,
    /// What each guide saw. Of guides that the strategy does not ask for, what an execution of a lower number
    /// has seen as well may be missing.
    pub covered: Vec<Vec<u64>>,
    /// Which of the things that each guide looks out for happened; nothing if it did not watch.
    pub happened: Vec<Option<u64>>,
    /// What its strategy experienced, packed, if it learns.
    pub experience: Option<Vec<u8>>,
    /// The seed of nodes and workload, if it is not the execution's own.
    pub world: Option<u64>,
    /// The execution that failed, if it was an earlier one whose thread panicked only now.
    pub culprit: Option<u64>,
}

/// What a strategy learns of an execution.
#[derive(Clone, PartialEq, Debug)]
pub struct PackedLesson {
    /// The execution.
    pub number: u64,
    /// What its strategy experienced, packed.
    pub experience: Vec<u8>,
    /// Whether a property was violated.
    pub failed: bool,
    /// What each guide of the strategy saw.
    pub seen: Vec<Seen>,
}
