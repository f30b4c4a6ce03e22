//! Evaluation.
//!
//! A [`Machine`] holds everything that evaluation changes: the current state, the state being made, the slots
//! of bound names, and what module TLC keeps. It belongs to one thread.

mod action;
mod builtins;
mod chi_square;
mod counterexample;
mod expr;
mod function;
mod glance;
mod higher;
mod json;
mod library;
mod member;
mod memo;
mod peek;
mod quantify;
mod sets;
mod tlc;
mod truth;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::budget::{Allowance, Budget};
use crate::compile::ir::{Expr, Function, Pattern};
use crate::error::{Error, Place, Result, fail};
use crate::loader::Reader;
use crate::stack::StackGuard;
use crate::symbol::Symbol;
use crate::value::{NESTING_MAX, Value};

pub(crate) use self::member::mixes_types;
pub(crate) use self::tlc::{NEXT_LEVEL, NO_CHECK};
pub(crate) use action::{Blocked, Choose};
pub(crate) use tlc::{Behaviour, Settings};

/// An expression over one bound name, with the slots it was made among.
pub struct Closure {
    frame: Vec<Value>,
    link: usize,
    slots: usize,
    pattern: Pattern,
    body: Rc<Expr>,
    place: Place,
}

/// A function that is evaluated where it is applied; it remembers what it gave.
pub struct Lambda {
    domain: Value,
    depth: Cell<u32>,
    closure: Closure,
    /// The slot where the function finds itself.
    this: Option<u32>,
    memo: RefCell<FxHashMap<Value, Value>>,
    /// What an EXCEPT has changed, if this is one: all else is as in this function.
    changed: Option<(Rc<Lambda>, FxHashMap<Value, Value>)>,
}

impl Closure {
    /// The values that it was made with.
    pub(crate) fn frame(&self) -> &[Value] {
        &self.frame
    }
}

impl Lambda {
    pub(crate) fn domain(&self) -> &Value {
        &self.domain
    }

    pub(crate) fn closure(&self) -> &Closure {
        &self.closure
    }

    /// How deep it is nested, once that was asked.
    pub(crate) fn depth(&self) -> &Cell<u32> {
        &self.depth
    }
}

struct Frame {
    base: usize,
    link: usize,
}

/// What `TLCGet` gives by name, kept up to date by the checker.
#[derive(Default, Clone)]
pub(crate) struct Progress {
    pub level: i64,
    pub distinct: i64,
    pub generated: i64,
    pub queue: i64,
    pub diameter: i64,
    pub initial: i64,
}

/// What evaluation needs from outside.
#[derive(Clone)]
pub(crate) struct Outside {
    /// Files that the specification reads, by path; none are read without the caller's loader.
    pub files: Arc<Reader>,
    /// The environment that the specification sees.
    pub environment: Arc<[(String, String)]>,
    /// How much memory there is.
    pub budget: Budget,
}

/// Evaluates expressions and runs actions.
pub(crate) struct Machine {
    functions: Vec<Rc<Function>>,
    stack: Vec<Value>,
    /// Where the next frame starts.
    top: usize,
    /// Where the frames after the outermost one start.
    floor: usize,
    base: usize,
    frames: Vec<Frame>,
    frame: usize,
    /// The current state.
    pub cur: Vec<Value>,
    /// The state being made.
    pub next: Vec<Value>,
    trail: Vec<u32>,
    /// Whether a branching conjunct is a test once all variables are assigned.
    testing: bool,
    /// Which labels are shown.
    pub visible: Vec<bool>,
    /// The named action being run.
    pub label: u32,
    /// Whether the arguments of named actions are kept.
    pub labelling: bool,
    pub label_arguments: Vec<Value>,
    /// Which labels have no shown label inside them.
    pub innermost: Vec<bool>,
    /// While labelling, which of the innermost named actions are run at all.
    pub chooses: Option<Choose>,
    /// Whether to find out what blocks an action.
    pub explaining: bool,
    pub blocked: Option<Blocked>,
    passed: usize,
    guard: StackGuard,
    memos: memo::Table,
    /// The state of the generator behind RandomElement, and what it was made from.
    random: u64,
    seed: u64,
    registers: HashMap<i64, Value>,
    /// Registers that have names: `TLCSet("s:name", …)`.
    named_registers: HashMap<Symbol, Value>,
    /// Whether the specification has asked to end: `TLCSet("exit", TRUE)`.
    pub(crate) exits: bool,
    pub progress: Progress,
    /// What Print and PrintT wrote.
    pub output: Vec<String>,
    pub names: Rc<[Symbol]>,
    outside: Outside,
    /// What may be built before the memory is looked at again.
    pub allowance: Allowance,
    /// How the check was asked for.
    pub settings: Settings,
    /// `TLCGet("spec")`.
    pub specification: Value,
    /// The behaviour so far.
    pub behaviour: Behaviour,
    /// The name of the action that led to the current state, where it is known.
    pub action_label: Option<Symbol>,
    pub depth_calls: usize,
    /// How many elements large sets had that were listed inside recursive operators.
    listed: usize,
    /// How many steps evaluation may take, how many of them are left until the memory is looked at, and how
    /// many after that.
    steps_max: u64,
    steps_left: u64,
    steps_later: u64,
}

