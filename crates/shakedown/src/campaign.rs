//! Targets, campaigns, scenario runs and failure files, for programs of your own.

pub use shakedown_campaign::{
    AnyTarget, Campaign, CampaignError, CannotBegin, CannotReplay, Config, Coverage, Failure,
    FailureFileError, Finding, Found, GuideInfo, Now, OptionInfo, Outcome, Progress, Replayed, Sameness,
    ScenarioError, ScenarioRun, ScenarioSummary, ShrinkLimits, Shrunk, Silent, Stuck, Summary, Tally, Target,
    Verdict, Violation, Worker, shrink, shrink_side_by_side,
};
#[cfg(feature = "tla")]
pub use shakedown_campaign::{ConformError, ConformRun, ConformSummary};
