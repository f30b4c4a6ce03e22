//! Checks recorded histories of transactions for isolation anomalies.
//!
//! A [`History`] holds what clients did: which operations each transaction had, what they returned, how it
//! ended, and when it began and ended. [`list_append::check`] infers from the elements of lists which
//! transaction depended on which, finds cycles among these dependencies in time that grows with the length of
//! the history only, and names them after Adya's phenomena. The method is that of Elle (Kingsbury and Alvaro,
//! VLDB 2020).
//!
//! ```
//! use shakedown_histories::{Check, json, list_append};
//!
//! // Both transactions miss what the other appends: write skew.
//! let history = json::read(
//!     r#"{"process": 0, "type": "ok", "value": [["r", "x", []], ["append", "y", 1]]}
//! {"process": 1, "type": "ok", "value": [["r", "y", []], ["append", "x", 1]]}
//! {"process": 0, "type": "ok", "value": [["r", "x", [1]], ["r", "y", [1]]]}"#,
//! )?;
//! let report = list_append::check(&history, Check::default());
//! assert_eq!(report.kinds(), ["G2-item"]);
//! assert!(!report.allows("serializable") && report.allows("snapshot-isolation"));
//! # Ok::<(), shakedown_histories::ReadError>(())
//! ```

mod anomaly;
mod cycles;
pub mod edn;
mod exact;
mod explain;
pub mod generate;
mod graph;
mod history;
pub mod jepsen_log;
pub mod json;
pub mod list_append;
mod models;
pub mod operations;
mod order;
mod record;
pub mod rw_register;
pub mod sessions;
mod transactions;
pub mod workloads;

pub use anomaly::{Anomaly, AnomalyKind, CycleKind, Link, Orders, Promise, Report};
pub use history::{Element, History, HistoryBuilder, Key, Op, Outcome, Transaction, TransactionId};
pub use models::{MODELS, Model};
pub use operations::Operation;
pub use record::{Item, ReadError};

/// What a check takes into account.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Check {
    /// A transaction comes after those that its own process ended before.
    pub process_order: bool,
    /// A transaction comes after those that had ended when it began.
    pub real_time: bool,
    /// Registers only: each key alone is linearizable, so its versions are in the order of real time.
    pub linearizable_keys: bool,
    /// Registers only: each key alone is sequentially consistent, so each process meets its versions in their
    /// order.
    pub sequential_keys: bool,
    /// Histories of at most this many transactions, and of 64, are decided by a search through orders where
    /// dependencies show nothing. It gives up if there are too many.
    pub exact_up_to: usize,
    /// The most anomalies of one kind that are reported; the others are counted.
    pub most_of_a_kind: usize,
}

impl Default for Check {
    fn default() -> Check {
        Check {
            process_order: true,
            real_time: true,
            linearizable_keys: false,
            sequential_keys: false,
            exact_up_to: 32,
            most_of_a_kind: 8,
        }
    }
}
