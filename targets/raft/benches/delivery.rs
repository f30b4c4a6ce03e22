//! What the framework costs: raft driven by Shakedown against raft driven by a bare loop, with the same
//! deliveries.
//!
//! Both are measured in one run, in turns, and compared as a ratio:
//! `cargo bench -p shakedown-raft --bench delivery`.
//!
//! The bare loop is what a user of the library would write: `RawNode` on `MemStorage`, readies handled by the
//! book, messages in a table. It does the steps of schedules that were recorded before. Shakedown chooses the
//! same steps anew by its random walk, keeps its books (vector clocks, events, fingerprint) and gives a
//! trace.

use std::hint::black_box;
use std::time::{Duration, Instant};

use raft::eraftpb::{ConfState, Message};
use raft::storage::MemStorage;
use raft::{Config, RawNode};
use shakedown_campaign::{AnyTarget, Beat, Campaign, Outcome, Target, execute};
use shakedown_cluster::{Board, MessageId, MessageInfo, Random, Recording, Step, StepKind, derive_seed};
use shakedown_explore::Execution;
use shakedown_raft::{RaftNode, Request, target};
use shakedown_target::Tenure;

const EXECUTIONS: u64 = 1_000;
const ROUNDS: usize = 15;
const ELECTION_TICK: usize = 4;

/// What is measured: an idle cluster sends little but heartbeats, a busy one replicates.
struct Shape {
    name: &'static str,
    nodes: usize,
    requests: usize,
    request_weight: u32,
}

const SHAPES: [Shape; 3] = [
    Shape { name: "3 nodes, 8 requests", nodes: 3, requests: 8, request_weight: 4 },
    Shape { name: "5 nodes, 8 requests", nodes: 5, requests: 8, request_weight: 4 },
    Shape { name: "3 nodes, 100 requests", nodes: 3, requests: 100, request_weight: 25 },
];

fn main() {
    println!(
        "nanoseconds per delivery: the median of {ROUNDS} rounds of {EXECUTIONS} executions, in turns; ratio to bare\n"
    );
    println!("                         deliveries    bare   random walk, trace   and Raft's invariants");
    SHAPES.iter().for_each(measure);
}

fn measure(shape: &Shape) {
    let watched = target();
    let unwatched = target().oracles(|_| Vec::new());
    let schedules = record(&unwatched, shape);
    let deliveries: u64 = schedules.iter().map(|(_, steps)| deliveries(steps)).sum();
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        times[0].push(timed(|| {
            for (seed, steps) in &schedules {
                black_box(bare(shape.nodes, *seed, steps));
            }
        }));
        times[1].push(timed(|| ours(&unwatched, shape)));
        times[2].push(timed(|| ours(&watched, shape)));
    }
    let median = |times: &mut Vec<Duration>| {
        times.sort();
        times[times.len() / 2].as_nanos() as f64 / deliveries as f64
    };
    let [bare, ours, watched] = times.each_mut().map(median);
    println!(
        "{:<24} {deliveries:>10} {bare:>7.0} {ours:>12.0} ({:.2}) {watched:>15.0} ({:.2})",
        shape.name,
        ours / bare,
        watched / bare
    );
}

fn timed(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

fn deliveries(steps: &Recorded) -> u64 {
    steps.iter().filter(|(step, _)| step.kind() == StepKind::Deliver).count() as u64
}

/// The campaign that is measured: no crashes and no cut links, so that the bare loop can stay bare.
fn campaign<'a>(target: &'a dyn AnyTarget, shape: &Shape) -> Campaign<'a> {
    let mut campaign = Campaign::new(target);
    campaign.plan.config.options.set("compaction", false);
    // Nothing may end an execution early.
    campaign.plan.config.options.set("library_invariants", false);
    (campaign.plan.config.nodes, campaign.plan.config.requests) = (shape.nodes, shape.requests);
    campaign.plan.weights = campaign.plan.weights.clone().with(StepKind::Request, shape.request_weight);
    for kind in [StepKind::Crash, StepKind::Cut] {
        campaign.plan.weights = campaign.plan.weights.clone().with(kind, 0);
    }
    campaign
}

/// Steps, and of those that name a message its place among all messages of its link.
type Recorded = Vec<(Step, usize)>;

/// Messages are numbered by kind; the bare loop keeps those of a link in one row.
fn place(board: &Board, step: &Step) -> usize {
    let (id, kind) = match step {
        Step::Deliver(id, kind) | Step::Drop(id, kind) | Step::Duplicate(id, kind) => (*id, *kind),
        _ => return 0,
    };
    let index = board.find(id, kind).expect("it was sent").index();
    let same_link = |message: &&MessageInfo| (message.id.from, message.id.to) == (id.from, id.to);
    board.messages()[..index].iter().filter(same_link).count()
}

/// Runs every execution of the campaign, chosen anew by its random walk.
fn run_all(target: &Target<RaftNode>, shape: &Shape, mut take: impl FnMut(u64, Outcome)) {
    let campaign = campaign(target, shape);
    let explorer = campaign.explorer().expect("there is a random walk");
    // A worker of a campaign begins one too, for all its executions.
    let _tenure = Tenure::begin();
    for number in 0..EXECUTIONS {
        let execution = campaign.execution(number);
        let live = target
            .begin(&campaign.plan.config, execution.seed, Recording::Brief)
            .expect("the defaults can be run");
        let mut strategy =
            explorer.strategy(&Execution { seed: derive_seed(execution.seed, 1), ..execution });
        take(execution.seed, execute(live, strategy.as_mut(), campaign.plan.config.steps, &Beat::default()));
    }
}

