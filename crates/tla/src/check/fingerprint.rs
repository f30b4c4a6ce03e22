//! The fingerprint of a state: 64 bits that stand for it.
//!
//! Without symmetry and VIEW it is made of the variables' hashes, which values remember. With symmetry it is
//! the least one among all permutations of the state; with a VIEW it is that of the view's value.

use crate::compile::ir::Expr;
use crate::error::Result;
use crate::eval::Machine;
use crate::model::Model;
use crate::symbol::Symbol;
use crate::value::Value;
use crate::value::hash::{self, mix};

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
    pub(crate) fn of_next(&self, machine: &mut Machine, view: Option<&Expr>) -> Result<u64> {
        match view {
            Some(view) if self.view => {
                let value = machine.eval_in_next(view)?;
                Ok(self.least(std::slice::from_ref(&value)))
            }
            _ => Ok(self.least(&machine.next)),
        }
    }

    fn least(&self, values: &[Value]) -> u64 {
        let mut least = of_values(values);
        for permutation in &self.permutations {
            let mut state = 0x5368_616b_6564_6f77;
            for value in values {
                state = mix(state, permuted_hash(value, permutation));
            }
            least = least.min(state);
        }
        least
    }
}

/// The hash that a value has when its model values are exchanged.
fn permuted_hash(value: &Value, permutation: &[(Symbol, Symbol)]) -> u64 {
    match value {
        Value::Model(name) => {
            let image = permutation.iter().find(|(from, _)| from == name).map_or(*name, |(_, to)| *to);
            hash::model(image)
        }
        Value::Set(set) => {
            hash::mix_unordered(hash::SET, set.items().iter().map(|item| permuted_hash(item, permutation)))
        }
        Value::Tuple(tuple) => {
            hash::mix_all(hash::TUPLE, tuple.items().iter().map(|item| permuted_hash(item, permutation)))
        }
        Value::Function(function) => {
            let pairs = function.domain().items().iter().zip(function.values());
            hash::mix_unordered(
                hash::FUNCTION,
                pairs.map(|(a, v)| mix(permuted_hash(a, permutation), permuted_hash(v, permutation))),
            )
        }
        other => other.hash64(),
    }
}
