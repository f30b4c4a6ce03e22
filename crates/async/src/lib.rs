//! Async Rust under Shakedown: protocols that spawn tasks, sleep, call their peers and wait for their disks.
//!
//! A protocol implements [`AsyncNode`] and gets an [`Env`]: a handle that it may clone and move into its
//! tasks. [`Async<N>`] makes an ordinary [`Node`](shakedown_cluster::Node) of it, so that every strategy,
//! scenario, oracle and report works.
//!
//! Each life of a node has an executor of its own, on the thread of the cluster:
//!
//! - **Tasks** run until none can go on; then the step is over. They run in the order in which they were
//!   woken, or in one that is drawn from the seed ([`TaskOrder`]). A node that never goes quiet is a finding.
//! - **Time** stands still while tasks run. A tick of the tester moves the node's clock on by
//!   [`Settings::tick`] and wakes the sleeps that are due, the earliest first. Where the contract lets timers
//!   go off at any time ([`Timers::Anytime`](shakedown_cluster::Timers::Anytime)), every sleep is a timer of
//!   its own, `sleep.1`, `sleep.2`, …: when the tester fires one, the node's clock jumps to its end.
//! - **Calls** are two messages, of the kinds `X` and `X.reply`. A reply to a call of an earlier life, or to
//!   one that nobody waits for any more, is dropped. Where the contract has sessions, a call fails when its
//!   session is lost.
//! - **A crash** drops every task of the life. Nothing of it runs again, and nothing that it does while it is
//!   dropped leaves the node.
//!
//! Read `node` first, then `adapter` and `executor`.

mod adapter;
mod call;
mod env;
mod executor;
mod flush;
mod instant;
mod mirror;
mod node;
#[cfg(feature = "openraft")]
pub mod openraft;
mod peer;
mod runtime;
mod settings;
mod sleep;
mod task;
mod waker;
mod wire;

pub use adapter::Async;
pub use call::{Call, CallFailed};
pub use env::Env;
pub use flush::Flush;
pub use instant::Instant;
pub use mirror::Mirror;
pub use node::AsyncNode;
pub use peer::Peer;
pub use runtime::Runtime;
pub use settings::{Settings, TaskOrder};
pub use sleep::{Elapsed, Interval, Sleep, Timeout};
pub use task::Task;
pub use wire::{CallId, Wire};
