//! What the framework costs: raft driven by Shakedown against raft driven by a bare loop, with the same deliveries.
//!
//! Both are measured in one run, in turns, and compared as a ratio: `cargo bench -p shakedown-raft --bench delivery`.
//!
//! The bare loop is what a user of the library would write: `RawNode` on `MemStorage`, readies handled by the book,
//! messages in a table. It does the steps of schedules that were recorded before. Shakedown chooses the same steps anew
//! by its random walk, keeps its books (vector clocks, events, fingerprint) and gives a trace.

use std::hint::black_box;
use std::time::{Duration, Instant};

use raft::eraftpb::{ConfState, Message};
use raft::storage::MemStorage;
use raft::{Config, RawNode};
use shakedown_campaign::{AnyTarget, Beat, Campaign, Target, execute};
use shakedown_cluster::{Random, Recording, Step, StepKind, derive_seed};
use shakedown_explore::{Execution, Explorer};
use shakedown_raft::{RaftNode, Request, target};

const EXECUTIONS: u64 = 1_000;
const ROUNDS: usize = 15;
const NODES: usize = 3;
const ELECTION_TICK: usize = 4;

fn main() {
    let watched = target();
    let unwatched = target().oracles(|_| Vec::new());
    let schedules = record(&unwatched);
    let deliveries: u64 = schedules.iter().map(|(_, steps)| deliveries(steps)).sum();
    let steps: usize = schedules.iter().map(|(_, steps)| steps.len()).sum();
    println!("{EXECUTIONS} executions, {steps} steps, {deliveries} deliveries, {ROUNDS} rounds\n");

    let mut times = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        times[0].push(timed(|| schedules.iter().for_each(|(seed, steps)| drop(black_box(bare(*seed, steps))))));
        times[1].push(timed(|| ours(&unwatched)));
        times[2].push(timed(|| ours(&watched)));
    }
    let median = |times: &mut Vec<Duration>| {
        times.sort();
        times[times.len() / 2].as_nanos() as f64 / deliveries as f64
    };
    let [bare_ns, ours_ns, watched_ns] = times.each_mut().map(median);
    println!("                                     ns/delivery   ratio");
    println!("bare loop                            {bare_ns:>11.0}   {:>5.2}", 1.0);
    println!("Shakedown, random walk, trace        {ours_ns:>11.0}   {:>5.2}", ours_ns / bare_ns);
    println!("Shakedown, and Raft's invariants     {watched_ns:>11.0}   {:>5.2}", watched_ns / bare_ns);
}

fn timed(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

fn deliveries(steps: &[Step]) -> u64 {
    steps.iter().filter(|step| step.kind() == StepKind::Deliver).count() as u64
}

/// The campaign that is measured: no crashes and no cut links, so that the bare loop can stay bare.
fn campaign(target: &dyn AnyTarget) -> Campaign<'_> {
    let mut campaign = Campaign::new(target);
    campaign.config.options.set("compaction", false);
    for kind in [StepKind::Crash, StepKind::Cut] {
        campaign.weights = campaign.weights.with(kind, 0);
    }
    campaign
}

/// What Shakedown does in one go; gives the seeds and the steps.
fn record(target: &Target<RaftNode>) -> Vec<(u64, Vec<Step>)> {
    let campaign = campaign(target);
    let explorer = campaign.explorer().expect("there is a random walk");
    let run = |number| {
        let execution = campaign.execution(number);
        let live = target.begin(&campaign.config, execution.seed, Recording::Brief).expect("the defaults can be run");
        let mut strategy = explorer.strategy(&Execution { seed: derive_seed(execution.seed, 1), ..execution });
        let outcome = execute(live, strategy.as_mut(), campaign.config.steps, &Beat::default());
        let sent = outcome.trace.board.messages().len();
        let again = bare(execution.seed, outcome.trace.board.steps());
        assert_eq!(again, sent, "the bare loop sends the same messages");
        (execution.seed, outcome.trace.board.steps().to_vec())
    };
    (0..EXECUTIONS).map(run).collect()
}

fn ours(target: &Target<RaftNode>) {
    let campaign = campaign(target);
    let explorer = campaign.explorer().expect("there is a random walk");
    for number in 0..EXECUTIONS {
        let execution = campaign.execution(number);
        let live = target.begin(&campaign.config, execution.seed, Recording::Brief).expect("the defaults can be run");
        let mut strategy = explorer.strategy(&Execution { seed: derive_seed(execution.seed, 1), ..execution });
        black_box(execute(live, strategy.as_mut(), campaign.config.steps, &Beat::default()));
    }
}

/// A bare node: the library, its storage, and the source of its election timeouts.
struct Bare {
    raw: RawNode<MemStorage>,
    random: Random,
}

/// Does the steps with nothing around the library; gives how many messages were sent.
fn bare(seed: u64, steps: &[Step]) -> usize {
    let logger = slog::Logger::root(slog::Discard, slog::o!());
    let voters = ConfState { voters: (1..=NODES as u64).collect(), ..ConfState::default() };
    // The same timeouts as in the recorded execution, so that the same messages are sent.
    let nodes_seed = derive_seed(seed, 2);
    let mut nodes: Vec<_> = (1..=NODES as u64)
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
    let mut links: Vec<Vec<Option<Message>>> = vec![Vec::new(); NODES * NODES];
    for node in &mut nodes {
        settle(node, &mut links);
    }
    let mut requests = 0u32;
    for step in steps {
        let at = |id: &shakedown_cluster::MessageId| (id.from.index() * NODES + id.to.index(), id.number as usize - 1);
        let node = match step {
            Step::Deliver(id, _) => {
                let (link, number) = at(id);
                let message = links[link][number].take().expect("it is under way");
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
                let (link, number) = at(id);
                links[link][number] = None;
                continue;
            }
            Step::Duplicate(id, _) => {
                let (link, number) = at(id);
                let copy = links[link][number].clone();
                links[link].push(copy);
                continue;
            }
            other => unreachable!("`{other}` is not in this campaign"),
        };
        settle(node, &mut links);
    }
    links.iter().map(Vec::len).sum()
}

/// Handles what raft is ready for, by the book.
fn settle(node: &mut Bare, links: &mut [Vec<Option<Message>>]) {
    let id = node.raw.raft.id;
    while node.raw.has_ready() {
        let mut ready = node.raw.ready();
        send(id, ready.take_messages(), links);
        let store = node.raw.raft.raft_log.store.clone();
        if !ready.entries().is_empty() {
            store.wl().append(ready.entries()).expect("entries follow the log");
        }
        if let Some(hard_state) = ready.hs() {
            store.wl().set_hardstate(hard_state.clone());
        }
        black_box(ready.take_committed_entries());
        send(id, ready.take_persisted_messages(), links);
        let mut light = node.raw.advance(ready);
        if let Some(commit) = light.commit_index() {
            store.wl().mut_hard_state().commit = commit;
        }
        send(id, light.take_messages(), links);
        black_box(light.take_committed_entries());
        node.raw.advance_apply();
    }
    let raft = &mut node.raw.raft;
    if raft.randomized_election_timeout() >= 2 * ELECTION_TICK {
        raft.set_randomized_election_timeout(ELECTION_TICK + node.random.index(ELECTION_TICK));
    }
}

fn send(from: u64, messages: Vec<Message>, links: &mut [Vec<Option<Message>>]) {
    for message in messages {
        // A forwarded message may name another sender than the node that it comes from.
        let link = (from as usize - 1) * NODES + message.to as usize - 1;
        links[link].push(Some(message));
    }
}
