//! The target: its options, its workload and its oracles.

use shakedown_campaign::{AnyTarget, Config, Target};
use shakedown_check::{
    EveryRequestAnswered, Harnesses, LeaderElected, Linearizable, LogsEqual, Oracle, Registers, Seen,
    SequentiallyConsistent, Understood, described_invariant,
};
use shakedown_cluster::{Clients, Node, NodeId, Random, RequestInfo, derive_seed};
use shakedown_conform::compare::SpecModel;
use shakedown_explore::closure::{Occasion, Pace, Phase, When};
use shakedown_rafts::model::{ChangeCounts, following};
use shakedown_rafts::{RaftState, RaftTarget, Role, TermNeverGoesBack, end_of_log, raft_invariants};

use crate::model::{self, LibraryDialect};
use crate::scenarios::{clauses, scenarios};
use crate::settings::{CLIENTS, Settings};
use crate::{DiskMode, RaftMessage, RaftNode, RaftView, Request, spec};

/// The kinds of messages on the network: first what is asked, then what is answered.
const KINDS: &[&str] = &[
    "Propose",
    "Append",
    "Heartbeat",
    "Snapshot",
    "RequestVote",
    "PreVote",
    "TransferLeader",
    "TimeoutNow",
    "ReadIndex",
    "AppendResponse",
    "HeartbeatResponse",
    "RequestVoteResponse",
    "PreVoteResponse",
    "ReadIndexResponse",
];
const REQUESTS: usize = 9;

/// How many different keys the workload uses.
const KEYS: u64 = 4;
/// The highest term and the longest log that a colour tells apart.
const COLOUR_TERM_MAX: u64 = 7;
const COLOUR_LOG_MAX: u64 = 12;

/// The crate `raft` 0.7.0 on an asynchronous network that reorders, loses and doubles messages, with a
/// minority of its nodes crashing.
pub fn target() -> Target<RaftNode> {
    target_of("raft", "raft 0.7.0", spec::MODELS)
        .about("the Raft library of TiKV, replicating a key-value map")
        .option(
            CLIENTS,
            Clients::Once,
            "clients ask one node once, are redirected to the leader, or also ask again (retrying)",
        )
}

/// The same, for a list of targets. The loop of a campaign on it is compiled here, with the settings of this
/// package.
pub fn any_target() -> Box<dyn AnyTarget> {
    Box::new(target())
}

