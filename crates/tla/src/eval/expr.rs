//! The value of an expression.

use std::rc::Rc;

use super::Machine;
use crate::compile::ir::{Arithmetic, ConstCell, Expr};
use crate::error::{Place, Result, fail};
use crate::value::{LazyKind, SetValue, Value};

impl Machine {
    /// Evaluates an expression; what needs no evaluation is answered without a call.
    #[inline(always)]
    pub(super) fn value(&mut self, expr: &Expr) -> Result<Value> {
        match expr {
            Expr::Const(value) => Ok(value.clone()),
            Expr::Local(slot) => Ok(self.local(*slot).clone()),
            _ => self.eval(expr),
        }
    }

    /// Evaluates an expression: the commonest kinds here, the others apart, so that this function's frame
    /// stays small.
    pub(crate) fn eval(&mut self, expr: &Expr) -> Result<Value> {
        match expr {
            Expr::Const(value) => Ok(value.clone()),
            Expr::Local(slot) => Ok(self.local(*slot).clone()),
            Expr::Var(index, place) => {
                let value = &self.cur[*index as usize];
                if value.is_undefined() {
                    return self.no_value(*index, false, *place);
                }
                Ok(value.clone())
            }
            Expr::Next(index, place) => {
                let value = &self.next[*index as usize];
                if value.is_undefined() {
                    return self.no_value(*index, true, *place);
                }
                Ok(value.clone())
            }
            Expr::Cell(cell) => match cell.value.get() {
                Some(value) => Ok(value.clone()),
                None => self.eval_cell(cell),
            },
            Expr::Lazy(slot, inner) => {
                let known = self.local(*slot);
                if !known.is_undefined() {
                    return Ok(known.clone());
                }
                let value = self.eval(inner)?;
                self.set_local(*slot, value.clone());
                Ok(value)
            }
            Expr::Apply(two) => self.application(two),
            Expr::Memo(memo) => self.memo(memo),
            Expr::Field(one, name, hint) => self.field(one, *name, hint),
            Expr::If(parts) => {
                let (condition, yes, no, place) = &**parts;
                let branch = if self.eval_bool(condition, *place)? { yes } else { no };
                self.eval(branch)
            }
            Expr::Arithmetic(_, two) => Ok(Value::Int(self.eval_int(expr, two.place)?)),
            Expr::Negate(one) => Ok(Value::Int(self.eval_int(expr, one.place)?)),
            Expr::Scope(slots, body) => {
                for slot in slots {
                    self.set_local(*slot, Value::Undefined);
                }
                self.eval(body)
            }
            Expr::And(..)
            | Expr::Or(..)
            | Expr::Not(_)
            | Expr::Implies(_)
            | Expr::Iff(_)
            | Expr::Equal(_)
            | Expr::Unequal(_)
            | Expr::Compare(..)
            | Expr::In(_)
            | Expr::NotIn(_)
            | Expr::Subset(_)
            | Expr::Exists(_)
            | Expr::Forall(_)
            | Expr::Unchanged(..)
            | Expr::Leads(_)
            | Expr::Enabled(..) => Ok(Value::Bool(self.eval_bool(expr, Place::none())?)),
            Expr::Except(one, updates) => self.except(one, updates),
            Expr::Builtin(builtin, arguments, place) => self.builtin(*builtin, arguments, *place),
            Expr::Function(single) => self.function(single),
            Expr::SetFilter(single) => self.filter(single),
            Expr::Record(domain, values) => self.record(domain, values),
            _ => self.eval_other(expr),
        }
    }

    #[inline(never)]
    fn record(&mut self, domain: &Rc<SetValue>, values: &[Expr]) -> Result<Value> {
        self.room_for(values.len(), Place::none())?;
        let mut fields = Vec::with_capacity(values.len());
        for value in values {
            let value = self.value(value)?;
            fields.push(self.concrete(value, Place::none())?);
        }
        Ok(Value::function(domain.clone(), fields))
    }

