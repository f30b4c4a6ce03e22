//! Load for a PostgreSQL server: clients run transactions on lists or registers, and write down what they
//! asked and were answered, for `shakedown check-history`.
//!
//! - `wire` is a client of PostgreSQL's protocol: simple queries over a Unix socket;
//! - `transaction` runs a transaction of a workload;
//! - `load` is the clients and the history.

mod load;
mod transaction;
mod wire;

pub use load::{Load, Totals, run};
pub use transaction::{Isolation, Table, create};
pub use wire::{Connection, Failure, Row};
