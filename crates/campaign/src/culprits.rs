//! Panics of threads: which execution started the thread.

use shakedown_cluster::{CaughtPanics, Recording, are_thread_panics_pending, take_late_thread_panics};
use shakedown_explore::{Experience, Explorer};
use shakedown_target::Beat;

use crate::run::{Done, Run};
use crate::workers::Shift;
use crate::{Campaign, Outcome, Standing, Verdict, Violation};

/// What is added to the reason of a panic whose execution was not found.
const DID_NOT_REPEAT: &str = " (it did not repeat when the execution was run again: the thread panics at some times only, \
    or an earlier execution started it)";

/// How many executions are run again to find the one whose thread panicked.
const SUSPECTS_MAX: usize = 16;

impl Campaign<'_> {
    /// Takes in the panics of threads that outlived their executions.
    pub(crate) fn take_late_panics(
        &self,
        standing: &mut Standing,
        explorer: &dyn Explorer,
        guides: &[String],
        shift: &Shift<'_>,
    ) {
        if !are_thread_panics_pending() {
            return;
        }
        for late in take_late_thread_panics(|number| !shift.remembered(number).is_empty()) {
            if self.target.info().caught_panics == CaughtPanics::Tolerated {
                continue;
            }
            let suspects = shift.remembered(late.execution.unwrap_or_default());
            let Some(&last) = suspects.first() else { continue };
            let violation = Violation {
                property: format!("panic at {}", late.panic.place),
                reason: format!("a thread of the target panicked: {}", late.panic.message),
            };
            if standing.findings.iter().any(|known| known.failure.violation.property == violation.property) {
                continue;
            }
            let done = shift.alone(last, |beat| {
                self.find_culprit(explorer, guides, suspects, &violation.property, beat).unwrap_or_else(
                    || Done { culprit: Some(last), ..Done::at_boot(did_not_repeat(violation), None) },
                )
            });
            standing.failed += 1;
            // Whether the campaign goes on is known from the count.
            let _ = self.take_failure(standing, explorer, last, &done);
        }
    }

    /// Runs executions again, to find the one whose thread panicked.
    fn find_culprit(
        &self,
        explorer: &dyn Explorer,
        guides: &[String],
        suspects: Vec<u64>,
        property: &str,
        beat: &Beat,
    ) -> Option<Done> {
        suspects.into_iter().take(SUSPECTS_MAX).find_map(|number| {
            let run = self.run_of(explorer, guides, number);
            let (outcome, experience) = self.run_once(&run, Recording::Brief, None, beat).ok()?;
            let is_it = matches!(&outcome.verdict, Verdict::Fail(found) if found.property == property);
            is_it.then(|| Done { culprit: Some(number), ..self.done(outcome, experience, run.world) })
        })
    }

    /// A thread of the target panicked while an execution ran, perhaps one of an earlier execution. From now
    /// on every execution has a number of its own, so those that are suspected are run again: this one first.
    pub(crate) fn attribute(
        &self,
        run: &Run<'_>,
        suspects: Vec<u64>,
        (outcome, experience): (Outcome, Experience),
        beat: &Beat,
    ) -> Done {
        let mut done = self.done(outcome, experience, run.world);
        let Verdict::Fail(violation) = done.verdict.clone() else { return done };
        let suspects = std::iter::once(run.execution.number).chain(suspects).collect();
        match self.find_culprit(run.explorer, run.guides, suspects, &violation.property, beat) {
            // What this execution counts for is its own.
            Some(found) => {
                Done { tally: done.tally, checked: done.checked, fingerprint: done.fingerprint, ..found }
            }
            None => {
                done.verdict = Verdict::Fail(did_not_repeat(violation));
                done
            }
        }
    }
}

/// The violation, with the remark that it was not met again.
fn did_not_repeat(mut violation: Violation) -> Violation {
    violation.reason.push_str(DID_NOT_REPEAT);
    violation
}
