//! One execution of a campaign: what it is run with, and what is kept of it.

use std::time::Instant;

use shakedown_check::LookedFor;
use shakedown_cluster::{BootPanic, Fingerprint, Recording, Trace, running_execution};
use shakedown_explore::closure::Phase;
use shakedown_explore::{Execution, Experience, Explorer};
use shakedown_target::{Beat, execute_until};

use crate::difference::Difference;
use crate::effects::phases_with_effect;
use crate::workers::Shift;
use crate::{Campaign, CannotBegin, Checked, Outcome, Tally, Verdict, Violation};

/// The property that a seed stands for one execution.
pub(crate) const DETERMINISM: &str = "determinism";

/// How many pairs of runs are recorded in full, to find out what differs between two runs of one seed.
const PAIRS_MAX: usize = 8;

/// An execution, and what it is run with.
pub(crate) struct Run<'e> {
    pub explorer: &'e dyn Explorer,
    pub guides: &'e [String],
    pub execution: Execution,
    /// The seed of nodes and workload, if it is not the execution's own.
    pub world: Option<u64>,
}

/// What is kept of an execution.
pub(crate) struct Done {
    pub verdict: Verdict,
    pub fingerprint: Option<Fingerprint>,
    pub tally: Tally,
    pub checked: Vec<Checked>,
    pub trace: Option<Trace>,
    pub covered: Vec<Vec<u64>>,
    pub looked_for: Vec<LookedFor>,
    /// What its strategy experienced; nothing if the cluster did not boot.
    pub experience: Option<Experience>,
    /// The seed of nodes and workload, if it is not the execution's own.
    pub world: Option<u64>,
    /// The execution that failed, if it was an earlier one whose thread panicked only now.
    pub culprit: Option<u64>,
    /// Whether the limit of time cut it short: then it does not count.
    pub is_cut_short: bool,
}

impl Done {
    pub fn of(outcome: Outcome, experience: Experience, world: Option<u64>) -> Done {
        Done {
            is_cut_short: outcome.is_cut_short(),
            fingerprint: Some(outcome.trace.fingerprint()),
            tally: Tally::of(&outcome.trace.board),
            checked: outcome.checked,
            trace: matches!(outcome.verdict, Verdict::Fail(_)).then_some(outcome.trace),
            verdict: outcome.verdict,
            covered: outcome.covered,
            looked_for: outcome.looked_for,
            experience: Some(experience),
            world,
            culprit: None,
        }
    }

    pub fn at_boot(violation: Violation, world: Option<u64>) -> Done {
        Done {
            verdict: Verdict::Fail(violation),
            fingerprint: None,
            tally: Tally::default(),
            checked: Vec::new(),
            trace: None,
            covered: Vec::new(),
            looked_for: Vec::new(),
            experience: None,
            world,
            culprit: None,
            is_cut_short: false,
        }
    }
}

