//! Raft on `specs/Raft.tla`, by way of `specs/RaftEvents.tla`: the mapping that implementations of Raft share.
//!
//! An implementation says in its [`Dialect`] what its messages and requests are in the words of Raft. The rest is the same
//! for all of them: what a step did to a server is seen from the server before and after it, and told as [events](RaftEvent).
//!
//! Heartbeats are not mapped: they would make new states of the model out of the passing of time. One that changes its
//! receiver (a term, a role, a commit index) is, for otherwise the model would be left behind.

mod event;
mod mapping;
mod message;
mod projection;

use shakedown_cluster::NodeId;

use crate::ModelSource;

pub use event::RaftEvent;
pub use mapping::RaftMapping;
pub use message::{Dialect, RaftMessage};
pub use projection::RaftProjection;

/// The modules of the model, the root first.
const MODULES: &[(&str, &str)] = &[shakedown_specs::RAFT_EVENTS, shakedown_specs::RAFT];

/// The model of Raft with so many servers.
pub fn model(servers: usize) -> ModelSource {
    let names: Vec<String> = NodeId::first(servers).map(|node| node.number().to_string()).collect();
    let config = format!(
        "CONSTANTS Server = {{{}}} Value = {{0}} Nil = 0 MaxTerm = 0 MaxLog = 0 MaxNet = 0 MaxCopies = 0 MaxDown = 0\n\
         KeepsVote = TRUE With <- NoNetwork Without <- NoNetwork WithAll <- NoNetwork\nINIT Init NEXT Next",
        names.join(", ")
    );
    ModelSource { modules: MODULES, config, abstraction: Some("Abstract") }
}
