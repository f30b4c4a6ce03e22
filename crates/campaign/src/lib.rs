//! Campaigns: plans, the loop, shrinking, failure files.
//!
//! A [`Target`] says what is tested; it is described in `shakedown-target`, whose types are here too. A
//! [`Campaign`] runs many executions of it, and gives a [`Summary`] with the [`Failure`]s that were found,
//! shrunk and written to files that replay.
//!
//! Features: `explain` finds out why a failure failed ([`Explanation`]); `tla` has targets that can be
//! checked against TLA+ specifications (`Target::conformance`), and `ConformRun`.

mod bench;
mod campaign;
mod campaign_error;
mod cause;
mod checkpoints;
#[cfg(feature = "tla")]
mod conform;
mod corpus;
mod coverage;
mod culprits;
mod difference;
mod distances;
mod effects;
#[cfg(feature = "explain")]
mod explain;
mod explanation;
mod explorers;
mod failure;
mod findings;
mod fleet;
mod fleet_side;
mod iteration;
mod journal;
mod judged;
mod ledger;
mod overrides;
mod parts;
mod plan;
mod progress;
mod properties;
mod recipe;
mod rerun;
mod run;
mod scenario_summary;
mod scenarios;
mod shrink;
mod standing;
mod station;
mod summary;
mod tally;
mod trial;
mod whole_file;
mod workers;

pub use bench::{Bench, Means, bench_of, side_by_side};
pub use campaign::Campaign;
pub use campaign_error::CampaignError;
pub use cause::{Cause, SourcePlace, have_one_cause};
#[cfg(feature = "tla")]
pub use conform::{ConformError, ConformRun, ConformSummary, STATES_MAX};
pub use corpus::{Corpus, CorpusError, PlayedCorpus};
pub use coverage::{Coverage, Point};
pub use distances::{Distance, Reach};
#[cfg(feature = "explain")]
pub use explain::{CONTINUATIONS_MAX, CONTINUATIONS_MIN, CannotExplain, ExplainOptions, explain};
pub use explanation::{
    Chance, Change, Continuation, ExplainedStep, Explanation, Nearest, Need, Swap, SwapResult,
};
pub use failure::{Failure, FailureFileError, Found, Replayed, Sameness};
pub use fleet::{Fleet, FleetError, Order, PackedLesson, Pieces, Report, TakePiece, TakeReport};
pub use journal::JournalEntry;
pub use ledger::{Checkpoint, Forgetful, Ledger, LedgerError, Room};
pub use overrides::Overrides;
pub use parts::{Joined, PartRecord};
pub use plan::{Plan, StalePlan, Whole};
pub use progress::{Now, Progress, Silent, Stuck, Worker};
pub use properties::{Properties, PropertyTally};
pub use recipe::{Job, PathsRecipe, Recipe, ScenarioRecipe};
pub use rerun::{CannotRerun, Rerun};
pub use scenario_summary::{Explained, ScenarioSummary};
pub use scenarios::{ScenarioError, ScenarioRun};
pub use shakedown_explore::Seen;
pub use shakedown_target::{
    Abstractions, AnyTarget, Beat, CannotBegin, CannotReplay, CheckOutcome, Checked, ColourOf, Config,
    GuideInfo, Holds, Live, MODEL, OptionInfo, Outcome, Patience, REQUESTS_MAX, STEPS_MAX, Target,
    TargetInfo, Verdict, Violation, execute, execute_until, follow, own_process, replay, replay_with_model,
    watch,
};
pub use shrink::{ShrinkLimits, Shrunk, shrink, shrink_side_by_side};
pub use standing::{ArmTally, Finding, Standing};
pub use station::Station;
pub use summary::Summary;
pub use tally::{RoundTally, Tally};
pub use trial::{TRIAL_BENCH, Trial};
pub use workers::{guarded, usual_step_time};
