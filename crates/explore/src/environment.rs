//! The environment: when clocks tick, clients ask, disks flush, nodes crash and links break.
//!
//! Strategies differ in which *message* they deliver next. When something else than a delivery happens is
//! decided here, the same way for all of them: a kind of step is drawn by weight among the kinds that are
//! possible now, then one of its steps uniformly.

use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use shakedown_cluster::{Board, Contract, NodeId, Random, Step, StepKind};

use crate::{Mix, Sight};

/// How many kinds of steps there are.
const KINDS: usize = StepKind::ALL.len();

/// The largest weight of a kind.
const WEIGHT_MAX: u32 = 1_000_000;

/// How likely each kind of step is, relative to the others that are possible at the same time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Weights([u32; KINDS]);

impl Default for Weights {
    fn default() -> Weights {
        Weights::none()
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
    /// No kind of step is ever drawn.
    pub fn none() -> Weights {
        Weights([0; KINDS])
    }

    /// The same weights but for one kind.
    ///
    /// # Panics
    /// If the weight is above 1 000 000.
    #[must_use]
    pub fn with(mut self, kind: StepKind, weight: u32) -> Weights {
        assert!(weight <= WEIGHT_MAX, "the weight {weight} is above {WEIGHT_MAX}");
        self.0[kind as usize] = weight;
        self
    }

    /// The weight of a kind. A client asks again as readily as it asks, so retries have no weight of their
    /// own.
    pub fn of(&self, kind: StepKind) -> u32 {
        match kind {
            StepKind::Retry => self.0[StepKind::Request as usize],
            kind => self.0[kind as usize],
        }
    }

    /// The same weights but for those that the text names, as in `tick=30,crash=0`.
    pub fn changed_by(mut self, text: &str) -> Result<Weights, String> {
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (kind, weight) = part
                .split_once('=')
                .ok_or_else(|| format!("`{part}` is not of the form KIND=WEIGHT, as in tick=30"))?;
            let kind = StepKind::from_str(kind.trim())?;
            if kind == StepKind::Retry {
                return Err("`retry` has the weight of `request`".to_owned());
            }
            if !is_drawn(kind) {
                return Err(format!("`{}` steps are not drawn by weight", kind.word()));
            }
            let weight: u32 = weight.trim().parse().map_err(|_| {
                format!(
                    "the weight of `{}` cannot be `{weight}`: expected a number from 0 to {WEIGHT_MAX}",
                    kind.word()
                )
            })?;
            if weight > WEIGHT_MAX {
                return Err(format!(
                    "the weight of `{}` cannot be `{weight}`: expected a number from 0 to {WEIGHT_MAX}",
                    kind.word()
                ));
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
            .filter(|kind| **kind != StepKind::Retry && self.of(**kind) > 0)
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

/// How often a kind is drawn before the possible ones are looked for one by one.
const TRIES: usize = 8;

/// The most crashes and requests of an execution.
#[derive(Clone, Copy, Debug)]
struct Limits {
    crashes: usize,
    requests: usize,
}

/// Draws what happens next.
#[derive(Clone, Debug)]
pub struct Environment {
    weights: Weights,
    limits: Limits,
    /// What this execution draws from. It is looked up when the first board is seen, for only then is the
    /// contract known.
    lots: Option<Arc<Lots>>,
    /// What the first execution drew from: nearly always, all others of a campaign have the same contract.
    shared: Arc<OnceLock<Arc<Lots>>>,
}

impl Environment {
    /// An environment with these weights, in which an execution has at most so many crashes.
    pub fn new(weights: Weights, crashes_max: usize) -> Environment {
        let limits = Limits { crashes: crashes_max, requests: usize::MAX };
        Environment { weights, limits, lots: None, shared: Arc::default() }
    }

    /// The environment of an execution with this mix.
    pub fn of(mix: &Mix) -> Environment {
        let limits = Limits { crashes: mix.crashes, requests: mix.requests };
        Environment { limits, ..Environment::new(mix.weights.clone(), mix.crashes) }
    }

    /// Draws what happens next on this board.
    #[inline(always)]
    pub fn turn(&mut self, sight: &Sight<'_>, random: &mut Random) -> Turn {
        let board = sight.board();
        let lots = self.lots.get_or_insert_with(|| Lots::shared(&self.shared, &self.weights, board));
        let lot = if sight.deliverable().is_empty() { &lots.idle } else { &lots.busy };
        // Drawing among all kinds until a possible one comes is drawing among the possible ones, and quicker
        // than looking for them.
        for _ in 0..TRIES {
            match lot.draw(random) {
                // Nearly all steps are of these two kinds.
                Some(StepKind::Deliver) => return Turn::Deliver,
                Some(StepKind::Tick) if board.down_count() == 0 => {
                    return Turn::Do(Step::Tick(NodeId::from_index(random.index(board.size()))));
                }
                Some(kind) if is_possible(kind, sight, self.limits) => return draw(kind, sight, random),
                Some(_) => {}
                None => return Turn::Nothing,
            }
        }
        self.turn_by_looking(sight, random)
    }

    /// The same, when drawing did not come upon a possible kind.
    #[cold]
    fn turn_by_looking(&self, sight: &Sight<'_>, random: &mut Random) -> Turn {
        let board = sight.board();
        let allowed = |kind: &StepKind| board.contract().allows(*kind, board.size());
        let possible = |kind: &StepKind| allowed(kind) && is_possible(*kind, sight, self.limits);
        match Lot::new(&self.weights, possible).draw(random) {
            None => Turn::Nothing,
            Some(kind) => draw(kind, sight, random),
        }
    }
}

/// What is drawn from while messages can be delivered, and while none can.
#[derive(Clone, Debug)]
struct Lots {
    contract: Contract,
    nodes: usize,
    busy: Lot,
    idle: Lot,
}

impl Lots {
    /// The lots for this board: those that are shared, if they are for such boards.
    #[cold]
    fn shared(shared: &OnceLock<Arc<Lots>>, weights: &Weights, board: &Board) -> Arc<Lots> {
        let lots = shared.get_or_init(|| Arc::new(Lots::new(weights, board)));
        if (&lots.contract, lots.nodes) == (board.contract(), board.size()) {
            Arc::clone(lots)
        } else {
            Arc::new(Lots::new(weights, board))
        }
    }

    fn new(weights: &Weights, board: &Board) -> Lots {
        let allowed = |kind: &StepKind| board.contract().allows(*kind, board.size()) && is_drawn(*kind);
        let needs_message =
            |kind: &StepKind| matches!(kind, StepKind::Deliver | StepKind::Drop | StepKind::Duplicate);
        Lots {
            contract: board.contract().clone(),
            nodes: board.size(),
            busy: Lot::new(weights, allowed),
            idle: Lot::new(weights, |kind| allowed(kind) && !needs_message(kind)),
        }
    }
}

/// Whether steps of this kind are drawn at all. Only who wants a liar lets a node lie, and rounds are for
/// those who plan them.
fn is_drawn(kind: StepKind) -> bool {
    !matches!(kind, StepKind::Tamper | StepKind::Inject | StepKind::Round)
}

/// The longest table of lots.
const TABLE_MAX: u32 = 4096;

/// Kinds of steps and their weights.
#[derive(Clone, Debug)]
struct Lot {
    weights: Vec<(StepKind, u32)>,
    total: u32,
    /// The kind that each number below the total stands for, if the total is small: a look into a table is
    /// quicker than a comparison with a random number, which the processor guesses wrong.
    table: Vec<StepKind>,
}

impl Lot {
    fn new(weights: &Weights, allowed: impl Fn(&StepKind) -> bool) -> Lot {
        let wanted = |kind: &StepKind| weights.of(*kind) > 0 && allowed(kind);
        let weights: Vec<_> =
            StepKind::ALL.into_iter().filter(wanted).map(|kind| (kind, weights.of(kind))).collect();
        let total = weights.iter().map(|(_, weight)| weight).sum();
        let mut table = Vec::new();
        if total <= TABLE_MAX {
            table.reserve_exact(total as usize);
            table.extend(
                weights.iter().flat_map(|(kind, weight)| std::iter::repeat_n(*kind, *weight as usize)),
            );
        }
        Lot { weights, total, table }
    }

    #[inline]
    fn draw(&self, random: &mut Random) -> Option<StepKind> {
        if self.total == 0 {
            return None;
        }
        let number = random.below(u64::from(self.total)) as u32;
        match self.table.get(number as usize) {
            Some(kind) => Some(*kind),
            None => self.look_up(number),
        }
    }

    /// The kind that a number below the total stands for.
    #[cold]
    fn look_up(&self, mut number: u32) -> Option<StepKind> {
        let (kind, _) = self.weights.iter().find(|(_, weight)| match number.checked_sub(*weight) {
            Some(rest) => {
                number = rest;
                false
            }
            None => true,
        })?;
        Some(*kind)
    }
}

/// Whether there is a step of this kind now, if the contract allows it at all.
#[inline(always)]
fn is_possible(kind: StepKind, sight: &Sight<'_>, limits: Limits) -> bool {
    let board = sight.board();
    let size = board.size();
    match kind {
        StepKind::Deliver | StepKind::Drop | StepKind::Duplicate => !sight.deliverable().is_empty(),
        StepKind::Tamper | StepKind::Inject | StepKind::Round => false,
        StepKind::Tick => board.down_count() < size,
        StepKind::Fire => board.has_ripe_timers(),
        StepKind::Flush => board.up().any(|node| board.node(node).unflushed > 0),
        StepKind::Request => {
            board.requests().len() < limits.requests
                && board.next_request().is_some()
                && board.down_count() < size
        }
        StepKind::Retry => board.down_count() < size && board.retriable().next().is_some(),
        StepKind::Crash => {
            board.crash_count() < limits.crashes && board.down_count() < board.contract().down_max(size)
        }
        StepKind::Restart => board.down_count() > 0,
        StepKind::Cut => board.cut_count() < size * (size - 1) / 2,
        StepKind::Heal => board.cut_count() > 0,
    }
}

/// One of the possible steps of this kind, uniformly. Deliveries are left to the strategy.
#[inline(never)]
fn draw(kind: StepKind, sight: &Sight<'_>, random: &mut Random) -> Turn {
    let board = sight.board();
    let up = |random: &mut Random| match board.down_count() {
        0 => NodeId::from_index(random.index(board.size())),
        _ => pick(random, board.up()),
    };
    let message =
        |random: &mut Random| board.name_of(sight.deliverable()[random.index(sight.deliverable().len())]);
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
        StepKind::Retry => {
            let requests = board.retriable().map(|(_, request)| (request.redirect, request.op.clone()));
            let (redirect, op) = pick(random, requests);
            let leader = redirect.and_then(|redirect| redirect.0).filter(|&node| board.is_up(node));
            Step::Retry(leader.unwrap_or_else(|| up(random)), op)
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
        StepKind::Tamper | StepKind::Inject | StepKind::Round => {
            unreachable!("these are never possible here")
        }
    })
}

fn pairs(size: usize) -> impl Iterator<Item = (NodeId, NodeId)> + Clone {
    NodeId::first(size).flat_map(move |a| NodeId::first(size).filter(move |&b| a < b).map(move |b| (a, b)))
}

fn pick<T>(random: &mut Random, mut items: impl Iterator<Item = T> + Clone) -> T {
    let count = items.clone().count();
    items.nth(random.index(count)).expect("the place is below the count")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_drawn_by_weight_from_a_table_and_from_a_list_alike() {
        // The same shares, once small enough for a table, once not.
        for factor in [1, 10_000] {
            let weights = Weights([0; KINDS])
                .with(StepKind::Deliver, 50 * factor)
                .with(StepKind::Tick, 30 * factor)
                .with(StepKind::Crash, 20 * factor)
                .with(StepKind::Drop, 40 * factor);
            let lot = Lot::new(&weights, |kind| *kind != StepKind::Drop);
            assert_eq!(lot.table.is_empty(), factor > 1);
            let mut random = Random::new(1);
            let mut counts = [0f64; KINDS];
            for _ in 0..10_000 {
                counts[lot.draw(&mut random).expect("there are lots") as usize] += 1.0;
            }
            let expected =
                [(StepKind::Deliver, 5_000.0), (StepKind::Tick, 3_000.0), (StepKind::Crash, 2_000.0)];
            let chi: f64 =
                expected.iter().map(|(kind, due)| (counts[*kind as usize] - due).powi(2) / due).sum();
            assert!(chi < 13.82, "chi-square {chi} with 2 degrees of freedom: a chance of one in a thousand");
            assert_eq!(counts[StepKind::Drop as usize], 0.0, "what is not allowed is not drawn");
        }
        assert_eq!(Lot::new(&Weights([0; KINDS]), |_| true).draw(&mut Random::new(1)), None);
    }

    #[test]
    fn weights_are_changed_by_text_and_shown_as_text() {
        let weights = Weights::default().changed_by("tick=7, crash=0").expect("these are weights");
        assert_eq!((weights.of(StepKind::Tick), weights.of(StepKind::Crash)), (7, 0));
        assert_eq!(
            Weights::default().changed_by(&weights.to_string()).expect("these too").of(StepKind::Tick),
            7
        );
        for bad in ["tick", "tick=x", "dance=1", "tick=1000001", "tamper=1"] {
            assert!(Weights::default().changed_by(bad).is_err(), "{bad}");
        }
    }
}
