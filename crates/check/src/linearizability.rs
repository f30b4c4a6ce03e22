//! Linearizability: every operation takes effect at one point between its call and its answer (Herlihy and
//! Wing 1990).
//!
//! The search is that of Wing and Gong (1993) with Lowe's memo (2017): operations are taken one at a time,
//! each time one that was called before the first answer of all that are left; where none gives the answer
//! that it gave, the last one taken is put back. A set of operations that has led to a state once is not gone
//! into again.
//!
//! - `operation` is what a history consists of;
//! - `partition` divides it into parts that share no key, which can be looked at apart because
//!   linearizability is local (Herlihy and Wing, theorem 1), and puts their orders together again;
//! - `entries` is the list of calls and answers from which the search takes operations, and `placed` what it
//!   has taken;
//! - `search` is the search, and `prefix` cuts a history off where it stops being linearizable.
//!
//! An operation without an answer may have taken effect at any time after its call, or never. Such operations
//! are tried only where no answered one fits: most of them are never needed, and they could be tried
//! everywhere.

mod entries;
mod operation;
mod partition;
mod placed;
mod prefix;
mod search;

pub use operation::Operation;
pub use prefix::{Prefix, minimal_prefix};

use crate::limits::Budget;
use crate::{LimitHit, Model, Obstacle, SearchLimits};

/// What is to be said of a history.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Linearizability {
    /// This order explains it: places in the history. What is left out has no answer and never took effect.
    Linearizable(Vec<usize>),
    /// No order does.
    NotLinearizable(Obstacle),
    /// Inconclusive within the limits.
    Unknown(LimitHit),
}

/// Whether the history is linearizable. What is not linearizable in one part is not linearizable, whatever
/// the limits say of other parts.
pub fn check<M: Model>(
    model: &M,
    history: &[Operation<M::Op, M::Answer>],
    limits: SearchLimits,
) -> Linearizability {
    let parts = partition::parts(model, history);
    let mut budget = Budget::new(limits);
    let mut orders = vec![Vec::new(); parts.len()];
    let mut unknown = None;
    // The small ones first: one that uses up the limits should not keep the others from being looked at.
    let mut by_size: Vec<usize> = (0..parts.len()).collect();
    by_size.sort_by_key(|&part| parts[part].len());
    for part in by_size {
        match search::search(model, history, &parts[part], &mut budget) {
            Ok(Ok(order)) => orders[part] = order,
            Ok(Err(obstacle)) => return Linearizability::NotLinearizable(obstacle),
            Err(limit) => unknown = unknown.or(Some(limit)),
        }
    }
    match unknown {
        Some(limit) => Linearizability::Unknown(limit),
        None => Linearizability::Linearizable(partition::join(history, &orders)),
    }
}
