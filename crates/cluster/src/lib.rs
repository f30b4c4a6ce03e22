//! Controlled clusters: the ground that every technique of Shakedown stands on.
//!
//! A protocol implements [`Node`]. An [`InProcess`] cluster holds n of them and does [`Step`]s to them; what
//! comes of it is seen on its [`Board`] and, in the end, in its [`Trace`]. The crate knows nothing of
//! strategies, specifications or files, and nothing in it depends on time, threads or the order of a hash
//! map: one seed, one execution.

mod board;
mod clock;
mod cluster;
mod contract;
mod event;
mod fact;
mod fingerprint;
mod in_process;
mod message;
mod name;
mod node;
mod node_id;
mod node_set;
mod options;
mod panics;
mod payloads;
mod random;
mod schedule;
mod step;
mod thread_panics;
mod trace;

pub use board::{Board, IN_FLIGHT_MAX, NodeInfo, Noted, Redirect, RequestInfo, Stop};
pub use clock::Clocks;
pub use cluster::{Cluster, Refusal};
pub use contract::{Clients, Contract, Crashes, DiskModel, Loss, Order, Timers};
pub use event::{Event, Happening, Moment, Panic, RequestId};
pub use fact::{Fact, Value};
pub use fingerprint::{Fingerprint, Fingerprinter};
pub use in_process::{
    BootPanic, InProcess, ON_A_THREAD, Setup, check_contract, check_message, check_node, check_up,
};
pub use message::{Fate, Message, MessageId, MessageIndex, MessageInfo};
pub use name::{BadName, INTERNED_MAX, NAME_LENGTH_MAX, NUMBERED_MAX, Name};
pub use node::{Context, Disk, Environment, Node, SENDS_MAX, Saved};
pub use node_id::{NODES_MAX, NodeId, NotANode};
pub use node_set::NodeSet;
pub use options::{BadOption, Options};
pub use panics::{Caught, CaughtPanics, ForeignPanic, catch_panic, note_panics};
pub use random::{Random, derive_seed};
pub use schedule::{Divergence, Schedule, adapt};
pub use step::{NotAStep, Step, StepKind};
pub use thread_panics::{
    Attribute, Owner, ThreadPanic, are_pending as are_thread_panics_pending, attribute_threads_by,
    has_thread_panicked, is_thread_panic_pending_here, running_execution, set_running_execution,
    take_late_thread_panics,
};
pub use trace::{Operation, Recording, Trace};
