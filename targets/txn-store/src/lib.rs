//! A store of lists with transactions. The node `n1` keeps it; every node runs the transactions that clients
//! ask it for, one operation after the other, by messages to the store. With `isolation=strict-serializable`
//! it is right. Every other value is a fault: what it does wrong shows in the history of transactions as an
//! anomaly of its own kind.
//!
//! Read `isolation` first, then `store` and `node`.

mod isolation;
mod message;
mod node;
mod store;
mod target;

pub use isolation::Isolation;
pub use message::{Action, Answer, Op, Request, Returned, TxnId, Wire};
pub use node::{TxnNode, View};
pub use target::target;
