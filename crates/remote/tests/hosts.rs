//! Hosts that behave and hosts that do not. The test program is the host, too: it starts itself again.

mod counter;

use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use shakedown_cluster::{
    CaughtPanics, Cluster, Contract, DiskModel, Fingerprint, InProcess, NodeId, Options, Recording, Setup,
    Step, Stop,
};
use shakedown_remote::{Encoding, HostCommand, HostPool, Plain, RemoteNode};

type Counters = InProcess<RemoteNode<Plain>>;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some(counter::HOST) {
        counter::serve(&arguments.next().unwrap_or_default());
        return ExitCode::SUCCESS;
    }
    let cases = shakedown_cases::cases!(
        both_encodings_give_the_same_execution,
        a_node_forgets_what_it_did_not_write,
        an_unflushed_write_is_lost,
        calls_that_a_host_does_not_hear_are_not_written,
        a_host_serves_many_executions,
        the_command_is_printed_before_it_first_runs,
        a_host_that_cannot_start_is_an_error,
    );
    MISBEHAVIOURS
        .iter()
        .fold(cases, |cases, (way, expected)| {
            let cases = cases.and(format!("msgpack::{way}"), || misbehave(Encoding::MsgPack, way, expected));
            cases.and(format!("json::{way}"), || misbehave(Encoding::Json, way, expected))
        })
        .run()
}

/// A way to misbehave in the reply to the first request, and what the finding says.
const MISBEHAVIOURS: &[(&str, &str)] = &[
    ("exits", "the host, at the call `request`, ended, with exit code 3"),
    ("aborts", "the host, at the call `request`, ended, by signal 6"),
    ("leaves-early", "ended, with exit code 0"),
    ("hangs", "the host, at the call `request`, gave no reply within 0.3 s"),
    ("grows", "used more than 192 MiB of memory"),
    ("garbage", "the host, at the call `request`,"),
    ("prints", "the host, at the call `request`,"),
    ("endless", "wrote a frame of more than 16777216 bytes"),
    ("twice", "replied out of turn"),
    ("wrong-seq", "replied out of turn"),
    ("floods", "sends 10001 messages at once; at most 10000 are allowed"),
    ("to-nobody", "sends a Add to node 9, which does not exist"),
    ("bad-kind", "`two words` is not a name"),
    ("bad-timer", "changes a timer without `set` or `cancel`"),
    ("bad-fact", "the field `list` of a fact is [1]"),
    ("deep", "cannot be read"),
    ("panics", "index out of range"),
];

fn command(encoding: Encoding, way: &str) -> HostCommand {
    let program = std::env::current_exe().expect("the program has a path");
    HostCommand::new(program)
        .args([counter::HOST, way])
        .encoding(encoding)
        .reply_time(Duration::from_millis(if way == "hangs" { 300 } else { 10_000 }))
        .memory_max(192 << 20)
}

fn quiet_pool(encoding: Encoding, way: &str) -> HostPool {
    HostPool::with_notice(command(encoding, way), Arc::new(|_| {}))
}

