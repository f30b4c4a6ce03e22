//! Stalls: for a while, messages on some links wait and some clocks stand still.
//!
//! Weights alone make executions that look the same all along: every node is as fast as any other, and every
//! message may come next. Many bugs want the opposite, a node that hears nothing for a while or a candidate
//! that is quicker than all others. A stall loses nothing and changes no state, so every contract allows it:
//! it is a choice of what comes next.

use shakedown_cluster::{Board, MessageIndex, Random, Step, derive_seed};

use crate::{Mix, Sight, Strategy};

/// The part of an execution's seed that its stalls are drawn from.
const STALL_PART: u64 = 0x57a11;
/// How often one link is slow where all are drawn for themselves.
const LINK_WAITS: f64 = 0.3;
/// How often in a row a strategy is asked again for a step that is not held up.
const ASKED_MAX: usize = 64;

/// Holds up what a strategy would do.
pub(crate) struct Stalls {
    random: Random,
    /// The mean number of steps until another stall is drawn.
    length: usize,
    /// After how many steps the next one is drawn.
    until: usize,
    /// Whether messages from one node to another wait: by sender times the number of nodes plus receiver.
    waiting: Vec<bool>,
    /// Whether clocks stand still, by node.
    asleep: Vec<bool>,
    has_waiting: bool,
    has_asleep: bool,
    /// The messages that do not wait.
    shown: Vec<MessageIndex>,
}

impl Stalls {
    /// Those of an execution with this mix and this seed, if there are any.
    pub fn of(mix: &Mix, seed: u64) -> Option<Stalls> {
        (mix.stall > 0).then(|| Stalls {
            random: Random::new(derive_seed(seed, STALL_PART)),
            length: mix.stall,
            until: 0,
            waiting: Vec::new(),
            asleep: Vec::new(),
            has_waiting: false,
            has_asleep: false,
            shown: Vec::new(),
        })
    }

    /// The strategy's next step that is not held up.
    pub fn next(stalls: &mut Option<Stalls>, strategy: &mut dyn Strategy, sight: &Sight<'_>) -> Option<Step> {
        match stalls {
            None => strategy.next(sight),
            Some(stalls) => stalls.step(strategy, sight),
        }
    }

    /// The same while there are stalls. If the strategy has no such step, the stall is over.
    fn step(&mut self, strategy: &mut dyn Strategy, sight: &Sight<'_>) -> Option<Step> {
        let board = sight.board();
        if board.steps().len() >= self.until {
            self.draw(board);
        }
        if self.has_waiting || self.has_asleep {
            if let Some(step) = self.not_held_up(strategy, sight) {
                return Some(step);
            }
            (self.has_waiting, self.has_asleep) = (false, false);
        }
        strategy.next(sight)
    }

    fn not_held_up(&mut self, strategy: &mut dyn Strategy, sight: &Sight<'_>) -> Option<Step> {
        let board = sight.board();
        if !self.has_waiting {
            return self.ask(strategy, sight);
        }
        let size = board.size();
        let mut shown = std::mem::take(&mut self.shown);
        shown.clear();
        shown.extend(sight.deliverable().iter().copied().filter(|message| {
            let id = board.message(*message).id;
            !self.waiting[id.from.index() * size + id.to.index()]
        }));
        let step = self.ask(strategy, &sight.narrowed(&shown));
        self.shown = shown;
        step
    }

    fn ask(&self, strategy: &mut dyn Strategy, sight: &Sight<'_>) -> Option<Step> {
        for _ in 0..ASKED_MAX {
            match strategy.next(sight)? {
                Step::Tick(node) | Step::Fire(node, _) if self.has_asleep && self.asleep[node.index()] => {}
                step => return Some(step),
            }
        }
        None
    }

    /// Draws another stall, or none.
    fn draw(&mut self, board: &Board) {
        let size = board.size();
        let random = &mut self.random;
        self.until = board.steps().len() + 1 + random.index(2 * self.length);
        self.waiting.clear();
        self.waiting.resize(size * size, false);
        self.asleep.clear();
        self.asleep.resize(size, false);
        let links =
            self.waiting.iter_mut().enumerate().map(|(place, waits)| (place / size, place % size, waits));
        match random.below(4) {
            0 => {}
            // A node alone.
            1 => {
                let alone = random.index(size);
                links.for_each(|(from, to, waits)| *waits = (from == alone) != (to == alone));
            }
            // Two sides.
            2 => {
                let sides: Vec<bool> = (0..size).map(|_| random.chance(0.5)).collect();
                links.for_each(|(from, to, waits)| *waits = sides[from] != sides[to]);
            }
            _ => links.for_each(|(_, _, waits)| *waits = random.chance(LINK_WAITS)),
        }
        if random.chance(0.5) {
            for asleep in &mut self.asleep {
                *asleep = random.chance(0.5);
            }
            let awake = random.index(size);
            self.asleep[awake] = false;
        }
        self.has_waiting = self.waiting.contains(&true);
        self.has_asleep = self.asleep.contains(&true);
    }
}

#[cfg(test)]
mod tests {
    use shakedown_cluster::Contract;

    use super::*;
    use crate::{Environment, Execution, Explorer, RandomWalk, Weights};

    #[test]
    fn what_is_held_up_is_not_proposed_and_a_stall_without_a_step_ends() {
        let mix = Mix { weights: Weights::default(), crashes: 0, requests: 0, steps: 100, stall: 24 };
        assert!(Stalls::of(&Mix { stall: 0, ..mix.clone() }, 1).is_none());
        let board = Board::new(3, Contract::asynchronous(), Vec::new(), 0);
        let sight = Sight::of(&board);
        let (mut stalled, mut ended) = (0, 0);
        for seed in 0..200 {
            let walks = RandomWalk::new(Environment::of(&mix));
            let mut walk = walks.strategy(&Execution { number: 0, seed, steps_max: 100 });
            let mut stalls = Stalls::of(&mix, seed);
            let step = Stalls::next(&mut stalls, walk.as_mut(), &sight).expect("a clock can always tick");
            let stalls = stalls.expect("there are stalls");
            if let (Step::Tick(node), true) = (&step, stalls.has_asleep) {
                assert!(!stalls.asleep[node.index()], "seed {seed}: {step} while its clock stands still");
                stalled += 1;
            }
            ended += usize::from(!stalls.has_asleep);
        }
        assert!(stalled > 50 && ended > 50, "{stalled} with clocks that stand still, {ended} without");
    }
}