impl Campaign<'_> {
    /// The execution of this number, and what it is run with.
    pub(crate) fn run_of<'e>(
        &self,
        explorer: &'e dyn Explorer,
        guides: &'e [String],
        number: u64,
    ) -> Run<'e> {
        let execution = self.execution(number);
        let world = explorer.world(&self.chosen(&execution));
        Run { explorer, guides, execution, world }
    }

    /// Runs an execution, twice if determinism is checked.
    pub(crate) fn one(&self, run: &Run<'_>, shift: &Shift<'_>, beat: &Beat) -> Result<Done, CannotBegin> {
        let until = shift.deadline();
        let (outcome, experience) = match self.run_once(run, Recording::Brief, until, beat) {
            Err(CannotBegin::Boot(boot)) => return Ok(Done::at_boot(Violation::from(&boot), run.world)),
            other => other?,
        };
        // Until a thread has panicked, the executions of one worker share a number.
        let suspects =
            if outcome.is_thread_panic() { shift.remembered(running_execution()) } else { Vec::new() };
        shift.remember(run.execution.number);
        if outcome.is_thread_panic() {
            return Ok(self.attribute(run, suspects, (outcome, experience), beat));
        }
        if !self.plan.check_determinism || outcome.is_cut_short() {
            return Ok(self.done(outcome, experience, run.world));
        }
        let again = match self.run_once(run, Recording::Brief, until, beat) {
            Err(CannotBegin::Boot(boot)) => Err(boot),
            other => Ok(other?.0),
        };
        let is_cut_short = again.as_ref().is_ok_and(Outcome::is_cut_short);
        let reason = if is_cut_short { None } else { self.compare(run, &outcome, &again, beat) };
        let mut outcome = outcome;
        if let Some(reason) = reason {
            outcome.verdict = Verdict::Fail(Violation { property: DETERMINISM.to_owned(), reason });
        }
        let done = self.done(outcome, experience, run.world);
        Ok(Done { is_cut_short, ..done })
    }

    /// What is wrong if two runs of one seed are not the same.
    fn compare(
        &self,
        run: &Run<'_>,
        outcome: &Outcome,
        again: &Result<Outcome, BootPanic>,
        beat: &Beat,
    ) -> Option<String> {
        let again = match again {
            Ok(again) => again,
            Err(boot) => return Some(format!("the first of two runs of one seed boots, the second: {boot}")),
        };
        let Some(brief) = Difference::between(&outcome.trace, &again.trace) else {
            let is_other = again.covered != outcome.covered;
            return is_other
                .then(|| "two runs of one seed are the same, but guides saw different things".into());
        };
        // Contents and states are only in traces that are recorded in full.
        let full = || Some(self.run_once(run, Recording::Full, None, beat).ok()?.0.trace);
        let exact = (0..PAIRS_MAX).find_map(|_| Difference::between(&full()?, &full()?));
        Some(exact.unwrap_or(brief).to_string())
    }

    /// What is kept of an execution.
    pub(crate) fn done(&self, outcome: Outcome, experience: Experience, world: Option<u64>) -> Done {
        let phase = self.target.info().phase.as_ref();
        let effect = phase.and_then(Phase::effect_name);
        let effects = effect.map(|name| phases_with_effect(&outcome.trace.board, name));
        let mut done = Done::of(outcome, experience, world);
        let rounds = &mut done.tally.rounds;
        if phase.is_none() {
            // The strategy went in rounds, but of phases of the protocol nothing is known.
            rounds.forget_phases();
        }
        rounds.phases_with_effect = effects.filter(|_| rounds.phases > 0);
        done
    }

    pub(crate) fn run_once(
        &self,
        run: &Run<'_>,
        recording: Recording,
        until: Option<Instant>,
        beat: &Beat,
    ) -> Result<(Outcome, Experience), CannotBegin> {
        let Run { explorer, guides, execution, world } = run;
        let chosen = self.chosen(execution);
        let world = world.unwrap_or(execution.seed);
        let asked = explorer.guides().len();
        let looks = |guide: usize| guide >= asked || explorer.looks(&chosen, guide);
        let watching: Vec<bool> = (0..guides.len()).map(looks).collect();
        let live = match watching.iter().all(|looks| *looks) {
            true => self.target.begin_guided(&self.plan.config, world, recording, guides)?,
            false => {
                let some = guides.iter().zip(&watching).filter(|(_, looks)| **looks);
                let some: Vec<String> = some.map(|(guide, _)| guide.clone()).collect();
                self.target.begin_guided(&self.plan.config, world, recording, &some)?
            }
        };
        let mut strategy = explorer.strategy(&chosen);
        let steps_max = explorer.steps_max(&chosen);
        let mut outcome = execute_until(until, live, strategy.as_mut(), steps_max, beat);
        let experience = strategy.experience(&outcome.trace);
        give_places(&mut outcome, &watching);
        Ok((outcome, experience))
    }
}

/// Puts what each guide saw in its place; those that did not watch saw nothing.
fn give_places(outcome: &mut Outcome, watching: &[bool]) {
    for (place, _) in watching.iter().enumerate().filter(|(_, looks)| !**looks) {
        outcome.covered.insert(place, Vec::new());
        outcome.looked_for.insert(place, LookedFor { names: &[], happened: 0 });
    }
}
