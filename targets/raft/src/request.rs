//! Requests of clients, and their answers.

use serde::{Deserialize, Serialize};
use shakedown_check::{RegisterAnswer, RegisterOp};
use shakedown_cluster::NodeId;

/// What a client asks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// Give a key a value: `{"put":[1,5]}`.
    Put(u8, u64),
    /// Let the node that is asked take a snapshot of what it has applied and compact its log: `"compact"`.
    Compact,
    /// Add a voter: `{"add":"n3"}`.
    Add(NodeId),
    /// Remove a voter: `{"remove":"n3"}`.
    Remove(NodeId),
    /// Hand the leadership over: `{"transfer":"n2"}`.
    Transfer(NodeId),
    /// Take the map for registers, and read a key through the log: `{"read":1}`.
    Read(u8),
    /// The same, and write a key: `{"write":[1,5]}`.
    Write(u8, u64),
    /// The same, and write a key if one holds a value: `{"when":{"key":1,"is":0,"write":[1,5]}}`.
    When {
        /// The key that is looked at.
        key: u8,
        /// The value that it has to hold.
        is: u64,
        /// What is written then: a key and its value.
        write: (u8, u64),
    },
}

impl From<RegisterOp> for Request {
    fn from(op: RegisterOp) -> Request {
        match op {
            RegisterOp::Read(key) => Request::Read(key),
            RegisterOp::Write(key, value) => Request::Write(key, value),
            RegisterOp::When { key, is, write } => Request::When { key, is, write },
        }
    }
}

/// The answer to a request.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The node that was asked has applied the request, as the entry of this index.
    Applied(u64),
    /// The node's log begins after this index now.
    Compacted(u64),
    /// Raft was told; there is nothing to wait for.
    Asked,
    /// The request was refused, and has no effect.
    Dropped,
    /// What the registers say: `{"value":5}`, `"done"`, `{"applied":true}`.
    #[serde(untagged)]
    Register(RegisterAnswer),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_answers_are_short_json() {
        let requests = r#"[{"put":[1,5]},"compact",{"add":"n3"},{"remove":"n3"},{"transfer":"n2"}]"#;
        let read: Vec<Request> = serde_json::from_str(requests).expect("these are requests");
        assert_eq!(read[0], Request::Put(1, 5));
        assert_eq!(serde_json::to_string(&read).expect("they are plain data"), requests);
        let answers = [Answer::Applied(7), Answer::Compacted(3), Answer::Asked, Answer::Dropped];
        let text = serde_json::to_string(&answers).expect("they are plain data");
        assert_eq!(text, r#"[{"applied":7},{"compacted":3},"asked","dropped"]"#);
    }
}
