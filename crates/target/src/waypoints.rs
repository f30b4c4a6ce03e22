//! The families of predicates that waypoints are made of, for every target that shows the state of a Raft or of a Paxos (tables
//! 4.1 and 4.3 of the thesis).
//!
//! What a node is counts while it runs; what it has, its term, ballot and log, counts also while it is down.

use shakedown_check::{BallotedLog, PaxosState, RaftState, Role, Seen};
use shakedown_cluster::Node;
use shakedown_explore::learning::Parameter;

use crate::Target;

const X: &[Parameter] = &[Parameter::Number("x")];
const T: &[Parameter] = &[Parameter::Number("t")];
const B: &[Parameter] = &[Parameter::Number("b")];
const N_T: &[Parameter] = &[Parameter::Number("n"), Parameter::Number("t")];
const X_T: &[Parameter] = &[Parameter::Number("x"), Parameter::Number("t")];

/// The words for the roles of Raft, in the order of [`ROLES`].
const ROLE_WORDS: &[&str] = &["follower", "pre-candidate", "candidate", "leader"];
const ROLES: [Role; 4] = [Role::Follower, Role::PreCandidate, Role::Candidate, Role::Leader];
const R: &[Parameter] = &[Parameter::Word("role", ROLE_WORDS)];
const R_T: &[Parameter] = &[Parameter::Word("role", ROLE_WORDS), Parameter::Number("t")];

fn any<S>(seen: &Seen<'_, S>, is_such: impl Fn(&S) -> bool) -> bool {
    seen.states().iter().any(is_such)
}

fn all<S>(seen: &Seen<'_, S>, is_such: impl Fn(&S) -> bool) -> bool {
    seen.states().iter().all(is_such)
}

fn any_running<S>(seen: &Seen<'_, S>, is_such: impl Fn(&S) -> bool) -> bool {
    seen.up().any(|(_, state)| is_such(state))
}

/// How far the largest of these numbers is from the smallest.
fn spread(numbers: impl Iterator<Item = u64> + Clone) -> u64 {
    numbers.clone().max().unwrap_or(0) - numbers.min().unwrap_or(0)
}

fn is_in<S: RaftState>(role: u64, state: &S) -> bool {
    usize::try_from(role).ok().and_then(|place| ROLES.get(place)) == Some(&state.role())
}

/// How many entries of this term the node knows to be committed.
fn committed_of<S: RaftState>(state: &S, term: u64) -> u64 {
    let numbers = state.first_index()..=state.commit();
    numbers.filter(|&number| state.entry(number).is_some_and(|entry| entry.term == term)).count() as u64
}

impl<N: Node> Target<N>
where
    N::State: RaftState,
{
    /// Offers the predicates for Raft.
    #[must_use]
    pub fn raft_waypoints(self) -> Self {
        self.waypoint("OneInTerm", "a node is in term t", T, |args, seen| {
            any(seen, |node| node.term() == args[0])
        })
        .waypoint("AllInTerm", "all nodes are in term t", T, |args, seen| {
            all(seen, |node| node.term() == args[0])
        })
        .waypoint("ProcessesInTerm", "at least n nodes are in term t", N_T, |args, seen| {
            seen.states().iter().filter(|node| node.term() == args[1]).count() as u64 >= args[0]
        })
        .waypoint("TermDiff", "two nodes are at least x terms apart", X, |args, seen| {
            spread(seen.states().iter().map(RaftState::term)) >= args[0]
        })
        .waypoint("CommitEntries", "a node knows at least x entries to be committed", X, |args, seen| {
            any(seen, |node| node.commit() >= args[0])
        })
        .waypoint("MinCommit", "the same as CommitEntries", X, |args, seen| {
            any(seen, |node| node.commit() >= args[0])
        })
        .waypoint("AllCommitted", "all nodes know at least x entries to be committed", X, |args, seen| {
            all(seen, |node| node.commit() >= args[0])
        })
        .waypoint(
            "CommittedEntriesInTerm",
            "a node knows at least x entries of term t to be committed",
            X_T,
            |args, seen| any(seen, |node| committed_of(node, args[1]) >= args[0]),
        )
        .waypoint("EntryInTerm", "a node knows an entry of term t to be committed", T, |args, seen| {
            any(seen, |node| committed_of(node, args[0]) > 0)
        })
        .waypoint("LeaderInTerm", "a node leads term t", T, |args, seen| {
            any_running(seen, |node| node.role() == Role::Leader && node.term() == args[0])
        })
        .waypoint("ProcessInRole", "a node has the role", R, |args, seen| {
            any_running(seen, |node| is_in(args[0], node))
        })
        .waypoint("ProcessInRoleTerm", "a node has the role in term t", R_T, |args, seen| {
            any_running(seen, |node| is_in(args[0], node) && node.term() == args[1])
        })
        .waypoint("LogDiff", "two logs are at least x entries apart in length", X, |args, seen| {
            spread(seen.states().iter().map(RaftState::last_index)) >= args[0]
        })
        .waypoint("LogCommitDiff", "two nodes are at least x committed entries apart", X, |args, seen| {
            spread(seen.states().iter().map(RaftState::commit)) >= args[0]
        })
        .waypoint("OneLeaderOneCandidate", "a node leads and another is a candidate", &[], |_, seen| {
            let has = |role| any_running(seen, |node| node.role() == role);
            has(Role::Leader) && has(Role::Candidate)
        })
        .waypoint(
            "SnapshotIndex",
            "a node has compacted its log up to entry x or beyond",
            X,
            |args, seen| any(seen, |node| node.first_index() > args[0]),
        )
    }
}

impl<N: Node> Target<N>
where
    N::State: PaxosState,
{
    /// Offers the predicates for Paxos.
    #[must_use]
    pub fn paxos_waypoints(self) -> Self {
        self.waypoint("AnyBallot", "a node has voted in ballot b or a later one", B, |args, seen| {
            any(seen, |node| node.ballot() >= args[0])
        })
        .waypoint("AllBallot", "all nodes have voted in ballot b or a later one", B, |args, seen| {
            all(seen, |node| node.ballot() >= args[0])
        })
        .waypoint("AnyDecree", "a node has voted in decree x or a later one", X, |args, seen| {
            any(seen, |node| node.decree() >= args[0])
        })
        .waypoint("BallotDiff", "two nodes that have voted are at least x ballots apart", X, |args, seen| {
            let ballots = seen.states().iter().map(PaxosState::ballot).filter(|&ballot| ballot > 0);
            spread(ballots) >= args[0]
        })
        .waypoint("AnyDecided", "a node holds at least x decrees decided", X, |args, seen| {
            any(seen, |node| node.decided() >= args[0])
        })
        .waypoint("PrimaryInBallot", "a node is primary that has voted in ballot b last", B, |args, seen| {
            seen.up().any(|(node, state)| state.is_primary(node) && state.ballot() == args[0])
        })
        .waypoint(
            "DecidedDiff",
            "two nodes are at least x decided decrees apart",
            X,
            |args, seen| spread(seen.states().iter().map(PaxosState::decided)) >= args[0],
        )
    }
}

impl<N: Node> Target<N>
where
    N::State: BallotedLog,
{
    /// Offers the predicate for Paxos that asks for the ballots of entries.
    #[must_use]
    pub fn balloted_log_waypoints(self) -> Self {
        self.waypoint("EntryBallot", "a log has an entry of ballot b", B, |args, seen| {
            any(seen, |node| node.has_entry_of(args[0]))
        })
    }
}