    #[inline(never)]
    fn eval_cell(&mut self, cell: &ConstCell) -> Result<Value> {
        // What is drawn at random for a constant depends on the seed and on where it is written only: every
        // worker, whenever it gets there, must draw the same.
        let place = crate::value::hash::mix(cell.place.module.hash64(), u64::from(cell.place.line) << 16);
        let own = crate::value::hash::mix(self.seed, place ^ u64::from(cell.place.column));
        let random = std::mem::replace(&mut self.random, own);
        let value = self.in_frame([], cell.slots as usize, 0, |m| m.eval(&cell.expr));
        self.random = random;
        let value = value?;
        // Constant sets are looked into again and again: list them once, unless they are large.
        let value = self.settle_constant(value);
        let _ = cell.value.set(value.clone());
        Ok(value)
    }

    #[inline(never)]
    fn eval_other(&mut self, expr: &Expr) -> Result<Value> {
        Ok(match expr {
            Expr::Shared(shared) => {
                if self.guard.exceeded() {
                    return fail(Place::none(), "evaluation is nested too deeply");
                }
                self.in_frame([], shared.slots as usize, 0, |m| m.eval(&shared.expr))?
            }
            Expr::Outer(hops, slot) => {
                let frame = self.outer_frame(*hops);
                self.stack[self.frames[frame].base + *slot as usize].clone()
            }
            Expr::LazyOuter(hops, slot, inner) => self.lazy_outer(*hops, *slot, inner)?,
            Expr::Interval(two) => {
                let low = self.eval_int(&two.left, two.place)?;
                let high = self.eval_int(&two.right, two.place)?;
                match Value::interval(low, high) {
                    Some(interval) => interval,
                    None => return fail(two.place, "the bounds of an interval do not fit into 32 bits"),
                }
            }
            Expr::SetOperation(operation, two) => {
                let left = self.eval(&two.left)?;
                let right = self.eval(&two.right)?;
                self.set_operation(*operation, &left, &right, two.place)?
            }
            Expr::Powerset(one) => {
                let set = self.eval(&one.operand)?;
                if !set.is_set() {
                    return fail(one.place, format!("SUBSET of {}, which is no set", set.brief()));
                }
                Value::lazy(LazyKind::Powerset(set))
            }
            Expr::BigUnion(one) => self.big_union(&one.operand, one.place)?,
            Expr::SetEnum(items, place) => {
                self.room_for(items.len(), *place)?;
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    let value = self.eval(item)?;
                    values.push(self.concrete(value, *place)?);
                }
                self.make_set(values, *place)?
            }
            Expr::SetMap(map) => self.map(map)?,
            Expr::FunctionSet(two) => {
                let domain = self.eval(&two.left)?;
                let range = self.eval(&two.right)?;
                if !domain.is_set() || !range.is_set() {
                    return fail(two.place, "a set of functions is from a set to a set");
                }
                Value::lazy(LazyKind::Functions(domain, range))
            }
            Expr::RecordSet(domain, sets) => {
                let mut values = Vec::with_capacity(sets.len());
                for set in sets {
                    values.push(self.eval(set)?);
                }
                Value::lazy(LazyKind::Records(domain.clone(), values))
            }
            Expr::Tuple(items) => {
                self.room_for(items.len(), Place::none())?;
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    let value = self.eval(item)?;
                    values.push(self.concrete(value, Place::none())?);
                }
                Value::tuple(values)
            }
            Expr::Product(sets) => {
                let mut values = Vec::with_capacity(sets.len());
                for set in sets {
                    values.push(self.eval(set)?);
                }
                Value::lazy(LazyKind::Product(values))
            }
            Expr::Domain(one) => {
                let function = self.eval(&one.operand)?;
                self.domain(&function, one.place)?
            }
            Expr::Choose(single) => self.choose(single)?,
            Expr::Case(arms, other, place) => {
                for (guard, value) in arms {
                    if self.eval_bool(guard, *place)? {
                        return self.eval(value);
                    }
                }
                match other {
                    Some(other) => self.eval(other)?,
                    None => return fail(*place, "no case of CASE is true, and there is no OTHER"),
                }
            }
            Expr::Call(index, arguments, link, place) => self.call(*index, arguments, *link, *place)?,
            Expr::HigherOrder(builtin, arguments, operators, place) => {
                self.higher_order(*builtin, arguments, operators, *place)?
            }
            Expr::Error(message, place) => return fail(*place, message.clone()),
            _ => {
                return fail(Place::none(), "an expression that is evaluated elsewhere: a bug of the engine");
            }
        })
    }

    #[cold]
    pub(super) fn no_value(&self, index: u32, primed: bool, place: Place) -> Result<Value> {
        let name = self.names[index as usize];
        let prime = if primed { "'" } else { "" };
        fail(place, format!("variable {name}{prime} is undefined here: assign it before it is used"))
    }

    fn settle_constant(&mut self, value: Value) -> Value {
        match &value {
            Value::Lazy(_) if value.cardinality().is_some_and(|n| n <= 4096) => {
                // Only remembers the listing: membership may still use the description.
                let _ = value.list();
                value
            }
            _ => value,
        }
    }

    fn lazy_outer(&mut self, hops: u32, slot: u32, inner: &Rc<Expr>) -> Result<Value> {
        let frame = self.outer_frame(hops);
        let base = self.frames[frame].base;
        let known = &self.stack[base + slot as usize];
        if !known.is_undefined() {
            return Ok(known.clone());
        }
        let (saved_frame, saved_base) = (self.frame, self.base);
        self.frame = frame;
        self.base = base;
        let value = self.eval(inner);
        self.frame = saved_frame;
        self.base = saved_base;
        let value = value?;
        self.stack[base + slot as usize] = value.clone();
        Ok(value)
    }

    fn call(&mut self, index: u32, arguments: &[Expr], link: Option<u32>, place: Place) -> Result<Value> {
        self.check_depth(place)?;
        self.steps(1, place)?;
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.eval(argument)?);
        }
        let Some(function) = self.functions.get(index as usize).cloned() else {
            return fail(place, "the operator is not compiled yet");
        };
        self.room_for(function.slots as usize, place)?;
        let link = link.map_or(0, |hops| self.outer_frame(hops));
        if self.depth_calls == 0 {
            self.listed = 0;
        }
        self.depth_calls += 1;
        let result = self.in_frame(values, function.slots as usize, link, |machine| {
            if function.unlisted { machine.unlisted(&function.body) } else { machine.eval(&function.body) }
        });
        self.depth_calls -= 1;
        result
    }

    pub(super) fn eval_int(&mut self, expr: &Expr, place: Place) -> Result<i64> {
        match expr {
            Expr::Arithmetic(operation, two) => {
                let left = self.eval_int(&two.left, two.place)?;
                let right = self.eval_int(&two.right, two.place)?;
                return arithmetic(*operation, left, right, two.place);
            }
            Expr::Negate(one) => {
                let n = self.eval_int(&one.operand, one.place)?;
                return n.checked_neg().map_or_else(|| overflow(one.place), Ok);
            }
            _ => {
                if let Some(Value::Int(n)) = self.peek(expr) {
                    return Ok(*n);
                }
            }
        }
        match self.eval(expr)? {
            Value::Int(n) => Ok(n),
            other => fail(place, format!("{} is {}, not an integer", other.brief(), other.kind())),
        }
    }
}

