//! The target: its options, its workload and its oracles.

use shakedown_campaign::{Config, Target};
use shakedown_check::{Oracle, RaftState, Role, raft_invariants};
use shakedown_cluster::{BadOption, Contract, NodeId, Options, Random, StepKind};
use shakedown_conform::{Conforms, ModelGuide, Recorder};
use shakedown_explore::Weights;
use shakedown_explore::closure::{Pace, Phase};

use crate::model::{Mapping, Projection};
use crate::{Fault, Properties, RaftNode, Request, View, conf_change_bug, settings, spec};

/// How many different keys the workload uses.
const KEYS: u64 = 4;
/// The most that a colour tells apart in a term, an index or a length.
const COLOUR_MAX: u64 = 7;

/// A Raft of our own on an asynchronous network that reorders, loses and doubles messages, with a minority of its nodes
/// crashing.
pub fn target() -> Target<RaftNode> {
    Target::new("planted-raft")
        .version(concat!("shakedown-planted-raft ", env!("CARGO_PKG_VERSION")))
        .about("a Raft of our own, right unless a fault is planted: fault=quorum-third and nine others")
        .nodes(3)
        .nodes_min(1)
        .steps(300)
        // Two of three requests come to a node that does not lead, and are dropped.
        .weights(Weights::default().with(StepKind::Request, 8))
        .option("fault", Fault::None, "what is wrong: none, quorum-third, vote-not-persisted, …")
        .option("election_tick", 4, "ticks before a follower campaigns; it waits up to twice as long")
        .option("heartbeat_tick", 1, "ticks between a leader's heartbeats")
        .option("append_max", 1, "the most entries that one append carries")
        .option("compaction", true, "whether the workload compacts logs")
        .option("membership", false, "whether the workload removes nodes and adds them again")
        .option("conformance", false, "whether what the TLA+ model of Raft forbids is a finding")
        .contract_by(|options| {
            if options.get("conformance")? {
                check_model(options)?;
            }
            settings::read(options, 1).map(|_| Contract::asynchronous())
        })
        .guide("model", "states of the TLA+ model of Raft (specs/Raft.tla)", |config| {
            check_model(&config.options).map_err(|error| error.to_string())?;
            let guide = ModelGuide::new(&shakedown_conform::raft::model(config.nodes), Mapping::default());
            Ok(Box::new(guide.map_err(|error| error.to_string())?))
        })
        .conformance(spec::conformance())
        .spec_trace(|config, trace| {
            check_model(&config.options).map_err(|error| error.to_string())?;
            let (mapping, projection) = (Mapping::default(), Projection::default());
            Ok(Box::new(Recorder::new("RaftEvents", mapping, projection, trace)))
        })
        .workload(16, workload)
        .phase(phase())
        .colour(colour)
        .option("oracles", Properties::All, "properties to check: all or committed")
        .kinds(&[
            "RequestVote",
            "RequestVoteResponse",
            "Append",
            "Heartbeat",
            "AppendResponse",
            "Snapshot",
            "SnapshotResponse",
        ])
        .scenario(conf_change_bug().set("oracles", Properties::Committed))
        .serves(|view: &View| view.role == Role::Leader)
        .raft_waypoints()
        .oracles(oracles)
}

fn oracles(config: &Config) -> Vec<Box<dyn Oracle<View>>> {
    let mut oracles = raft_invariants();
    if config.options.get("oracles") == Ok(Properties::Committed) {
        oracles.retain(|oracle| oracle.name() == "state-machine-safety");
    }
    if is_on(config, "conformance") {
        let model = shakedown_conform::raft::model(config.nodes);
        let conforms = Conforms::new(&model, Mapping::default());
        oracles.push(Box::new(conforms.expect("the model is ours, and it can be walked")));
    }
    oracles
}

/// Whether the model can be laid beside this Raft with these options.
fn check_model(options: &Options) -> Result<(), BadOption> {
    if options.get("membership")? {
        let reason = "the TLA+ model knows no changes of membership".to_owned();
        return Err(BadOption { name: "membership".to_owned(), value: "true".to_owned(), reason });
    }
    Ok(())
}

/// One tick, what is sent then, and what is answered. An election takes up to twice `election_tick` phases.
fn phase() -> Phase {
    Phase::new(Pace::EveryPhase(1))
        .round("request", &["RequestVote", "Append", "Heartbeat", "Snapshot"])
        .round("response", &["RequestVoteResponse", "AppendResponse", "SnapshotResponse"])
        .warm_up(10)
}

/// Whether a switch is on. One that is missing is off.
fn is_on(config: &Config, switch: &str) -> bool {
    config.options.get(switch).unwrap_or(false)
}

/// Mostly puts; now and then a compaction or a change of membership. Nodes are added that were to be removed before.
fn workload(config: &Config, random: &mut Random) -> Vec<Request> {
    let compaction = is_on(config, "compaction");
    let membership = is_on(config, "membership");
    let mut removed = Vec::new();
    let request = |number: usize| match random.below(16) {
        0 | 1 if compaction => Request::Compact,
        2..6 if membership => {
            let node = any_node(config, random);
            removed.push(node);
            Request::Remove(node)
        }
        6..10 if !removed.is_empty() => Request::Add(removed[random.index(removed.len())]),
        _ => Request::Put(random.below(KEYS) as u8, number as u64 + 1),
    };
    (0..config.requests).map(request).collect()
}

fn any_node(config: &Config, random: &mut Random) -> NodeId {
    NodeId::from_index(random.index(config.nodes))
}

/// Role, term, commit index, snapshot and the terms of the log, as far as they are small.
fn colour(view: &View) -> u64 {
    let small = |number: u64| number.min(COLOUR_MAX);
    let terms = view.log.entries().iter().take(COLOUR_MAX as usize).map(|entry| small(entry.term));
    let indexes = [view.term, view.commit, view.first_index() - 1].map(small);
    indexes
        .into_iter()
        .chain(terms)
        .fold(1 + view.role as u64, |colour, number| colour * (COLOUR_MAX + 1) + number)
}
