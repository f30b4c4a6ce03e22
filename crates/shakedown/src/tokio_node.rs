//! Protocols that name tokio directly: the trait that they implement, what they are handed beside tokio, and
//! the adapter that makes ordinary nodes of them (feature `tokio`, Linux only).
//!
//! ```
//! use std::sync::Arc;
//! use std::sync::atomic::{AtomicU64, Ordering};
//!
//! use shakedown::prelude::*;
//! use shakedown::tokio_node::{Env, NoCalls, Tokio, TokioNode};
//! use tokio::net::{TcpListener, TcpStream};
//!
//! /// Counts the connections that it is asked for.
//! struct Counter {
//!     env: Env<Counter>,
//!     count: Arc<AtomicU64>,
//! }
//!
//! impl TokioNode for Counter {
//!     type Message = NoCalls;
//!     type Reply = ();
//!     type Request = ();
//!     type Answer = bool;
//!     type State = u64;
//!     type Disk = ();
//!
//!     async fn boot(_disk: (), env: Env<Counter>) -> Counter {
//!         let listener = TcpListener::bind("0.0.0.0:7000").await.expect("a node has ports of its own");
//!         let count = Arc::new(AtomicU64::new(0));
//!         let counted = Arc::clone(&count);
//!         tokio::spawn(async move {
//!             while listener.accept().await.is_ok() {
//!                 counted.fetch_add(1, Ordering::Relaxed);
//!             }
//!         });
//!         Counter { env, count }
//!     }
//!
//!     async fn request(self: Arc<Self>, _id: RequestId, _request: ()) -> Option<bool> {
//!         let peer = self.env.peers().next().expect("there are three nodes");
//!         Some(TcpStream::connect(self.env.address(peer, 7000)).await.is_ok())
//!     }
//!
//!     fn observe(&self) -> u64 {
//!         self.count.load(Ordering::Relaxed)
//!     }
//! }
//!
//! let target = Target::<Tokio<Counter>>::new("counter")
//!     .contract(Contract::sessions())
//!     .requests(3, |_, _| ())
//!     .oracles(|_| {
//!         vec![finally("nobody-counts-too-far", |seen| match seen.up().find(|(_, count)| **count > 3) {
//!             Some((node, count)) => Err(format!("{node} counted {count} connections")),
//!             None => Ok(()),
//!         })]
//!     });
//! Test::new(target).executions(50).check_determinism().run();
//! ```

pub use shakedown_tokio::{
    CallFailed, CallId, ConnectionId, Env, NoCalls, Packet, Segment, Settings, TakeoverError, Tokio,
    TokioNode, Uncontrolled,
};
