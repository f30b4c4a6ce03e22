//! Servers that do what servers should not: each is a clear error or verdict, and nothing of it stays.

use std::path::Path;
use std::time::{Duration, Instant};

use shakedown_cluster::{Contract, Recording, Schedule};
use shakedown_live::{Deployment, LiveNode, LiveSettings, Ready, ServerLimits, live};
use shakedown_target::{AnyTarget, Beat, Target, Verdict, follow};
use shakedown_wire::Protocol;
use shakedown_wire::length_prefixed::Layout;

/// Servers that are this script of the shell. They are ready when they have written so.
fn deployment(script: &str) -> Deployment {
    Deployment {
        ports: vec!["peer".to_owned()],
        proxied: vec!["peer".to_owned()],
        peer: "{proxy:peer}".to_owned(),
        peer_separator: " ".to_owned(),
        ready: Ready { log: Some("ready".to_owned()), seconds: Some(20), ..Ready::default() },
        ..Deployment::new(["sh", "-c", script, "{data}"])
    }
}

fn target(deployment: Deployment, here: &Path) -> Target<LiveNode> {
    let settings = LiveSettings { deployment, here: here.to_owned(), clients: None };
    live(Target::new("bad").nodes(2), settings, Contract::sessions())
}

/// Why an execution of these servers does not begin.
fn refused(deployment: Deployment) -> String {
    let target = target(deployment, Path::new("."));
    match target.begin(target.defaults(), 1, Recording::Brief) {
        Ok(_) => panic!("it begins"),
        Err(error) => error.to_string(),
    }
}

/// What comes of servers that become ready, after some ticks.
fn verdict(deployment: Deployment) -> Verdict {
    let target = target(deployment, Path::new("."));
    let live = target.begin(target.defaults(), 1, Recording::Brief).expect("the servers become ready");
    let steps = vec!["tick n1".parse().expect("it is a step"); 500];
    follow(live, &Schedule { steps }, &Beat::default()).expect("every step can be done").verdict
}

#[test]
fn a_server_that_never_becomes_ready() {
    let ready = Ready { log: Some("ready".to_owned()), seconds: Some(1), ..Ready::default() };
    let error = refused(Deployment { ready, ..deployment("echo busy; exec sleep 1000") });
    let expected =
        "bad cannot begin: n1 was not ready within 1 s (`ready` in its log); its log ends with: busy";
    assert_eq!(error, expected);
}

#[test]
fn a_server_that_dies_at_start() {
    let error = refused(deployment("echo 'no configuration' >&2; exit 3"));
    let expected = "was not ready when it ended with exit code 3; its log ends with: no configuration";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn a_program_that_is_not_there() {
    let error =
        refused(Deployment { ports: vec!["peer".to_owned()], ..Deployment::new(["./no-such-server"]) });
    assert!(error.contains("there is no program") && error.contains("no-such-server"), "{error}");
    let error = refused(Deployment { ports: vec!["peer".to_owned()], ..Deployment::new(["no-such-server"]) });
    assert!(error.contains("ended with exit code 127") && error.contains("not found"), "{error}");
}

#[test]
fn a_server_that_dies_later_is_a_finding() {
    let Verdict::Fail(violation) = verdict(deployment("echo ready; sleep 0.5; echo 'out of luck'; exit 9"))
    else {
        panic!("it passes")
    };
    assert_eq!(violation.property, "nodes-keep-running");
    assert!(violation.reason.contains("ended with exit code 9"), "{}", violation.reason);
    assert!(violation.reason.contains("out of luck"), "{}", violation.reason);
}

#[test]
fn a_server_that_fills_its_disk() {
    let limits = ServerLimits { disk_mib: 5, ..ServerLimits::default() };
    let script = "echo ready; sleep 0.5; head -c 9000000 /dev/zero >$0/big; exec sleep 1000";
    let Verdict::Fail(violation) = verdict(Deployment { limits, ..deployment(script) }) else {
        panic!("it passes")
    };
    assert!(violation.reason.contains("filled its folder with more than 5 MiB"), "{}", violation.reason);
}

#[test]
fn a_port_that_is_taken_is_tried_again_with_others() {
    let folder = tempfile::tempdir().expect("there is room");
    let once = "[ -f {here}/taken ] || {{ : >{here}/taken; echo 'bind: Address already in use'; exit 1; }}; \
                echo ready; exec sleep 1000";
    let target_once = target(deployment(once), folder.path());
    assert!(target_once.begin(target_once.defaults(), 1, Recording::Brief).is_ok());
    let always = "echo x >>{here}/attempts; echo 'bind: Address already in use'; exit 1";
    let target_always = target(deployment(always), folder.path());
    let Err(error) = target_always.begin(target_always.defaults(), 1, Recording::Brief) else {
        panic!("it begins")
    };
    assert!(error.to_string().contains("Address already in use"), "{error}");
    let attempts = std::fs::read_to_string(folder.path().join("attempts")).expect("it was started");
    assert!((3..=6).contains(&attempts.lines().count()), "{attempts}");
}

#[test]
fn a_connection_that_cannot_be_read_leaves_the_verdict_open() {
    let connect = "import os, socket, sys, time; print('ready', flush=True); time.sleep(0.5)\n\
                   ports = [int(port) for port in sys.argv[2].split()]\n\
                   listener = socket.create_server(('127.0.0.1', int(sys.argv[1])))\n\
                   for port in ports:\n\
                   \x20   try: socket.create_connection(('127.0.0.1', port)).sendall(b'\\xff' * 64); time.sleep(1)\n\
                   \x20   except OSError: pass\n\
                   time.sleep(1000)";
    let bad = Deployment {
        command: ["python3", "-c", connect, "{port:peer}", "{peers}"].map(str::to_owned).to_vec(),
        decoders: [("peer".to_owned(), Protocol::LengthPrefixed(Layout::default()))].into(),
        ..deployment("")
    };
    let Verdict::Unknown(reason) = verdict(bad) else { panic!("it is decided") };
    assert!(reason.contains("cannot be read") && reason.contains("lost the frame"), "{reason}");
}

/// The processes whose command line holds this text.
fn processes(text: &str) -> usize {
    let folders = std::fs::read_dir("/proc").expect("this is Linux").filter_map(Result::ok);
    let lines = folders.filter_map(|folder| std::fs::read(folder.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(text)).count()
}

#[test]
fn a_server_that_ignores_signals_is_gone_when_its_execution_is() {
    let mark = format!("stubborn-{}", std::process::id());
    let script = format!(": {mark}; trap '' TERM INT HUP; echo ready; while :; do sleep 1; done");
    let target = target(deployment(&script), Path::new("."));
    let live = target.begin(target.defaults(), 1, Recording::Brief).expect("the servers become ready");
    assert_eq!(processes(&mark), 2);
    drop(live);
    let began = Instant::now();
    while processes(&mark) > 0 {
        assert!(began.elapsed() < Duration::from_secs(30), "it is still there");
        std::thread::yield_now();
    }
}