fn overflow<T>(place: Place) -> Result<T> {
    fail(place, "overflow: the result does not fit into 32 bits, as in TLC")
}

fn arithmetic(operation: Arithmetic, left: i64, right: i64, place: Place) -> Result<i64> {
    let result = match operation {
        Arithmetic::Add => left.checked_add(right),
        Arithmetic::Subtract => left.checked_sub(right),
        Arithmetic::Multiply => left.checked_mul(right),
        Arithmetic::Divide => {
            if right == 0 {
                return fail(place, "division by zero");
            }
            // Rounds towards negative infinity.
            let quotient = left.checked_div(right);
            quotient.map(|q| if left % right != 0 && (left < 0) != (right < 0) { q - 1 } else { q })
        }
        Arithmetic::Modulo => {
            if right <= 0 {
                return fail(place, format!("the second operand of % is {right}, which is not positive"));
            }
            Some(left.rem_euclid(right))
        }
        Arithmetic::Power => {
            if right < 0 {
                return fail(place, format!("the exponent {right} is negative"));
            }
            if left == 0 && right == 0 {
                return fail(place, "0^0 is undefined");
            }
            u32::try_from(right).ok().and_then(|n| left.checked_pow(n))
        }
    };
    match result {
        Some(n) if i32::try_from(n).is_ok() => Ok(n),
        _ => overflow(place),
    }
}