/// The memory is looked at at least once in so many steps: what a step builds without asking for room is
/// small.
const LOOK_STEPS: u64 = 1 << 13;

/// Most calls of recursive operators inside each other.
const CALLS_MAX: usize = 200_000;

impl Machine {
    pub(crate) fn new(names: Rc<[Symbol]>, stack_bytes: usize, outside: Outside) -> Machine {
        let n = names.len();
        let allowance = Allowance::new(&outside.budget);
        Machine {
            functions: Vec::new(),
            stack: vec![Value::Undefined; 64],
            top: 64,
            floor: 64,
            base: 0,
            frames: vec![Frame { base: 0, link: 0 }],
            frame: 0,
            cur: vec![Value::Undefined; n],
            next: vec![Value::Undefined; n],
            trail: Vec::new(),
            testing: false,
            visible: Vec::new(),
            label: u32::MAX,
            labelling: false,
            label_arguments: Vec::new(),
            innermost: Vec::new(),
            chooses: None,
            explaining: false,
            blocked: None,
            passed: 0,
            guard: StackGuard::new(stack_bytes),
            memos: memo::Table::default(),
            random: 0,
            seed: 0,
            registers: HashMap::new(),
            named_registers: HashMap::new(),
            exits: false,
            progress: Progress::default(),
            output: Vec::new(),
            names,
            outside,
            allowance,
            settings: Settings::default(),
            specification: Value::empty_set(),
            behaviour: Behaviour::default(),
            action_label: None,
            depth_calls: 0,
            listed: 0,
            steps_max: u64::MAX,
            steps_later: u64::MAX,
            steps_left: 0,
        }
    }

    /// Takes over compiled functions, and makes room for the outermost frame.
    pub(crate) fn install(&mut self, functions: &[Option<Rc<Function>>], slots: u32) {
        self.functions = functions.iter().flatten().cloned().collect();
        if self.stack.len() < slots as usize {
            self.stack.resize(slots as usize, Value::Undefined);
        }
        self.top = self.top.max(slots as usize);
        self.floor = self.top;
    }

    /// The thread that evaluates may be another than the one that compiled.
    pub(crate) fn set_stack(&mut self, stack_bytes: usize) {
        self.guard = StackGuard::new(stack_bytes);
    }

    /// Puts the machine back into order after an error cut evaluation short.
    pub(crate) fn recover(&mut self) {
        self.frames.truncate(1);
        self.frame = 0;
        self.base = 0;
        self.top = self.floor;
        self.trail.clear();
        self.depth_calls = 0;
        self.label = u32::MAX;
        for value in &mut self.next {
            *value = Value::Undefined;
        }
    }

    #[inline]
    fn local(&self, slot: u32) -> &Value {
        &self.stack[self.base + slot as usize]
    }

    #[inline]
    fn set_local(&mut self, slot: u32, value: Value) {
        let index = self.base + slot as usize;
        self.stack[index] = value;
    }

    /// The frame that is so many links out.
    fn outer_frame(&self, hops: u32) -> usize {
        let mut frame = self.frame;
        for _ in 0..hops {
            frame = self.frames[frame].link;
        }
        frame
    }

