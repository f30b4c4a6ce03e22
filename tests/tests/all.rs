//! The tests of this crate, as one program: each file is a module.

mod follow_membership;
mod follow_omnipaxos;
mod follow_raft;
mod scenario_filters;
mod test_files;
mod traces;
