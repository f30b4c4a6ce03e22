//! Where a campaign stands: everything that has come of it so far. It is what a campaign needs to go on,
//! apart from what its strategy has learned, so it can be kept in a file and taken up again.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shakedown_cluster::{Fingerprint, Fingerprinter};
use shakedown_explore::{ArmInfo, Explorer};
use shakedown_target::Checked;

use crate::coverage::Coverage;
use crate::judged::Judged;
use crate::properties::Properties;
use crate::run::DETERMINISM;
use crate::{Failure, JournalEntry, Plan, Tally, Verdict, Violation};

/// The property that no node panics.
const NO_PANIC: &str = "no-panic";

/// Where a campaign stands.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Standing {
    /// How many executions were taken in: those of the lowest numbers.
    pub executions: u64,
    /// How many of them failed.
    pub failed: u64,
    /// How many of them were inconclusive.
    pub unknown: u64,
    /// Why, for the first of these.
    pub unknown_reason: Option<String>,
    /// What happened.
    pub tally: Tally,
    /// Which properties were checked. Standings of older versions do not have it.
    #[serde(default)]
    pub properties: Properties,
    /// What was found.
    pub findings: Vec<Finding>,
    /// What each guide has seen.
    pub coverage: Vec<Coverage>,
    /// The traces so far.
    pub(crate) fingerprinter: Fingerprinter,
    /// How long the executions took.
    pub elapsed: Duration,
    /// How long shrinking took.
    pub shrinking: Duration,
    /// How long it took to keep the standing in the ledger.
    pub keeping: Duration,
    /// How many of the findings have been shrunk, or were not to be.
    pub(crate) looked_at: usize,
    /// What each strategy has spent and brought, if the campaign is divided among several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arms: Vec<ArmTally>,
    /// What each execution since the last checkpoint did, if the campaign does not begin with execution 0.
    #[serde(skip)]
    pub(crate) journal: Vec<JournalEntry>,
}

/// What a strategy has spent and brought that a campaign is divided among.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ArmTally {
    /// The strategy.
    pub strategy: String,
    /// How many executions it had.
    pub executions: u64,
    /// How many steps they took.
    pub steps: u64,
    /// How many abstract states they were the first to come to, in generations that came to their end.
    pub new: u64,
    /// How many of them failed.
    pub failed: u64,
}

/// A failure that was found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// The failure, shrunk if that was wanted.
    pub failure: Failure,
    /// How many executions violated the same property by the same cause; they count for the first finding of
    /// it.
    pub hits: u64,
    /// How many of them there were of each cause, as they were found ([`Cause::label`](crate::Cause::label)).
    /// Standings of older versions do not have it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub causes: BTreeMap<String, u64>,
    /// Where its file lies, if one was written.
    pub path: Option<PathBuf>,
    /// Why no file could be written, if one was wanted.
    pub file_error: Option<String>,
    /// How many executions shrinking took.
    pub shrink_executions: u64,
    /// Which limit cut shrinking short, if one did.
    pub shrink_cut_short: Option<String>,
}

impl Standing {
    /// At the beginning, with these guides.
    pub fn new(guides: &[String]) -> Standing {
        Standing { coverage: guides.iter().map(Coverage::new).collect(), ..Standing::default() }
    }

    /// A fingerprint of the fingerprints of all traces, in order.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprinter.finish()
    }

    /// Which properties were checked: those of the oracles, and those that every target has.
    pub fn all_properties(&self, plan: &Plan) -> Properties {
        let mut properties = self.properties.clone();
        let hits = |of: &dyn Fn(&Violation) -> bool| -> u64 {
            let findings = self.findings.iter().filter(|finding| of(&finding.failure.violation));
            findings.map(|finding| finding.hits).sum()
        };
        properties.imply(NO_PANIC, hits(&|violation| violation.is_panic()));
        if plan.check_determinism {
            properties.imply(DETERMINISM, hits(&|violation| violation.property == DETERMINISM));
        }
        properties
    }

    /// The verdict on a campaign that stands here and was to run this many executions: the same as that of
    /// its summary.
    pub fn verdict(&self, planned: u64) -> Verdict {
        Judged {
            executions: self.executions,
            planned,
            steps: self.tally.all_steps(),
            failed: self.failed,
            violation: self.findings.first().map(|finding| &finding.failure.violation),
            unknown: (self.unknown, self.unknown_reason.as_deref()),
            cut_short: None,
        }
        .verdict()
    }

    /// Counts one more execution.
    pub(crate) fn count(
        &mut self,
        verdict: &Verdict,
        tally: &Tally,
        checked: &[Checked],
        fingerprint: Option<Fingerprint>,
    ) {
        self.executions += 1;
        self.tally.add(tally);
        self.properties.count(checked);
        self.fingerprinter.add(&fingerprint);
        match verdict {
            Verdict::Pass => {}
            Verdict::Fail(_) => self.failed += 1,
            Verdict::Unknown(reason) => {
                self.unknown += 1;
                self.unknown_reason.get_or_insert_with(|| reason.clone());
            }
        }
    }

    /// Begins to count for each strategy of the explorer, if it has several.
    pub(crate) fn begin_arms(&mut self, explorer: &dyn Explorer) {
        if self.arms.is_empty() {
            let tally = |arm: ArmInfo<'_>| ArmTally { strategy: arm.name.to_owned(), ..ArmTally::default() };
            self.arms = explorer.arms().into_iter().map(tally).collect();
        }
    }

    /// Counts an execution for its strategy.
    pub(crate) fn count_arm(&mut self, arm: usize, tally: &Tally, failed: bool) {
        if let Some(arm) = self.arms.get_mut(arm) {
            arm.executions += 1;
            arm.steps += tally.all_steps();
            arm.failed += u64::from(failed);
        }
    }

    /// Takes in what each strategy has come to first.
    pub(crate) fn credit_arms(&mut self, explorer: &dyn Explorer) {
        for (tally, arm) in self.arms.iter_mut().zip(explorer.arms()) {
            tally.new = arm.new;
        }
    }

    /// Adds what the strategies of another part have spent and brought.
    pub(crate) fn join_arms(&mut self, part: &[ArmTally]) {
        for theirs in part {
            match self.arms.iter_mut().find(|arm| arm.strategy == theirs.strategy) {
                Some(arm) => {
                    arm.executions += theirs.executions;
                    arm.steps += theirs.steps;
                    arm.new += theirs.new;
                    arm.failed += theirs.failed;
                }
                None => self.arms.push(theirs.clone()),
            }
        }
    }

    /// Takes findings together that turned out to be the same: the same property and, now that it is shrunk,
    /// the same schedule.
    pub(crate) fn merge_equal_findings(&mut self) {
        let mut kept: Vec<Finding> = Vec::new();
        for mut finding in self.findings.drain(..) {
            let same = |known: &&mut Finding| {
                known.failure.violation.property == finding.failure.violation.property
                    && known.failure.schedule == finding.failure.schedule
                    && known.failure.config == finding.failure.config
            };
            match kept.iter_mut().find(same) {
                Some(known) => known.take_count(&mut finding),
                None => kept.push(finding),
            }
        }
        self.findings = kept;
        self.looked_at = self.findings.len();
    }
}
