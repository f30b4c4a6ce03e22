//! Raft followed on `specs/Raft.tla`, by way of `specs/RaftEvents.tla`: the mapping that implementations of
//! Raft share.
//!
//! An implementation translates its messages and requests into the words of Raft: its [`Dialect`]. The rest
//! is the same for all of them: what a step did to a server follows from the server before and after it, and
//! becomes [events](RaftEvent). [`following`] is all that a target declares.
//!
//! Heartbeats are not mapped: they would make new states of the model out of the passing of time. One that
//! changes its receiver (a term, a role, a commit index) is, for otherwise the model would be left behind.
//!
//! Executions whose membership changes are followed on `specs/RaftMembershipEvents.tla`. After everything
//! that changed a server, the voters that it goes by are compared with those of the model.

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
pub use message::{Dialect, RaftMessage, addition_of, removal_of};
pub use projection::RaftProjection;

/// The name of the specification that executions are followed on.
pub const SPEC: &str = shakedown_specs::RAFT_EVENTS.0;

/// The module `specs/Raft.tla`: its name and its text. Specifications of single implementations extend it.
pub const RAFT_MODULE: (&str, &str) = shakedown_specs::RAFT;

/// The name of the specification that executions are followed on whose membership changes.
pub const SPEC_WITH_CHANGES: &str = shakedown_specs::RAFT_MEMBERSHIP_EVENTS.0;

/// The modules of the model, the root first.
const MODULES: &[(&str, &str)] = &[shakedown_specs::RAFT_EVENTS, RAFT_MODULE];
const MODULES_WITH_CHANGES: &[(&str, &str)] = &[
    shakedown_specs::RAFT_MEMBERSHIP_EVENTS,
    shakedown_specs::RAFT_EVENTS,
    shakedown_specs::RAFT_MEMBERSHIP,
    RAFT_MODULE,
];

/// From when a change of the membership counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChangeCounts {
    /// From when it is in the log, committed or not, as in Raft's thesis.
    OnceInLog,
    /// From when it is applied, as in etcd's raft.
    OnceApplied,
}

/// The model of Raft followed by a Raft of this dialect. `check` refuses options that the model does not
/// know. Where the option `membership` is on, the model has changes of the membership.
pub fn following<S, D>(check: fn(&Options) -> Result<(), BadOption>, counts: ChangeCounts) -> Following<S>
where
    S: RaftState + 'static,
    D: Dialect + 'static,
{
    let about = "states of the TLA+ model of Raft (specs/Raft.tla)";
    let source = move |servers, options: &Options| check(options).map(|()| model(servers));
    let with_changes =
        move |servers, options: &Options| check(options).map(|()| model_with_changes(servers, counts));
    let projection = |_: &Options| Ok(RaftProjection::<S, D>::default());
    let other = Following::by::<RaftMapping<S, D, true>, _>(SPEC_WITH_CHANGES, about, with_changes)
        .recorded::<RaftMapping<S, D, true>, _, _>(projection);
    Following::by::<RaftMapping<S, D>, _>(SPEC, about, source)
        .recorded::<RaftMapping<S, D>, _, _>(projection)
        .but_where(|options| options.get("membership"), other)
}

/// The model of Raft with a number of servers.
pub fn model(servers: usize) -> ModelSource {
    ModelSource { modules: MODULES, config: config(servers, ""), abstraction: Some("Abstract") }
}

/// The same with changes of the membership, which all of the servers begin in.
pub fn model_with_changes(servers: usize, counts: ChangeCounts) -> ModelSource {
    let when = match counts {
        ChangeCounts::OnceInLog => "",
        ChangeCounts::OnceApplied => "VotersWhen <- VotersOnceApplied MayChange <- MayChangeOnceApplied",
    };
    let rules = format!("IsQuorumAt <- IsQuorumNow ChangeValues <- Changes {when}");
    ModelSource {
        modules: MODULES_WITH_CHANGES,
        config: config(servers, &rules),
        abstraction: Some("Abstract"),
    }
}

fn config(servers: usize, rules: &str) -> String {
    let names: Vec<String> = NodeId::first(servers).map(|node| node.number().to_string()).collect();
    format!(
        "CONSTANTS Server = {{{}}} Value = {{0}} Nil = 0 MaxTerm = 0 MaxLog = 0 MaxNet = 0 MaxCopies = 0 MaxDown = 0\n\
         KeepsVote = TRUE With <- NoNetwork Without <- NoNetwork WithAll <- NoNetwork {rules}\nINIT Init NEXT Next",
        names.join(", ")
    )
}
