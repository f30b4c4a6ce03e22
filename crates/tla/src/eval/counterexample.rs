//! Why an expression is false: the values of its bound names.

use super::Machine;
use crate::compile::ir::{Comprehension, Expr};
use crate::error::{Place, Result};
use crate::symbol::Symbol;
use crate::value::Value;

impl Machine {
    /// Why an expression is false in the state with these values of the variables.
    pub(crate) fn counterexample_in(&mut self, state: &[Value], expr: &Expr) -> Result<Vec<(Symbol, Value)>> {
        let before = std::mem::replace(&mut self.cur, state.to_vec());
        let mut found = Vec::new();
        let ended = self.in_frame([], self.floor, 0, |machine| machine.counterexample(expr, &mut found));
        self.cur = before;
        ended.map(|()| found)
    }

    /// Adds the values of names bound by `\A` with which an expression that is false fails, from the outside
    /// in. It looks into conjunctions, the right sides of implications and LET; where it can look no further,
    /// it ends.
    fn counterexample(&mut self, expr: &Expr, found: &mut Vec<(Symbol, Value)>) -> Result<()> {
        match expr.bare() {
            Expr::Forall(quantified) => self.counterexample_of_all(quantified, found),
            Expr::And(items, place) => {
                for item in items {
                    if !self.eval_bool(item, *place)? {
                        return self.counterexample(item, found);
                    }
                }
                Ok(())
            }
            Expr::Implies(two) => self.counterexample(&two.right, found),
            Expr::Scope(slots, body) => {
                for slot in slots {
                    self.set_local(*slot, Value::Undefined);
                }
                self.counterexample(body, found)
            }
            Expr::Shared(shared) => self.in_frame([], shared.slots as usize, 0, |machine| {
                machine.counterexample(&shared.expr, found)
            }),
            _ => Ok(()),
        }
    }

    fn counterexample_of_all(
        &mut self,
        quantified: &Comprehension,
        found: &mut Vec<(Symbol, Value)>,
    ) -> Result<()> {
        let place: Place = quantified.place;
        self.each(&quantified.binders, &mut |machine| {
            if machine.eval_bool(&quantified.body, place)? {
                return Ok(true);
            }
            let mut values = Vec::new();
            for binder in &quantified.binders {
                binder.pattern.each_slot(&mut |slot| values.push(machine.local(slot).clone()));
            }
            found.extend(quantified.names.iter().copied().zip(values));
            machine.counterexample(&quantified.body, found)?;
            Ok(false)
        })?;
        Ok(())
    }
}
