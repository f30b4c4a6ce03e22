//! Raft followed on `specs/Raft.tla`, by way of `specs/RaftEvents.tla`: the mapping that implementations of Raft share.
//!
//! An implementation translates its messages and requests into the words of Raft: its [`Dialect`]. The rest is the same for
//! all of them: what a step did to a server follows from the server before and after it, and becomes [events](RaftEvent).
//! [`following`] is all that a target declares.
//!
//! Heartbeats are not mapped: they would make new states of the model out of the passing of time. One that changes its
//! receiver (a term, a role, a commit index) is, for otherwise the model would be left behind.

mod event;
mod mapping;
mod message;
mod projection;

use shakedown_cluster::{BadOption, NodeId, Options};
use shakedown_conform::ModelSource;
use shakedown_conform::follow::Following;

use crate::RaftState;

pub use event::RaftEvent;
pub use mapping::RaftMapping;
pub use message::{Dialect, RaftMessage};
pub use projection::RaftProjection;

/// The name of the specification that executions are followed on.
pub const SPEC: &str = shakedown_specs::RAFT_EVENTS.0;

/// The module `specs/Raft.tla`: its name and its text. Specifications of single implementations extend it.
pub const RAFT_MODULE: (&str, &str) = shakedown_specs::RAFT;

/// The modules of the model, the root first.
const MODULES: &[(&str, &str)] = &[shakedown_specs::RAFT_EVENTS, RAFT_MODULE];

/// The model of Raft followed by a Raft of this dialect. `check` refuses options that the model does not know.
pub fn following<S, D>(check: fn(&Options) -> Result<(), BadOption>) -> Following<S>
where
    S: RaftState + 'static,
    D: Dialect + 'static,
{
    let about = "states of the TLA+ model of Raft (specs/Raft.tla)";
    let source = move |servers, options: &Options| check(options).map(|()| model(servers));
    Following::by::<RaftMapping<S, D>, _>(SPEC, about, source)
        .recorded::<RaftMapping<S, D>, _, _>(|_| Ok(RaftProjection::<S, D>::default()))
}

/// An option that changes the membership, which the model does not know: a check for [`following`].
pub fn no_membership_changes(options: &Options) -> Result<(), BadOption> {
    if options.get("membership")? {
        let reason = "the TLA+ model knows no changes of membership".to_owned();
        return Err(BadOption { name: "membership".to_owned(), value: "true".to_owned(), reason });
    }
    Ok(())
}

/// The model of Raft with a number of servers.
pub fn model(servers: usize) -> ModelSource {
    let names: Vec<String> = NodeId::first(servers).map(|node| node.number().to_string()).collect();
    let config = format!(
        "CONSTANTS Server = {{{}}} Value = {{0}} Nil = 0 MaxTerm = 0 MaxLog = 0 MaxNet = 0 MaxCopies = 0 MaxDown = 0\n\
         KeepsVote = TRUE With <- NoNetwork Without <- NoNetwork WithAll <- NoNetwork\nINIT Init NEXT Next",
        names.join(", ")
    );
    ModelSource { modules: MODULES, config, abstraction: Some("Abstract") }
}
