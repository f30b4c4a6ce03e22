//! A counter behind HTTP, as a target of Shakedown: the service of the chapter on tokio.
//!
//! `service` is the service, on hyper and tokio alone: it knows nothing of Shakedown. `node` puts it into a
//! cluster: n1 is the server, and every request to a node goes through the client to n1.

mod node;
mod service;

pub use node::{Counted, CounterNode, target};
pub use service::{Counter, Remember, add, serve};
