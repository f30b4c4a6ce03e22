//! A client of etcd, over the JSON gateway that every etcd server has beside gRPC.
//!
//! The crate `etcd-client` would bring gRPC and its runtime, some eighty packages, and its retries would be
//! the library's: here each retry is one that is known to be safe. A read may be asked again anywhere. A
//! write is asked again only if it was never sent; once it was, an error leaves it open whether it happened.

use std::net::SocketAddr;
use std::time::Instant;

use data_encoding::BASE64;
use serde_json::{Value, json};
use shakedown_check::{RegisterAnswer, RegisterOp};
use shakedown_cluster::NodeId;
use shakedown_live::{Client, Clients, Outcome};

use crate::http::{Answer, Connection};

/// How long a client pauses before it asks the next server.
const PAUSE_MS: u64 = 20;
/// How long a server may take to accept a connection.
const CONNECT_MS: u64 = 300;

/// Makes clients of the gateway.
pub struct Gateways;

impl Clients for Gateways {
    fn client(&self, servers: &[SocketAddr], first: NodeId) -> Result<Box<dyn Client>, String> {
        Ok(Box::new(Gateway::new(servers.to_vec(), first.index())))
    }
}

/// A client: it stays with a server until that one fails.
pub struct Gateway {
    servers: Vec<SocketAddr>,
    at: usize,
    connection: Option<Connection>,
}

impl Gateway {
    /// A client of these servers that asks this one first.
    pub fn new(servers: Vec<SocketAddr>, first: usize) -> Gateway {
        Gateway { servers, at: first, connection: None }
    }

    /// Does an operation, no longer than until then.
    pub fn ask(&mut self, op: &RegisterOp, until: Instant) -> Result<RegisterAnswer, Outcome> {
        let (path, body) = posted(op);
        let is_read = matches!(op, RegisterOp::Read(_));
        loop {
            if Instant::now() >= until {
                return Err(Outcome::Failed("no server could be asked in time".to_owned()));
            }
            let server = self.servers[self.at % self.servers.len()];
            let soon = until.min(Instant::now() + std::time::Duration::from_millis(CONNECT_MS));
            let connection = match self.connection.take() {
                Some(connection) => Ok(connection),
                None => Connection::open(server, soon),
            };
            let Ok(mut connection) = connection else {
                // Nothing was sent.
                self.next_server();
                continue;
            };
            let reason = match connection.post(path, &body, until) {
                Ok(Answer { status: 200, body }) => {
                    self.connection = Some(connection);
                    match understood(op, &body) {
                        Some(answer) => return Ok(answer),
                        None => format!("`{}`", String::from_utf8_lossy(&body)),
                    }
                }
                Ok(Answer { status, body }) => format!("status {status}: {}", String::from_utf8_lossy(&body)),
                Err(error) => error.to_string(),
            };
            if !is_read {
                self.next_server();
                return Err(Outcome::Unknown(reason));
            }
            self.next_server();
        }
    }

    fn next_server(&mut self) {
        self.at += 1;
        self.connection = None;
        std::thread::sleep(std::time::Duration::from_millis(PAUSE_MS));
    }
}

impl Client for Gateway {
    fn call(&mut self, request: &str, until: Instant) -> Outcome {
        let op: RegisterOp = match serde_json::from_str(request) {
            Ok(op) => op,
            Err(error) => return Outcome::Failed(format!("`{request}` is no request: {error}")),
        };
        match self.ask(&op, until) {
            Ok(answer) => Outcome::Answer(serde_json::to_string(&answer).unwrap_or_default()),
            Err(outcome) => outcome,
        }
    }
}

fn name(key: u8) -> String {
    BASE64.encode(format!("k{key}").as_bytes())
}

fn text(value: u64) -> String {
    BASE64.encode(value.to_string().as_bytes())
}

/// The path and the body of a request. A register that was never written is a key that is not there.
fn posted(op: &RegisterOp) -> (&'static str, String) {
    match *op {
        RegisterOp::Read(key) => ("/v3/kv/range", json!({ "key": name(key) }).to_string()),
        RegisterOp::Write(key, value) => {
            ("/v3/kv/put", json!({ "key": name(key), "value": text(value) }).to_string())
        }
        RegisterOp::When { key, is, write: (to, value) } => {
            let compare = match is {
                0 => {
                    json!({ "key": name(key), "target": "CREATE", "result": "EQUAL", "create_revision": "0" })
                }
                is => json!({ "key": name(key), "target": "VALUE", "result": "EQUAL", "value": text(is) }),
            };
            let put = json!({ "requestPut": { "key": name(to), "value": text(value) } });
            ("/v3/kv/txn", json!({ "compare": [compare], "success": [put] }).to_string())
        }
    }
}

/// What a server has answered.
fn understood(op: &RegisterOp, body: &[u8]) -> Option<RegisterAnswer> {
    let answer: Value = serde_json::from_slice(body).ok()?;
    answer.get("header")?;
    Some(match op {
        RegisterOp::Read(_) => match answer.get("kvs").and_then(|kvs| kvs.get(0)) {
            None => RegisterAnswer::Value(0),
            Some(pair) => {
                let value = BASE64.decode(pair.get("value")?.as_str()?.as_bytes()).ok()?;
                RegisterAnswer::Value(std::str::from_utf8(&value).ok()?.parse().ok()?)
            }
        },
        RegisterOp::Write(..) => RegisterAnswer::Done,
        RegisterOp::When { .. } => {
            RegisterAnswer::Applied(answer.get("succeeded").is_some_and(|is| is == true))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_answers_are_those_of_the_gateway() {
        let (path, body) = posted(&RegisterOp::When { key: 0, is: 0, write: (0, 7) });
        assert_eq!(path, "/v3/kv/txn");
        assert!(body.contains(r#""create_revision":"0""#) && body.contains(r#""value":"Nw==""#), "{body}");
        let read = RegisterOp::Read(0);
        let answer = |body: &str| understood(&read, body.as_bytes());
        assert_eq!(answer(r#"{"header":{}}"#), Some(RegisterAnswer::Value(0)));
        assert_eq!(answer(r#"{"header":{},"kvs":[{"value":"Nw=="}]}"#), Some(RegisterAnswer::Value(7)));
        assert_eq!(answer(r#"{"error":"etcdserver: request timed out"}"#), None);
        let swap = RegisterOp::When { key: 0, is: 1, write: (0, 2) };
        assert_eq!(understood(&swap, br#"{"header":{}}"#), Some(RegisterAnswer::Applied(false)));
    }
}