/// The same for another library with the vocabulary of this one: its options, requests, messages and views.
/// It is compared with these models.
pub fn target_of<N>(name: impl Into<String>, version: impl Into<String>, models: &[SpecModel]) -> Target<N>
where
    N: Node<Message = RaftMessage, Request = Request, State = RaftView>,
{
    let target = Target::new(name)
        .version(version)
        .nodes(3)
        .nodes_min(1)
        .steps(400)
        .option("election_tick", 4, "ticks before a follower campaigns; it waits up to twice as long")
        .option("heartbeat_tick", 1, "ticks between a leader's heartbeats")
        .option("fixed_timeout", false, "whether every follower waits exactly election_tick")
        .option("pre_vote", false, "whether candidates ask first whether they would win")
        .option("check_quorum", false, "whether a leader that hears of no majority steps down")
        .option("disk", DiskMode::Synchronous, "when writes are durable: synchronous or buffered")
        .option("membership", false, "whether the workload removes nodes and adds them again")
        .option(
            "step_down_when_removed",
            true,
            "whether a leader that is removed steps down; raft leaves it to us",
        )
        .option("compaction", true, "whether the workload compacts logs")
        .option("library_invariants", true, "whether raft's own bookkeeping is checked too")
        .option(
            "registers",
            false,
            "whether clients read, write and write conditionally, and orders of that are checked",
        )
        .option(
            "liveness",
            false,
            "whether a leader, equal logs and answers are wanted after enough calm rounds",
        )
        .contract_by(|options| Ok(Settings::read(options)?.contract()))
        .follow(following::<RaftView, LibraryDialect>(model::check, ChangeCounts::OnceApplied))
        .compare(spec::comparison(models))
        .workload(8, workload)
        .phase(phase())
        .colour(colour)
        .serves(|view: &RaftView| view.role == Role::Leader)
        .raft_waypoints()
        .harness(
            "ratis",
            "four puts, one a phase, and one when all has been well for long: the paper's for Ratis",
            |occasion| {
                let late = When::Recovery(CALM_ROUNDS as u32 + 2);
                let places = (1..=4).map(When::Phase).chain([late]);
                let put = |(number, when)| (when, random_node(occasion), Request::Put(0, number));
                (1..).zip(places).map(put).collect()
            },
        )
        .harness(
            "ratis-p3",
            "four puts, one a phase, for clients that ask again: the paper's for Ratis, with its P3",
            |occasion| {
                let put =
                    |number| (When::Phase(number), random_node(occasion), Request::Put(0, u64::from(number)));
                (1..=4).map(put).collect()
            },
        )
        .harness(
            "ratis-slow",
            "the same, one put in every tenth phase: for isolations that outlast an election",
            |occasion| {
                let put = |number: u32| {
                    let when = When::Phase(10 * (number - 1) + 1);
                    (when, random_node(occasion), Request::Put(0, u64::from(number)))
                };
                (1..=4).map(put).collect()
            },
        )
        .harness(
            "h-div",
            "n2: k0 ← 101, then nothing, then n3: k1 ← 302: the paper's for ZooKeeper's divergence",
            |_| {
                let write = |phase, node, key, value| {
                    (When::Phase(phase), NodeId::new(node), Request::Write(key, value))
                };
                vec![write(1, 2, 0, 101), write(3, 3, 1, 302)]
            },
        )
        .harness(
            "h-sc",
            "four conditional writes: the paper's for ZooKeeper's sequential consistency",
            |_| {
                let when = |phase, node, key, is, write| {
                    (When::Phase(phase), NodeId::new(node), Request::When { key, is, write })
                };
                vec![
                    when(1, 2, 1, 0, (1, 101)),
                    when(3, 1, 1, 101, (0, 200)),
                    when(4, 2, 1, 0, (1, 301)),
                    when(5, 1, 1, 0, (0, 400)),
                ]
            },
        )
        .harness(
            "sampled",
            "four random writes of two keys, some of them conditional, one a phase",
            |occasion| {
                let harness = Harnesses::new(occasion.nodes, 4).sample(occasion.random);
                let placed = |(phase, (node, op))| (When::Phase(phase), node, Request::from(op));
                (1..).zip(harness).map(placed).collect()
            },
        )
        .kinds(KINDS)
        .clauses(clauses())
        .oracles(oracles);
    scenarios().into_iter().fold(target, Target::scenario)
}

/// Role, term, vote, leader, commit index and the terms of the log, as far as they are small, and without
/// naming nodes.
fn colour(view: &RaftView) -> u64 {
    let term = |term: u64| term.min(COLOUR_TERM_MAX);
    let place = |index: u64| index.min(COLOUR_LOG_MAX);
    let flags = u64::from(view.vote.is_some()) << 1 | u64::from(view.leader.is_some());
    let first = view.log.first();
    let heads = [view.role as u64, term(view.term), flags, place(view.commit), place(first)];
    let log = first..=view.log.last().min(first + COLOUR_LOG_MAX);
    let terms = log.filter_map(|index| view.log.entry(index)).map(|entry| term(entry.term));
    heads.into_iter().chain(terms).fold(0, derive_seed)
}

/// One tick, what is sent then, and what is answered. An election takes up to twice `election_tick` phases.
fn phase() -> Phase {
    let (requests, responses) = KINDS.split_at(REQUESTS);
    Phase::new(Pace::EveryPhase(1)).round("request", requests).round("response", responses).warm_up(10)
}

/// Whether a switch is on. One that is missing is off here, and nothing comes of it: the contract refuses to
/// be made.
fn is_on(config: &Config, switch: &str) -> bool {
    config.options.get(switch).unwrap_or(false)
}

fn random_node(occasion: &mut Occasion<'_>) -> NodeId {
    NodeId::from_index(occasion.random.index(occasion.nodes))
}

