//! Shrinking: the same violation by a schedule that a person can read.
//!
//! First the strategy that found the failure is asked for simpler executions of its own kind ([`Explorer::simpler`]): one
//! isolation fewer, say. Then delta debugging over steps with tolerant replay: take steps out, do the rest as far as it
//! can be done, and keep what was done if the same property is violated. Marks of rounds are not steps to be saved: they
//! stay as long as there is anything in their round. Whole groups go first (every crash, everything at one node, the node
//! itself), then halves, quarters, … down to single steps, unflushed writes that survive crashes, then pairs of steps; and
//! where that ends, detours: a few steps are replaced by fewer random ones. Again and again until nothing can go. Every
//! candidate is run; the result is deterministic unless a time limit cuts it short, and then it says so.

use std::time::{Duration, Instant};

use shakedown_cluster::{NodeId, Random, Recording, Step, StepKind, Trace, adapt, derive_seed};
use shakedown_explore::{Environment, Execution, Explorer, Mix, RandomWalk, Sight, Strategy, Weights};
use shakedown_target::before_settling;

use crate::{AnyTarget, Beat, Campaign, Config, Failure, Verdict, Violation, execute};

/// The longest schedule of which every pair of steps is tried.
const PAIRS_STEPS_MAX: usize = 150;

/// How many detours are tried in vain before shrinking ends.
const DETOURS_MAX: usize = 40_000;
/// The most steps that a detour replaces.
const DETOUR_STEPS_MAX: usize = 12;

/// How often in a row a candidate has to fail if the target is not deterministic.
const FAILURES_IN_A_ROW: usize = 3;
/// How often the failure itself is tried then, before it is given up as one that does not repeat.
const TRIES: usize = 5;
/// The longest schedule of such a target of which every pair of steps is tried: each candidate is a run of real processes.
const SLOW_PAIRS_STEPS_MAX: usize = 10;

/// How much work shrinking may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShrinkLimits {
    /// The most executions.
    pub executions: u64,
    /// The most time.
    pub time: Option<Duration>,
}

impl Default for ShrinkLimits {
    fn default() -> ShrinkLimits {
        ShrinkLimits { executions: 1_000_000, time: Some(Duration::from_secs(60)) }
    }
}

/// What shrinking came to.
pub struct Shrunk {
    /// The failure, with the shortest schedule found.
    pub failure: Failure,
    /// How many executions it took.
    pub executions: u64,
    /// Which limit cut it short, if one did.
    pub cut_short: Option<&'static str>,
}

/// Looks for a shorter schedule that violates the same property.
pub fn shrink(target: &dyn AnyTarget, failure: &Failure, limits: ShrinkLimits, beat: &Beat) -> Shrunk {
    let mut shrinker = Shrinker {
        target,
        beat,
        violation: failure.violation.clone(),
        seed: failure.seed,
        limits,
        began: Instant::now(),
        executions: 0,
        cut_short: None,
        best: None,
        random: Random::new(failure.seed),
        // Where the execution had drawn a mix of its own, what is random in a candidate is drawn from the same.
        weights: match failure.found.mix.as_deref().map(str::parse::<Mix>) {
            Some(Ok(mix)) => mix.weights,
            _ => target.info().weights.clone(),
        },
    };
    let steps = before_settling(&failure.schedule.steps).to_vec();
    let tries = if target.info().is_deterministic { 1 } else { TRIES };
    let has_repeated = (0..tries).any(|_| shrinker.attempt(&failure.config, &steps).is_some());
    let Some(best) = shrinker.best.as_ref().filter(|_| has_repeated) else {
        let mut failure = failure.clone();
        failure.repeats = shrinker.cut_short.is_some();
        return Shrunk { failure, executions: shrinker.executions, cut_short: shrinker.cut_short };
    };
    // The line of a panic may have moved since the failure was recorded. From here on it is this one.
    shrinker.violation = best.violation.clone();
    if target.info().is_deterministic {
        shrinker.by_simpler_executions(failure);
    }
    loop {
        let before = shrinker.size();
        shrinker.without_kinds();
        shrinker.without_nodes();
        shrinker.without_chunks();
        shrinker.with_fewer_writes_kept();
        if shrinker.size() == before && !shrinker.without_a_pair() && !shrinker.by_detours() {
            break;
        }
        if shrinker.cut_short.is_some() {
            break;
        }
    }
    if target.info().is_deterministic {
        shrinker.without_empty_rounds();
        shrinker.with_requests_in_order();
        shrinker.with_fewer_requests();
    }
    let best = shrinker.best.expect("the first attempt succeeded");
    let mut shrunk = failure.with_schedule(&best.config, best.violation, &best.trace);
    shrunk.found.shrunk = true;
    shrunk.repeats = true;
    Shrunk { failure: shrunk, executions: shrinker.executions, cut_short: shrinker.cut_short }
}

