//! An account behind gRPC, as a target of Shakedown.
//!
//! `service` is the service and its client, on tonic: it knows nothing of Shakedown. `node` puts it into a
//! cluster: n1 is the server, and every request to a node goes through the client to n1.

mod node;
mod service;

pub use node::{AccountNode, Ledger, Money, target};
pub use service::{Account, Balance, Deposit, Keys, deposit, serve};
