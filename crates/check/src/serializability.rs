//! Serializability of the outcome (Drăgoi, Enea, Ozkan, Majumdar and Niksic 2020, section 7.1): is there a
//! serial order of the transactions that gives their answers and leads to the values that are there in the
//! end?
//!
//! A transaction that was answered is in the order exactly once, with the answer that it gave: one that was
//! not applied stands where its condition does not hold. One without an answer may be in the order or not.
//! Time does not matter, unless strictness is asked for: then a transaction that was answered before another
//! was called comes before it.

use crate::linearizability::Operation;
use crate::order::{Item, OPERATIONS_MAX, search};
use crate::{LimitHit, Model, Obstacle, RegisterValues, SearchLimits};

/// Which serial orders count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strictness {
    /// Any order.
    #[default]
    AnyOrder,
    /// Orders in which what was over before something else began comes before it.
    RealTime,
}

/// What is to be said of transactions and their outcome.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Serializability {
    /// This order explains them: places in the history. What is left out has no answer and never took effect.
    Serializable(Vec<usize>),
    /// No order does.
    NotSerializable(Obstacle),
    /// Inconclusive within the limits.
    Unknown(LimitHit),
}

/// Whether some order of the transactions gives their answers and this outcome. Exact, for at most 64
/// transactions; the time grows exponentially with their number.
pub fn check<M: Model>(
    model: &M,
    transactions: &[Operation<M::Op, M::Answer>],
    outcome: &M::State,
    strictness: Strictness,
    limits: SearchLimits,
) -> Serializability {
    let is_over_before = |earlier: &Operation<M::Op, M::Answer>, later: &Operation<M::Op, M::Answer>| {
        strictness == Strictness::RealTime
            && earlier.returned().is_some_and(|returned| returned < later.called)
    };
    let before = |later: &Operation<M::Op, M::Answer>| {
        let earlier = transactions.iter().take(OPERATIONS_MAX).enumerate();
        earlier.filter(|(_, earlier)| is_over_before(earlier, later)).fold(0, |bits, (at, _)| bits | 1 << at)
    };
    let items: Vec<Item<'_, M>> = transactions
        .iter()
        .map(|transaction| Item {
            op: &transaction.op,
            answer: transaction.answer(),
            before: before(transaction),
        })
        .collect();
    match search(model, &items, |state| state == outcome, limits) {
        Ok(Ok(order)) => Serializability::Serializable(order),
        Ok(Err(obstacle)) => Serializability::NotSerializable(obstacle),
        Err(limit) => Serializability::Unknown(limit),
    }
}

/// What more than half of the nodes hold, key by key, as somebody would read it who asks a quorum and takes
/// what most say; the error is a key of which no value has a majority.
pub fn majority(nodes: &[RegisterValues]) -> Result<RegisterValues, u8> {
    let mut values = RegisterValues::default();
    let keys: std::collections::BTreeSet<u8> =
        nodes.iter().flat_map(|node| node.iter().map(|(key, _)| key)).collect();
    for key in keys {
        let has_majority =
            |value: u64| 2 * nodes.iter().filter(|node| node.get(key) == value).count() > nodes.len();
        let value = nodes.iter().map(|node| node.get(key)).find(|&value| has_majority(value)).ok_or(key)?;
        values.set(key, value);
    }
    Ok(values)
}
