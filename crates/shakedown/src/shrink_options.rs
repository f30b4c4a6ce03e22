//! `--no-shrink` and `--shrink-budget`, for the commands that shrink what they find.

use clap::Args;
use shakedown_campaign::ShrinkLimits;

use crate::shrink_budget::ShrinkBudget;

/// Whether failures are shrunk, and with how much work.
#[derive(Args)]
pub(crate) struct ShrinkOptions {
    /// Do not shrink failures
    #[arg(long)]
    no_shrink: bool,
    /// How much work shrinking one failure may be: executions, as 20000, or seconds, as 30s [default: 60s]
    #[arg(long, value_name = "N|Ns", conflicts_with = "no_shrink")]
    shrink_budget: Option<ShrinkBudget>,
}

impl ShrinkOptions {
    /// The limits of shrinking, if there is to be any.
    pub fn limits(&self, default: ShrinkLimits) -> Option<ShrinkLimits> {
        let limits = self.shrink_budget.map_or(default, |budget| budget.of(default));
        (!self.no_shrink).then_some(limits)
    }
}
