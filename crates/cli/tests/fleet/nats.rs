//! As much of a client of NATS as it takes to do harm: publish anything, and ask the server.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

/// A connection.
pub struct Nats(BufReader<TcpStream>);

impl Nats {
    pub fn connect(port: u16) -> Nats {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
        let mut nats = Nats(BufReader::new(stream));
        nats.line();
        nats.send(b"CONNECT {\"verbose\":false}\r\nSUB answer 1\r\n");
        nats
    }

    fn send(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).expect("the server reads");
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).expect("the server writes");
        line
    }

    /// Publishes a message, and waits until the server has it.
    pub fn publish(&mut self, subject: &str, payload: &[u8]) {
        self.put(&format!("PUB {subject}"), payload, b"PING\r\n");
        while !self.line().starts_with("PONG") {}
    }

    /// Publishes a message in one piece: in several, each would wait for the server to acknowledge the one
    /// before it.
    fn put(&mut self, head: &str, payload: &[u8], tail: &[u8]) {
        let head = format!("{head} {}\r\n", payload.len());
        self.send(&[head.as_bytes(), payload, b"\r\n", tail].concat());
    }

    /// Publishes a message, and gives what is answered.
    pub fn ask(&mut self, subject: &str, payload: &[u8]) -> Value {
        self.put(&format!("PUB {subject} answer"), payload, b"");
        loop {
            let line = self.line();
            match line.split_whitespace().collect::<Vec<_>>()[..] {
                ["MSG", "answer", _, length] => {
                    let mut answer = vec![0; length.parse::<usize>().expect("a length") + 2];
                    self.0.read_exact(&mut answer).expect("the server writes");
                    return serde_json::from_slice(&answer).expect("answers are JSON");
                }
                ["PING"] => self.send(b"PONG\r\n"),
                _ => {}
            }
        }
    }

    /// Makes a stream before a fleet does: one of so few bytes.
    pub fn make_stream(&mut self, name: &str, bytes: u32) {
        self.make_ageing_stream(name, bytes, Duration::ZERO);
    }

    /// The same, and it keeps messages for no longer than this.
    pub fn make_ageing_stream(&mut self, name: &str, bytes: u32, age: Duration) {
        let (stream, retention) = (
            name.trim_start_matches("SHAKEDOWN_").to_lowercase(),
            match name {
                "SHAKEDOWN_STATE" => "limits",
                _ => "workqueue",
            },
        );
        let config = json!({
            "name": name, "subjects": [format!("shakedown.{stream}.>")], "retention": retention, "discard": "new",
            "max_bytes": bytes, "max_age": age.as_nanos() as u64, "storage": "file", "num_replicas": 1, "allow_direct": true,
        });
        self.create(name, &config);
    }

    /// Makes the object store before a fleet does: one of so few bytes.
    pub fn make_object_store(&mut self, bytes: u32) {
        let name = "OBJ_SHAKEDOWN";
        let config = json!({
            "name": name, "subjects": ["$O.SHAKEDOWN.C.>", "$O.SHAKEDOWN.M.>"], "retention": "limits",
            "discard": "new", "max_bytes": bytes, "storage": "file", "num_replicas": 1, "allow_direct": true,
            "allow_rollup_hdrs": true,
        });
        self.create(name, &config);
    }

    fn create(&mut self, name: &str, config: &Value) {
        let answer = self.ask(&format!("$JS.API.STREAM.CREATE.{name}"), config.to_string().as_bytes());
        assert!(answer["error"].is_null(), "{answer}");
    }

    /// Fills a stream until nothing more fits in.
    pub fn fill(&mut self, subject: &str) {
        let mut size = 1 << 16;
        while size > 0 {
            let answer = self.ask(subject, &vec![b'x'; size]);
            if !answer["error"].is_null() {
                size /= 2;
            }
        }
    }

    /// Empties a stream.
    pub fn empty(&mut self, name: &str) {
        let answer = self.ask(&format!("$JS.API.STREAM.PURGE.{name}"), b"");
        assert!(answer["error"].is_null(), "{answer}");
    }

    /// The subjects of the messages that a stream keeps.
    pub fn subjects(&mut self, name: &str) -> Vec<String> {
        let state = self.state(name);
        let subjects = state["subjects"].as_object();
        subjects.map_or(Vec::new(), |subjects| subjects.keys().cloned().collect())
    }

    /// What a stream holds; nothing if it is not there.
    pub fn state(&mut self, name: &str) -> Value {
        let asked = b"{\"subjects_filter\":\">\"}";
        self.ask(&format!("$JS.API.STREAM.INFO.{name}"), asked)["state"].take()
    }

    /// The consumers of a stream.
    fn consumers(&mut self, name: &str) -> Vec<String> {
        let answer = self.ask(&format!("$JS.API.CONSUMER.NAMES.{name}"), b"");
        let consumers = answer["consumers"].as_array();
        consumers.map_or(Vec::new(), |all| {
            all.iter().filter_map(|consumer| consumer.as_str().map(str::to_owned)).collect()
        })
    }

    /// How many messages of a stream are with whoever takes them.
    pub fn under_way(&mut self, name: &str) -> u64 {
        let consumers = self.consumers(name);
        let pending = consumers.iter().map(|consumer| {
            self.ask(&format!("$JS.API.CONSUMER.INFO.{name}.{consumer}"), b"")["num_ack_pending"].as_u64()
        });
        pending.map(Option::unwrap_or_default).sum()
    }

    /// Deletes the consumers of a stream.
    pub fn forget_consumers(&mut self, name: &str) {
        for consumer in self.consumers(name) {
            self.ask(&format!("$JS.API.CONSUMER.DELETE.{name}.{consumer}"), b"");
        }
    }
}