/// A step of a candidate: one of the schedule as it was, or whatever a random walk does there.
#[derive(Clone)]
enum Planned {
    Step(Step),
    Random,
}

/// Does what is planned as far as it can be done, leaving out what cannot; see [`adapt`].
struct Plan {
    steps: std::vec::IntoIter<Planned>,
    walk: Box<dyn Strategy>,
}

impl Strategy for Plan {
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step> {
        let walk = &mut self.walk;
        self.steps.find_map(|planned| match planned {
            Planned::Step(step) => adapt(&step, sight.board()),
            Planned::Random => walk.next(sight),
        })
    }
}

#[derive(Clone)]
struct Best {
    config: Config,
    violation: Violation,
    trace: Trace,
}

impl Best {
    fn size(&self) -> Size {
        // How a target ends an execution by itself is not a matter of the schedule.
        let steps = before_settling(self.trace.board.steps());
        let kept = steps.iter().map(|step| kept_by(step) as usize).sum();
        (self.config.nodes, steps.iter().filter(|step| !is_mark(step)).count(), kept)
    }
}

/// Nodes, steps, and unflushed writes that survive crashes: what is to become smaller, in this order.
type Size = (usize, usize, usize);

/// How many unflushed writes survive, if the step is a crash.
fn kept_by(step: &Step) -> u32 {
    match step {
        Step::Crash { keep, .. } => *keep,
        _ => 0,
    }
}

/// Whether the step is there for readers only.
fn is_mark(step: &Step) -> bool {
    step.kind() == StepKind::Round
}

struct Shrinker<'a> {
    target: &'a dyn AnyTarget,
    beat: &'a Beat,
    /// What is to be violated.
    violation: Violation,
    seed: u64,
    limits: ShrinkLimits,
    began: Instant,
    executions: u64,
    cut_short: Option<&'static str>,
    best: Option<Best>,
    random: Random,
    /// What random steps are drawn by.
    weights: Weights,
}

