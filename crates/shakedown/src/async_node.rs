//! Async protocols: the trait that they implement, what they are handed, and the adapter that makes ordinary
//! nodes of them (feature `async`).
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
    Async, AsyncNode, Call, CallFailed, CallId, Elapsed, Env, Flush, Instant, Interval, Mirror, Peer,
    Runtime, Settings, Sleep, Task, TaskOrder, Timeout, Wire,
};
use shakedown_campaign::Target;
use shakedown_cluster::{BadOption, Contract, DiskModel, Options, Timers};

/// What targets of async nodes share.
pub trait AsyncTarget: Sized {
    /// Offers the options that every async protocol has a use for: `tick`, the milliseconds of a tick, and
    /// `tasks`, the order of tasks, which [`Settings::of`] reads; `buffered`, whether writes are durable only
    /// when they are flushed; and `anytime`, whether timers go off at any time. The contract follows from
    /// them; it is an asynchronous network.
    #[must_use]
    fn async_options(self, tick_ms: u64) -> Self;
}

impl<N: AsyncNode> AsyncTarget for Target<Async<N>> {
    fn async_options(self, tick_ms: u64) -> Self {
        self.option("tick", tick_ms, "milliseconds of a tick")
            .option("tasks", TaskOrder::Fifo, "in which order tasks run: fifo or drawn")
            .option("buffered", false, "whether writes are durable only when they are flushed")
            .option("anytime", false, "whether timers go off at any time")
            .contract_by(contract)
    }
}

fn contract(options: &Options) -> Result<Contract, BadOption> {
    let disk = if options.get("buffered")? { DiskModel::Buffered } else { DiskModel::Synchronous };
    let timers = if options.get("anytime")? { Timers::Anytime } else { Timers::WhenDue };
    Ok(Contract { disk, timers, ..Contract::asynchronous() })
}
