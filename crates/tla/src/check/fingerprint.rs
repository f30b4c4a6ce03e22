//! The fingerprint of a state: 64 bits that stand for it.
//!
//! Without symmetry and VIEW it is made of the variables' hashes, which values remember. With symmetry it is the least one
//! among all permutations of the state; with a VIEW it is that of the view's value.

use crate::error::Result;
use crate::eval::Machine;
use crate::model::Model;
use crate::symbol::Symbol;
use crate::value::Value;
use crate::value::hash::mix;

/// The fingerprint of a list of values.
#[inline]
pub(crate) fn of_values(values: &[Value]) -> u64 {
    let mut state = 0x5368_616b_6564_6f77;
    for value in values {
        state = mix(state, value.hash64());
    }
    state
}

/// Which way fingerprints are made.
pub(crate) struct Fingerprint {
    permutations: Vec<Vec<(Symbol, Symbol)>>,
    view: bool,
}

impl Fingerprint {
    pub(crate) fn of_model(model: &Model) -> Fingerprint {
        Fingerprint { permutations: model.symmetry.clone(), view: model.view.is_some() }
    }

    /// The fingerprint of the state in `machine.next`.
    #[inline]
    pub(crate) fn of_next(&self, machine: &mut Machine, view: Option<&crate::compile::ir::Expr>) -> Result<u64> {
        if self.view {
            if let Some(view) = view {
                let value = machine.eval_in_next(view)?;
                return Ok(self.least(std::slice::from_ref(&value)));
            }
        }
        Ok(self.least(&machine.next))
    }

    fn least(&self, values: &[Value]) -> u64 {
        let mut least = of_values(values);
        for permutation in &self.permutations {
            let mut state = 0x5368_616b_6564_6f77;
            for value in values {
                state = mix(state, permuted(value, permutation).map_or_else(|| value.hash64(), |v| v.hash64()));
            }
            least = least.min(state);
        }
        least
    }
}

/// A value with its model values exchanged; none if nothing changes.
fn permuted(value: &Value, permutation: &[(Symbol, Symbol)]) -> Option<Value> {
    match value {
        Value::Model(name) => permutation.iter().find(|(from, _)| from == name).map(|(_, to)| Value::Model(*to)),
        Value::Set(set) => permuted_list(set.items(), permutation).map(Value::set),
        Value::Tuple(tuple) => permuted_list(tuple.items(), permutation).map(Value::tuple),
        Value::Function(function) => {
            let values = permuted_list(function.values(), permutation);
            match permuted_list(function.domain().items(), permutation) {
                Some(arguments) => {
                    let values = values.unwrap_or_else(|| function.values().to_vec());
                    Some(Value::function_from_pairs(arguments.into_iter().zip(values).collect()))
                }
                None => values.map(|values| Value::function(function.domain().clone(), values)),
            }
        }
        _ => None,
    }
}

fn permuted_list(items: &[Value], permutation: &[(Symbol, Symbol)]) -> Option<Vec<Value>> {
    let mut changed: Option<Vec<Value>> = None;
    for (index, item) in items.iter().enumerate() {
        match (permuted(item, permutation), &mut changed) {
            (Some(new), Some(list)) => list.push(new),
            (Some(new), None) => {
                let mut list = Vec::with_capacity(items.len());
                list.extend_from_slice(&items[..index]);
                list.push(new);
                changed = Some(list);
            }
            (None, Some(list)) => list.push(item.clone()),
            (None, None) => {}
        }
    }
    changed
}
