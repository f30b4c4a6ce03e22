//! The search for an order of a few operations of which some must come before others, and which must lead to
//! a given outcome: what serializability and sequential consistency have in common.
//!
//! Operations with an answer have to be in the order; one without an answer may be left out, but if it is in,
//! its place has to be right too. Sets of operations are the bits of a word. Like the search for
//! linearizability it goes back by a stack of its own and goes into nothing twice.

use crate::limits::Budget;
use crate::memo::{Memo, StateId};
use crate::{LimitHit, Model, Obstacle, SearchLimits};

/// The most operations that an order is searched for.
pub(crate) const OPERATIONS_MAX: usize = 64;

/// An operation, and which others come before it if both are in the order.
pub(crate) struct Item<'a, M: Model> {
    pub op: &'a M::Op,
    pub answer: Option<&'a M::Answer>,
    /// The bits of those that come before.
    pub before: u64,
}

/// An order of the items that explains all answers and leads to an outcome, or what is in its way.
pub(crate) fn search<M: Model>(
    model: &M,
    items: &[Item<'_, M>],
    is_outcome: impl Fn(&M::State) -> bool,
    limits: SearchLimits,
) -> Result<Result<Vec<usize>, Obstacle>, LimitHit> {
    if items.len() > OPERATIONS_MAX {
        return Err(LimitHit::Operations(OPERATIONS_MAX));
    }
    let mut search = Search::new(model, items);
    if search.run(is_outcome, limits)? {
        return Ok(Ok(search.order()));
    }
    Ok(Err(search.obstacle()))
}

struct Search<'a, M: Model> {
    model: &'a M,
    items: &'a [Item<'a, M>],
    /// The bits of those with an answer.
    answered: u64,
    /// For every item, the bits of those that come after it.
    after: Vec<u64>,
    memo: Memo<M::State>,
    /// The bits of those that are in the order.
    placed: u64,
    state: StateId,
    /// The order, and the state before each of it.
    stack: Vec<(usize, StateId)>,
    /// The beginning of an order with the most answers explained.
    longest: Vec<usize>,
    most_explained: Option<u32>,
}

impl<'a, M: Model> Search<'a, M> {
    fn new(model: &'a M, items: &'a [Item<'a, M>]) -> Search<'a, M> {
        let bits = |is_in: &dyn Fn(&Item<'_, M>) -> bool| {
            (0..items.len())
                .filter(|&number| is_in(&items[number]))
                .fold(0, |bits, number| bits | 1 << number)
        };
        let mut memo = Memo::new();
        let state = memo.number(model.initial());
        Search {
            model,
            items,
            answered: bits(&|item| item.answer.is_some()),
            after: (0..items.len()).map(|number| bits(&|item| item.before >> number & 1 == 1)).collect(),
            memo,
            placed: 0,
            state,
            stack: Vec::with_capacity(items.len()),
            longest: Vec::new(),
            most_explained: None,
        }
    }

    /// Whether there is an order; then it is on the stack.
    fn run(
        &mut self,
        is_outcome: impl Fn(&M::State) -> bool,
        limits: SearchLimits,
    ) -> Result<bool, LimitHit> {
        let mut budget = Budget::new(limits);
        let mut next = 0;
        loop {
            if next == 0 {
                if self.answered & !self.placed == 0 && is_outcome(self.memo.state(self.state)) {
                    return Ok(true);
                }
                self.note_longest();
            }
            if next < self.items.len() {
                budget.step(self.memo.bytes())?;
                next = if self.attempt(next) { 0 } else { next + 1 };
            } else if let Some((number, state_before)) = self.stack.pop() {
                self.placed &= !(1 << number);
                self.state = state_before;
                next = number + 1;
            } else {
                return Ok(false);
            }
        }
    }

    /// Whether the item could be taken next, with something new coming of it.
    fn attempt(&mut self, number: usize) -> bool {
        let item = &self.items[number];
        let is_its_turn = self.placed >> number & 1 == 0
            && item.before & self.answered & !self.placed == 0
            && self.after[number] & self.placed == 0;
        if !is_its_turn {
            return false;
        }
        let Some(after) = self.model.step(self.memo.state(self.state), item.op, item.answer) else {
            return false;
        };
        let after = self.memo.number(after);
        if item.answer.is_none() && after == self.state {
            // It can as well be left out.
            return false;
        }
        let placed = self.placed | 1 << number;
        if !self.memo.is_new(&mut vec![placed], after) {
            return false;
        }
        self.stack.push((number, self.state));
        self.placed = placed;
        self.state = after;
        true
    }

    fn note_longest(&mut self) {
        let explained = (self.placed & self.answered).count_ones();
        if self.most_explained.is_none_or(|most| explained > most) {
            self.most_explained = Some(explained);
            self.longest = self.order();
        }
    }

    fn order(&self) -> Vec<usize> {
        self.stack.iter().map(|(number, _)| *number).collect()
    }

    fn obstacle(self) -> Obstacle {
        let placed = self.longest.iter().fold(0, |bits, number| bits | 1 << number);
        let left = self.answered & !placed;
        let misfit = (0..self.items.len())
            .find(|&number| left >> number & 1 == 1 && self.items[number].before & left == 0);
        Obstacle { operations: (0..self.items.len()).collect(), order: self.longest, misfit }
    }
}
