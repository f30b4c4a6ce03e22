//! Telling at a glance whether a body is true for an element, before anything is bound.
//!
//! `m.kind = "ask"` at the head of a body is how specifications pick messages out of a set. To bind `m` and
//! to evaluate the body costs several times as much as to look at the element where it is. What cannot be
//! told this way, or might be an error, is left to evaluation, which goes from left to right and so does
//! this.

use super::Machine;
use super::peek::field_of;
use crate::compile::ir::{Act, Comparison, Expr, Pattern};
use crate::value::Value;

/// An element that is not bound yet, and the slot it is meant for.
#[derive(Clone, Copy)]
pub(super) struct Glance<'v> {
    slot: u32,
    item: &'v Value,
    /// Inside a LET or an operator: its own definitions have no values yet.
    inside: bool,
}

impl<'v> Glance<'v> {
    pub(super) fn new(slot: u32, item: &'v Value) -> Glance<'v> {
        Glance { slot, item, inside: false }
    }

    fn inside(self) -> Glance<'v> {
        Glance { inside: true, ..self }
    }
}

/// The slot of a bound whose elements can be looked at in front of this body.
pub(super) fn worth_a_glance(pattern: &Pattern, body: &Expr) -> Option<u32> {
    match pattern {
        Pattern::One(slot) if promising(body) => Some(*slot),
        _ => None,
    }
}

/// The same for the body of an action.
pub(super) fn act_worth_a_glance(pattern: &Pattern, body: &Act) -> Option<u32> {
    match pattern {
        Pattern::One(slot) if promising_act(body) => Some(*slot),
        _ => None,
    }
}

/// Whether something can be told of the first thing that is evaluated.
fn promising(expr: &Expr) -> bool {
    match expr {
        Expr::And(items, _) | Expr::Or(items, _) => items.first().is_some_and(promising),
        Expr::Implies(two) => promising(&two.left),
        Expr::Not(one) => promising(&one.operand),
        Expr::Scope(_, body) => promising(body),
        Expr::Memo(memo) => promising(&memo.body),
        Expr::Equal(two) | Expr::Unequal(two) | Expr::Compare(_, two) | Expr::In(two) | Expr::NotIn(two) => {
            is_path(&two.left) && is_path(&two.right)
        }
        _ => false,
    }
}

fn is_path(expr: &Expr) -> bool {
    match expr {
        Expr::Const(_) | Expr::Cell(_) | Expr::Local(_) | Expr::Lazy(..) | Expr::Var(..) => true,
        Expr::Field(one, ..) => is_path(&one.operand),
        Expr::Apply(two) => is_path(&two.left) && is_path(&two.right),
        _ => false,
    }
}

fn promising_act(act: &Act) -> bool {
    match act {
        Act::Guard(expr, _) => promising(expr),
        Act::And(acts) | Act::Or(acts) => acts.first().is_some_and(promising_act),
        Act::Named(_, _, body) | Act::Scope(_, body) => promising_act(body),
        _ => false,
    }
}

impl Machine {
    /// Whether an expression is true for an element, if that can be told.
    pub(super) fn glance(&self, expr: &Expr, at: Glance<'_>) -> Option<bool> {
        match expr {
            Expr::Equal(two) => surely_equal(self.part(&two.left, at)?, self.part(&two.right, at)?),
            Expr::Unequal(two) => {
                surely_equal(self.part(&two.left, at)?, self.part(&two.right, at)?).map(|equal| !equal)
            }
            Expr::And(items, _) => {
                for item in items {
                    if !self.glance(item, at)? {
                        return Some(false);
                    }
                }
                Some(true)
            }
            Expr::Or(items, _) => {
                for item in items {
                    if self.glance(item, at)? {
                        return Some(true);
                    }
                }
                Some(false)
            }
            Expr::Implies(two) => Some(!self.glance(&two.left, at)? || self.glance(&two.right, at)?),
            Expr::Not(one) => self.glance(&one.operand, at).map(|holds| !holds),
            Expr::Scope(_, body) => self.glance(body, at.inside()),
            Expr::Memo(memo) => self.glance(&memo.body, at),
            Expr::Compare(comparison, two) => match (self.part(&two.left, at)?, self.part(&two.right, at)?) {
                (Value::Int(left), Value::Int(right)) => Some(comparison.holds(*left, *right)),
                _ => None,
            },
            Expr::In(two) => surely_member(self.part(&two.left, at)?, self.part(&two.right, at)?),
            Expr::NotIn(two) => {
                surely_member(self.part(&two.left, at)?, self.part(&two.right, at)?).map(|member| !member)
            }
            _ => None,
        }
    }

    /// Whether an action is possible for an element, as far as its first guards tell.
    pub(super) fn glance_act(&self, act: &Act, at: Glance<'_>) -> Option<bool> {
        match act {
            Act::Guard(expr, _) => self.glance(expr, at),
            Act::And(acts) => {
                for act in acts {
                    if !self.glance_act(act, at)? {
                        return Some(false);
                    }
                }
                Some(true)
            }
            Act::Or(acts) => {
                for act in acts {
                    if self.glance_act(act, at)? {
                        return Some(true);
                    }
                }
                Some(false)
            }
            Act::Named(_, _, body) => self.glance_act(body, at),
            Act::Scope(_, body) => self.glance_act(body, at.inside()),
            _ => None,
        }
    }

    /// A part of the state or of the element.
    fn part<'m>(&'m self, expr: &'m Expr, at: Glance<'m>) -> Option<&'m Value> {
        match expr {
            Expr::Local(slot) if *slot == at.slot => Some(at.item),
            Expr::Field(one, name, hint) => field_of(self.part(&one.operand, at)?, *name, hint),
            Expr::Apply(two) => {
                let argument = self.part(&two.right, at)?;
                self.part(&two.left, at)?.apply(argument)
            }
            Expr::Lazy(..) if at.inside => None,
            Expr::Const(_) | Expr::Local(_) | Expr::Lazy(..) | Expr::Var(..) | Expr::Cell(_) => {
                self.peek(expr)
            }
            _ => None,
        }
    }
}

impl Comparison {
    /// Whether it holds between two numbers.
    #[inline]
    pub(super) fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Comparison::Less => left < right,
            Comparison::LessEqual => left <= right,
            Comparison::Greater => left > right,
            Comparison::GreaterEqual => left >= right,
        }
    }
}

/// Whether two values are equal, where nothing can be wrong with the question.
#[inline]
pub(super) fn surely_equal(left: &Value, right: &Value) -> Option<bool> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => Some(a == b),
        (Value::Str(a), Value::Str(b)) => Some(a == b),
        (Value::Bool(a), Value::Bool(b)) => Some(a == b),
        (Value::Model(a), Value::Model(b)) if a == b => Some(true),
        (Value::Set(_), Value::Set(_))
        | (Value::Tuple(_), Value::Tuple(_))
        | (Value::Function(_), Value::Function(_)) => Some(left == right),
        _ => None,
    }
}

/// Whether a value is in a set, where nothing can be wrong with the question.
#[inline]
pub(super) fn surely_member(value: &Value, set: &Value) -> Option<bool> {
    match (value, set) {
        (Value::Lazy(_) | Value::Lambda(_), _) => None,
        (_, Value::Set(items)) => {
            if items.find(value).is_some() {
                return Some(true);
            }
            match items.items().first() {
                Some(first) if std::mem::discriminant(first) != std::mem::discriminant(value) => None,
                _ => Some(false),
            }
        }
        (Value::Int(n), Value::Interval(low, high)) => Some(i64::from(*low) <= *n && *n <= i64::from(*high)),
        _ => None,
    }
}
