//! The target: its options, its workload and its oracles.

use shakedown_campaign::{AnyTarget, Target};
use shakedown_check::{Agreement, DecidedNeverGoesBack, described_invariant};
use shakedown_cluster::{Contract, Fingerprinter, StepKind};
use shakedown_explore::Weights;
use shakedown_explore::closure::{Pace, Phase};

use crate::node::Settings;
use crate::{Bug, Request, Role, RslNode, View};

/// The highest ballot that a colour tells apart.
const BALLOT_MAX: u64 = 5;

/// A Multi-Paxos after Azure RSL on an asynchronous network that reorders, loses and doubles messages, with a
/// minority of its nodes crashing.
pub fn target() -> Target<RslNode> {
    Target::new("rsl")
        .version(concat!("shakedown-rsl ", env!("CARGO_PKG_VERSION")))
        .about("a Multi-Paxos of our own after Azure RSL, right unless bug=inconsistent-log")
        .nodes(3)
        .nodes_min(1)
        .steps(400)
        // Most requests come to a node that is not primary, and are refused.
        .weights(Weights::default().with(StepKind::Request, 8))
        .option("bug", Bug::None, "what is wrong: none or inconsistent-log")
        .option("election_tick", 10, "ticks before a replica would be primary; it waits up to twice as long")
        .option("heartbeat_tick", 3, "ticks between a primary's heartbeats")
        .option("retry_tick", 5, "ticks before a replica asks for promises again")
        .option("grace_tick", 0, "ticks that a new ballot is given on top, until it has decided something")
        .contract_by(|options| Settings::read(options).map(|_| Contract::asynchronous()))
        .requests(8, |number, _| Request::Put(number as u64 + 1))
        .phase(phase())
        .colour(colour)
        .serves(|view: &View| view.role == Role::Primary)
        .paxos_waypoints()
        .balloted_log_waypoints()
        .oracles(|_| {
            vec![
                Box::new(Agreement::default()),
                Box::new(DecidedNeverGoesBack::default()),
                described_invariant(
                    "one-primary-a-ballot",
                    "no two nodes are primary in one ballot",
                    one_primary_a_ballot(),
                ),
            ]
        })
}

/// The same, for a list of targets. The loop of a campaign on it is compiled here, with the settings of this
/// package.
pub fn any_target() -> Box<dyn AnyTarget> {
    Box::new(target())
}

/// One tick, and the four rounds of a ballot.
fn phase() -> Phase {
    Phase::new(Pace::EveryPhase(1))
        .round("prepare", &["Prepare", "Heartbeat", "Fetch"])
        .round("promise", &["Promise", "Reject", "Learn"])
        .round("accept", &["Accept"])
        .round("accepted", &["Accepted"])
        .warm_up(20)
}

/// No two nodes are primary in one ballot, ever.
fn one_primary_a_ballot() -> impl FnMut(&shakedown_check::Seen<'_, View>) -> Result<(), String> {
    let mut primaries = std::collections::BTreeMap::new();
    move |seen| {
        for (node, view) in seen.fresh().filter(|(_, view)| view.role == Role::Primary) {
            let known = *primaries.entry(view.promised).or_insert(node);
            if known != node {
                return Err(format!("{known} and {node} are both primary in ballot {:?}", view.promised));
            }
        }
        Ok(())
    }
}

/// Role, ballots and the log, as far as ballots are small, and without the owners of ballots.
fn colour(view: &View) -> u64 {
    let small = |number: u64| number.min(BALLOT_MAX);
    let mut fingerprinter = Fingerprinter::default();
    fingerprinter.add(&(view.role, small(view.promised.number), small(view.accepted.number)));
    for entry in view.decided.iter().chain(&view.vote) {
        fingerprinter.add(&(small(entry.ballot.number), entry.value));
    }
    fingerprinter.add(&view.decided.len());
    fingerprinter.finish().0 as u64
}