    /// Evaluates in a new frame with the given first slots.
    fn in_frame<T>(
        &mut self,
        first: impl IntoIterator<Item = Value>,
        slots: usize,
        link: usize,
        run: impl FnOnce(&mut Machine) -> Result<T>,
    ) -> Result<T> {
        let top = self.top;
        let (base, frame) = (self.base, self.frame);
        let mut end = top;
        for value in first {
            if end < self.stack.len() {
                self.stack[end] = value;
            } else {
                self.stack.push(value);
            }
            end += 1;
        }
        let wanted = top + slots;
        if self.stack.len() < wanted {
            self.stack.resize(wanted, Value::Undefined);
        }
        self.frames.push(Frame { base: top, link });
        self.frame = self.frames.len() - 1;
        self.base = top;
        let saved_top = std::mem::replace(&mut self.top, wanted.max(end));
        let result = run(self);
        self.top = saved_top;
        self.frames.pop();
        self.frame = frame;
        self.base = base;
        result
    }

    fn check_depth(&self, place: Place) -> Result<()> {
        if self.guard.exceeded() || self.depth_calls > CALLS_MAX {
            return fail(place, "stack overflow: recursion is too deep; does it end?");
        }
        Ok(())
    }

    /// Refuses a value that is nested so deep that nothing may recurse over it.
    #[inline]
    fn check_nesting(&self, value: &Value, place: Place) -> Result<()> {
        if value.depth() > NESTING_MAX {
            return fail(place, format!("a value is nested more than {NESTING_MAX} deep"));
        }
        Ok(())
    }

    /// Applies a closure to an argument; `eval` is what evaluates its body.
    fn apply_closure(
        &mut self,
        closure: &Closure,
        argument: Value,
        this: Option<(u32, Value)>,
        eval: fn(&mut Machine, &Expr) -> Result<Value>,
    ) -> Result<Value> {
        self.check_depth(closure.place)?;
        self.steps(1, closure.place)?;
        self.room_for(closure.slots, closure.place)?;
        let frame = closure.frame.clone();
        self.in_frame(frame, closure.slots, closure.link, |machine| {
            if let Some((slot, value)) = this {
                machine.set_local(slot, value);
            }
            machine.bind(&closure.pattern, argument, closure.place)?;
            eval(machine, &closure.body)
        })
    }

    /// Binds the names of a tuple pattern.
    fn destructure(&mut self, patterns: &[Pattern], value: &Value, place: Place) -> Result<()> {
        match value {
            Value::Tuple(tuple) if tuple.items().len() == patterns.len() => {
                for (pattern, item) in patterns.iter().zip(tuple.items()) {
                    self.bind(pattern, item.clone(), place)?;
                }
                Ok(())
            }
            _ => fail(place, format!("{} does not match a tuple of {} names", value.brief(), patterns.len())),
        }
    }

    #[inline]
    fn bind(&mut self, pattern: &Pattern, value: Value, place: Place) -> Result<()> {
        self.steps(1, place)?;
        match pattern {
            Pattern::One(slot) => {
                self.set_local(*slot, value);
                Ok(())
            }
            Pattern::Tuple(patterns) => self.destructure(patterns, &value, place),
        }
    }

    /// The function that differs from another in one argument.
    fn lambda_except(lambda: &Rc<Lambda>, argument: Value, value: Value) -> Value {
        let (base, mut changes) = match &lambda.changed {
            Some((base, changes)) => (base.clone(), changes.clone()),
            None => (lambda.clone(), FxHashMap::default()),
        };
        changes.insert(argument, value);
        let inside = changes.values().map(Value::depth).max().unwrap_or(0);
        let depth = Value::Lambda(base.clone()).depth().max(inside + 1);
        let closure = Closure {
            frame: Vec::new(),
            link: 0,
            slots: 0,
            pattern: base.closure.pattern.clone(),
            body: base.closure.body.clone(),
            place: base.closure.place,
        };
        Value::Lambda(Rc::new(Lambda {
            domain: base.domain.clone(),
            depth: Cell::new(depth),
            closure,
            this: None,
            memo: RefCell::default(),
            changed: Some((base, changes)),
        }))
    }

