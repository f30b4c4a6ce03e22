//! A small server in Python, as a process of its own: steps do to it what they say, and nothing of it stays.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use shakedown_check::{Doubt, Linearizable, RegisterAnswer, RegisterOp, Registers, understand_registers};
use shakedown_cluster::{Contract, Fate, NodeId, Recording, RequestInfo, Schedule, Step, StepKind};
use shakedown_explore::{Environment, Execution, Explorer, RandomWalk};
use shakedown_live::{Client, Clients, Deployment, LiveNode, LiveSettings, Outcome, Ready, has_failed, live};
use shakedown_remote::Value;
use shakedown_target::{AnyTarget, Beat, Config, Outcome as Ending, Target, Verdict, execute, follow};
use shakedown_wire::Protocol;
use shakedown_wire::length_prefixed::Layout;

struct LineProtocol;

impl Clients for LineProtocol {
    fn client(&self, servers: &[SocketAddr], first: NodeId) -> Result<Box<dyn Client>, String> {
        Ok(Box::new(Lines(servers[first.index()])))
    }
}

/// A connection for each request.
struct Lines(SocketAddr);

impl Client for Lines {
    fn call(&mut self, request: &str, until: Instant) -> Outcome {
        let time = until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        let Ok(stream) = TcpStream::connect_timeout(&self.0, time) else {
            return Outcome::Failed("no connection".to_owned());
        };
        let asked = stream.set_read_timeout(Some(time)).and_then(|()| writeln!(&stream, "{request}"));
        let mut line = String::new();
        match asked.and_then(|()| BufReader::new(&stream).read_line(&mut line)) {
            Ok(1..) => Outcome::Answer(line.trim().to_owned()),
            Ok(0) => Outcome::Unknown("closed".to_owned()),
            Err(error) => Outcome::Unknown(error.to_string()),
        }
    }
}

fn servers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers")
}

