//! Objects that people test: registers, queues, stacks, sets, counters, logs and locks, and whether a
//! recorded history of one is linearizable.
//!
//! - `model` is what each of them does;
//! - `understand` reads recorded operations as theirs;
//! - `sequential` asks for sequential consistency instead.

mod model;
mod sequential;
mod understand;

pub use model::{Object, ObjectAnswer, ObjectOp, ObjectState, Symbol};
pub use sequential::{SequentialVerdict, sequential};
pub use understand::{ObjectHistory, understand};

use crate::linearizability::{self, Operation, minimal_prefix};
use crate::{LimitHit, Linearizability, Obstacle, SearchLimits};

/// Whether what clients did to objects is linearizable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ObjectVerdict {
    /// It is: for each key an order, by places in the history of that key.
    Linearizable(Vec<Vec<usize>>),
    /// The history of one key is not.
    NotLinearizable(NotLinearizable),
    /// It could not be determined within the limits.
    Unknown(LimitHit),
}

/// The shortest beginning of a history that is not linearizable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotLinearizable {
    /// The key, by its place in [`ObjectHistory::keys`].
    pub key: usize,
    /// The operation whose answer makes the difference: without it, what came before is linearizable.
    pub culprit: usize,
    /// Where the search for an order of this beginning came to its end. Places are those in the history of
    /// the key.
    pub obstacle: Obstacle,
    /// Whether `culprit` is known to be the first; otherwise limits were hit, and one before it may be.
    pub is_minimal: bool,
}

/// What another process has found out of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyVerdict {
    /// It is linearizable.
    Linearizable,
    /// It is not.
    NotLinearizable,
    /// It could not be determined within the limits.
    Unknown(LimitHit),
}

/// Whether each key of the history is linearizable; if one is not, the shortest beginning that shows it. Keys
/// with few operations come first: one that uses up the limits does not keep the others from being looked at.
pub fn check(history: &ObjectHistory, limits: SearchLimits) -> ObjectVerdict {
    check_beside(history, limits, |_| None)
}

/// The keys of a history in the order in which they are looked at.
pub fn keys_by_size(history: &ObjectHistory) -> Vec<usize> {
    let mut by_size: Vec<usize> = (0..history.keys.len()).collect();
    by_size.sort_by_key(|&key| history.keys[key].1.len());
    by_size
}

/// Whether one key is linearizable.
pub fn check_key(history: &ObjectHistory, key: usize, limits: SearchLimits) -> KeyVerdict {
    match linearizability::check(&history.object, &history.keys[key].1, limits) {
        Linearizability::Linearizable(_) => KeyVerdict::Linearizable,
        Linearizability::NotLinearizable(_) => KeyVerdict::NotLinearizable,
        Linearizability::Unknown(limit) => KeyVerdict::Unknown(limit),
    }
}

/// The same as [`check`], where something is known of some keys already. Their orders are left out. What is
/// not linearizable is looked at again.
pub fn check_beside(
    history: &ObjectHistory,
    limits: SearchLimits,
    known: impl Fn(usize) -> Option<KeyVerdict>,
) -> ObjectVerdict {
    let mut orders = vec![Vec::new(); history.keys.len()];
    let mut unknown = None;
    for key in keys_by_size(history) {
        let operations: &[Operation<ObjectOp, ObjectAnswer>] = &history.keys[key].1;
        match known(key) {
            Some(KeyVerdict::Linearizable) => continue,
            Some(KeyVerdict::Unknown(limit)) => {
                unknown = unknown.or(Some(limit));
                continue;
            }
            Some(KeyVerdict::NotLinearizable) | None => {}
        }
        match linearizability::check(&history.object, operations, limits) {
            Linearizability::Linearizable(order) => orders[key] = order,
            Linearizability::NotLinearizable(obstacle) => {
                let prefix = minimal_prefix(&history.object, operations, obstacle, limits);
                return ObjectVerdict::NotLinearizable(NotLinearizable {
                    key,
                    culprit: prefix.culprit,
                    obstacle: prefix.obstacle,
                    is_minimal: prefix.is_minimal,
                });
            }
            Linearizability::Unknown(limit) => unknown = unknown.or(Some(limit)),
        }
    }
    unknown.map_or(ObjectVerdict::Linearizable(orders), ObjectVerdict::Unknown)
}
