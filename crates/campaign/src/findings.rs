//! The failures of a campaign: which are kept, their files, and how they are shrunk.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use shakedown_explore::Explorer;

use crate::failure::Found;
use crate::run::{DETERMINISM, Done};
use crate::shrink::{Hands, shrink_by};
use crate::workers::Shift;
use crate::{Campaign, Cause, Failure, Finding, Standing, Verdict, Violation};

/// The most findings of one property, however many causes it is violated by.
const CAUSES_MAX: usize = 16;
/// The time that shrinking has even when the campaign's is over.
const SHRINK_TIME_MIN: Duration = Duration::from_secs(1);

impl Campaign<'_> {
    /// Takes in the failure of an execution that was counted, if it failed.
    pub(crate) fn take_failure(
        &self,
        standing: &mut Standing,
        explorer: &dyn Explorer,
        number: u64,
        done: &Done,
    ) -> ControlFlow<()> {
        let Verdict::Fail(violation) = &done.verdict else { return ControlFlow::Continue(()) };
        let number = done.culprit.unwrap_or(number);
        let cause = Cause::of(violation);
        let same = findings_of(standing, violation, &cause);
        if let Some(&first) = same.first() {
            standing.findings[first].hits += 1;
            standing.findings[first].count_cause(&cause);
        }
        let known = same.len();
        if known < self.plan.variants.max(1) {
            let trace = done.trace.as_ref();
            let steps = trace.map_or(0, |trace| trace.board.steps().len());
            let found = self.found_in(explorer, number, steps);
            let seed = done.world.unwrap_or_else(|| self.execution(number).seed);
            let failure = Failure::new(self.target, &self.plan.config, seed, violation.clone(), found, trace);
            let (path, file_error) = self.write(&failure);
            let mut finding = Finding {
                failure,
                hits: u64::from(known == 0),
                causes: BTreeMap::new(),
                path,
                file_error,
                shrink_executions: 0,
                shrink_cut_short: None,
            };
            if known == 0 {
                finding.count_cause(&cause);
            }
            standing.findings.push(finding);
        }
        if self.plan.keep_going { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// How the execution of this number, which has this many steps, was come by.
    pub(crate) fn found_in(&self, explorer: &dyn Explorer, number: u64, steps: usize) -> Found {
        let chosen = self.chosen(&self.execution(number));
        let arm =
            explorer.arm(&chosen).and_then(|arm| explorer.arms().get(arm).map(|arm| arm.name.to_owned()));
        let campaign = self.plan.strategy.to_string();
        Found {
            of: arm.is_some().then(|| campaign.clone()),
            strategy: arm.or_else(|| explorer.label().map(str::to_owned)).unwrap_or(campaign),
            mix: explorer.mix(&chosen).map(|mix| mix.to_string()),
            campaign_seed: self.plan.seed,
            execution: number,
            steps,
            shrunk: false,
        }
    }

    /// Whether an execution that violates this makes a finding.
    pub(crate) fn is_wanted(&self, standing: &Standing, violation: &Violation) -> bool {
        findings_of(standing, violation, &Cause::of(violation)).len() < self.plan.variants.max(1)
    }

    /// Shrinks the failures that were found since the last time.
    pub(crate) fn shrink_new(&self, standing: &mut Standing, shift: &Shift<'_>) {
        if standing.looked_at == standing.findings.len() {
            return;
        }
        let Some(mut limits) = self.plan.shrink else {
            let new = &standing.findings[standing.looked_at..];
            new.iter().for_each(|finding| shift.progress().found(finding));
            standing.looked_at = standing.findings.len();
            return;
        };
        let began = Instant::now();
        for finding in &mut standing.findings[standing.looked_at..] {
            if finding.failure.violation.property == DETERMINISM {
                shift.progress().found(finding);
                continue;
            }
            // The time that is left to the campaign is all that shrinking has, but for a moment.
            if let Some(deadline) = shift.deadline() {
                let left = deadline.saturating_duration_since(Instant::now()).max(SHRINK_TIME_MIN);
                limits.time = Some(limits.time.map_or(left, |time| time.min(left)));
            }
            shift.progress().shrinking(&finding.failure.violation.property, finding.failure.found.steps);
            let found = finding.failure.clone();
            // The first short schedule is written at once: whatever ends the process, it is there.
            let mut heard = |failure: Failure, executions| {
                shift.progress().shrunk(&failure, executions);
                self.replace(finding, failure);
            };
            let shrunk =
                shrink_by(Hands::Crew(shift, self.fleet.as_deref()), self.target, &found, limits, &mut heard);
            finding.shrink_executions = shrunk.executions;
            finding.shrink_cut_short = shrunk.cut_short.map(str::to_owned);
            self.replace(finding, shrunk.failure);
            shift.progress().found(finding);
        }
        standing.shrinking += began.elapsed();
        standing.merge_equal_findings();
    }

    /// Puts a failure in place of the one that it was made from, in its file too.
    fn replace(&self, finding: &mut Finding, failure: Failure) {
        // What is written to the file also reports whether the failure was met again.
        if failure == finding.failure {
            return;
        }
        finding.failure = failure;
        let (better, error) = self.write(&finding.failure);
        if let Some(old) = finding.path.take().filter(|old| better.is_some() && Some(old) != better.as_ref())
        {
            // The longer one may stay if it cannot be removed: it is right as well.
            let _ = std::fs::remove_file(old);
        }
        (finding.path, finding.file_error) = (better, error);
    }

    fn write(&self, failure: &Failure) -> (Option<PathBuf>, Option<String>) {
        let Some(out) = &self.out else { return (None, None) };
        let path = out.join(failure.file_name());
        match failure.write(&path) {
            Ok(()) => (Some(path), None),
            Err(error) => (None, Some(error.to_string())),
        }
    }
}

/// The places of the findings that count as the same: of the same property by the same cause, or by any if
/// there are too many.
fn findings_of(standing: &Standing, violation: &Violation, cause: &Cause) -> Vec<usize> {
    let is_of_property = |finding: &Finding| finding.failure.violation.property == violation.property;
    let is_crowded = standing.findings.iter().filter(|finding| is_of_property(finding)).count() >= CAUSES_MAX;
    let is_of_it = |finding: &Finding| match is_crowded {
        true => is_of_property(finding),
        false => finding.is_of(cause),
    };
    let numbered = standing.findings.iter().enumerate();
    numbered.filter(|(_, finding)| is_of_it(finding)).map(|(place, _)| place).collect()
}
