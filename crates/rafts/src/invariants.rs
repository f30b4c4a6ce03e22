//! The invariants of Raft (Ongaro and Ousterhout 2014, figure 3), for any implementation that shows a
//! [`RaftState`].
//!
//! They look only at what changed in the last step. Everything remembered is from this execution.

mod commit_never_goes_back;
mod committed;
mod committed_by_quorum;
mod durable_by_quorum;
mod election_safety;
mod leader_completeness;
mod log_matching;
mod membership_in_log;
mod state_machine_safety;
mod term_never_goes_back;

use shakedown_check::Oracle;

use crate::RaftState;

pub use commit_never_goes_back::CommitNeverGoesBack;
pub use committed_by_quorum::CommittedByQuorum;
pub use durable_by_quorum::DurableByQuorum;
pub use election_safety::ElectionSafety;
pub use leader_completeness::LeaderCompleteness;
pub use log_matching::LogMatching;
pub use membership_in_log::MembershipInLog;
pub use state_machine_safety::StateMachineSafety;
pub use term_never_goes_back::TermNeverGoesBack;

/// All invariants of figure 3, and that terms and commit indexes never go back.
pub fn raft_invariants<S: RaftState + 'static>() -> Vec<Box<dyn Oracle<S>>> {
    vec![
        Box::new(ElectionSafety::default()),
        Box::new(LogMatching::default()),
        Box::new(LeaderCompleteness::default()),
        Box::new(StateMachineSafety::default()),
        Box::new(TermNeverGoesBack::default()),
        Box::new(CommitNeverGoesBack::default()),
    ]
}

/// The invariants of [`raft_invariants`] and those for nodes that show what is durable and where their
/// membership comes from: [`DurableByQuorum`] and [`MembershipInLog`]. On disks that are buffered, a term
/// that no other node knows may be lost with a crash.
pub fn invariants_on<S: RaftState + 'static>(is_buffered: bool) -> Vec<Box<dyn Oracle<S>>> {
    let mut oracles = raft_invariants();
    if is_buffered {
        oracles.retain(|oracle| oracle.name() != "term-never-goes-back");
        oracles.push(Box::new(TermNeverGoesBack::while_running()));
    }
    oracles.push(Box::new(DurableByQuorum::default()));
    oracles.push(Box::new(MembershipInLog));
    oracles
}
