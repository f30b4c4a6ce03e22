//! Campaigns: targets, executions, shrinking, failure files.
//!
//! A [`Target`] says what is tested. A [`Campaign`] runs many executions of it, and gives a [`Summary`] with the
//! [`Failure`]s that were found, shrunk and written to files that replay.
//!
//! Feature `tla`: targets that can be checked against TLA+ specifications (`Target::conformance`), and `ConformRun`.

mod campaign;
mod code;
#[cfg(feature = "tla")]
mod conform;
mod corpus;
mod coverage;
mod difference;
mod distances;
mod execute;
mod failure;
mod guides;
mod journal;
mod ledger;
mod live;
mod parts;
mod plan;
mod progress;
mod scenario_summary;
mod scenarios;
mod shrink;
mod standing;
mod tally;
mod target;
mod threads;
mod verdict;
mod waypoints;
mod workers;

pub use campaign::{Campaign, CampaignError, Summary};
#[cfg(feature = "tla")]
pub use conform::{ConformError, ConformRun, ConformSummary, STATES_MAX};
pub use corpus::{Corpus, CorpusError, PlayedCorpus};
pub use coverage::{Coverage, Point};
pub use distances::{Distance, Reach};
pub use execute::{
    Beat, CannotReplay, Outcome, Patience, execute, execute_until, follow, replay, replay_with_model,
};
pub use failure::{Failure, FailureFileError, Found, Replayed, Sameness};
pub use guides::{GuideInfo, MODEL};
pub use journal::JournalEntry;
pub use ledger::{Checkpoint, Forgetful, Ledger, LedgerError, Room};
pub use live::{Abstractions, ColourOf, Holds, Live, watch};
pub use parts::{Joined, PartRecord};
pub use plan::{Plan, StalePlan, Whole};
pub use progress::{Now, Progress, Silent, Stuck, Worker};
pub use scenario_summary::ScenarioSummary;
pub use scenarios::{ScenarioError, ScenarioRun};
pub use shrink::{ShrinkLimits, Shrunk, shrink};
pub use standing::{Finding, Standing};
pub use tally::{RoundTally, Tally};
pub use target::{AnyTarget, CannotBegin, Config, OptionInfo, REQUESTS_MAX, STEPS_MAX, Target};
pub use threads::own_process;
pub use verdict::{Verdict, Violation};
pub use workers::guarded;
