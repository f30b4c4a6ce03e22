//! As much of a client of NATS as it takes to do harm: publish anything, and ask the server.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

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
        self.send(format!("PUB {subject} {}\r\n", payload.len()).as_bytes());
        self.send(payload);
        self.send(b"\r\nPING\r\n");
        while !self.line().starts_with("PONG") {}
    }

    /// Publishes a message, and gives what is answered.
    pub fn ask(&mut self, subject: &str, payload: &[u8]) -> Value {
        self.send(format!("PUB {subject} answer {}\r\n", payload.len()).as_bytes());
        self.send(payload);
        self.send(b"\r\n");
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
        let (stream, retention) = (
            name.trim_start_matches("SHAKEDOWN_").to_lowercase(),
            match name {
                "SHAKEDOWN_STATE" => "limits",
                _ => "workqueue",
            },
        );
        let config = json!({
            "name": name, "subjects": [format!("shakedown.{stream}.>")], "retention": retention, "discard": "new",
            "max_bytes": bytes, "storage": "file", "num_replicas": 1, "allow_direct": true,
        });
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
        let answer = self.ask(&format!("$JS.API.STREAM.INFO.{name}"), b"{\"subjects_filter\":\">\"}");
        let subjects = answer["state"]["subjects"].as_object();
        subjects.map_or(Vec::new(), |subjects| subjects.keys().cloned().collect())
    }
}