    fn closure(&self, pattern: &Pattern, body: &Rc<Expr>, slots: usize, place: Place) -> Closure {
        let end = (self.base + slots).min(self.stack.len());
        Closure {
            frame: self.stack[self.base..end].to_vec(),
            link: self.frames[self.frame].link,
            slots,
            pattern: pattern.clone(),
            body: body.clone(),
            place,
        }
    }

    /// Limits how many steps evaluation takes from now on. A step is an element that a quantifier or a set
    /// goes through, or a call of an operator.
    pub(crate) fn set_steps_max(&mut self, steps: u64) {
        self.steps_max = steps;
        self.steps_left = 0;
        self.steps_later = steps;
    }

    /// Takes steps that are left.
    #[inline]
    fn steps(&mut self, steps: u64, place: Place) -> Result<()> {
        match self.steps_left.checked_sub(steps) {
            Some(left) => {
                self.steps_left = left;
                Ok(())
            }
            None => self.more_steps(steps, place),
        }
    }

    /// Takes steps from those that are left for later, after a look at the memory.
    #[cold]
    #[inline(never)]
    fn more_steps(&mut self, steps: u64, place: Place) -> Result<()> {
        let all = self.steps_left.saturating_add(self.steps_later);
        let Some(left) = all.checked_sub(steps) else {
            let message = format!("{place}: evaluation reached its limit of {} steps", self.steps_max);
            return Err(Box::new(Error::Limit { message }));
        };
        let until_look = if self.outside.budget.is_limited() { LOOK_STEPS } else { u64::MAX };
        self.steps_left = left.min(until_look);
        self.steps_later = left - self.steps_left;
        self.allowance.renew(0, place)
    }

    /// Takes memory for something that is built: so many bytes.
    #[inline]
    pub(crate) fn room(&mut self, bytes: usize, place: Place) -> Result<()> {
        self.allowance.take(bytes, place)
    }

    /// Takes memory for a list of values.
    #[inline]
    fn room_for(&mut self, values: usize, place: Place) -> Result<()> {
        self.allowance.take(values.saturating_mul(size_of::<Value>()), place)
    }

    /// Fixes what RandomElement draws.
    pub(crate) fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
        self.random = seed;
    }

    /// A pseudo-random number below a bound.
    fn random_below(&mut self, bound: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = crate::value::hash::mix(self.random, 0x5851_f42d_4c95_7f2d);
        ((u128::from(word) * u128::from(bound)) >> 64) as u64
    }
}

/// Makes an evaluation error out of a set's own complaint.
fn complain<T>(place: Place, result: std::result::Result<T, String>) -> Result<T> {
    result.map_err(|message| Box::new(Error::Evaluation { place, message }))
}

impl Machine {
    /// Sets a slot of the outermost frame.
    pub(crate) fn set_top_slot(&mut self, slot: u32, value: Value) {
        self.stack[slot as usize] = value;
    }

    /// Evaluates in a frame of its own, so that the slots of an action that is being run stay as they are.
    pub(crate) fn eval_apart(&mut self, expr: &Expr) -> Result<Value> {
        self.in_frame([], self.floor, 0, |machine| machine.eval(expr))
    }

    /// A predicate of the current state, or of the step from it to the next one.
    pub(crate) fn holds_apart(&mut self, expr: &Expr, place: Place) -> Result<bool> {
        self.in_frame([], self.floor, 0, |machine| machine.eval_bool(expr, place))
    }

    /// Evaluates a state function in the state being made, which is one level further.
    pub(crate) fn eval_in_next(&mut self, expr: &Expr) -> Result<Value> {
        std::mem::swap(&mut self.cur, &mut self.next);
        self.progress.level += 1;
        let value = self.eval_apart(expr);
        self.progress.level -= 1;
        std::mem::swap(&mut self.cur, &mut self.next);
        value
    }

    /// A predicate of the state being made.
    pub(crate) fn holds_in_next(&mut self, expr: &Expr, place: Place) -> Result<bool> {
        std::mem::swap(&mut self.cur, &mut self.next);
        self.progress.level += 1;
        let holds = self.holds_apart(expr, place);
        self.progress.level -= 1;
        std::mem::swap(&mut self.cur, &mut self.next);
        holds
    }

    /// The first variable of the state being made that has no value.
    pub(crate) fn missing(&self) -> Option<Symbol> {
        self.next.iter().position(Value::is_undefined).map(|index| self.names[index])
    }
}