impl Shrinker<'_> {
    fn size(&self) -> Size {
        self.best.as_ref().map_or((usize::MAX, usize::MAX, usize::MAX), Best::size)
    }

    fn steps(&self) -> Vec<Step> {
        self.best.as_ref().map_or_else(Vec::new, |best| before_settling(best.trace.board.steps()).to_vec())
    }

    fn config(&self) -> Config {
        self.best.as_ref().expect("asked for only after a success").config.clone()
    }

    /// Tries these steps; keeps what came of them if the property is violated and it is smaller.
    fn attempt(&mut self, config: &Config, steps: &[Step]) -> Option<()> {
        let best = self.run(config, steps.iter().cloned().map(Planned::Step).collect())?;
        if best.size() < self.size() && self.fails_again(&best) {
            self.best = Some(best);
            return Some(());
        }
        None
    }

    /// Whether a candidate fails often enough: once, unless the target is not deterministic.
    fn fails_again(&mut self, best: &Best) -> bool {
        if self.target.info().is_deterministic {
            return true;
        }
        let steps = before_settling(best.trace.board.steps());
        let plan: Vec<_> = steps.iter().cloned().map(Planned::Step).collect();
        (1..FAILURES_IN_A_ROW).all(|_| self.run(&best.config, plan.clone()).is_some())
    }

    /// Whether there is no time and no execution left.
    fn is_spent(&mut self) -> bool {
        if self.executions >= self.limits.executions {
            self.cut_short = Some("the limit of executions");
        } else if self.limits.time.is_some_and(|limit| self.began.elapsed() > limit) {
            self.cut_short = Some("the limit of time");
        }
        self.cut_short.is_some()
    }

    /// Whether it is the violation that is to be kept; a panic that was recorded elsewhere may have moved.
    fn is_wanted(&self, violation: &Violation) -> bool {
        match self.best {
            Some(_) => violation.property == self.violation.property,
            None => violation.is_like(&self.violation),
        }
    }

    /// What comes of these steps, if the property is violated.
    fn run(&mut self, config: &Config, plan: Vec<Planned>) -> Option<Best> {
        if self.is_spent() {
            return None;
        }
        let environment = Environment::new(self.weights.clone(), config.crashes);
        let execution = Execution { number: 0, seed: self.random.next_u64(), steps_max: plan.len() };
        let walk = RandomWalk::new(environment).strategy(&execution);
        let most = plan.len();
        self.run_strategy(config, &mut Plan { steps: plan.into_iter(), walk }, most)
    }

    /// What comes of this strategy, if the property is violated.
    fn run_strategy(
        &mut self,
        config: &Config,
        strategy: &mut dyn Strategy,
        steps_max: usize,
    ) -> Option<Best> {
        self.executions += 1;
        let live = self.target.begin(config, self.seed, Recording::Brief).ok()?;
        let outcome = execute(live, strategy, steps_max, self.beat);
        match outcome.verdict {
            Verdict::Fail(violation) if self.is_wanted(&violation) => {
                Some(Best { config: config.clone(), violation, trace: outcome.trace })
            }
            _ => None,
        }
    }

    /// Executions of the same kind as the one that was found, but simpler, until there is none that fails alike.
    fn by_simpler_executions(&mut self, failure: &Failure) {
        // What found it may be no strategy that can be chosen: paths of a specification, or an explorer of the caller's own.
        let Ok(strategy) = failure.found.strategy.parse() else { return };
        let mut campaign = Campaign::new(self.target);
        (campaign.plan.config, campaign.plan.strategy) = (failure.config.clone(), strategy);
        let Ok(explorer) = campaign.explorer() else { return };
        let steps_max = failure.config.steps;
        // As in a campaign, part 1 of the seed is the strategy's.
        let execution =
            Execution { number: failure.found.execution, seed: derive_seed(failure.seed, 1), steps_max };
        loop {
            let simpler = explorer.simpler(&execution, &self.steps());
            let found = simpler.into_iter().find_map(|mut strategy| {
                if self.is_spent() {
                    return None;
                }
                self.run_strategy(&failure.config, strategy.as_mut(), steps_max)
            });
            match found {
                Some(best) => self.best = Some(best),
                None => return,
            }
        }
    }

    /// Marks of rounds in which nothing is left to be done go.
    fn without_empty_rounds(&mut self) {
        let steps = self.steps();
        let is_kept =
            |at: &usize| !is_mark(&steps[*at]) || steps.get(at + 1).is_some_and(|next| !is_mark(next));
        let rest: Vec<_> =
            (0..steps.len()).filter(is_kept).map(|at| Planned::Step(steps[at].clone())).collect();
        if let Some(best) = self.run(&self.config(), rest).filter(|best| best.size() <= self.size()) {
            self.best = Some(best);
        }
    }

    /// All steps of a kind, or of two kinds that belong together.
    fn without_kinds(&mut self) {
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
            let steps = self.steps();
            let rest: Vec<_> = steps.iter().filter(|step| !group.contains(&step.kind())).cloned().collect();
            if rest.len() < steps.len() {
                self.attempt(&self.config(), &rest);
            }
        }
    }

    /// Everything at one node; then the node itself, the later ones moving up by one.
    fn without_nodes(&mut self) {
        for node in NodeId::first(self.config().nodes).rev() {
            let steps = self.steps();
            let rest: Vec<_> =
                steps.iter().filter(|step| !step.nodes().any(|n| n == node)).cloned().collect();
            if rest.len() < steps.len() {
                self.attempt(&self.config(), &rest);
            }
            let mut config = self.config();
            if config.nodes > self.target.info().nodes_min.max(2) {
                config.nodes -= 1;
                let renamed: Vec<_> =
                    self.steps().iter().filter_map(|step| without_node(step, node)).collect();
                self.attempt(&config, &renamed);
            }
        }
    }

    /// Halves, quarters, … single steps.
    fn without_chunks(&mut self) {
        let mut chunk = (self.steps().len() / 2).max(1);
        loop {
            // From the end: late steps depend on early ones, so they are the ones that can go.
            let mut end = self.steps().len();
            while end > 0 && self.cut_short.is_none() {
                let steps = self.steps();
                end = end.min(steps.len());
                let start = end.saturating_sub(chunk);
                let marks = steps[start..end].iter().filter(|step| is_mark(step));
                let rest: Vec<_> = steps[..start].iter().chain(marks).chain(&steps[end..]).cloned().collect();
                self.attempt(&self.config(), &rest);
                end = start;
            }
            if chunk == 1 || self.cut_short.is_some() {
                return;
            }
            chunk /= 2;
        }
    }

    /// Crashes that lose all unflushed writes, or one more than they did, all crashes at once (what two nodes lose may have
    /// to be the same) and then each: what was written only to survive can then go.
    fn with_fewer_writes_kept(&mut self) {
        let crashes = self.steps().iter().filter(|step| kept_by(step) > 0).count();
        if crashes == 0 {
            return;
        }
        let each = (0..crashes).map(|at| at..at + 1);
        for which in std::iter::once(0..crashes).chain(each) {
            for less in [u32::MAX, 1] {
                let mut steps = self.steps();
                let kept = steps.iter_mut().filter_map(|step| match step {
                    Step::Crash { keep: keep @ 1.., .. } => Some(keep),
                    _ => None,
                });
                for keep in kept.skip(which.start).take(which.len()) {
                    *keep = keep.saturating_sub(less);
                }
                self.attempt(&self.config(), &steps);
            }
        }
    }

    /// Any two steps at once: a crash and its restart, a tick here and a tick there that must keep pace. Whether one
    /// pair could go; then the quicker passes come first again.
    fn without_a_pair(&mut self) -> bool {
        let steps = self.steps();
        let most = if self.target.info().is_deterministic { PAIRS_STEPS_MAX } else { SLOW_PAIRS_STEPS_MAX };
        if self.size().1 > most {
            return false;
        }
        let config = self.config();
        let places: Vec<_> = (0..steps.len()).filter(|&at| !is_mark(&steps[at])).collect();
        for (second, &second_place) in places.iter().enumerate().rev() {
            for &first_place in places[..second].iter().rev() {
                let mut rest = steps.clone();
                rest.remove(second_place);
                rest.remove(first_place);
                if self.attempt(&config, &rest).is_some() {
                    return true;
                }
                if self.cut_short.is_some() {
                    return false;
                }
            }
        }
        false
    }

    /// The first requests of the workload in their order, if they do as well: easier to read than the seventh and third.
    fn with_requests_in_order(&mut self) {
        let (mut steps, config) = (self.steps(), self.config());
        let workload = self.best.as_ref().map_or_else(Vec::new, |best| best.trace.board.workload().to_vec());
        let is_foreign = |step: &Step| matches!(step, Step::Request(_, op) if !workload.contains(op));
        if steps.iter().any(is_foreign) {
            return;
        }
        let requests = steps.iter_mut().filter_map(|step| match step {
            Step::Request(_, op) => Some(op),
            _ => None,
        });
        for (op, first) in requests.zip(workload) {
            *op = first;
        }
        let found = self.run(&config, steps.into_iter().map(Planned::Step).collect());
        if let Some(best) = found.filter(|best| best.size() <= self.size()) {
            self.best = Some(best);
        }
    }

    /// A workload of only so many requests as are sent, if it makes no difference.
    fn with_fewer_requests(&mut self) {
        let (steps, mut config) = (self.steps(), self.config());
        config.requests = self.best.as_ref().map_or(0, |best| best.trace.board.requests().len());
        let found = self.run(&config, steps.iter().cloned().map(Planned::Step).collect());
        if let Some(best) = found.filter(|best| best.trace.board.steps() == steps) {
            self.best = Some(best);
        }
    }

    /// Out of a dead end: somewhere in the schedule a few steps are replaced by fewer, or as many, random ones, and what
    /// then violates the property and is no longer than before is gone on from. Whether something shorter was met.
    fn by_detours(&mut self) -> bool {
        let before = self.size();
        // Random steps would spoil what rounds leave of order, and there is no time for them where steps are real processes'.
        if !self.target.info().is_deterministic || before.1 == 0 || self.steps().iter().any(is_mark) {
            return false;
        }
        let dead_end = self.best.clone();
        let config = self.config();
        for _ in 0..DETOURS_MAX {
            let steps = self.steps();
            let mut plan: Vec<Planned> = steps.into_iter().map(Planned::Step).collect();
            if self.random.below(2) == 0 {
                let start = self.random.index(plan.len());
                let gone = 1 + self.random.index((plan.len() - start).min(DETOUR_STEPS_MAX));
                let new = self.random.index(gone + 1);
                plan.splice(start..start + gone, std::iter::repeat_n(Planned::Random, new));
            } else {
                let step = plan.remove(self.random.index(plan.len()));
                plan.insert(self.random.index(plan.len() + 1), step);
                for _ in 0..self.random.below(4).min(plan.len() as u64) {
                    plan.remove(self.random.index(plan.len()));
                }
            }
            if let Some(best) = self.run(&config, plan)
                && best.trace.board.steps().len() <= self.size().1
            {
                self.best = Some(best);
                if self.size() < before {
                    return true;
                }
            }
            if self.cut_short.is_some() {
                break;
            }
        }
        self.best = dead_end;
        false
    }
}

