//! Checks a host: whether it speaks the node protocol, and whether its nodes do the same every time.

use std::sync::Arc;
use std::time::Duration;

use shakedown_cluster::{
    CaughtPanics, Cluster, Contract, DiskModel, Fingerprint, InProcess, Loss, MessageIndex, NodeId, Options,
    Order, Random, Recording, Setup, Step, StepKind, Stop,
};

use crate::{
    Call, Encoding, Host, HostCommand, HostPool, Plain, PlainState, RemoteNode, Reply, Value, Vocabulary,
};

/// How many nodes a cluster of the check has.
const NODES: usize = 3;
/// How many steps an execution of the check has.
const STEPS: usize = 300;
/// The seeds of its executions.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=10;
/// The time that a host has to end, or to complain.
const END_TIME: Duration = Duration::from_secs(2);

/// What came of one part of the check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// What was checked.
    pub what: &'static str,
    /// What came of it.
    pub outcome: RowOutcome,
    /// A few words on it.
    pub detail: String,
}

/// Whether a host does what the protocol asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowOutcome {
    /// It does.
    Pass,
    /// It does not.
    Fail,
    /// It was not checked.
    Skipped,
}

/// Which steps were tried, for the table.
type Tried = [usize; StepKind::ALL.len()];

/// What a host is checked with.
#[derive(Clone, Debug)]
pub struct HostCheck {
    /// What clients ask, as JSON.
    pub requests: Vec<Arc<str>>,
    /// What nodes are given at boot.
    pub options: Options,
    /// When writes are durable.
    pub disk: DiskModel,
}

/// Checks a host by starting it several times.
pub fn check_host(command: &HostCommand, check: &HostCheck) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut add = |what, result: Result<String, String>| {
        let (outcome, detail) = match result {
            Ok(detail) => (RowOutcome::Pass, detail),
            Err(detail) => (RowOutcome::Fail, detail),
        };
        rows.push(Row { what, outcome, detail });
        outcome == RowOutcome::Pass
    };
    let command = command.clone().pinned(true);
    let (json, msgpack) =
        (command.clone().encoding(Encoding::Json), command.clone().encoding(Encoding::MsgPack));
    if !add("handshake", handshake(&json)) {
        return rows;
    }
    let has_msgpack = matches!(Host::start(&msgpack), Ok(host) if host.encoding() == Encoding::MsgPack);
    add("MessagePack", Ok(if has_msgpack { "spoken" } else { "not spoken: JSON is used" }.to_owned()));
    let play = |command: &HostCommand| play_all(command, check);
    let first = play(&json);
    if !add("every call", first.as_ref().map(|played| played.1.clone()).map_err(Clone::clone)) {
        return rows;
    }
    let first = first.map(|played| played.0).unwrap_or_default();
    let same = |second: Result<(Vec<Fingerprint>, String), String>, what: &str| {
        let (second, _) = second?;
        match first.iter().zip(&second).position(|(a, b)| a != b) {
            None => Ok(format!("{} executions, {what}", first.len())),
            Some(at) => Err(format!("execution {} differs, {what}", at + 1)),
        }
    };
    add("same in another process", same(play(&json), "one process after the other"));
    if has_msgpack {
        add("same in MessagePack", same(play(&msgpack), "both encodings"));
    }
    add("clusters apart", clusters_apart(&json, check));
    add("observe", observe_is_the_state(&json, &check.options));
    add("malformed frames", refuses_garbage(&json));
    add("end of input", ends_with_its_input(&json));
    rows
}

fn handshake(command: &HostCommand) -> Result<String, String> {
    let host = Host::start(command).map_err(|error| error.to_string())?;
    let hello = host.hello();
    let calls = if hello.calls.is_empty() { "no optional calls".to_owned() } else { hello.calls.join(", ") };
    if hello.name.is_empty() || hello.version.is_empty() {
        return Err("`name` and `version` are missing".to_owned());
    }
    Ok(format!("{}, version {}; hears {calls}", hello.name, hello.version))
}

type Nodes = InProcess<RemoteNode<Plain>>;

fn boot(pool: &HostPool, seed: u64, check: &HostCheck) -> Result<Nodes, String> {
    // Sessions bring all calls: connections that are lost and come back.
    let contract =
        Contract { order: Order::Any, loss: Loss::Session, disk: check.disk, ..Contract::asynchronous() };
    let setup = Setup {
        nodes: NODES,
        contract,
        options: Arc::new(check.options.clone()),
        workload: Vec::new(),
        steps: STEPS,
        seed,
        recording: Recording::Brief,
    };
    InProcess::boot_in(Some(Arc::new(pool.clone())), &setup, CaughtPanics::Findings)
        .map_err(|error| error.to_string())
}

/// Plays an execution for each seed, on one host.
fn play_all(command: &HostCommand, check: &HostCheck) -> Result<(Vec<Fingerprint>, String), String> {
    let pool = HostPool::with_notice(command.clone(), Arc::new(|_| {}));
    let mut tried = Tried::default();
    let mut fingerprints = Vec::new();
    for seed in SEEDS {
        let mut cluster = boot(&pool, seed, check)?;
        let mut random = Random::new(seed);
        for _ in 0..STEPS {
            if !play_one(&mut cluster, &check.requests, &mut random, &mut tried) {
                break;
            }
        }
        if let Some(Stop::Panicked(node, panic)) = cluster.board().stopped() {
            return Err(format!("{node} {panic}"));
        }
        fingerprints.push(cluster.board().fingerprint());
    }
    let done = StepKind::ALL.iter().zip(tried).filter(|(_, count)| *count > 0);
    let texts: Vec<_> = done.map(|(kind, count)| format!("{count} × {}", kind.word())).collect();
    Ok((fingerprints, texts.join(", ")))
}

