//! The environment: when clocks tick, clients ask, disks flush, nodes crash and links break.
//!
//! Strategies differ in which *message* they deliver next. When something else than a delivery happens is decided here,
//! the same way for all of them: a kind of step is drawn by weight among the kinds that are possible now, then one of
//! its steps uniformly.

use std::fmt;
use std::str::FromStr;

use shakedown_cluster::{Board, Crashes, DiskModel, Loss, NodeId, Random, Step, StepKind};

/// How likely each kind of step is, relative to the others that are possible at the same time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Weights([u32; StepKind::ALL.len()]);

impl Default for Weights {
    fn default() -> Weights {
        Weights([0; StepKind::ALL.len()])
            .with(StepKind::Deliver, 100)
            .with(StepKind::Tick, 25)
            .with(StepKind::Fire, 25)
            .with(StepKind::Flush, 25)
            .with(StepKind::Request, 4)
            .with(StepKind::Drop, 2)
            .with(StepKind::Duplicate, 1)
            .with(StepKind::Crash, 1)
            .with(StepKind::Restart, 5)
            .with(StepKind::Cut, 1)
            .with(StepKind::Heal, 4)
    }
}

impl Weights {
    /// The same weights but for one kind.
    #[must_use]
    pub fn with(mut self, kind: StepKind, weight: u32) -> Weights {
        self.0[kind as usize] = weight;
        self
    }

    /// The weight of a kind.
    pub fn of(&self, kind: StepKind) -> u32 {
        self.0[kind as usize]
    }

    /// The same weights but for those that the text names, as in `tick=30,crash=0`.
    pub fn changed_by(mut self, text: &str) -> Result<Weights, String> {
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (kind, weight) =
                part.split_once('=').ok_or_else(|| format!("`{part}` is not of the form kind=weight"))?;
            let kind = StepKind::from_str(kind.trim())?;
            if matches!(kind, StepKind::Tamper | StepKind::Inject) {
                return Err(format!("`{}` steps are not drawn by weight", kind.word()));
            }
            let weight: u32 = weight.trim().parse().map_err(|_| format!("`{weight}` is not a weight"))?;
            if weight > 1_000_000 {
                return Err(format!("the weight {weight} is above 1000000"));
            }
            self.0[kind as usize] = weight;
        }
        Ok(self)
    }
}

impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<_> = StepKind::ALL
            .iter()
            .filter(|kind| self.of(**kind) > 0)
            .map(|kind| format!("{}={}", kind.word(), self.of(*kind)))
            .collect();
        f.write_str(&parts.join(","))
    }
}

/// What the environment decided.
pub enum Turn {
    /// A message is delivered; which one is for the strategy to say.
    Deliver,
    /// This step.
    Do(Step),
    /// Nothing can happen any more.
    Nothing,
}

/// Draws what happens next.
#[derive(Clone, Debug)]
pub struct Environment {
    weights: Weights,
    crashes_max: usize,
}

impl Environment {
    /// An environment with these weights, in which an execution has at most so many crashes.
    pub fn new(weights: Weights, crashes_max: usize) -> Environment {
        Environment { weights, crashes_max }
    }

    /// Draws what happens next on this board.
    pub fn turn(&self, board: &Board, random: &mut Random) -> Turn {
        let mut total = 0u64;
        let mut possible = [0u64; StepKind::ALL.len()];
        for kind in StepKind::ALL {
            let weight = self.weights.of(kind);
            if weight > 0 && self.is_possible(kind, board) {
                possible[kind as usize] = u64::from(weight);
                total += u64::from(weight);
            }
        }
        if total == 0 {
            return Turn::Nothing;
        }
        let mut drawn = random.below(total);
        for kind in StepKind::ALL {
            let weight = possible[kind as usize];
            if drawn < weight {
                return draw(kind, board, random);
            }
            drawn -= weight;
        }
        unreachable!("the drawn number is below the sum of the weights")
    }

    fn is_possible(&self, kind: StepKind, board: &Board) -> bool {
        let contract = board.contract();
        let size = board.size();
        match kind {
            StepKind::Deliver => !board.deliverable().is_empty(),
            StepKind::Drop => contract.loss == Loss::Message && !board.deliverable().is_empty(),
            StepKind::Duplicate => contract.duplication && !board.deliverable().is_empty(),
            StepKind::Tamper | StepKind::Inject => false,
            StepKind::Tick => board.down_count() < size,
            StepKind::Fire => board.ripe_timers().next().is_some(),
            StepKind::Flush => {
                contract.disk == DiskModel::Buffered && board.up().any(|n| board.node(n).unflushed > 0)
            }
            StepKind::Request => board.next_request().is_some() && board.down_count() < size,
            StepKind::Crash => {
                contract.crashes != Crashes::Never
                    && board.crash_count() < self.crashes_max
                    && board.down_count() < contract.down_max(size)
            }
            StepKind::Restart => board.down_count() > 0,
            StepKind::Cut => contract.loss != Loss::Never && board.cut_count() < size * (size - 1) / 2,
            StepKind::Heal => board.cut_count() > 0,
        }
    }
}

/// One of the possible steps of this kind, uniformly. Deliveries are left to the strategy.
fn draw(kind: StepKind, board: &Board, random: &mut Random) -> Turn {
    let up = |random: &mut Random| pick(random, board.up());
    let message = |random: &mut Random| {
        let index = board.deliverable()[random.index(board.deliverable().len())];
        (board.message(index).id, board.message(index).kind)
    };
    Turn::Do(match kind {
        StepKind::Deliver => return Turn::Deliver,
        StepKind::Drop => {
            let (id, kind) = message(random);
            Step::Drop(id, kind)
        }
        StepKind::Duplicate => {
            let (id, kind) = message(random);
            Step::Duplicate(id, kind)
        }
        StepKind::Tick => Step::Tick(up(random)),
        StepKind::Fire => {
            let (node, timer) = pick(random, board.ripe_timers());
            Step::Fire(node, timer)
        }
        StepKind::Flush => Step::Flush(pick(random, board.up().filter(|&n| board.node(n).unflushed > 0))),
        StepKind::Request => {
            let op = board.next_request().expect("a request is possible only when one is left");
            Step::Request(up(random), op.clone())
        }
        StepKind::Crash => {
            let node = up(random);
            let keep = random.below(u64::from(board.node(node).unflushed) + 1) as u32;
            Step::Crash { node, keep }
        }
        StepKind::Restart => Step::Restart(pick(random, board.down())),
        StepKind::Cut | StepKind::Heal => {
            let wanted = kind == StepKind::Heal;
            let (a, b) = pick(random, pairs(board.size()).filter(|&(a, b)| board.is_cut(a, b) == wanted));
            if wanted { Step::Heal(a, b) } else { Step::Cut(a, b) }
        }
        StepKind::Tamper | StepKind::Inject => unreachable!("these are never possible here"),
    })
}

fn pairs(size: usize) -> impl Iterator<Item = (NodeId, NodeId)> + Clone {
    NodeId::first(size).flat_map(move |a| NodeId::first(size).filter(move |&b| a < b).map(move |b| (a, b)))
}

fn pick<T>(random: &mut Random, mut items: impl Iterator<Item = T> + Clone) -> T {
    let count = items.clone().count();
    items.nth(random.index(count)).expect("the place is below the count")
}
