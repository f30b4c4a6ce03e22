//! Crates that name tokio directly, under Shakedown: as they are, with their tasks, timers, sockets and
//! random numbers.
//!
//! A protocol implements [`TokioNode`]; [`Tokio<N>`] makes an ordinary [`Node`](shakedown_cluster::Node) of
//! it, so that every strategy, scenario, oracle and report works. Each life of a node has a thread and a
//! tokio runtime of its own:
//!
//! - **Tasks** run until none can go on; then the step is over. tokio's current-thread runtime runs them in
//!   the order in which they were woken. A node that never goes quiet is a finding.
//! - **Time** stands still while tasks run. A tick of the tester moves the node's clock on by
//!   [`Settings::tick`]; timers of tokio that are due go off, the earliest first. `std::time::Instant` and
//!   `SystemTime` show the same time.
//! - **Random numbers** come from the seed of the execution: `getrandom`, `rand::thread_rng`, the keys of
//!   hash maps, the choice of `select!`. No flag of the compiler is needed.
//! - **Sockets** of the node are its own: `TcpStream`, `TcpListener` and `UdpSocket` of tokio, mio and the
//!   standard library connect nodes with each other and nothing else. What goes through them are messages of
//!   the tester's ([`Segment`]). Where the contract has sessions, a lost session breaks its connections off.
//! - **A crash** drops every task of the life, and ends its thread.
//!
//! What is not controlled is a finding: threads, `spawn_blocking` (and so `tokio::fs`), a thread that is put
//! to sleep. See [`Uncontrolled`]. Linux only, on x86-64 and ARM64.
//!
//! Read `node` first, then `process`, `life` and `quiet`, then `network` and `takeover`.

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
compile_error!(
    "shakedown-tokio takes over functions of the C library, which it can do on Linux only (x86-64, ARM64)"
);

mod env;
mod life;
mod network;
mod node;
mod packet;
mod pin;
mod process;
mod quiet;
mod segment;
mod settings;
mod takeover;

pub use env::{CallFailed, Env};
pub use node::{NoCalls, TokioNode};
pub use packet::{CallId, Packet};
pub use process::Tokio;
pub use segment::{ConnectionId, Segment};
pub use settings::{Settings, Uncontrolled};
pub use takeover::TakeoverError;
