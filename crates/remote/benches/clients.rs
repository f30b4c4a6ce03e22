//! How many activations a second the client libraries reach: the register of each library's examples, by both
//! encodings, with the host on the same core as its caller, one call at a time.
//!
//! All are measured in one run, in turns: `cargo bench -p shakedown-remote --profile release`. A program that
//! is missing is left out. An activation is one call of a node and its reply.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use shakedown_remote::{Call, Encoding, Host, HostCommand, Plain, Reply, Value, Vocabulary};

const ROUNDS: usize = 7;
/// How often a cluster is booted in a round, and how many writes it gets.
const CLUSTERS: usize = 10;
const WRITES: u64 = 100;
const NODES: usize = 3;
const ENCODINGS: [(Encoding, &str); 2] = [(Encoding::MsgPack, "MessagePack"), (Encoding::Json, "JSON")];

/// A library's register: how it is built, in its folder of `clients`, and how it is started from there.
struct Library {
    name: &'static str,
    folder: &'static str,
    build: &'static [&'static str],
    start: &'static [&'static str],
    variables: &'static [(&'static str, &'static str)],
    /// How many clusters come before the first round: a virtual machine compiles what it has run for a while.
    warm_up: usize,
}

const LIBRARIES: &[Library] = &[
    Library {
        name: "Go",
        folder: "go",
        build: &["go", "build", "-o", "../../target/hosts/register-go", "./examples/register"],
        start: &["../../target/hosts/register-go"],
        variables: &[],
        warm_up: 0,
    },
    Library {
        name: "Java",
        folder: "java",
        build: &[
            "javac",
            "-d",
            "../../target/hosts/register-java",
            "-sourcepath",
            "src/main/java:examples",
            "examples/register/RegisterNode.java",
        ],
        start: &[
            "java",
            "-XX:+UseSerialGC",
            "-XX:-OmitStackTraceInFastThrow",
            "-cp",
            "../../target/hosts/register-java",
            "register.RegisterNode",
        ],
        variables: &[],
        warm_up: 400,
    },
    Library {
        name: "Python",
        folder: "python",
        build: &["python3", "--version"],
        start: &["python3", "examples/register/main.py"],
        variables: &[("PYTHONPATH", "src")],
        warm_up: 0,
    },
];

impl Library {
    fn folder(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../clients").join(self.folder)
    }

    fn is_built(&self) -> bool {
        let built = Command::new(self.build[0]).args(&self.build[1..]).current_dir(self.folder()).output();
        let is_built = built.is_ok_and(|output| output.status.success());
        if !is_built {
            eprintln!("left out: {} (`{}` in clients/{})", self.name, self.build.join(" "), self.folder);
        }
        is_built
    }

    fn host(&self, encoding: Encoding) -> Host {
        // The program is looked for from here, and started in its folder.
        let program = self.folder().join(self.start[0]);
        let program = if program.exists() { program } else { self.start[0].into() };
        let mut command = HostCommand::new(program).args(&self.start[1..]).encoding(encoding);
        command = command.folder(self.folder());
        for (name, value) in self.variables {
            command = command.env(*name, *value);
        }
        Host::start(&command).unwrap_or_else(|error| panic!("{error}"))
    }
}

fn main() {
    share_one_core();
    let mut rows: Vec<(String, Host, Vec<f64>)> = Vec::new();
    for library in LIBRARIES.iter().filter(|library| library.is_built()) {
        for (encoding, name) in ENCODINGS {
            let mut host = library.host(encoding);
            for _ in 0..library.warm_up {
                run(&mut host);
            }
            rows.push((format!("{}, {name}", library.name), host, Vec::new()));
        }
    }
    for _ in 0..ROUNDS {
        for (_, host, rates) in &mut rows {
            // The first cluster warms it up.
            run(host);
            let began = Instant::now();
            let activations: u64 = (0..CLUSTERS).map(|_| run(host)).sum();
            rates.push(activations as f64 / began.elapsed().as_secs_f64());
        }
    }
    println!(
        "{ROUNDS} rounds, in turns, {CLUSTERS} clusters of {NODES} nodes, {WRITES} writes each, one core\n"
    );
    println!("{:<28}{:>12}{:>12}{:>12}{:>12}", "activations a second", "median", "least", "most", "of first");
    let mut first = None;
    for (name, _, rates) in &mut rows {
        rates.sort_by(f64::total_cmp);
        let median = rates[ROUNDS / 2];
        let share = 100.0 * median / *first.get_or_insert(median);
        println!("{name:<28}{median:>12.0}{:>12.0}{:>12.0}{share:>11.1}%", rates[0], rates[ROUNDS - 1]);
    }
}

type PlainReply = Reply<Value, <Plain as Vocabulary>::Changes>;

fn call(host: &mut Host, call: &Call<'_, Value, Value>) -> PlainReply {
    let reply: PlainReply = host.call(call).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(reply.panic.is_none(), "a node failed");
    reply
}

/// Boots a cluster, lets clients write and messages arrive, and ends it; how many activations there were.
fn run(host: &mut Host) -> u64 {
    let disk = BTreeMap::new();
    let nodes: Vec<u64> = (0..NODES).map(|_| host.new_node()).collect();
    for (index, node) in nodes.iter().enumerate() {
        let seed = format!("{node:016x}");
        let (seq, node, id) = (host.next_seq(), *node, index + 1);
        let options = BTreeMap::new();
        call(host, &Call::Boot { seq, node, id, nodes: NODES, life: 1, now: 0, seed, options, disk: &disk });
    }
    let value = |json: String| serde_json::from_str::<Value>(&json).expect("it is a value");
    let mut activations = NODES as u64;
    for version in 1..=WRITES {
        let (seq, request) = (host.next_seq(), value(version.to_string()));
        let sent =
            call(host, &Call::Request { seq, node: nodes[0], now: 0, id: version as u32, request: &request });
        assert_eq!(sent.sends.len(), NODES - 1, "the primary sends a write to its backups");
        for (backup, node) in nodes.iter().enumerate().skip(1) {
            let message = value(format!(r#"{{"version":{version},"value":{version}}}"#));
            let seq = host.next_seq();
            call(host, &Call::Receive { seq, node: *node, now: 0, from: 1, kind: "Replicate", message });
            let (seq, message) = (host.next_seq(), value(format!(r#"{{"version":{version}}}"#)));
            call(
                host,
                &Call::Receive { seq, node: nodes[0], now: 0, from: backup + 1, kind: "Ack", message },
            );
        }
        activations += 1 + 2 * (NODES as u64 - 1);
    }
    for node in nodes {
        let seq = host.next_seq();
        let crash: Call<'_, Value, Value> = Call::Crash { seq, node };
        host.queue(&crash);
    }
    activations
}

/// Puts this process and the hosts that it starts on one of its cores.
#[cfg(target_os = "linux")]
fn share_one_core() {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    let given = sched_getaffinity(None).expect("the cores are known");
    let core = (0..CpuSet::MAX_CPU).find(|core| given.is_set(*core)).expect("there is one");
    let mut set = CpuSet::new();
    set.set(core);
    sched_setaffinity(None, &set).expect("a core of its own may be chosen");
}

#[cfg(not(target_os = "linux"))]
fn share_one_core() {}
