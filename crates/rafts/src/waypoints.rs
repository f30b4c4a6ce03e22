//! The families of predicates that waypoints are made of, for every Raft (table 4.1 of the thesis).
//!
//! What a node is counts while it runs; what it has, its term and log, counts also while it is down.

use shakedown_campaign::Target;
use shakedown_cluster::Node;
use shakedown_explore::learning::Parameter;

use crate::{RaftState, Role, Term};

const X: &[Parameter] = &[Parameter::Number("x")];
const T: &[Parameter] = &[Parameter::Number("t")];
const N_T: &[Parameter] = &[Parameter::Number("n"), Parameter::Number("t")];
const X_T: &[Parameter] = &[Parameter::Number("x"), Parameter::Number("t")];

/// The words for the roles of Raft, in the order of [`ROLES`].
const ROLE_WORDS: &[&str] = &["follower", "pre-candidate", "candidate", "leader"];
const ROLES: [Role; 4] = [Role::Follower, Role::PreCandidate, Role::Candidate, Role::Leader];
const R: &[Parameter] = &[Parameter::Word("role", ROLE_WORDS)];
const R_T: &[Parameter] = &[Parameter::Word("role", ROLE_WORDS), Parameter::Number("t")];

/// How far the largest of these numbers is from the smallest.
fn spread(numbers: impl Iterator<Item = u64> + Clone) -> u64 {
    numbers.clone().max().unwrap_or(0) - numbers.min().unwrap_or(0)
}

fn is_in<S: RaftState>(role: u64, state: &S) -> bool {
    usize::try_from(role).ok().and_then(|place| ROLES.get(place)) == Some(&state.role())
}

/// How many entries of this term the node knows to be committed.
fn committed_of<S: RaftState>(state: &S, term: u64) -> u64 {
    let is_of_it = |number: &u64| state.entry(*number).is_some_and(|entry| entry.term.number() == term);
    (state.first_index()..=state.commit()).filter(is_of_it).count() as u64
}

/// A target whose nodes show the state of a Raft.
pub trait RaftTarget: Sized {
    /// Offers the predicates for Raft.
    #[must_use]
    fn raft_waypoints(self) -> Self;
}

impl<N: Node> RaftTarget for Target<N>
where
    N::State: RaftState,
{
    fn raft_waypoints(self) -> Self {
        self.waypoint("OneInTerm", "a node is in term t", T, |args, seen| {
            seen.states().iter().any(|node| node.term().number() == args[0])
        })
        .waypoint("AllInTerm", "all nodes are in term t", T, |args, seen| {
            seen.states().iter().all(|node| node.term().number() == args[0])
        })
        .waypoint("ProcessesInTerm", "at least n nodes are in term t", N_T, |args, seen| {
            seen.states().iter().filter(|node| node.term().number() == args[1]).count() as u64 >= args[0]
        })
        .waypoint("TermDiff", "two nodes are at least x terms apart", X, |args, seen| {
            spread(seen.states().iter().map(|node| node.term().number())) >= args[0]
        })
        .waypoint("CommitEntries", "a node knows at least x entries to be committed", X, |args, seen| {
            seen.states().iter().any(|node| node.commit() >= args[0])
        })
        .waypoint("MinCommit", "the same as CommitEntries", X, |args, seen| {
            seen.states().iter().any(|node| node.commit() >= args[0])
        })
        .waypoint("AllCommitted", "all nodes know at least x entries to be committed", X, |args, seen| {
            seen.states().iter().all(|node| node.commit() >= args[0])
        })
        .waypoint(
            "CommittedEntriesInTerm",
            "a node knows at least x entries of term t to be committed",
            X_T,
            |args, seen| seen.states().iter().any(|node| committed_of(node, args[1]) >= args[0]),
        )
        .waypoint("EntryInTerm", "a node knows an entry of term t to be committed", T, |args, seen| {
            seen.states().iter().any(|node| committed_of(node, args[0]) > 0)
        })
        .waypoint("LeaderInTerm", "a node leads term t", T, |args, seen| {
            seen.up().any(|(_, node)| node.role() == Role::Leader && node.term().number() == args[0])
        })
        .waypoint("ProcessInRole", "a node has the role", R, |args, seen| {
            seen.up().any(|(_, node)| is_in(args[0], node))
        })
        .waypoint("ProcessInRoleTerm", "a node has the role in term t", R_T, |args, seen| {
            seen.up().any(|(_, node)| is_in(args[0], node) && node.term().number() == args[1])
        })
        .waypoint("LogDiff", "two logs are at least x entries apart in length", X, |args, seen| {
            spread(seen.states().iter().map(N::State::last_index)) >= args[0]
        })
        .waypoint("LogCommitDiff", "two nodes are at least x committed entries apart", X, |args, seen| {
            spread(seen.states().iter().map(N::State::commit)) >= args[0]
        })
        .waypoint("OneLeaderOneCandidate", "a node leads and another is a candidate", &[], |_, seen| {
            let has = |role| seen.up().any(|(_, node)| node.role() == role);
            has(Role::Leader) && has(Role::Candidate)
        })
        .waypoint(
            "SnapshotIndex",
            "a node has compacted its log up to entry x or beyond",
            X,
            |args, seen| seen.states().iter().any(|node| node.first_index() > args[0]),
        )
    }
}
