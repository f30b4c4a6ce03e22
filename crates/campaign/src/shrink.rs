//! Shrinking: the same violation by a schedule that a person can read.
//!
//! Delta debugging over steps with tolerant replay: take steps out, do the rest as far as it can be done, and keep what
//! was done if the same property is violated. Whole groups go first (every crash, everything at one node, the node
//! itself), then halves, quarters, … down to single steps, again and again until nothing can go. Every candidate is
//! run; the result is deterministic unless a time limit cuts it short, and then it says so.

use std::time::{Duration, Instant};

use shakedown_cluster::{NodeId, Step, StepKind, Trace};

use crate::execute::replay_tolerantly;
use crate::{AnyTarget, Config, Failure, Verdict, Violation};

/// How much work shrinking may be.
#[derive(Clone, Copy, Debug)]
pub struct ShrinkLimits {
    /// The most executions.
    pub executions: u64,
    /// The most time.
    pub time: Option<Duration>,
}

impl Default for ShrinkLimits {
    fn default() -> ShrinkLimits {
        ShrinkLimits { executions: 20_000, time: Some(Duration::from_secs(60)) }
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
pub fn shrink(target: &dyn AnyTarget, failure: &Failure, limits: ShrinkLimits) -> Shrunk {
    let mut shrinker = Shrinker {
        target,
        property: &failure.violation.property,
        seed: failure.seed,
        limits,
        began: Instant::now(),
        executions: 0,
        cut_short: None,
        best: None,
    };
    let steps = failure.schedule.steps.clone();
    if shrinker.attempt(&failure.config, &steps).is_none() {
        return Shrunk {
            failure: failure.clone(),
            executions: shrinker.executions,
            cut_short: shrinker.cut_short,
        };
    }
    loop {
        let before = shrinker.size();
        shrinker.without_kinds();
        shrinker.without_nodes();
        shrinker.without_chunks();
        if shrinker.size() == before || shrinker.cut_short.is_some() {
            break;
        }
    }
    let best = shrinker.best.expect("the first attempt succeeded");
    let mut shrunk = failure.with_schedule(&best.config, best.violation, &best.trace);
    shrunk.found.shrunk = true;
    shrunk.config.requests = best.trace.board.requests().len();
    Shrunk { failure: shrunk, executions: shrinker.executions, cut_short: shrinker.cut_short }
}

struct Best {
    config: Config,
    violation: Violation,
    trace: Trace,
}

struct Shrinker<'a> {
    target: &'a dyn AnyTarget,
    property: &'a str,
    seed: u64,
    limits: ShrinkLimits,
    began: Instant,
    executions: u64,
    cut_short: Option<&'static str>,
    best: Option<Best>,
}

impl Shrinker<'_> {
    /// Nodes first, then steps: what is to become smaller.
    fn size(&self) -> (usize, usize) {
        self.best.as_ref().map_or((usize::MAX, usize::MAX), |b| (b.config.nodes, b.trace.board.steps().len()))
    }

    fn steps(&self) -> Vec<Step> {
        self.best.as_ref().map_or_else(Vec::new, |best| best.trace.board.steps().to_vec())
    }

    fn config(&self) -> Config {
        self.best.as_ref().expect("asked for only after a success").config.clone()
    }

    /// Tries these steps; keeps what came of them if the property is violated and nothing grew.
    fn attempt(&mut self, config: &Config, steps: &[Step]) -> Option<()> {
        if self.executions >= self.limits.executions {
            self.cut_short = Some("the limit of executions");
        } else if self.limits.time.is_some_and(|limit| self.began.elapsed() > limit) {
            self.cut_short = Some("the limit of time");
        }
        if self.cut_short.is_some() {
            return None;
        }
        self.executions += 1;
        let outcome = replay_tolerantly(self.target, config, self.seed, steps).ok()?;
        match outcome.verdict {
            Verdict::Fail(violation) if violation.property == self.property => {
                let smaller = (config.nodes, outcome.trace.board.steps().len()) < self.size();
                smaller.then(|| {
                    self.best = Some(Best { config: config.clone(), violation, trace: outcome.trace });
                })
            }
            _ => None,
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
            if config.nodes > self.target.nodes_min().max(2) {
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
                let rest: Vec<_> = steps[..start].iter().chain(&steps[end..]).cloned().collect();
                self.attempt(&self.config(), &rest);
                end = start;
            }
            if chunk == 1 || self.cut_short.is_some() {
                return;
            }
            chunk /= 2;
        }
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
    })
}
