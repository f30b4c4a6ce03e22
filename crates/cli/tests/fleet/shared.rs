//! What a fleet shows of itself: `fleet status` and the live page.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::processes::{Process, SHAKEDOWN, heard_coordinator, worker};
use crate::server::{Server, program, wait_until};

/// It does not come to its end while it is looked at.
const CAMPAIGN: &str = "planted-raft --measure state -n 100000000";

fn status(url: &str, more: &[&str]) -> String {
    let output = Command::new(SHAKEDOWN).args(["fleet", "status", "--fleet", url]).args(more).output();
    let output = output.expect("it starts");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn status_in_json(url: &str) -> Value {
    serde_json::from_str(&status(url, &["--json"])).expect("it is JSON")
}

#[test]
fn status_and_the_live_page_show_workers_rates_and_what_comes_again() {
    let Some(nats) = program() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&nats, &folder.path().join("nats"), &[]);
    let url = server.url();
    assert!(status(&url, &[]).starts_with("no workers"));
    let _coordinator = heard_coordinator(CAMPAIGN, &url, &folder.path().join("kept"));
    let first = worker(&url);
    let mut seen = Value::Null;
    wait_until("the worker works", || {
        seen = status_in_json(&url);
        seen["workers"][0]["executions"].as_u64().is_some_and(|executions| executions > 0)
    });
    let shown = &seen["workers"][0];
    assert!(
        shown["name"].as_str().is_some_and(|name| name.ends_with(&first.child.id().to_string())),
        "{seen}"
    );
    assert_eq!((&shown["jobs"], &shown["redelivered"]), (&1.into(), &0.into()), "{seen}");
    assert!(shown["executions_per_second"].as_f64().is_some_and(|rate| rate > 0.0), "{seen}");
    assert!(shown["busy"].as_f64().is_some_and(|busy| busy > 0.0 && busy <= 1.0), "{seen}");
    // A worker takes one batch at a time, and 4 may be out for one worker.
    assert!(seen["under_way"].as_u64().is_some_and(|count| count <= 1), "{seen}");
    wait_until("batches wait", || status_in_json(&url)["waiting"].as_u64().is_some_and(|count| count > 0));
    // What a worker that died had comes to the next one, which says so.
    drop(first);
    let second = worker(&url);
    wait_until("a batch comes again", || {
        let seen = status_in_json(&url);
        let ours = second.child.id().to_string();
        let worker = seen["workers"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|worker| worker["name"].as_str().is_some_and(|name| name.ends_with(&ours)));
        worker.is_some_and(|worker| worker["redelivered"].as_u64().is_some_and(|count| count > 0))
    });
    let printed = status(&url, &[]);
    assert!(printed.contains("1 worker\n") && printed.contains("batches wait for a worker"), "{printed}");
    shows_live(&url, folder.path(), &second);
}

/// The live page has the worker in its card of the fleet.
fn shows_live(url: &str, folder: &std::path::Path, worker: &Process) {
    let mut command = Command::new(SHAKEDOWN);
    command.arg("serve").arg(folder).args(["--fleet", url]).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut page = Process::of(command.spawn().expect("it starts"));
    let mut line = String::new();
    BufReader::new(page.child.stdout.take().expect("it is piped")).read_line(&mut line).expect("an address");
    let address = line.trim().strip_prefix("live page http://").expect("an address").to_owned();
    let (host, token) = address.trim_end_matches('/').split_once('/').expect("a token");
    let name = worker.child.id().to_string();
    wait_until("the page shows the worker", || {
        let mut stream = TcpStream::connect(host).expect("it listens");
        let ask = format!("GET /{token}/ HTTP/1.1\r\nHost: {host}\r\nSec-Fetch-Site: same-origin\r\n\r\n");
        stream.write_all(ask.as_bytes()).expect("it takes a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer.contains("<h2>Fleet</h2>") && answer.contains(&format!("-{name}</td>"))
    });
}