fn setup(disk: DiskModel) -> Setup {
    Setup {
        nodes: 3,
        contract: Contract { disk, ..Contract::asynchronous() },
        options: Arc::new(Options::default()),
        workload: [r#"{"add":5}"#, r#"{"add":7}"#].map(Arc::from).to_vec(),
        steps: 100,
        seed: 4,
        recording: Recording::Full,
    }
}

fn boot(pool: &HostPool, disk: DiskModel) -> Counters {
    InProcess::boot_in(Some(Arc::new(pool.clone())), &setup(disk), CaughtPanics::Findings).expect("it boots")
}

fn node(number: usize) -> NodeId {
    NodeId::new(number)
}

fn perform(cluster: &mut Counters, step: &str) {
    let step: Step = step.parse().unwrap_or_else(|error| panic!("{step}: {error}"));
    cluster.perform(&step).unwrap_or_else(|error| panic!("{step}: {error}"));
}

fn total(cluster: &Counters, number: usize) -> String {
    cluster.states()[node(number).index()].get("total").map(ToString::to_string).unwrap_or_default()
}

const STEPS: &[&str] = &[
    r#"request n1 {"add":5}"#,
    "deliver n1>n2#1 Add",
    "tick n2",
    "tick n2",
    "deliver n2>n1#1 Seen",
    r#"request n2 {"add":7}"#,
    "deliver n2>n3#1 Add",
    "crash n2",
    "restart n2",
    "fire n3 remind",
];

fn play(pool: &HostPool) -> (Fingerprint, Vec<String>) {
    let mut cluster = boot(pool, DiskModel::Synchronous);
    STEPS.iter().for_each(|step| perform(&mut cluster, step));
    assert_eq!(cluster.board().stopped(), None);
    let shown = NodeId::first(3).map(|node| format!("{:?}", cluster.states()[node.index()])).collect();
    let fingerprint = cluster.board().fingerprint();
    (fingerprint, shown)
}

fn both_encodings_give_the_same_execution() {
    let (msgpack, shown) = play(&quiet_pool(Encoding::MsgPack, ""));
    assert_eq!(
        shown,
        [
            "answered 1 drawn 0 total 5",
            "answered 0 drawn 6 total 12",
            "answered 0 drawn 6 reminded true total 12"
        ]
    );
    assert_eq!(play(&quiet_pool(Encoding::Json, "")), (msgpack, shown));
}

fn a_node_forgets_what_it_did_not_write() {
    let pool = quiet_pool(Encoding::MsgPack, "");
    let mut cluster = boot(&pool, DiskModel::Synchronous);
    perform(&mut cluster, r#"request n1 {"add":5}"#);
    assert_eq!(total(&cluster, 1), "5");
    perform(&mut cluster, "crash n1");
    perform(&mut cluster, "restart n1");
    assert_eq!(total(&cluster, 1), "5");
    assert_eq!(cluster.states()[0].get("answered").map(ToString::to_string), Some("0".to_owned()));
}

fn an_unflushed_write_is_lost() {
    let pool = quiet_pool(Encoding::Json, "");
    let mut cluster = boot(&pool, DiskModel::Buffered);
    perform(&mut cluster, r#"request n1 {"add":5}"#);
    perform(&mut cluster, "flush n1");
    perform(&mut cluster, r#"request n1 {"add":7}"#);
    assert_eq!(total(&cluster, 1), "12");
    perform(&mut cluster, "crash n1");
    perform(&mut cluster, "restart n1");
    assert_eq!(total(&cluster, 1), "5");
}

fn calls_that_a_host_does_not_hear_are_not_written() {
    // This host fails at every tick, but it does not ask to hear them.
    let pool = quiet_pool(Encoding::MsgPack, "deaf");
    let mut cluster = boot(&pool, DiskModel::Synchronous);
    perform(&mut cluster, "tick n1");
    assert_eq!(cluster.board().stopped(), None);
}

fn a_host_serves_many_executions() {
    let pool = quiet_pool(Encoding::MsgPack, "");
    for _ in 0..20 {
        play(&pool);
    }
    assert_eq!(pool.started(), 1);
    let in_thread = pool.clone();
    std::thread::spawn(move || play(&in_thread)).join().expect("it plays");
    assert_eq!(pool.started(), 2);
    // The host of a thread that has ended serves the next one.
    let in_thread = pool.clone();
    std::thread::spawn(move || play(&in_thread)).join().expect("it plays");
    assert_eq!(pool.started(), 2);
}

fn the_command_is_printed_before_it_first_runs() {
    let printed = Arc::new(Mutex::new(Vec::new()));
    let into = Arc::clone(&printed);
    let notice = move |text: &str| into.lock().expect("nobody panics").push(text.to_owned());
    let command = command(Encoding::MsgPack, "with space");
    let pool = HostPool::with_notice(command, Arc::new(notice));
    assert!(printed.lock().expect("nobody panics").is_empty());
    boot(&pool, DiskModel::Synchronous);
    boot(&pool, DiskModel::Synchronous);
    let printed = printed.lock().expect("nobody panics");
    assert_eq!(printed.len(), 1);
    assert!(
        printed[0].starts_with("starts ") && printed[0].ends_with(" serve-counters 'with space'"),
        "{printed:?}"
    );
}

fn a_host_that_cannot_start_is_an_error() {
    use shakedown_cluster::Environment as _;
    let error =
        |command| HostPool::with_notice(command, Arc::new(|_| {})).prepare().expect_err("it cannot start");
    let missing = error(HostCommand::new("./no-such-program"));
    assert!(missing.starts_with("the host `./no-such-program` cannot be started: "), "{missing}");
    for (way, expected) in [
        ("old", "speaks version 7 of the node protocol, not 1"),
        ("refuses", "refused: no licence"),
        ("odd-calls", "`calls` names `sing`, which is none of tick, fire, request"),
        ("silent", "broke off the handshake: it gave no reply within 0.2 s"),
        (
            "leaves",
            "ended before the handshake, with exit code 4\nits standard error ends with:\nout of paper",
        ),
        ("chatty", "began with something else than a handshake: Starting up! ("),
    ] {
        let command = command(Encoding::MsgPack, way).start_time(Duration::from_millis(200));
        let error =
            error(if way == "silent" { command } else { command.start_time(Duration::from_secs(20)) });
        assert!(error.contains(expected), "{way}: {error}");
    }
}

fn misbehave(encoding: Encoding, way: &str, expected: &str) {
    let pool = quiet_pool(encoding, way);
    let began = Instant::now();
    for round in 1..=2 {
        let mut cluster = boot(&pool, DiskModel::Synchronous);
        perform(&mut cluster, r#"request n1 {"add":5}"#);
        let Some(Stop::Panicked(culprit, panic)) = cluster.board().stopped() else {
            panic!("{way}: no finding, but {:?}", cluster.board().stopped());
        };
        assert_eq!(*culprit, node(1));
        assert!(panic.message.contains(expected), "{way}: {}", panic.message);
        let place = if way == "panics" { "counter.go:12" } else { "the host" };
        assert_eq!(panic.place, place);
        if panic.message.contains("last frames") {
            assert!(
                panic.message.contains(r#"> {"call":"request","now":0,"id":0,"request":{"add":5}}"#),
                "{panic}"
            );
        }
        // A host whose node failed, or whose effects were refused, goes on; every other one is replaced.
        let goes_on = !panic.message.contains("the host, at the call");
        assert_eq!(pool.started(), if goes_on { 1 } else { round }, "{way}: {panic}");
    }
    assert!(began.elapsed() < Duration::from_secs(60), "{way}");
}
