//! The truth value of an expression.

use super::Machine;
use super::glance::{surely_equal, surely_member};
use crate::compile::ir::{Expr, SetOperation, Two};
use crate::error::{Error, Place, Result, fail};
use crate::value::Value;

impl Machine {
    /// Evaluates to a boolean.
    pub(crate) fn eval_bool(&mut self, expr: &Expr, place: Place) -> Result<bool> {
        Ok(match expr {
            Expr::And(items, place) => {
                for item in items {
                    if !self.eval_bool(item, *place)? {
                        return Ok(false);
                    }
                }
                true
            }
            Expr::Or(items, place) => {
                for item in items {
                    if self.eval_bool(item, *place)? {
                        return Ok(true);
                    }
                }
                false
            }
            Expr::Not(one) => !self.eval_bool(&one.operand, one.place)?,
            Expr::Implies(two) => {
                !self.eval_bool(&two.left, two.place)? || self.eval_bool(&two.right, two.place)?
            }
            Expr::Iff(two) => {
                self.eval_bool(&two.left, two.place)? == self.eval_bool(&two.right, two.place)?
            }
            Expr::Equal(two) => self.equal_operands(two)?,
            Expr::Unequal(two) => !self.equal_operands(two)?,
            Expr::Compare(comparison, two) => {
                let left = self.eval_int(&two.left, two.place)?;
                let right = self.eval_int(&two.right, two.place)?;
                comparison.holds(left, right)
            }
            Expr::In(two) => self.in_set(two)?,
            Expr::NotIn(two) => !self.in_set(two)?,
            Expr::Subset(two) => {
                let left = self.eval(&two.left)?;
                let right = self.eval(&two.right)?;
                self.subset(&left, &right, two.place)?
            }
            Expr::Exists(quantified) => self.exists(quantified)?,
            Expr::Forall(quantified) => self.forall(quantified)?,
            Expr::Unchanged(variables, place) => {
                for index in variables {
                    if self.next[*index as usize].is_undefined() {
                        self.no_value(*index, true, *place)?;
                    }
                    if self.next[*index as usize] != self.cur[*index as usize] {
                        return Ok(false);
                    }
                }
                true
            }
            Expr::Leads(act) => self.leads(act)?,
            Expr::Enabled(act, free, false) => self.enabled(act, *free)?,
            Expr::Enabled(act, free, true) => {
                std::mem::swap(&mut self.cur, &mut self.next);
                let enabled = self.enabled(act, *free);
                std::mem::swap(&mut self.cur, &mut self.next);
                enabled?
            }
            Expr::If(parts) => {
                let (condition, yes, no, place) = &**parts;
                let branch = if self.eval_bool(condition, *place)? { yes } else { no };
                self.eval_bool(branch, *place)?
            }
            Expr::Scope(slots, body) => {
                for slot in slots {
                    self.set_local(*slot, Value::Undefined);
                }
                self.eval_bool(body, place)?
            }
            _ => match self.peek(expr) {
                Some(Value::Bool(b)) => *b,
                _ => match self.eval(expr)? {
                    Value::Bool(b) => b,
                    other => {
                        return fail(place, format!("{} is {}, not a boolean", other.brief(), other.kind()));
                    }
                },
            },
        })
    }

    fn equal_operands(&mut self, two: &Two) -> Result<bool> {
        match (self.peek(&two.left), self.peek(&two.right)) {
            (Some(left), Some(right)) => {
                if let Some(answer) = surely_equal(left, right) {
                    return Ok(answer);
                }
                let (left, right) = (left.clone(), right.clone());
                self.equal(&left, &right, two.place)
            }
            (_, Some(_)) => {
                let left = self.eval(&two.left)?;
                if let Some(answer) = self.peek(&two.right).and_then(|right| surely_equal(&left, right)) {
                    return Ok(answer);
                }
                let right = self.eval(&two.right)?;
                self.equal(&left, &right, two.place)
            }
            _ => {
                let left = self.eval(&two.left)?;
                let right = self.eval(&two.right)?;
                self.equal(&left, &right, two.place)
            }
        }
    }

