//! Async protocols: the trait that they implement, what they are handed, and the adapter that makes ordinary nodes of them
//! (feature `async`).
//!
//! ```
//! use std::rc::Rc;
//! use std::time::Duration;
//!
//! use shakedown::async_node::{Async, AsyncNode, Env};
//! use shakedown::prelude::*;
//!
//! /// Counts, and asks its peers for their counts.
//! struct Counter {
//!     env: Env<Counter>,
//! }
//!
//! #[derive(Clone, Debug)]
//! struct Count;
//!
//! impl Message for Count {
//!     fn kind(&self) -> &'static str {
//!         "Count"
//!     }
//! }
//!
//! impl AsyncNode for Counter {
//!     type Message = Count;
//!     type Reply = u64;
//!     type Request = ();
//!     type Answer = u64;
//!     type State = ();
//!     type Disk = ();
//!
//!     async fn boot(_disk: (), env: Env<Counter>) -> Counter {
//!         Counter { env }
//!     }
//!
//!     async fn serve(self: Rc<Self>, _from: NodeId, _call: Count) -> u64 {
//!         1
//!     }
//!
//!     async fn request(self: Rc<Self>, _id: RequestId, _request: ()) -> Option<u64> {
//!         let mut total = 1;
//!         for peer in self.env.peers() {
//!             let call = self.env.call(peer, Count);
//!             if let Ok(Ok(count)) = self.env.timeout(Duration::from_millis(50), call).await {
//!                 total += count;
//!             }
//!         }
//!         Some(total)
//!     }
//!
//!     fn observe(&self) {}
//! }
//!
//! let target = Target::<Async<Counter>>::new("counter").requests(2, |_, _| ()).oracles(|_| {
//!     vec![finally("nobody-counts-twice", |seen| {
//!         let too_high = |answer: &str| answer.parse().is_ok_and(|count: u64| count > 3);
//!         let found = seen.board().requests().iter().find(|r| r.answer.as_deref().is_some_and(too_high));
//!         found.map_or(Ok(()), |request| Err(format!("{} counted too many", request.node)))
//!     })]
//! });
//! Test::new(target).executions(200).run();
//! ```

pub use shakedown_async::{
    Async, AsyncNode, Call, CallFailed, CallId, Elapsed, Env, Flush, Instant, Interval, Runtime, Settings,
    Sleep, Task, TaskOrder, Timeout, Wire,
};