/// The seeds and the steps, after a check that the bare loop does the same with them.
fn record(target: &Target<RaftNode>, shape: &Shape) -> Vec<(u64, Recorded)> {
    let mut schedules = Vec::new();
    run_all(target, shape, |seed, outcome| {
        let board = &outcome.trace.board;
        let steps: Vec<_> = board.steps().iter().map(|step| (step.clone(), place(board, step))).collect();
        let sent = bare(shape.nodes, seed, &steps);
        assert_eq!(sent, board.messages().len(), "the bare loop sends the same messages");
        schedules.push((seed, steps));
    });
    schedules
}

fn ours(target: &Target<RaftNode>, shape: &Shape) {
    run_all(target, shape, |_, outcome| {
        black_box(outcome);
    });
}

/// A bare node: the library, its storage, and the source of its election timeouts.
struct Bare {
    raw: RawNode<MemStorage>,
    random: Random,
}

/// Does the steps with nothing around the library; gives how many messages were sent.
fn bare(count: usize, seed: u64, steps: &Recorded) -> usize {
    let logger = slog::Logger::root(slog::Discard, slog::o!());
    let voters = ConfState { voters: (1..=count as u64).collect(), ..ConfState::default() };
    // The same timeouts as in the recorded execution, so that the same messages are sent.
    let nodes_seed = derive_seed(seed, 2);
    let mut nodes: Vec<_> = (1..=count as u64)
        .map(|id| {
            let config = Config {
                id,
                election_tick: ELECTION_TICK,
                heartbeat_tick: 1,
                min_election_tick: ELECTION_TICK,
                max_election_tick: usize::MAX,
                ..Config::default()
            };
            let storage = MemStorage::new();
            storage.wl().set_conf_state(voters.clone());
            let raw = RawNode::new(&config, storage, &logger).expect("the configuration is right");
            Bare { raw, random: Random::new(derive_seed(derive_seed(nodes_seed, id), 1)) }
        })
        .collect();
    let mut links: Vec<Vec<Option<Message>>> = vec![Vec::new(); count * count];
    for node in &mut nodes {
        settle(count, node, &mut links);
    }
    let mut requests = 0u32;
    for (step, place) in steps {
        let link = |id: &MessageId| id.from.index() * count + id.to.index();
        let node = match step {
            Step::Deliver(id, _) => {
                let message = links[link(id)][*place].take().expect("it is under way");
                let node = &mut nodes[id.to.index()];
                let _ = node.raw.step(message);
                node
            }
            Step::Tick(id) => {
                let node = &mut nodes[id.index()];
                node.raw.tick();
                node
            }
            Step::Request(id, op) => {
                let node = &mut nodes[id.index()];
                let context = requests.to_le_bytes().to_vec();
                requests += 1;
                match serde_json::from_str(op).expect("it was recorded") {
                    Request::Put(key, value) => {
                        let mut data = vec![key];
                        data.extend(value.to_le_bytes());
                        let _ = node.raw.propose(context, data);
                    }
                    Request::Transfer(to) => node.raw.transfer_leader(to.number() as u64),
                    other => unreachable!("{other:?} is not in this workload"),
                }
                node
            }
            Step::Drop(id, _) => {
                links[link(id)][*place] = None;
                continue;
            }
            Step::Duplicate(id, _) => {
                let copy = links[link(id)][*place].clone();
                links[link(id)].push(copy);
                continue;
            }
            other => unreachable!("`{other}` is not in this campaign"),
        };
        settle(count, node, &mut links);
    }
    links.iter().map(Vec::len).sum()
}

/// Handles what raft is ready for, by the book.
fn settle(count: usize, node: &mut Bare, links: &mut [Vec<Option<Message>>]) {
    let id = node.raw.raft.id;
    while node.raw.has_ready() {
        let mut ready = node.raw.ready();
        send(count, id, ready.take_messages(), links);
        let store = node.raw.raft.raft_log.store.clone();
        if !ready.entries().is_empty() {
            store.wl().append(ready.entries()).expect("entries follow the log");
        }
        if let Some(hard_state) = ready.hs() {
            store.wl().set_hardstate(hard_state.clone());
        }
        black_box(ready.take_committed_entries());
        send(count, id, ready.take_persisted_messages(), links);
        let mut light = node.raw.advance(ready);
        if let Some(commit) = light.commit_index() {
            store.wl().mut_hard_state().commit = commit;
        }
        send(count, id, light.take_messages(), links);
        black_box(light.take_committed_entries());
        node.raw.advance_apply();
    }
    let raft = &mut node.raw.raft;
    if raft.randomized_election_timeout() >= 2 * ELECTION_TICK {
        raft.set_randomized_election_timeout(ELECTION_TICK + node.random.index(ELECTION_TICK));
    }
}

fn send(count: usize, from: u64, messages: Vec<Message>, links: &mut [Vec<Option<Message>>]) {
    for message in messages {
        // A forwarded message may name another sender than the node that it comes from.
        let link = (from as usize - 1) * count + message.to as usize - 1;
        links[link].push(Some(message));
    }
}