    fn in_set(&mut self, two: &Two) -> Result<bool> {
        if let (Some(value), Some(set)) = (self.peek(&two.left), self.peek(&two.right))
            && let Some(answer) = surely_member(value, set)
        {
            return Ok(answer);
        }
        let value = self.value(&two.left)?;
        self.member_of(value, &two.right, two.place)
    }

    /// Whether a value is in the set that an expression describes, without making the set where that can be
    /// avoided.
    fn member_of(&mut self, value: Value, set: &Expr, place: Place) -> Result<bool> {
        match set {
            // `x \in a..b` needs no set.
            Expr::Interval(bounds) => {
                let low = self.eval_int(&bounds.left, bounds.place)?;
                let high = self.eval_int(&bounds.right, bounds.place)?;
                Ok(matches!(value, Value::Int(n) if low <= n && n <= high))
            }
            Expr::Cell(cell) => {
                if let Some(set) = cell.value.get() {
                    return self.member(&value, set, place);
                }
                match self.eval(set) {
                    Ok(set) => self.member(&value, &set, place),
                    // The set cannot be listed, but one element may be tested.
                    Err(error) if matches!(*error, Error::Evaluation { .. }) && is_described(&cell.expr) => {
                        self.in_frame([], cell.slots as usize, 0, |m| m.member_of(value, &cell.expr, place))
                    }
                    Err(error) => Err(error),
                }
            }
            Expr::Shared(shared) => {
                self.in_frame([], shared.slots as usize, 0, |m| m.member_of(value, &shared.expr, place))
            }
            Expr::Scope(slots, body) => {
                for slot in slots {
                    self.set_local(*slot, Value::Undefined);
                }
                self.member_of(value, body, place)
            }
            Expr::SetOperation(operation, two) => {
                let first = self.member_of(value.clone(), &two.left, two.place)?;
                match operation {
                    SetOperation::Cup => Ok(first || self.member_of(value, &two.right, two.place)?),
                    SetOperation::Cap => Ok(first && self.member_of(value, &two.right, two.place)?),
                    SetOperation::Minus => Ok(first && !self.member_of(value, &two.right, two.place)?),
                }
            }
            Expr::SetFilter(single) => {
                if !self.member_of(value.clone(), &single.binder.set, single.place)? {
                    return Ok(false);
                }
                self.bind(&single.binder.pattern, value, single.place)?;
                self.eval_bool(&single.body, single.place)
            }
            Expr::SetEnum(items, place) => {
                for item in items {
                    let item = self.eval(item)?;
                    if self.equal(&value, &item, *place)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Expr::Domain(one) => {
                let function = self.eval(&one.operand)?;
                match &function {
                    Value::Tuple(tuple) => {
                        Ok(matches!(value, Value::Int(n) if n >= 1 && n <= tuple.items().len() as i64))
                    }
                    Value::Function(function) => Ok(function.domain().find(&value).is_some()),
                    _ => {
                        let domain = self.domain(&function, one.place)?;
                        self.member(&value, &domain, one.place)
                    }
                }
            }
            Expr::Const(set) => self.member(&value, set, place),
            Expr::Memo(memo) if matches!(memo.body, Expr::SetFilter(_)) => {
                self.member_of(value, &memo.body, place)
            }
            other => {
                if let Some(answer) = self.peek(other).and_then(|set| surely_member(&value, set)) {
                    return Ok(answer);
                }
                let set = self.eval(other)?;
                self.member(&value, &set, place)
            }
        }
    }
}

/// Whether a set is a filter of one that TLC describes, too, and does not list.
fn is_described(set: &Expr) -> bool {
    match set.bare() {
        Expr::SetFilter(single) => match &single.binder.set {
            Expr::Cell(cell) => is_not_listed(&cell.expr),
            set => is_not_listed(set),
        },
        _ => false,
    }
}

fn is_not_listed(set: &Expr) -> bool {
    matches!(
        set.bare(),
        Expr::BigUnion(_) | Expr::Powerset(_) | Expr::FunctionSet(_) | Expr::RecordSet(..) | Expr::Product(_)
    )
}