/// Mostly puts; now and then a compaction, a transfer of the leadership or a change of membership.
fn workload(config: &Config, random: &mut Random) -> Vec<Request> {
    if is_on(config, "registers") {
        return (0..config.requests).map(|number| register_request(number, random)).collect();
    }
    let compaction = is_on(config, "compaction");
    let membership = is_on(config, "membership");
    let mut removed = None;
    let mut request = |number: usize| match random.below(16) {
        0 | 1 if compaction => Request::Compact,
        2 => Request::Transfer(any_node(config, random)),
        3..8 if membership => match removed.take() {
            Some(node) => Request::Add(node),
            None => {
                let node = any_node(config, random);
                removed = Some(node);
                Request::Remove(node)
            }
        },
        _ => Request::Put(random.below(KEYS) as u8, number as u64 + 1),
    };
    (0..config.requests).map(&mut request).collect()
}

/// A read, a write, or a write on condition, of one of two keys.
fn register_request(number: usize, random: &mut Random) -> Request {
    let key = random.below(2) as u8;
    let value = number as u64 + 1;
    match random.below(3) {
        0 => Request::Read(key),
        1 => Request::Write(key, value),
        _ => Request::When { key, is: random.below(value), write: (random.below(2) as u8, value) },
    }
}

fn any_node(config: &Config, random: &mut Random) -> NodeId {
    NodeId::from_index(random.index(config.nodes))
}

/// The properties of a Raft with these options.
pub fn oracles(config: &Config) -> Vec<Box<dyn Oracle<RaftView>>> {
    let mut oracles = raft_invariants();
    if config.options.get("disk") == Ok(DiskMode::Buffered) {
        // A term that no other node knows yet may be lost with the unflushed writes, so it binds one life
        // only.
        oracles.retain(|oracle| oracle.name() != "term-never-goes-back");
        oracles.push(Box::new(TermNeverGoesBack::while_running()));
    }
    if is_on(config, "library_invariants") {
        oracles.push(progress_next_above_match());
    }
    if is_on(config, "registers") {
        let values = |view: &RaftView| view.registers.as_deref().cloned().unwrap_or_default();
        oracles.push(Box::new(Linearizable::new(Registers, understand)));
        let sequential = SequentiallyConsistent::new(values).understand(understand);
        oracles.push(Box::new(sequential.after_calm(CALM_ROUNDS)));
    }
    if is_on(config, "liveness") {
        oracles
            .push(Box::new(LeaderElected::new(CALM_ROUNDS, |view: &RaftView| view.role() == Role::Leader)));
        oracles.push(Box::new(LogsEqual::new(CALM_ROUNDS, end_of_log::<RaftView>)));
        let answered = EveryRequestAnswered::new(CALM_ROUNDS);
        // Raft loses proposals that are on their way to a leader who falls: clients have to ask again.
        let answered = match clients(config).ask_again() {
            true => answered.whatever_crashed(),
            false => answered.asked_after(CALM_ROUNDS),
        };
        oracles.push(Box::new(answered));
    }
    oracles
}

/// What clients do that wait for an answer.
fn clients(config: &Config) -> Clients {
    config.options.get(CLIENTS).unwrap_or_default()
}

/// How many calm rounds are enough for a leader, equal logs and answers: four times as many as the slowest of
/// a thousand fault-free executions needs, which a test measures.
pub const CALM_ROUNDS: u64 = 76;

/// A request to registers and its answer; what was dropped had no effect.
fn understand(request: &RequestInfo) -> Result<Understood<Registers>, shakedown_check::Doubt> {
    match request.answer.as_deref() {
        Some("\"dropped\"") => Ok(None),
        _ => shakedown_check::understand_registers(request),
    }
}

/// On every leader, the next index of each peer is above its matched index. Version 0.7.0 breaks this: a
/// rejection that arrives late, when the leader probes the peer again, takes the next index back
/// (tikv/raft-rs issue 555).
fn progress_next_above_match() -> Box<dyn Oracle<RaftView>> {
    const ABOUT: &str = "a leader's next index of each peer is above the index that is matched";
    described_invariant("progress-next-above-match", ABOUT, |seen: &Seen<'_, RaftView>| {
        for (node, state) in seen.fresh() {
            if let Some((peer, matched, next)) = state.progress_below_match {
                let term = state.term();
                return Err(format!(
                    "{node} leads term {term} and would send {peer} entry {next} next, though {matched} is matched"
                ));
            }
        }
        Ok(())
    })
}
