//! Servers that others start: threads of this test, which speak the library's protocol by hand.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use shakedown_cluster::{Contract, Recording, Schedule, Step};
use shakedown_live::{Deployment, LiveNode, LiveSettings, Ready, Replicas, TransportKind, live};
use shakedown_target::{AnyTarget, Beat, Outcome, Target, Verdict, follow};

/// A port that nothing listens on.
fn address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    listener.local_addr().expect("it is bound")
}

fn target(replicas: &Replicas, seconds: u64) -> Target<LiveNode> {
    let deployment = Deployment {
        listen: Some(replicas.clone()),
        transport: TransportKind::Library,
        ready: Ready { seconds: Some(seconds), ..Ready::default() },
        ..Deployment::new([""; 0])
    };
    let settings = LiveSettings { deployment, here: Path::new(".").to_owned(), clients: None };
    live(Target::new("echo").nodes(2), settings, Contract::asynchronous())
}

/// Answers every `Ping` with a `Pong`, in one execution after the other, and says how often it was welcomed.
fn server(address: SocketAddr, token: String, node: usize, executions: usize) -> JoinHandle<usize> {
    std::thread::spawn(move || {
        let mut welcomed = 0;
        let began = Instant::now();
        while welcomed < executions && began.elapsed() < Duration::from_secs(60) {
            let Ok(mut stream) = TcpStream::connect(address) else {
                std::thread::yield_now();
                continue;
            };
            let mut say = |line: Value| writeln!(stream, "{line}").is_ok();
            say(json!({"type": "hello", "protocol": 1, "token": token, "node": node}));
            // It waits until both are ready, so the execution begins with it.
            if node == 1 {
                say(json!({"type": "send", "to": 2, "kind": "Ping", "fields": {"number": 1}}));
            }
            say(json!({"type": "ready"}));
            let reader = BufReader::new(stream.try_clone().expect("it is open"));
            for line in reader.lines().map_while(Result::ok) {
                let given: Value = serde_json::from_str(&line).expect("it is JSON");
                match given["type"].as_str().expect("it has a type") {
                    "welcome" => welcomed += 1,
                    "deliver" => {
                        if given["kind"] == "Ping" {
                            let to = &given["from"];
                            writeln!(stream, "{}", json!({"type": "send", "to": to, "kind": "Pong"}))
                                .expect("it is open");
                        }
                        writeln!(stream, "{}", json!({"type": "done", "seq": given["seq"]}))
                            .expect("it is open");
                    }
                    "end" => break,
                    other => panic!("`{other}` is not expected"),
                }
            }
        }
        welcomed
    })
}

fn done(target: &Target<LiveNode>, steps: &[&str]) -> Result<Outcome, String> {
    let steps: Vec<Step> = steps.iter().map(|step| step.parse().expect(step)).collect();
    let live = target.begin(target.defaults(), 1, Recording::Full).map_err(|error| error.to_string())?;
    follow(live, &Schedule { steps }, &Beat::default()).map_err(|error| error.to_string())
}

#[test]
fn servers_that_others_start_take_part_in_one_execution_after_the_other() {
    let (address, notices) = (address(), Arc::new(Mutex::new(Vec::new())));
    let replicas = Replicas::new(address).expect("it is of this machine");
    let heard = Arc::clone(&notices);
    replicas.on_notice(move |text| heard.lock().expect("it is whole").push(text.to_owned()));
    let target = target(&replicas, 60);
    let servers = [1, 2].map(|node| server(address, replicas.token().to_owned(), node, 2));
    for _ in 0..2 {
        let outcome = done(&target, &["deliver n1>n2#1 Ping", "tick n1", "deliver n2>n1#1 Pong"]);
        assert_eq!(outcome.map(|outcome| outcome.verdict), Ok(Verdict::Pass));
    }
    assert_eq!(servers.map(|server| server.join().expect("it does not panic")), [2, 2]);
    let notices = notices.lock().expect("it is whole");
    let [notice] = notices.as_slice() else { panic!("{notices:?}") };
    assert!(
        notice.contains(&format!("waiting for 2 servers: start them with SHAKEDOWN_LIVE={address}")),
        "{notice}"
    );
}

#[test]
fn what_cannot_be_done_with_them_is_refused_or_says_who_is_missing() {
    let address = address();
    let replicas = Replicas::new(address).expect("it is of this machine");
    let only = server(address, replicas.token().to_owned(), 1, 2);
    let error = done(&target(&replicas, 3), &[]).err().expect("n2 is missing");
    assert!(
        error.contains("not all servers have registered: n2: it has not registered at 127.0.0.1:"),
        "{error}"
    );
    assert!(!error.contains("n1:") && error.contains("within 3 s"), "{error}");

    let other = server(address, replicas.token().to_owned(), 2, 1);
    let target = target(&replicas, 60);
    let live = target.begin(target.defaults(), 1, Recording::Brief).expect("both register");
    let second = target.begin(target.defaults(), 1, Recording::Brief).err().expect("they are taken");
    assert!(second.to_string().contains("one execution at a time"), "{second}");
    let steps = vec!["crash n1".parse().expect("it is a step")];
    let refused = follow(live, &Schedule { steps }, &Beat::default()).err().expect("it is not our process");
    assert!(refused.to_string().contains("`crash`"), "{refused}");
    assert_eq!((only.join().expect("it ends"), other.join().expect("it ends")), (2, 1));
}