/// Does one step that is drawn at random. Whether more can be done.
fn play_one(cluster: &mut Nodes, requests: &[Arc<str>], random: &mut Random, tried: &mut Tried) -> bool {
    let step = {
        let board = cluster.board();
        let node = NodeId::from_index(random.index(NODES));
        let peer = NodeId::from_index((node.index() + 1) % NODES);
        let deliverable = board.deliverable();
        match random.below(20) {
            0..=9 if !deliverable.is_empty() => {
                let message: MessageIndex = deliverable[random.index(deliverable.len())];
                board.deliver(message)
            }
            10 | 11 if !requests.is_empty() => {
                Step::Request(node, Arc::clone(&requests[random.index(requests.len())]))
            }
            12 if board.has_ripe_timers() => match board.ripe_timers().next() {
                Some((node, timer)) => Step::Fire(node, timer),
                None => Step::Tick(node),
            },
            13 => Step::Crash { node, keep: 0 },
            14 => Step::Restart(node),
            15 => Step::Cut(node, peer),
            16 => Step::Heal(node, peer),
            17 => Step::Flush(node),
            _ => Step::Tick(node),
        }
    };
    let kind = step.kind();
    // A step that makes no sense now is refused, and the next one is drawn.
    if cluster.perform(&step).is_ok()
        && let Some(place) = StepKind::ALL.iter().position(|known| *known == kind)
    {
        tried[place] += 1;
    }
    cluster.board().stopped().is_none()
}

/// Two clusters in one host, step by step in turns: each does what it does alone.
fn clusters_apart(command: &HostCommand, check: &HostCheck) -> Result<String, String> {
    let pool = HostPool::with_notice(command.clone(), Arc::new(|_| {}));
    let play = |seeds: &[u64]| -> Result<Vec<Fingerprint>, String> {
        let mut clusters = Vec::new();
        for seed in seeds {
            clusters.push((boot(&pool, *seed, check)?, Random::new(*seed)));
        }
        for _ in 0..STEPS {
            for (cluster, random) in &mut clusters {
                play_one(cluster, &check.requests, random, &mut Tried::default());
            }
        }
        Ok(clusters.iter().map(|(cluster, _)| cluster.board().fingerprint()).collect())
    };
    let (alone, other, together) = (play(&[1])?, play(&[2])?, play(&[1, 2])?);
    if together == [alone, other].concat() {
        Ok("two clusters in one host do what they do alone".to_owned())
    } else {
        Err("two clusters in one host do something else than alone: nodes share something".to_owned())
    }
}

type PlainReply = Reply<Value, <Plain as Vocabulary>::Changes>;

/// Makes a call and takes in what it reports of the state.
fn show_state(host: &mut Host, call: &Call<'_, Value, Value>, state: &mut PlainState) -> Result<(), String> {
    let reply: PlainReply = host.call(call).map_err(|failure| failure.to_string())?;
    match reply {
        Reply { panic: Some(panic), .. } => Err(format!("the node failed: {}", panic.message)),
        Reply { state: Some(changes), .. } => Plain::change(state, changes),
        _ => Ok(()),
    }
}

/// The changes of a state that a node reported add up to the state that it shows when it is asked.
fn observe_is_the_state(command: &HostCommand, options: &Options) -> Result<String, String> {
    let mut host = Host::start(command).map_err(|error| error.to_string())?;
    let node = host.new_node();
    let disk = std::collections::BTreeMap::new();
    let (mut added, mut whole) = (PlainState::default(), PlainState::default());
    let seq = host.next_seq();
    let boot = Call::Boot {
        seq,
        node,
        id: 1,
        nodes: 1,
        life: 1,
        now: 0,
        seed: format!("{:016x}", 7),
        options: options.iter().collect(),
        disk: &disk,
    };
    show_state(&mut host, &boot, &mut added)?;
    let seq = host.next_seq();
    show_state(&mut host, &Call::Observe { seq, node }, &mut whole)?;
    if added == whole {
        Ok(format!("the state is {added:?}"))
    } else {
        Err(format!("boot reported {added:?}, and `observe` shows {whole:?}"))
    }
}

fn refuses_garbage(command: &HostCommand) -> Result<String, String> {
    let command = command.clone().reply_time(END_TIME);
    let mut outcomes = Vec::new();
    for (what, garbage) in
        [("text", &b"garbage\n"[..]), ("a call without a node", b"{\"call\":\"tick\",\"seq\":1}\n")]
    {
        let mut host = Host::start(&command).map_err(|error| error.to_string())?;
        match host.probe(garbage) {
            Some(reply) if !reply.contains("panic") && !reply.contains("error") => {
                return Err(format!("it replied to {what} as if nothing were wrong: {reply}"));
            }
            Some(_) => outcomes.push(format!("{what}: an error reply")),
            None if host.hangs() => return Err(format!("it neither replied to {what} nor ended")),
            None => outcomes.push(format!("{what}: it ended")),
        }
    }
    Ok(outcomes.join("; "))
}

fn ends_with_its_input(command: &HostCommand) -> Result<String, String> {
    let host = Host::start(command).map_err(|error| error.to_string())?;
    match host.close() {
        Some(status) if status.success() => Ok("it ended by itself".to_owned()),
        Some(status) => Err(format!("it ended with {status}")),
        None => Err("it went on when its standard input had ended".to_owned()),
    }
}
