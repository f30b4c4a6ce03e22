//! Looking at values where they are.
//!
//! Much of what a specification says is the way to a part of the state: `log[i][k].term`. Such a *path* needs
//! no evaluation and no copy: [`Machine::peek`] follows it and lends what it finds. Whatever else an
//! expression may be, and whatever is wrong with it, is left to evaluation.

use std::cell::Cell;

use super::Machine;
use crate::compile::ir::Expr;
use crate::symbol::Symbol;
use crate::value::Value;

impl Machine {
    /// The value that an expression is the way to; none if it must be evaluated.
    #[inline]
    pub(super) fn peek<'m>(&'m self, expr: &'m Expr) -> Option<&'m Value> {
        match expr {
            Expr::Const(value) => Some(value),
            Expr::Local(slot) => Some(self.local(*slot)),
            Expr::Lazy(slot, _) => {
                let value = self.local(*slot);
                if value.is_undefined() { None } else { Some(value) }
            }
            Expr::Var(index, _) => {
                let value = &self.cur[*index as usize];
                if value.is_undefined() { None } else { Some(value) }
            }
            Expr::Cell(cell) => cell.value.get(),
            Expr::Field(..) | Expr::Apply(_) | Expr::Next(..) => self.peek_further(expr),
            _ => None,
        }
    }

    fn peek_further<'m>(&'m self, expr: &'m Expr) -> Option<&'m Value> {
        match expr {
            Expr::Field(one, name, hint) => field_of(self.peek(&one.operand)?, *name, hint),
            Expr::Apply(two) => {
                let argument = self.peek(&two.right)?;
                self.peek(&two.left)?.apply(argument)
            }
            Expr::Next(index, _) => {
                let value = &self.next[*index as usize];
                if value.is_undefined() { None } else { Some(value) }
            }
            _ => None,
        }
    }
}

/// A record's field; the hint is where it was last time.
#[inline]
pub(super) fn field_of<'v>(record: &'v Value, name: Symbol, hint: &Cell<u32>) -> Option<&'v Value> {
    let Value::Function(function) = record else { return None };
    let names = function.domain().items();
    let guess = hint.get() as usize;
    if matches!(names.get(guess), Some(Value::Str(found)) if *found == name) {
        return Some(&function.values()[guess]);
    }
    let index = names.iter().position(|v| matches!(v, Value::Str(found) if *found == name))?;
    hint.set(index as u32);
    Some(&function.values()[index])
}