/// The step in a cluster without this node, in which later nodes have moved up by one.
fn without_node(step: &Step, gone: NodeId) -> Option<Step> {
    if step.nodes().any(|node| node == gone) {
        return None;
    }
    let moved = |node: NodeId| if node > gone { NodeId::new(node.number() - 1) } else { node };
    let id = |id: &shakedown_cluster::MessageId| shakedown_cluster::MessageId {
        from: moved(id.from),
        to: moved(id.to),
        number: id.number,
    };
    Some(match step {
        Step::Deliver(m, kind) => Step::Deliver(id(m), *kind),
        Step::Drop(m, kind) => Step::Drop(id(m), *kind),
        Step::Duplicate(m, kind) => Step::Duplicate(id(m), *kind),
        Step::Tamper(m, kind, text) => Step::Tamper(id(m), *kind, text.clone()),
        Step::Inject(from, to, text) => Step::Inject(moved(*from), moved(*to), text.clone()),
        Step::Tick(node) => Step::Tick(moved(*node)),
        Step::Fire(node, timer) => Step::Fire(moved(*node), *timer),
        Step::Flush(node) => Step::Flush(moved(*node)),
        Step::Request(node, op) => Step::Request(moved(*node), op.clone()),
        Step::Crash { node, keep } => Step::Crash { node: moved(*node), keep: *keep },
        Step::Restart(node) => Step::Restart(moved(*node)),
        Step::Cut(a, b) => Step::Cut(moved(*a), moved(*b)),
        Step::Heal(a, b) => Step::Heal(moved(*a), moved(*b)),
        Step::Round { phase, name, kernel } => {
            let kernel = kernel.iter().filter(|node| *node != gone).map(moved).collect();
            Step::Round { phase: *phase, name: *name, kernel }
        }
    })
}
