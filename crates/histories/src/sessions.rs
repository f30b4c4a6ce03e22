//! What a client may expect of registers that are not linearizable: its own writes, reads that do not go
//! back, causes before effects, bounds on staleness, and agreement in the end.
//!
//! Clients `read` and `write` registers; every value is written to a register once. Each check is exact for
//! its definition and takes time that grows with the length of the history, times the number of clients for
//! causal consistency.
//!
//! - `guarantees`: the four guarantees of sessions (Terry and others, 1994). A history has one if the
//!   versions of each register can be put into an order that it demands nothing against;
//! - `causal`: causal consistency, by the bad patterns of Bouajjani and others (POPL 2017);
//! - `staleness`: what a read returns was not overwritten longer ago than a bound;
//! - `convergence`: when nobody writes any more, the last reads agree.

mod causal;
mod convergence;
mod guarantees;
mod registers;
mod staleness;

use crate::workloads::Problems;
use crate::{Operation, ReadError};
use guarantees::Guarantees;
use registers::Registers;

/// A model of sessions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SessionModel {
    /// A client sees what it wrote.
    ReadYourWrites,
    /// A client never reads an older version than before.
    MonotonicReads,
    /// The writes of a client are in its order.
    MonotonicWrites,
    /// A write comes after what its client had read.
    WritesFollowReads,
    /// All four of them.
    Sessions,
    /// Causes come before effects.
    Causal,
    /// Nothing that was overwritten longer ago is read: by the recorded clock, or by positions in the history
    /// if there is none.
    BoundedStaleness(i64),
    /// When nobody writes any more, the last reads agree.
    Convergence,
}

impl SessionModel {
    /// The names; the one with `:N` takes a number.
    pub const NAMES: [&'static str; 8] = [
        "read-your-writes",
        "monotonic-reads",
        "monotonic-writes",
        "writes-follow-reads",
        "sessions",
        "causal",
        "bounded-staleness:N",
        "convergence",
    ];

    /// The model of this name.
    pub fn of(name: &str) -> Option<SessionModel> {
        Some(match name {
            "read-your-writes" => SessionModel::ReadYourWrites,
            "monotonic-reads" => SessionModel::MonotonicReads,
            "monotonic-writes" => SessionModel::MonotonicWrites,
            "writes-follow-reads" => SessionModel::WritesFollowReads,
            "sessions" => SessionModel::Sessions,
            "causal" => SessionModel::Causal,
            "convergence" => SessionModel::Convergence,
            name => {
                let bound: i64 = name.strip_prefix("bounded-staleness:")?.parse().ok()?;
                SessionModel::BoundedStaleness(bound).only_if(bound >= 0)?
            }
        })
    }

    fn only_if(self, is_so: bool) -> Option<SessionModel> {
        is_so.then_some(self)
    }
}

/// Finds what the model does not allow; of each kind at most this many. If the history `is_keyed`, every
/// value is a pair of a key and a value.
pub fn check(
    history: &[Operation],
    model: SessionModel,
    is_keyed: bool,
    most: usize,
) -> Result<Problems, ReadError> {
    let mut problems = Problems::new(most);
    let registers = Registers::read(history, is_keyed, &mut problems)?;
    let mut guarantees = Guarantees::default();
    match model {
        SessionModel::ReadYourWrites => guarantees.read_your_writes = true,
        SessionModel::MonotonicReads => guarantees.monotonic_reads = true,
        SessionModel::MonotonicWrites => guarantees.monotonic_writes = true,
        SessionModel::WritesFollowReads => guarantees.writes_follow_reads = true,
        SessionModel::Sessions => guarantees = Guarantees::all(),
        SessionModel::Causal => {
            causal::check(&registers, &mut problems);
            return Ok(problems);
        }
        SessionModel::BoundedStaleness(bound) => {
            staleness::check(&registers, bound, &mut problems);
            return Ok(problems);
        }
        SessionModel::Convergence => {
            convergence::check(&registers, &mut problems);
            return Ok(problems);
        }
    }
    guarantees::check(&registers, guarantees, &mut problems);
    Ok(problems)
}