fn deployment(flags: &[&str]) -> Deployment {
    let words = [
        "python3",
        "{here}/abd.py",
        "--id",
        "{id}",
        "--peer-port",
        "{port:peer}",
        "--client-port",
        "{port:client}",
        "--peers",
        "{peers}",
        "--data",
        "{data}",
    ];
    Deployment {
        ports: ["peer", "client"].map(str::to_owned).to_vec(),
        proxied: vec!["peer".to_owned()],
        client_port: Some("client".to_owned()),
        peer: "{id}={address:peer}".to_owned(),
        decoders: [("peer".to_owned(), Protocol::LengthPrefixed(Layout::default()))].into(),
        final_requests: vec![r#"{"write":[0,9000]}"#.to_owned(), r#"{"read":0}"#.to_owned()],
        ready: Ready { log: Some("ready".to_owned()), ..Ready::default() },
        ..Deployment::new(words.into_iter().chain(flags.iter().copied()))
    }
}

type Understood = Result<Option<(RegisterOp, Option<RegisterAnswer>)>, Doubt>;

fn understand(request: &RequestInfo) -> Understood {
    if has_failed(request) { Ok(None) } else { understand_registers(request) }
}

fn target(flags: &[&str]) -> Target<LiveNode> {
    target_of(deployment(flags))
}

fn target_of(deployment: Deployment) -> Target<LiveNode> {
    let settings = LiveSettings { deployment, here: servers(), clients: Some(Arc::new(LineProtocol)) };
    let request = |number: usize, random: &mut shakedown_cluster::Random| {
        let text = match random.below(2) {
            0 => r#"{"read":0}"#.to_owned(),
            _ => format!(r#"{{"write":[0,{}]}}"#, number + 1),
        };
        serde_json::from_str::<Value>(&text).expect("it is JSON")
    };
    let target = Target::<LiveNode>::new("abd")
        .version("a test server")
        .steps(150)
        .requests(12, request)
        .oracles(|_| vec![Box::new(Linearizable::new(Registers, understand))]);
    live(target, settings, Contract::sessions())
}

fn config(target: &Target<LiveNode>, options: &[(&str, &str)]) -> Config {
    let mut config = target.defaults().clone();
    for (name, value) in options {
        config.options.set(*name, value);
    }
    config
}

fn walk(target: &Target<LiveNode>, config: &Config, seed: u64) -> Ending {
    let live = target.begin(config, seed, Recording::Full).expect("the servers start");
    let environment = Environment::new(target.info().weights.clone(), config.crashes);
    let execution = Execution { number: 0, seed, steps_max: config.steps };
    let mut strategy = RandomWalk::new(environment).strategy(&execution);
    execute(live, strategy.as_mut(), config.steps, &Beat::default())
}

#[test]
fn a_register_is_linearizable_and_available_under_cuts_kills_and_pauses() {
    let target = target(&[]);
    let config = config(&target, &[("pauses", "true")]);
    let (mut kinds, mut received, mut answered) = (Vec::new(), 0, 0);
    for seed in 1..=3 {
        let Ending { verdict, trace, .. } = walk(&target, &config, seed);
        assert_eq!(verdict, Verdict::Pass, "seed {seed}");
        kinds.extend(trace.board.steps().iter().map(Step::kind));
        received += trace.board.messages().iter().filter(|m| matches!(m.fate, Fate::Received(_))).count();
        answered += trace.board.requests().iter().filter(|request| request.answer.is_some()).count();
        assert_eq!(trace.states.len(), trace.board.moments().len());
        assert_eq!(trace.message_texts.len(), trace.board.messages().len());
    }
    for kind in [StepKind::Crash, StepKind::Restart, StepKind::Cut, StepKind::Heal, StepKind::Fire] {
        assert!(kinds.contains(&kind), "no step `{}` was done", kind.word());
    }
    assert!(
        received > 50 && answered > 10,
        "{received} messages were received, {answered} requests answered"
    );
}

#[test]
fn links_can_be_controlled_without_a_decoder() {
    let target = target(&[]);
    let config = config(&target, &[("grain", "link"), ("cuts", "silent"), ("delay_ms", "2")]);
    let Ending { verdict, trace, .. } = walk(&target, &Config { steps: 60, ..config }, 4);
    assert_eq!(verdict, Verdict::Pass);
    assert!(trace.board.messages().is_empty());
}

/// These steps, one after the other.
fn done(target: &Target<LiveNode>, steps: &[&str]) -> Ending {
    let steps = steps.iter().map(|step| step.parse().expect(step)).collect();
    let live = target.begin(target.defaults(), 1, Recording::Full).expect("the servers start");
    follow(live, &Schedule { steps }, &Beat::default()).expect("every step can be done")
}

#[test]
fn a_server_that_answers_by_what_it_holds_itself_is_found_out() {
    let ticks = |node: &'static str| std::iter::repeat_n(node, 20);
    let steps: Vec<&str> = [r#"request n1 {"write":[0,7]}"#]
        .into_iter()
        .chain(ticks("tick n1"))
        .chain([r#"request n2 {"read":0}"#])
        .chain(ticks("tick n2"))
        .collect();
    let Ending { verdict, .. } = done(&target(&["--local"]), &steps);
    let Verdict::Fail(violation) = verdict else { panic!("{verdict:?}") };
    assert_eq!(violation.property, "linearizability");
    assert_eq!(done(&target(&[]), &steps).verdict, Verdict::Pass);
}

#[test]
fn a_message_that_is_held_arrives_when_it_is_delivered_and_not_before() {
    let ticks = std::iter::repeat_n("tick n1", 20);
    let ask = [r#"request n1 {"write":[0,7]}"#].into_iter().chain(ticks.clone());
    let held = done(&target(&[]), &ask.clone().collect::<Vec<_>>());
    let is_settling = |step: &Step| matches!(step, Step::Round { .. });
    let before = held.trace.board.steps().iter().position(is_settling).expect("it was brought to an end");
    let request = &held.trace.board.requests()[0];
    let answered_at = |ending: &Ending| {
        let board = &ending.trace.board;
        let answered = board.events().nth(request.answered.expect("it was answered") as usize);
        board.moments()[answered.expect("there is such an event").moment as usize].step as usize
    };
    assert!(answered_at(&held) > before, "it was answered although no message was delivered");
}

#[test]
fn a_request_that_stays_open_is_named_where_all_have_to_be_answered() {
    // Its messages are held, so it cannot be answered before the server that was asked is killed. The ticks
    // give the client time to send it: what was never sent would be asked again.
    let ticks = std::iter::repeat_n("tick n1", 20);
    let steps: Vec<&str> =
        [r#"request n1 {"write":[0,7]}"#].into_iter().chain(ticks).chain(["crash n1"]).collect();
    let final_properties = [("readable".to_owned(), r#"{"read":0}"#.to_owned())];
    let patient = Deployment { final_properties: final_properties.into(), ..deployment(&[]) };
    assert_eq!(done(&target_of(patient.clone()), &steps).verdict, Verdict::Pass);
    let strict = Deployment { answers: Some("answered".to_owned()), ..patient };
    let Ending { verdict, .. } = done(&target_of(strict), &steps);
    let Verdict::Fail(violation) = verdict else { panic!("{verdict:?}") };
    assert_eq!(violation.property, "availability:answered");
    assert!(violation.reason.starts_with("1 of 4 requests were not answered"), "{}", violation.reason);
}

#[test]
fn messages_are_not_left_out_of_what_cannot_be_read() {
    let blind = target_of(Deployment { decoders: Default::default(), ..deployment(&[]) });
    let config = config(&blind, &[("cuts", "lossy")]);
    let refused = blind.begin(&config, 1, Recording::Brief).err().expect("there are no decoders");
    assert!(refused.to_string().contains("needs one of the `decoders`"), "{refused}");
}

/// Not a test of its own: the program that the next test kills.
#[test]
fn a_program_that_is_killed() {
    if std::env::var_os("SHAKEDOWN_TEST_VICTIM").is_none() {
        return;
    }
    let target = target(&[]);
    let _live = target.begin(target.defaults(), 1, Recording::Brief).expect("the servers start");
    println!("up");
    loop {
        std::thread::park();
    }
}

/// The processes whose command line holds this text.
fn processes(text: &str) -> usize {
    let folders = std::fs::read_dir("/proc").expect("this is Linux").filter_map(Result::ok);
    let lines = folders.filter_map(|folder| std::fs::read(folder.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(text)).count()
}

#[test]
fn nothing_is_left_behind_when_this_program_is_killed() {
    let folder = tempfile::tempdir().expect("there is room");
    let mut victim = Command::new(std::env::current_exe().expect("it runs"))
        .args(["--exact", "a_program_that_is_killed", "--nocapture"])
        .env("SHAKEDOWN_TEST_VICTIM", "1")
        .env("TMPDIR", folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let output = BufReader::new(victim.stdout.take().expect("it has a pipe"));
    assert!(output.lines().map_while(Result::ok).any(|line| line == "up"));
    let name = folder.path().to_str().expect("it is text");
    assert_eq!(processes(name), 3, "each server has its folder among its arguments");
    assert_eq!(std::fs::read_dir(folder.path()).expect("it is there").count(), 1);
    victim.kill().expect("it runs");
    victim.wait().expect("it was killed");
    let began = Instant::now();
    let left = || processes(name) + std::fs::read_dir(folder.path()).map_or(0, Iterator::count);
    while left() > 0 {
        assert!(began.elapsed() < Duration::from_secs(30), "{} are left", left());
        std::thread::yield_now();
    }
}
