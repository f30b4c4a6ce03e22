//! Why a campaign cannot run.

use shakedown_explore::UnknownStrategy;

use crate::{CannotBegin, FleetError, LedgerError, StalePlan};

/// Why a campaign cannot run.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// The target cannot be run like this.
    #[error(transparent)]
    Begin(#[from] CannotBegin),
    /// There is no such strategy.
    #[error(transparent)]
    Strategy(#[from] UnknownStrategy),
    /// The inputs that it is to begin with cannot be played.
    #[error("the inputs that the campaign begins with cannot be played: {0}")]
    Inputs(String),
    /// Its standing could not be kept, or what was kept cannot be taken up.
    #[error("the campaign cannot be kept: {0}")]
    Ledger(#[from] LedgerError),
    /// The fleet that runs its executions cannot go on.
    #[error("the fleet cannot go on: {0}")]
    Fleet(FleetError),
    /// The fleet cannot run executions of a target whose nodes keep their own time.
    #[error(
        "target `{0}` is not deterministic: what came of an execution depends on the machine, so a fleet cannot run it; \
         leave --fleet out"
    )]
    NotForFleets(String),
    /// The plan is of another version.
    #[error(transparent)]
    Stale(#[from] StalePlan),
    /// There is nothing to do.
    #[error("a campaign needs at least one execution")]
    NoExecutions,
    /// Executions would be numbered beyond the last number there is.
    #[error("there are no {executions} executions from number {first} on")]
    TooFar {
        /// The first number.
        first: u64,
        /// How many.
        executions: u64,
    },
}
