//! Running actions: all successors of a state, by TLC's left-to-right rule.
//!
//! An action runs with a continuation, the conjuncts that come after it. A primed variable is assigned by the
//! first `x' = e` that is met and compared by the later ones; what was assigned is undone on the way back, so
//! no state is copied before it is complete. When the continuation is done, the state being made is handed to
//! the sink.

use super::Machine;
use super::glance::{Glance, act_worth_a_glance};
use super::quantify::Refuse;
use crate::compile::ir::{Act, ActFunction, Binder, Expr};
use crate::error::{Place, Result, fail};
use crate::value::Value;

/// What is left to do after an action.
pub(crate) enum Cont<'a> {
    /// Nothing: the successor is complete.
    Done,
    /// These conjuncts, then more.
    Rest(&'a [Act], &'a Cont<'a>),
    /// The same body for the other values of the bounds of a `\A`: the values that are left, then more.
    Forall(&'a [Binder], &'a [Vec<Value>], &'a Act, &'a Cont<'a>),
    /// The second action of `A \cdot B`, what was assigned before it, then more.
    Compose(&'a Act, &'a [Value], &'a Cont<'a>),
    /// The end of `A \cdot B`, whose first state was this.
    Composed(&'a [Value], &'a Cont<'a>),
    /// The end of a recursive operator, whose caller has this frame and base.
    Return(usize, usize, &'a Cont<'a>),
}

/// The conjunct that an action did not get past.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Blocked {
    pub place: Place,
    passed: usize,
}

/// Says whether a named action with these arguments is to be run.
pub(crate) type Choose = std::rc::Rc<dyn Fn(u32, &[Value]) -> bool>;

/// Takes complete successors; says whether to go on.
pub(crate) type Sink<'s> = &'s mut dyn FnMut(&mut Machine) -> Result<bool>;

impl Machine {
    /// Runs an action from the current state; the sink is given each successor in `next`.
    pub(crate) fn successors(&mut self, act: &Act, sink: Sink<'_>) -> Result<bool> {
        self.passed = 0;
        self.testing = true;
        let mark = self.trail.len();
        let result = self.run(act, &Cont::Done, sink);
        self.undo(mark);
        result
    }

    /// All initial states; they are generated once for every way in which their variables are assigned.
    pub(crate) fn initial_states(&mut self, act: &Act, sink: Sink<'_>) -> Result<bool> {
        self.testing = true;
        let mark = self.trail.len();
        let result = self.run(act, &Cont::Done, sink);
        self.undo(mark);
        result
    }

    /// Whether an action is possible in the current state.
    pub(super) fn enabled(&mut self, act: &Act, free: u32) -> Result<bool> {
        let fresh = vec![Value::Undefined; self.names.len() + free as usize];
        let saved = std::mem::replace(&mut self.next, fresh);
        let trail = std::mem::take(&mut self.trail);
        let explaining = std::mem::replace(&mut self.explaining, false);
        let label = self.label;
        let testing = std::mem::replace(&mut self.testing, false);
        let mut found = false;
        let result = self.run(act, &Cont::Done, &mut |_| {
            found = true;
            Ok(false)
        });
        self.next = saved;
        self.trail = trail;
        self.explaining = explaining;
        self.label = label;
        self.testing = testing;
        result?;
        Ok(found)
    }

    fn undo(&mut self, mark: usize) {
        while self.trail.len() > mark {
            if let Some(index) = self.trail.pop() {
                self.next[index as usize] = Value::Undefined;
            }
        }
    }

    #[inline]
    fn assign(&mut self, index: u32, value: Value) {
        self.next[index as usize] = value;
        self.trail.push(index);
    }

    #[cold]
    fn block(&mut self, place: Place) {
        if self.explaining && self.blocked.is_none_or(|b| b.passed <= self.passed) {
            self.blocked = Some(Blocked { place, passed: self.passed });
        }
    }

    fn resume(&mut self, cont: &Cont<'_>, sink: Sink<'_>) -> Result<bool> {
        match cont {
            Cont::Done => sink(self),
            Cont::Rest(rest, after) => self.run_all(rest, after, sink),
            Cont::Forall(binders, values, body, after) => self.run_forall(binders, values, body, after, sink),
            Cont::Compose(second, known, after) => self.compose_states(second, known, after, sink),
            Cont::Return(frame, base, after) => {
                let callee = (self.frame, self.base);
                (self.frame, self.base) = (*frame, *base);
                let result = self.resume(after, sink);
                (self.frame, self.base) = callee;
                result
            }
            Cont::Composed(first, after) => {
                let middle = std::mem::replace(&mut self.cur, first.to_vec());
                let result = self.resume(after, sink);
                self.cur = middle;
                result
            }
        }
    }

    /// Runs conjuncts one after the other; the simple ones in a loop, the branching ones with the rest as
    /// continuation.
    fn run_all(&mut self, acts: &[Act], after: &Cont<'_>, sink: Sink<'_>) -> Result<bool> {
        let mark = self.trail.len();
        let passed = self.passed;
        let mut index = 0;
        let result = loop {
            let Some(act) = acts.get(index) else { break self.resume(after, sink) };
            index += 1;
            match self.simple(act)? {
                Some(true) => self.passed += 1,
                Some(false) => break Ok(true),
                None => {
                    let rest = &acts[index..];
                    break if rest.is_empty() {
                        self.run(act, after, sink)
                    } else {
                        self.run(act, &Cont::Rest(rest, after), sink)
                    };
                }
            }
        };
        self.passed = passed;
        self.undo(mark);
        result
    }

    /// Does an action that has at most one outcome; none if it may branch.
    #[inline]
    fn simple(&mut self, act: &Act) -> Result<Option<bool>> {
        let holds = match act {
            Act::Guard(expr, place) => {
                let holds = self.eval_bool(expr, *place)?;
                if !holds {
                    self.block(*place);
                }
                holds
            }
            Act::Assign(index, expr, place) => {
                let value = self.eval(expr)?;
                if self.next[*index as usize].is_undefined() {
                    let value = self.concrete(value, *place)?;
                    self.check_nesting(&value, *place)?;
                    self.assign(*index, value);
                    true
                } else {
                    let known = self.next[*index as usize].clone();
                    let holds = self.equal(&known, &value, *place)?;
                    if !holds {
                        self.block(*place);
                    }
                    holds
                }
            }
            Act::Unchanged(variables, place) => {
                let mut holds = true;
                for index in variables {
                    if self.next[*index as usize].is_undefined() {
                        let value = self.cur[*index as usize].clone();
                        self.assign(*index, value);
                    } else if self.next[*index as usize] != self.cur[*index as usize] {
                        self.block(*place);
                        holds = false;
                        break;
                    }
                }
                holds
            }
            _ => return Ok(None),
        };
        Ok(Some(holds))
    }

    pub(crate) fn run(&mut self, act: &Act, after: &Cont<'_>, sink: Sink<'_>) -> Result<bool> {
        match act {
            Act::Guard(..) | Act::Assign(..) | Act::Unchanged(..) => {
                let mark = self.trail.len();
                let result = match self.simple(act)? {
                    Some(true) => self.resume(after, sink),
                    _ => Ok(true),
                };
                self.undo(mark);
                result
            }
            Act::And(acts) => self.run_all(acts, after, sink),
            Act::Or(_) | Act::Exists(..) if self.settled() => self.test(act, after, sink),
            Act::Or(acts) => {
                for act in acts {
                    if !self.run(act, after, sink)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Act::Exists(binders, body) => {
                if self.guard.exceeded() {
                    return fail(Place::none(), "the action is nested too deeply");
                }
                let mut tried = false;
                // To explain what blocks, every guard must be run.
                let slot = match binders.last() {
                    Some(last) if !self.explaining => act_worth_a_glance(&last.pattern, body),
                    _ => None,
                };
                let refuse = |machine: &Machine, item: &Value| match slot {
                    Some(slot) => machine.glance_act(body, Glance::new(slot, item)) == Some(false),
                    None => false,
                };
                let refuse: Refuse<'_> = if slot.is_some() { Some(&refuse) } else { None };
                let result = self.each_but(binders, refuse, &mut |machine| {
                    tried = true;
                    machine.run(body, after, sink)
                });
                if !tried && let Some(binder) = binders.first() {
                    self.block(binder.place);
                }
                result
            }
            Act::Forall(binders, body) => {
                let mut values: Vec<Vec<Value>> = Vec::new();
                self.each(binders, &mut |machine| {
                    values.push(machine.bound_values(binders));
                    Ok(true)
                })?;
                self.run_forall(binders, &values, body, after, sink)
            }
            Act::If(condition, branches, place) => {
                let branch = if self.eval_bool(condition, *place)? { &branches.0 } else { &branches.1 };
                self.run(branch, after, sink)
            }
            Act::Case(arms, other, place) => {
                for (guard, body) in arms {
                    if self.eval_bool(guard, *place)? {
                        return self.run(body, after, sink);
                    }
                }
                match other {
                    Some(body) => self.run(body, after, sink),
                    None => fail(*place, "no case of CASE is true, and there is no OTHER"),
                }
            }
            Act::Scope(slots, body) => {
                for slot in slots {
                    self.set_local(*slot, Value::Undefined);
                }
                self.run(body, after, sink)
            }
            Act::AssignIn(index, set, place) => self.assign_in(*index, set, *place, after, sink),
            Act::Named(label, arguments, body) => self.run_named(*label, arguments, body, after, sink),
            Act::Compose(both) => self.run_composed(both, after, sink),
            Act::Call(function, arguments, link, place) => {
                let Some(function) = function.get() else {
                    return fail(*place, "a recursive action that was not compiled: a bug of the engine");
                };
                self.run_call(function, arguments, *link, *place, after, sink)
            }
        }
    }

    /// A recursive operator runs in a frame of its own; what comes after it runs in the caller's.
    fn run_call(
        &mut self,
        function: &ActFunction,
        arguments: &[Expr],
        link: Option<u32>,
        place: Place,
        after: &Cont<'_>,
        sink: Sink<'_>,
    ) -> Result<bool> {
        self.check_depth(place)?;
        self.steps(1, place)?;
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let value = self.eval(argument)?;
            values.push(self.concrete(value, place)?);
        }
        let caller = Cont::Return(self.frame, self.base, after);
        let outside = link.map_or(0, |hops| self.outer_frame(hops));
        self.depth_calls += 1;
        let result = self.in_frame(values, function.slots as usize, outside, |machine| {
            machine.run(&function.body, &caller, sink)
        });
        self.depth_calls -= 1;
        result
    }

    /// Whether every variable has its new value, so that what is left can only be tested.
    #[inline]
    fn settled(&self) -> bool {
        self.testing && self.trail.len() == self.next.len()
    }

    /// Like TLC, once all variables are assigned a branching conjunct is a test: it holds once, in whatever
    /// ways.
    fn test(&mut self, act: &Act, after: &Cont<'_>, sink: Sink<'_>) -> Result<bool> {
        let mut found = false;
        self.testing = false;
        let result = self.run(act, &Cont::Done, &mut |_| {
            found = true;
            Ok(false)
        });
        self.testing = true;
        result?;
        if found { self.resume(after, sink) } else { Ok(true) }
    }

    fn assign_in(
        &mut self,
        index: u32,
        set: &Expr,
        place: Place,
        after: &Cont<'_>,
        sink: Sink<'_>,
    ) -> Result<bool> {
        let set = self.eval(set)?;
        if !self.next[index as usize].is_undefined() {
            let known = self.next[index as usize].clone();
            if self.member(&known, &set, place)? {
                return self.resume(after, sink);
            }
            self.block(place);
            return Ok(true);
        }
        let mut tried = false;
        for value in self.iterate(&set, place)? {
            tried = true;
            self.steps(1, place)?;
            self.check_nesting(&value, place)?;
            let mark = self.trail.len();
            self.assign(index, value);
            let result = self.resume(after, sink);
            self.undo(mark);
            if !result? {
                return Ok(false);
            }
        }
        if !tried {
            self.block(place);
        }
        Ok(true)
    }

    fn run_named(
        &mut self,
        label: u32,
        arguments: &[Expr],
        body: &Act,
        after: &Cont<'_>,
        sink: Sink<'_>,
    ) -> Result<bool> {
        if !self.visible.get(label as usize).copied().unwrap_or(false) {
            return self.run(body, after, sink);
        }
        let outer = std::mem::replace(&mut self.label, label);
        let result = if self.labelling {
            let mut values = Vec::with_capacity(arguments.len());
            for argument in arguments {
                // An argument that has no value here is an error only where it is used.
                values.push(self.eval(argument).unwrap_or(Value::Undefined));
            }
            if let Some(chooses) = &self.chooses
                && self.innermost.get(label as usize).copied().unwrap_or(false)
                && !chooses(label, &values)
            {
                self.label = outer;
                return Ok(true);
            }
            let outer_values = std::mem::replace(&mut self.label_arguments, values);
            let result = self.run(body, after, sink);
            self.label_arguments = outer_values;
            result
        } else {
            self.run(body, after, sink)
        };
        // After an error the label stays, so that the message can name the action.
        if result.is_ok() {
            self.label = outer;
        }
        result
    }

    /// The values that the names of bounds have now.
    fn bound_values(&self, binders: &[Binder]) -> Vec<Value> {
        let mut values = Vec::new();
        for binder in binders {
            binder.pattern.each_slot(&mut |slot| values.push(self.local(slot).clone()));
        }
        values
    }

    fn run_forall(
        &mut self,
        binders: &[Binder],
        values: &[Vec<Value>],
        body: &Act,
        after: &Cont<'_>,
        sink: Sink<'_>,
    ) -> Result<bool> {
        let Some((first, rest)) = values.split_first() else { return self.resume(after, sink) };
        // The body runs again inside itself for the next values, on the same slots: what it had here must
        // come back.
        let frame = self.base..self.top.max(self.base);
        let saved = self.stack[frame.clone()].to_vec();
        let mut given = first.iter();
        for binder in binders {
            binder.pattern.each_slot(&mut |slot| {
                if let Some(value) = given.next() {
                    self.set_local(slot, value.clone());
                }
            });
        }
        let result = self.run(body, &Cont::Forall(binders, rest, body, after), sink);
        self.stack[frame].clone_from_slice(&saved);
        result
    }

    /// `A \cdot B`: the first action makes a state of its own, from which the second makes the next one. Like
    /// TLC, both keep to what conjuncts before have assigned; what the first leaves open nobody may ask for.
    fn run_composed(&mut self, both: &(Act, Act), after: &Cont<'_>, sink: Sink<'_>) -> Result<bool> {
        let known = self.next.clone();
        self.run(&both.0, &Cont::Compose(&both.1, &known, after), sink)
    }

    /// The second action of `\cdot`, from the state that the first has made.
    fn compose_states(
        &mut self,
        second: &Act,
        known: &[Value],
        after: &Cont<'_>,
        sink: Sink<'_>,
    ) -> Result<bool> {
        let middle = std::mem::replace(&mut self.next, known.to_vec());
        let first = std::mem::replace(&mut self.cur, middle);
        let assigned = (0..).zip(known).filter(|(_, value)| !value.is_undefined()).map(|(index, _)| index);
        let trail = std::mem::replace(&mut self.trail, assigned.collect());
        let result = self.run(second, &Cont::Composed(&first, after), sink);
        self.trail = trail;
        self.next = std::mem::replace(&mut self.cur, first);
        result
    }

    /// Whether an action leads from the current state to the one being made.
    pub(super) fn leads(&mut self, act: &Act) -> Result<bool> {
        let fresh = vec![Value::Undefined; self.next.len()];
        let target = std::mem::replace(&mut self.next, fresh);
        let trail = std::mem::take(&mut self.trail);
        let (explaining, testing) = (self.explaining, self.testing);
        (self.explaining, self.testing) = (false, false);
        let label = self.label;
        let mut found = false;
        let result = self.run(act, &Cont::Done, &mut |machine| {
            let mut values = machine.next.iter().zip(&target);
            found = values.all(|(made, wanted)| made.is_undefined() || made == wanted);
            Ok(!found)
        });
        (self.next, self.trail, self.label) = (target, trail, label);
        (self.explaining, self.testing) = (explaining, testing);
        result?;
        Ok(found)
    }
}
