//! The search for an order of one part of a history: Wing and Gong's, with Lowe's memo. It goes back by a
//! stack of its own, so that long histories need no deep recursion, and it tries everything in a fixed order.

use super::Operation;
use super::entries::{Entries, Entry};
use super::placed::Placed;
use crate::limits::Budget;
use crate::memo::{Memo, StateId};
use crate::{LimitHit, Model, Obstacle};

/// An order of these operations of the history (their places, in the order of the history), or what is in its
/// way.
pub(super) fn search<M: Model>(
    model: &M,
    history: &[Operation<M::Op, M::Answer>],
    part: &[usize],
    budget: &mut Budget,
) -> Result<Result<Vec<usize>, Obstacle>, LimitHit> {
    let mut search = Search::new(model, history, part);
    let found = search.run(budget)?;
    Ok(match found {
        true => Ok(search.order()),
        false => {
            let (order, misfit) = search.longest;
            Err(Obstacle { operations: part.to_vec(), order, misfit })
        }
    })
}

/// An operation that may be taken next, by its number.
#[derive(Clone, Copy)]
enum Candidate {
    Answered(usize),
    Pending(usize),
}

/// What is tried next.
#[derive(Clone, Copy)]
enum Cursor {
    /// The call or answer at this place of the list.
    Entry(usize),
    /// This operation without an answer; the first answer of all that are left is that of `misfit`.
    Pending { number: usize, misfit: usize },
}

/// An operation that was taken, and how to go back to before it and on from there.
struct Taken {
    candidate: Candidate,
    state_before: StateId,
    /// Nothing if there is no need to try anything else instead.
    next: Option<Cursor>,
}

struct Search<'a, M: Model> {
    model: &'a M,
    history: &'a [Operation<M::Op, M::Answer>],
    /// The operations with an answer, in the order of their calls: their places in the history.
    answered: Vec<usize>,
    /// The operations without one, in the order of their calls.
    pending: Vec<usize>,
    entries: Entries,
    placed: Placed,
    memo: Memo<M::State>,
    state: StateId,
    stack: Vec<Taken>,
    answered_left: usize,
    /// The fewest that were left when the search had to go back, and then the order and what did not fit.
    fewest_left: usize,
    longest: (Vec<usize>, Option<usize>),
}

impl<'a, M: Model> Search<'a, M> {
    fn new(model: &'a M, history: &'a [Operation<M::Op, M::Answer>], part: &[usize]) -> Search<'a, M> {
        let (mut answered, mut pending): (Vec<usize>, Vec<usize>) =
            part.iter().partition(|&&place| history[place].answered.is_some());
        answered.sort_by_key(|&place| history[place].called);
        pending.sort_by_key(|&place| history[place].called);
        let mut memo = Memo::new();
        let state = memo.number(model.initial());
        Search {
            model,
            history,
            entries: Entries::new(history, &answered),
            placed: Placed::new(answered.len(), pending.len()),
            memo,
            state,
            stack: Vec::with_capacity(part.len()),
            answered_left: answered.len(),
            fewest_left: usize::MAX,
            longest: (Vec::new(), None),
            answered,
            pending,
        }
    }

    /// Whether there is an order; then it is on the stack.
    fn run(&mut self, budget: &mut Budget) -> Result<bool, LimitHit> {
        let mut cursor = Cursor::Entry(self.entries.first());
        while self.answered_left > 0 {
            cursor = match cursor {
                Cursor::Entry(at) => match self.entries.entry(at) {
                    Entry::Call(number) => {
                        budget.step(self.memo.bytes())?;
                        let next = Cursor::Entry(self.entries.next(at));
                        self.attempt(Candidate::Answered(number), next)
                    }
                    // Whatever was called later comes later. An end without an answer before it cannot be met
                    // while answered operations are left.
                    Entry::Answer(number) => Cursor::Pending { number: 0, misfit: number },
                    Entry::End => return Ok(false),
                },
                Cursor::Pending { number, misfit } => match self.pending_before(number, misfit) {
                    Some(number) => {
                        budget.step(self.memo.bytes())?;
                        let next = Cursor::Pending { number: number + 1, misfit };
                        self.attempt(Candidate::Pending(number), next)
                    }
                    None => match self.go_back(misfit) {
                        Some(cursor) => cursor,
                        None => return Ok(false),
                    },
                },
            };
        }
        Ok(true)
    }

    /// The first operation without an answer, from this one on, that is not taken and was called before the
    /// answer of `misfit`.
    fn pending_before(&self, from: usize, misfit: usize) -> Option<usize> {
        let answer = self.history[self.answered[misfit]].returned()?;
        (from..self.pending.len())
            .take_while(|&number| self.history[self.pending[number]].called <= answer)
            .find(|&number| !self.placed.has_pending(number))
    }

    /// Takes the operation, if it can come here and that leads to something new; gives what is to be tried
    /// then.
    fn attempt(&mut self, candidate: Candidate, next: Cursor) -> Cursor {
        let place = match candidate {
            Candidate::Answered(number) => self.answered[number],
            Candidate::Pending(number) => self.pending[number],
        };
        let operation = &self.history[place];
        let Some(after) = self.model.step(self.memo.state(self.state), &operation.op, operation.answer())
        else {
            return next;
        };
        let after = self.memo.number(after);
        if matches!(candidate, Candidate::Pending(_)) && after == self.state {
            // It can as well be left out.
            return next;
        }
        self.mark(candidate, true);
        if !self.memo.is_new(self.placed.short_form(), after) {
            self.mark(candidate, false);
            return next;
        }
        if let Candidate::Answered(number) = candidate {
            self.entries.take(number);
            self.answered_left -= 1;
        }
        // What only looks and may come here can come here in every order that goes on from here: moved to
        // this place, it hinders nothing. So where it leads nowhere, nothing else does.
        let only_looks =
            operation.answer().is_some_and(|answer| self.model.only_looks(&operation.op, answer));
        let next = (!only_looks).then_some(next);
        self.stack.push(Taken { candidate, state_before: self.state, next });
        self.state = after;
        Cursor::Entry(self.entries.first())
    }

    /// Puts back what was taken last, and gives what is to be tried instead; nothing if nothing was taken.
    fn go_back(&mut self, misfit: usize) -> Option<Cursor> {
        if self.answered_left < self.fewest_left {
            self.fewest_left = self.answered_left;
            self.longest = (self.order(), Some(self.answered[misfit]));
        }
        loop {
            let Taken { candidate, state_before, next } = self.stack.pop()?;
            self.state = state_before;
            self.mark(candidate, false);
            if let Candidate::Answered(number) = candidate {
                self.entries.put_back(number);
                self.answered_left += 1;
            }
            if next.is_some() {
                return next;
            }
        }
    }

    fn mark(&mut self, candidate: Candidate, is_in: bool) {
        match candidate {
            Candidate::Answered(number) => self.placed.set_answered(number, is_in),
            Candidate::Pending(number) => self.placed.set_pending(number, is_in),
        }
    }

    /// What is on the stack.
    fn order(&self) -> Vec<usize> {
        let place = |taken: &Taken| match taken.candidate {
            Candidate::Answered(number) => self.answered[number],
            Candidate::Pending(number) => self.pending[number],
        };
        self.stack.iter().map(place).collect()
    }
}
