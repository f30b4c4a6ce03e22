//! What a campaign came to.

use std::time::Duration;

use shakedown_cluster::{Fingerprint, StepKind};
use shakedown_explore::Explorer;

use crate::judged::Judged;
use crate::{ArmTally, Campaign, CampaignError, Coverage, Finding, Properties, Standing, Tally, Verdict};

/// What a campaign came to.
#[derive(Debug)]
pub struct Summary {
    /// How many executions count: all, or up to the failure that ended the campaign.
    pub executions: u64,
    /// How many there were to be.
    pub planned: u64,
    /// How many of them failed.
    pub failed: u64,
    /// How many of them were inconclusive.
    pub unknown: u64,
    /// Why, for the first of these.
    pub unknown_reason: Option<String>,
    /// What happened.
    pub tally: Tally,
    /// Which properties were checked, and what came of each.
    pub properties: Properties,
    /// A fingerprint of the fingerprints of all traces, in order.
    pub fingerprint: Fingerprint,
    /// What was found: the first failures of every violated property.
    pub findings: Vec<Finding>,
    /// What each guide has seen.
    pub coverage: Vec<Coverage>,
    /// What each strategy spent and brought, if the campaign was divided among several.
    pub arms: Vec<ArmTally>,
    /// What was allowed and wanted but never happened.
    pub inert: Vec<StepKind>,
    /// What was allowed but never happened because the strategy makes no such steps.
    pub left_out: Vec<StepKind>,
    /// How long the executions took.
    pub elapsed: Duration,
    /// How long shrinking took.
    pub shrinking: Duration,
    /// How long it took to keep the campaign in its ledger.
    pub keeping: Duration,
    /// Which limit cut it short, if one did.
    pub cut_short: Option<&'static str>,
}

impl Summary {
    /// The verdict on the campaign, for exit codes and all reports. A campaign in which nothing happened, or
    /// that did not come to its end, has not passed.
    pub fn verdict(&self) -> Verdict {
        let Summary { executions, planned, failed, unknown, cut_short, .. } = *self;
        Judged {
            executions,
            planned,
            steps: self.tally.all_steps(),
            failed,
            violation: self.findings.first().map(|finding| &finding.failure.violation),
            unknown: (unknown, self.unknown_reason.as_deref()),
            cut_short,
        }
        .verdict()
    }
}

impl Campaign<'_> {
    /// What a campaign that stands here has come to.
    pub fn summarise(&self, standing: Standing) -> Result<Summary, CampaignError> {
        let explorer = match self.explorer() {
            Ok(explorer) => Some(explorer),
            // It was stored by a version that could run it: what came of it is still true.
            Err(CampaignError::Strategy(_)) if standing.executions > 0 => None,
            Err(error) => return Err(error),
        };
        Ok(self.summary(standing, explorer.as_deref(), None))
    }

    pub(crate) fn summary(
        &self,
        standing: Standing,
        explorer: Option<&dyn Explorer>,
        cut_short: Option<&'static str>,
    ) -> Summary {
        let (inert, left_out) = explorer.map_or_else(Default::default, |explorer| {
            let never = |kind: &StepKind| standing.tally.of_kind(*kind) == 0;
            let makes = |kind: &StepKind| explorer.wants(*kind);
            self.expected(explorer).into_iter().filter(never).partition(makes)
        });
        Summary {
            executions: standing.executions,
            planned: self.plan.executions,
            failed: standing.failed,
            unknown: standing.unknown,
            unknown_reason: standing.unknown_reason.clone(),
            fingerprint: standing.fingerprint(),
            properties: standing.all_properties(&self.plan),
            tally: standing.tally,
            findings: standing.findings,
            coverage: standing.coverage,
            arms: standing.arms,
            inert,
            left_out,
            elapsed: standing.elapsed,
            shrinking: standing.shrinking,
            keeping: standing.keeping,
            cut_short,
        }
    }

    /// What the contract allows and, where they count, the weights do not rule out.
    fn expected(&self, explorer: &dyn Explorer) -> Vec<StepKind> {
        let Ok(contract) = self.target.contract(&self.plan.config.options) else { return Vec::new() };
        let possible = |kind: &StepKind| match kind {
            // Whether a node sets timers is its own affair, and nobody lies unless a scenario says so.
            StepKind::Fire | StepKind::Tamper | StepKind::Inject | StepKind::Round => false,
            StepKind::Crash | StepKind::Restart if self.plan.config.crashes == 0 => false,
            StepKind::Request => self.plan.config.requests > 0,
            StepKind::Retry => {
                self.plan.config.requests > 0 && contract.allows(StepKind::Retry, self.plan.config.nodes)
            }
            kind => contract.allows(*kind, self.plan.config.nodes),
        };
        let weighs = |kind: StepKind| !explorer.uses_weights() || self.plan.weights.of(kind) > 0;
        let is_expected = |kind: &StepKind| {
            // Nothing restarts that did not crash, and nothing heals that was not cut.
            let cause = match kind {
                StepKind::Restart => StepKind::Crash,
                StepKind::Heal => StepKind::Cut,
                kind => *kind,
            };
            weighs(*kind) && weighs(cause) && possible(kind)
        };
        StepKind::ALL.into_iter().filter(is_expected).collect()
    }
}
