//! Passes: what is taken out of a schedule, in order. Each goes on from where it was when something could go.

use shakedown_cluster::{NodeId, Step, StepKind};
use shakedown_explore::Execution;

use super::candidate::{Best, Candidate, is_mark, kept_by};
use super::fewer_nodes::without_node;
use super::search::Search;
use crate::{Campaign, Failure};

/// The longest schedule of which every pair of steps is tried.
const PAIRS_STEPS_MAX: usize = 150;
/// The longest schedule of a target that is not deterministic of which that is done: each candidate is a run
/// of real processes.
const SLOW_PAIRS_STEPS_MAX: usize = 10;

impl Search<'_> {
    /// Executions of the same kind as the one that was found, but simpler, until there is none that fails
    /// alike.
    pub(super) fn by_simpler_executions(&mut self, failure: &Failure) {
        // What found it may be no strategy that can be chosen: paths of a specification, or an explorer of
        // the caller's own.
        let Ok(strategy) = failure.found.strategy.parse() else { return };
        let mut campaign = Campaign::new(self.target);
        (campaign.plan.config, campaign.plan.strategy) = (failure.config.clone(), strategy);
        let Ok(explorer) = campaign.explorer() else { return };
        // As in a campaign, part 1 of the seed is the strategy's.
        let execution = campaign.chosen(&Execution {
            number: failure.found.execution,
            seed: failure.seed,
            steps_max: failure.config.steps,
        });
        loop {
            let simpler = explorer.simpler(&execution, self.best.steps());
            let mut simpler = simpler.into_iter();
            if !simpler
                .any(|mut strategy| self.replace_by(strategy.as_mut(), &failure.config, execution.steps_max))
            {
                return;
            }
        }
    }

    /// Everything that takes steps out and is quick, until nothing can go any more.
    pub(super) fn by_passes(&mut self) {
        loop {
            let before = self.size();
            self.without_kinds();
            self.without_nodes();
            self.without_chunks();
            self.with_fewer_writes_kept();
            if self.size() == before || self.cut_short.is_some() {
                return;
            }
        }
    }

    /// Marks of rounds in which nothing is left to be done go.
    pub(super) fn without_empty_rounds(&mut self) {
        let steps = self.best.steps().to_vec();
        if !steps.iter().any(is_mark) {
            return;
        }
        let is_kept =
            |at: usize| !is_mark(&steps[at]) || steps.get(at + 1).is_some_and(|next| !is_mark(next));
        let rest = || Candidate::of((0..steps.len()).filter(|&at| is_kept(at)).map(|at| steps[at].clone()));
        let size = self.size();
        self.one(rest, |new| new <= size);
    }

    /// All steps of a kind, or of two kinds that belong together.
    pub(super) fn without_kinds(&mut self) {
        use StepKind::{Crash, Cut, Drop, Duplicate, Flush, Heal, Inject, Request, Restart, Tamper, Tick};
        let groups: [&[StepKind]; 9] = [
            &[Crash, Restart],
            &[Cut, Heal],
            &[Drop],
            &[Duplicate],
            &[Tamper],
            &[Inject],
            &[Request],
            &[Flush],
            &[Tick],
        ];
        for group in groups {
            self.without(|step| group.contains(&step.kind()));
        }
    }

    /// Takes these steps out, if there are any.
    fn without(&mut self, is_gone: impl Fn(&Step) -> bool + Sync) -> bool {
        let size = self.size();
        let make = |best: &Best| {
            let rest: Vec<_> = best.steps().iter().filter(|step| !is_gone(step)).cloned().collect();
            (rest.len() < best.steps().len()).then(|| Candidate::of(rest))
        };
        self.first(1, |best, _, _| make(best), |new| new < size).is_some()
    }

    /// Everything at one node; then the node itself, the later ones moving up by one.
    pub(super) fn without_nodes(&mut self) {
        for node in NodeId::first(self.best.config.nodes).rev() {
            self.without(|step| step.nodes().any(|n| n == node));
            let mut config = self.best.config.clone();
            if config.nodes > self.target.info().nodes_min.max(2) {
                config.nodes -= 1;
                let steps = self.best.steps().to_vec();
                self.smaller(|| Candidate {
                    config: Some(config.clone()),
                    ..Candidate::of(steps.iter().filter_map(|step| without_node(step, node)))
                });
            }
        }
    }

    /// Halves, quarters, … single steps.
    pub(super) fn without_chunks(&mut self) {
        let mut chunk = (self.best.steps().len() / 2).max(1);
        loop {
            self.without_chunks_of(chunk);
            if chunk == 1 || self.cut_short.is_some() {
                return;
            }
            chunk /= 2;
        }
    }

    /// Every chunk of this many steps, from the end: late steps depend on early ones, so they are the ones
    /// that can go.
    pub(super) fn without_chunks_of(&mut self, chunk: usize) {
        let mut end = self.best.steps().len();
        while end > 0 {
            let size = self.size();
            let make = |best: &Best, number: u64| {
                let end = end - chunk * number as usize;
                let (steps, start) = (best.steps(), end.saturating_sub(chunk));
                let marks = steps[start..end].iter().filter(|step| is_mark(step));
                Candidate::of(steps[..start].iter().chain(marks).chain(&steps[end..]).cloned())
            };
            let count = end.div_ceil(chunk) as u64;
            let Some(number) =
                self.first(count, |best, number, _| Some(make(best, number)), |new| new < size)
            else {
                return;
            };
            end = end.saturating_sub(chunk * (number as usize + 1)).min(self.best.steps().len());
        }
    }

    /// Crashes that lose all unflushed writes, or one more than they did, all crashes at once (what two nodes
    /// lose may have to be the same) and then each: what was written only to survive can then go.
    pub(super) fn with_fewer_writes_kept(&mut self) {
        let crashes = self.best.steps().iter().filter(|step| kept_by(step) > 0).count();
        if crashes == 0 {
            return;
        }
        let each = (0..crashes).map(|at| at..at + 1);
        for which in std::iter::once(0..crashes).chain(each) {
            for less in [u32::MAX, 1] {
                let mut steps = self.best.steps().to_vec();
                let kept = steps.iter_mut().filter_map(|step| match step {
                    Step::Crash { keep: keep @ 1.., .. } => Some(keep),
                    _ => None,
                });
                for keep in kept.skip(which.start).take(which.len()) {
                    *keep = keep.saturating_sub(less);
                }
                self.smaller(|| Candidate::of(steps.clone()));
            }
        }
    }

    /// Any two steps at once: a crash and its restart, a tick here and a tick there that must keep pace.
    /// Whether a pair could go; then the quicker passes come first again.
    pub(super) fn without_a_pair(&mut self) -> bool {
        let most = if self.target.info().is_deterministic { PAIRS_STEPS_MAX } else { SLOW_PAIRS_STEPS_MAX };
        let size = self.size();
        if size.1 > most {
            return false;
        }
        let steps = self.best.steps();
        let places: Vec<_> = (0..steps.len()).filter(|&at| !is_mark(&steps[at])).rev().collect();
        // The later step first, as with chunks: pairs with the last step come before all others.
        let pairs: Vec<_> = (0..places.len())
            .flat_map(|second| (second + 1..places.len()).map(move |first| (first, second)))
            .map(|(first, second)| (places[first], places[second]))
            .collect();
        let make = |best: &Best, number: u64| {
            let (first, second) = pairs[number as usize];
            let is_kept = |(at, _): &(usize, &Step)| *at != first && *at != second;
            Candidate::of(best.steps().iter().enumerate().filter(is_kept).map(|(_, step)| step.clone()))
        };
        self.first(pairs.len() as u64, |best, number, _| Some(make(best, number)), |new| new < size).is_some()
    }

    /// The first requests of the workload in their order, if they do as well: easier to read than the seventh
    /// and third.
    pub(super) fn with_requests_in_order(&mut self) {
        let mut steps = self.best.steps().to_vec();
        let workload = self.best.trace.board.workload().to_vec();
        let is_foreign = |step: &Step| matches!(step, Step::Request(_, op) if !workload.contains(op));
        // What is asked again is named by its words.
        let is_retry = |step: &Step| matches!(step, Step::Retry(..));
        if steps.iter().any(|step| is_foreign(step) || is_retry(step)) {
            return;
        }
        let requests = steps.iter_mut().filter_map(|step| match step {
            Step::Request(_, op) => Some(op),
            _ => None,
        });
        for (op, first) in requests.zip(workload) {
            *op = first;
        }
        let size = self.size();
        self.one(|| Candidate::of(steps.clone()), |new| new <= size);
    }

    /// A workload of only so many requests as are sent, if it makes no difference.
    pub(super) fn with_fewer_requests(&mut self) {
        let before = self.best.clone();
        let config = {
            let mut config = before.config.clone();
            config.requests = before.trace.board.requests().len();
            config
        };
        let steps = before.steps();
        let candidate = || Candidate { config: Some(config.clone()), ..Candidate::of(steps.iter().cloned()) };
        if self.one(candidate, |_| true) && self.best.trace.board.steps() != before.trace.board.steps() {
            self.best = before;
        }
    }
}
