//! The live page, as a browser and those who are not welcome meet it: over a connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::command::{command, shakedown, text};

/// A server, until it is dropped.
struct Server {
    child: Child,
    /// Address and port.
    host: String,
    token: String,
}

/// An answer.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Server {
    fn start(folder: &Path) -> Server {
        let mut child = command(&["serve"]).arg(folder).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut line = String::new();
        let printed = child.stdout.take().expect("it is piped");
        BufReader::new(printed).read_line(&mut line).expect("it prints its address");
        let address = line.trim().strip_prefix("live page http://").expect("an address").to_owned();
        let (host, token) = address.trim_end_matches('/').split_once('/').expect("a token");
        Server { child, host: host.to_owned(), token: token.to_owned() }
    }

    fn send(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a time");
        stream.write_all(request.as_bytes()).expect("it takes a request");
        stream
    }

    /// The answer to a request as it is.
    fn ask(&self, request: &str) -> Answer {
        let mut answer = String::new();
        self.send(request).read_to_string(&mut answer).expect("an answer is text");
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer}"));
        let status = head.split(' ').nth(1).expect("a status").parse().expect("a number");
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// The answer to a request for this path below the token, with the headers of a browser.
    fn with(&self, method: &str, path: &str, headers: &str) -> Answer {
        let Server { host, token, .. } = self;
        self.ask(&format!("{method} /{token}/{path} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n"))
    }

    fn get(&self, path: &str) -> Answer {
        self.with("GET", path, "Sec-Fetch-Site: same-origin\r\n")
    }

    /// Listens to changes until one of them has what is wanted in a part whose name ends so.
    fn wait_for(&self, part: &str, wanted: &str) -> String {
        let Server { host, token, .. } = self;
        let stream = self.send(&format!("GET /{token}/events?after=0 HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        for line in BufReader::new(stream).lines() {
            let line = line.expect("the stream goes on");
            let Some(data) = line.strip_prefix("data: ") else { continue };
            let change: Value = serde_json::from_str(data).expect("a change is JSON");
            for (name, html) in change["parts"].as_object().expect("it has parts") {
                let html = html.as_str().expect("a part is text");
                if name.ends_with(part) && html.contains(wanted) {
                    return html.to_owned();
                }
            }
        }
        panic!("the stream ended without `{wanted}` in {part}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Stores a campaign that finds something.
const FINDS: [&str; 9] = [
    "run",
    "planted-raft",
    "--nodes=5",
    "--set=fault=quorum-third",
    "--executions=100",
    "--shrink-budget=200",
    "--measure=state",
    "--no-regressions",
    "--keep",
];

#[test]
fn strangers_are_not_let_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(folder.path());
    let Server { host, token, .. } = &server;
    let port = host.rsplit(':').next().expect("a port");
    let page = server.get("");
    assert_eq!(page.status, 200, "{}", page.body);
    assert!(page.body.contains("No campaign is stored here yet"));
    for header in [
        "Content-Security-Policy: default-src 'none'; style-src 'self'; script-src 'self'",
        "X-Content-Type-Options: nosniff",
        "X-Frame-Options: DENY",
        "Cache-Control: no-store",
        "Referrer-Policy: same-origin",
        "Cross-Origin-Resource-Policy: same-origin",
    ] {
        assert!(page.head.contains(header), "{header} is missing in {}", page.head);
    }
    let other = "0".repeat(token.len());
    let is_localhost = format!("GET /{token}/ HTTP/1.1\r\nHost: LocalHost:{port}\r\n\r\n");
    assert_eq!(server.ask(&is_localhost).status, 200);
    for (request, status) in [
        // Tokens.
        (format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"), 403),
        (format!("GET /{other}/ HTTP/1.1\r\nHost: {host}\r\n\r\n"), 403),
        (format!("GET /{}/ HTTP/1.1\r\nHost: {host}\r\n\r\n", &token[1..]), 403),
        (format!("GET /events?token={token} HTTP/1.1\r\nHost: {host}\r\n\r\n"), 403),
        (format!("GET /{token} HTTP/1.1\r\nHost: {host}\r\n\r\n"), 303),
        // Names that were made to lead here, and none.
        (format!("GET /{token}/ HTTP/1.1\r\nHost: evil.example:{port}\r\n\r\n"), 403),
        (format!("GET /{token}/ HTTP/1.1\r\nHost: 127.0.0.1.evil.example:{port}\r\n\r\n"), 403),
        (format!("GET /{token}/ HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n"), 403),
        (format!("GET /{token}/ HTTP/1.1\r\n\r\n"), 403),
        // Other pages.
        (format!("GET /{token}/ HTTP/1.1\r\nHost: {host}\r\nOrigin: http://evil.example\r\n\r\n"), 403),
        (format!("GET /{token}/ HTTP/1.1\r\nHost: {host}\r\nOrigin: null\r\n\r\n"), 403),
        (format!("GET /{token}/ HTTP/1.1\r\nHost: {host}\r\nOrigin: http://127.0.0.1:1\r\n\r\n"), 403),
        (format!("GET /{token}/ HTTP/1.1\r\nHost: {host}\r\nSec-Fetch-Site: cross-site\r\n\r\n"), 403),
        (format!("GET /{token}/ HTTP/1.1\r\nHost: {host}\r\nSec-Fetch-Site: same-site\r\n\r\n"), 403),
        (format!("GET /{token}/ HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n\r\n"), 200),
        // Methods and paths.
        (format!("POST /{token}/ HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\n\r\n"), 405),
        (format!("DELETE /{token}/live.css HTTP/1.1\r\nHost: {host}\r\n\r\n"), 405),
        (format!("GET /{token}/campaign/c1-1/finding/1/replay HTTP/1.1\r\nHost: {host}\r\n\r\n"), 405),
        (format!("GET /{token}/../../../etc/passwd HTTP/1.1\r\nHost: {host}\r\n\r\n"), 404),
        (format!("GET /{token}/%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: {host}\r\n\r\n"), 404),
        (format!("GET /{token}//etc/passwd HTTP/1.1\r\nHost: {host}\r\n\r\n"), 404),
        (format!("GET /{token}/campaign/..%2f..%2f/finding/1 HTTP/1.1\r\nHost: {host}\r\n\r\n"), 404),
        (format!("GET /{token}/campaign/c1-1/execution?number=../1 HTTP/1.1\r\nHost: {host}\r\n\r\n"), 404),
        // What is no request, or too much of one.
        ("hello\r\n\r\n".to_owned(), 400),
        (format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(20_000)), 431),
        (format!("GET /{token}/ HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(200)), 431),
        (format!("POST /{token}/ HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1\r\n\r\nx"), 413),
    ] {
        let answer = server.ask(&request);
        assert_eq!(answer.status, status, "{request:.200}: {}", answer.body);
        assert!(!answer.body.contains("root:"), "{request:.200}");
    }
    // As many connections as there may be, and no more; those that are closed make room.
    let many: Vec<_> = (0..80).map(|_| TcpStream::connect(host).expect("it listens")).collect();
    assert_eq!(server.get("").status, 503);
    drop(many);
    while server.get("").status == 503 {
        std::thread::yield_now();
    }
}

#[test]
fn what_is_found_appears_and_can_be_gone_through_and_replayed() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(folder.path());
    // The campaign begins after the server, in a folder below.
    let kept = folder.path().join("nights").join("first");
    let run = command(&FINDS).arg(&kept).output().expect("it runs");
    assert_eq!(run.status.code(), Some(1), "{}", text(&run.stderr));
    let findings = server.wait_for("-findings", "1 finding");
    assert!(findings.contains("href=\"campaign/c1-1/finding/1\""), "{findings}");
    let facts = server.wait_for("-facts", "last new by state");
    assert!(facts.contains("a second") && facts.contains("in all"), "{facts}");
    assert!(server.wait_for("-plots", "<svg").contains("over executions"));
    assert!(server.wait_for("-head", "finished").contains("first"));
    assert!(server.wait_for("history-days", "<tbody>").contains("<b class=\"bad\">1</b>"), "it is new");

    let page = server.get("campaign/c1-1/finding/1");
    assert_eq!(page.status, 200, "{}", page.body);
    assert!(page.body.contains("is violated") && page.body.contains("class=\"space-time\""));
    assert!(
        page.body.contains("href=\"../../../\"") && page.head.contains("script-src 'sha256-"),
        "{}",
        page.head
    );
    assert_eq!(server.get("campaign/c1-1/finding/2").status, 404);
    assert_eq!(server.get("campaign/c9-1/finding/1").status, 404);

    let leads = server.get("campaign/c1-1/execution?number=0");
    assert_eq!(leads.status, 303, "{}", leads.body);
    assert!(leads.head.contains("/campaign/c1-1/execution/0"), "{}", leads.head);
    let page = server.get("campaign/c1-1/execution/0");
    assert_eq!(page.status, 200, "{}", page.body);
    assert!(
        page.body.contains("execution 0") && page.body.contains("violates nothing"),
        "{:.2000}",
        page.body
    );
    assert!(page.body.contains("href=\"./1\""), "the next one");
    assert_eq!(server.get("campaign/c1-1/execution/100000").status, 404);

    let refused = server.with("POST", "campaign/c1-1/finding/1/replay", "Origin: http://evil.example\r\n");
    assert_eq!(refused.status, 403);
    let origin = format!("Origin: http://{}\r\nContent-Length: 0\r\n", server.host);
    assert_eq!(server.with("POST", "campaign/c1-1/finding/7/replay", &origin).status, 404);
    assert_eq!(server.with("POST", "campaign/c1-1/finding/1/replay", &origin).status, 202);
    server.wait_for("-findings", "still fails");
}

#[test]
fn executions_of_a_strategy_that_learns_are_not_invented() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = folder.path().join("learns");
    let run = command(&[
        "run",
        "planted-raft",
        "--strategy=fuzz:state",
        "--executions=20",
        "--no-regressions",
        "--keep",
    ])
    .arg(&kept)
    .output()
    .expect("it runs");
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let server = Server::start(folder.path());
    let page = server.get("");
    assert!(page.body.contains("learns from execution to execution"), "{}", page.body);
    let answer = server.get("campaign/c1-1/execution/3");
    assert!(
        answer.status == 404 && answer.body.contains("learns from execution to execution"),
        "{}",
        answer.body
    );
    let shown = shakedown(&["show", kept.to_str().expect("a plain name"), "--execution", "3"]);
    assert_eq!(shown.status.code(), Some(2));
    assert!(text(&shown.stderr).contains("learns from execution to execution"));
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_of_the_folder_are_not_followed() {
    let [folder, outside] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let run = command(&["run", "figure1", "--executions=5", "--no-regressions", "--keep"])
        .arg(outside.path().join("kept"))
        .output()
        .expect("it runs");
    assert!(run.status.code().is_some(), "{}", text(&run.stderr));
    std::os::unix::fs::symlink(outside.path().join("kept"), folder.path().join("kept")).expect("a link");
    std::fs::create_dir(folder.path().join("own")).expect("a folder");
    std::os::unix::fs::symlink(
        outside.path().join("kept/campaign.sqlite"),
        folder.path().join("own/campaign.sqlite"),
    )
    .expect("a link");
    let server = Server::start(folder.path());
    let page = server.get("");
    assert!(page.body.contains("No campaign is stored here yet"), "{}", page.body);
}
