//! The families of predicates that waypoints are made of, for every target that shows the state of a Paxos
//! (table 4.3 of the thesis). Those for Raft are in `shakedown-rafts`.
//!
//! What a node is counts while it runs; what it has, its ballot and log, counts also while it is down.

use shakedown_check::{BallotedLog, PaxosState, Seen};
use shakedown_cluster::Node;
use shakedown_explore::learning::Parameter;

use crate::Target;

const X: &[Parameter] = &[Parameter::Number("x")];
const B: &[Parameter] = &[Parameter::Number("b")];

fn any<S>(seen: &Seen<'_, S>, is_such: impl Fn(&S) -> bool) -> bool {
    seen.states().iter().any(is_such)
}

fn all<S>(seen: &Seen<'_, S>, is_such: impl Fn(&S) -> bool) -> bool {
    seen.states().iter().all(is_such)
}

/// How far the largest of these numbers is from the smallest.
fn spread(numbers: impl Iterator<Item = u64> + Clone) -> u64 {
    numbers.clone().max().unwrap_or(0) - numbers.min().unwrap_or(0)
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
