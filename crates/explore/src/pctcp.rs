//! PCTCP: probabilistic concurrency testing with chain partitioning (Ozkan et al., OOPSLA 2018).
//!
//! Messages are split online into causal chains: m₁ < m₂ iff the receipt of m₁ happened before the sending of
//! m₂. Every new chain gets a uniformly random place in the order of priorities; d − 1 change points are
//! drawn without replacement from [0, n); when the message with the k-th change-point number becomes the head
//! of its chain, that chain falls to level k below all others. At each step the head of the highest chain is
//! delivered. For a run of at most n messages and width w, every ordering of d messages that is possible at
//! all is hit with probability at least 1/(w² n^(d−1)).
//!
//! Because a message joins a chain only after the one before it was received, a chain never has more than one
//! message under way: its head. A message that was lost leaves its chain, as if it had never been sent.

use std::collections::BTreeMap;

use shakedown_cluster::{Board, Fate, MessageIndex, Random, Step, Trace, derive_seed};

use crate::chains::{ChainId, Chains, Inserted};
use crate::draw::draw_distinct;
use crate::{Environment, Execution, Experience, Explorer, Mix, Sight, Strategy, Turn};

/// The part of an execution's seed that its depth is drawn from.
const AIM_PART: u64 = 0xde_97;
/// The depths that are drawn from.
const DEPTHS: [usize; 6] = [1, 2, 3, 5, 10, 20];

/// Makes PCTCP strategies.
pub struct Pctcp {
    environment: Environment,
    /// Nothing if it is drawn for each execution.
    depth: Option<usize>,
    messages: usize,
}

impl Pctcp {
    /// PCTCP that aims at orderings of `depth` messages (d) in executions of about `messages` messages (n).
    pub fn new(environment: Environment, depth: usize, messages: usize) -> Pctcp {
        Pctcp { environment, depth: Some(depth.max(1)), messages: messages.max(1) }
    }

    /// PCTCP that draws for each execution how many messages it is to bring into order, and among how many:
    /// neither is known of a bug that nobody has seen.
    pub fn of_any_depth(environment: Environment, messages: usize) -> Pctcp {
        Pctcp { depth: None, ..Pctcp::new(environment, 1, messages) }
    }

    /// What an execution aims at: d and n.
    fn aim(&self, execution: &Execution) -> (usize, usize) {
        let Some(depth) = self.depth else {
            let mut random = Random::new(derive_seed(execution.seed, AIM_PART));
            let depth = DEPTHS[random.index(DEPTHS.len())];
            let messages = self.messages >> random.below(3);
            return (depth, messages.max(1));
        };
        (depth, self.messages)
    }
}

impl Explorer for Pctcp {
    fn strategy(&self, execution: &Execution) -> Box<dyn Strategy> {
        let random = Random::new(execution.seed);
        let (depth, messages) = self.aim(execution);
        Box::new(Scheduler {
            environment: self.environment.clone(),
            priorities: Priorities::new(depth, messages, random),
        })
    }

    fn mixed(&self, execution: &Execution, mix: &Mix) -> Box<dyn Strategy> {
        let messages = self.messages.min(mix.steps);
        Pctcp { environment: Environment::of(mix), messages, ..*self }.strategy(execution)
    }
}

struct Scheduler {
    environment: Environment,
    priorities: Priorities,
}

impl Strategy for Scheduler {
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step> {
        self.priorities.take_in(sight.board());
        match self.environment.turn(sight, &mut self.priorities.random) {
            Turn::Deliver => self.priorities.highest(sight).map(|message| sight.board().deliver(message)),
            Turn::Do(step) => Some(step),
            Turn::Nothing => None,
        }
    }

    /// How many chains there were: the price of PCTCP grows with them, and its guarantee is the better the
    /// fewer.
    fn experience(self: Box<Self>, _trace: &Trace) -> Experience {
        Box::new(self.priorities.chains.len())
    }
}

/// The chains of an execution and the order of their priorities.
struct Priorities {
    random: Random,
    chains: Chains<MessageIndex>,
    /// Chains that never fell, highest first.
    high: Vec<ChainId>,
    /// The chain at each level below: `low[k]` fell at the k-th change point. A higher level is served first.
    low: Vec<Option<ChainId>>,
    /// The numbers of the messages at which a chain falls, and the level that it falls to.
    change_points: BTreeMap<usize, usize>,
    /// How many messages have been taken in.
    known: usize,
}

impl Priorities {
    fn new(depth: usize, messages: usize, mut random: Random) -> Priorities {
        let drawn = draw_distinct(depth - 1, messages, &mut random);
        let change_points: BTreeMap<_, _> = drawn.into_iter().zip(0..).collect();
        let low = vec![None; change_points.len()];
        Priorities { random, chains: Chains::default(), high: Vec::new(), low, change_points, known: 0 }
    }

    /// Puts the messages that were sent since the last time onto chains.
    fn take_in(&mut self, board: &Board) {
        if self.known == board.messages().len() {
            return;
        }
        self.forget_lost(board);
        let clocks = board.clocks();
        for number in self.known..board.messages().len() {
            let message = MessageIndex(number as u32);
            if board.message(message).fate == Fate::Lost {
                continue;
            }
            let caused = |last| board.caused(last, message, &clocks);
            let Inserted { chain, is_new } = self.chains.insert(message, caused);
            if is_new {
                self.remove(chain);
                let place = self.random.index(self.high.len() + 1);
                self.high.insert(place, chain);
            }
            if let Some(&level) = self.change_points.get(&number) {
                self.remove(chain);
                self.low[level] = Some(chain);
            }
        }
        self.known = board.messages().len();
    }

    fn forget_lost(&mut self, board: &Board) {
        for chain in (0..self.chains.len()).map(ChainId) {
            while self.chains.last(chain).is_some_and(|last| board.message(last).fate == Fate::Lost) {
                self.chains.pop(chain);
            }
        }
    }

    /// Takes the chain out of the order of priorities.
    fn remove(&mut self, chain: ChainId) {
        self.high.retain(|&other| other != chain);
        for slot in &mut self.low {
            if *slot == Some(chain) {
                *slot = None;
            }
        }
    }

    /// The deliverable head of the highest chain that has one.
    fn highest(&self, sight: &Sight<'_>) -> Option<MessageIndex> {
        let by_priority = self.high.iter().copied().chain(self.low.iter().rev().copied().flatten());
        by_priority.filter_map(|chain| self.chains.last(chain)).find(|&head| sight.is_deliverable(head))
    }
}
