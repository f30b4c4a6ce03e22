//! Requests of clients, and their answers.

use serde::{Deserialize, Serialize};
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
}

/// The answer to a request.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The node that was asked has applied the request, as the entry of this index.
    Applied(u64),
    /// The node's log begins after this index now.
    Compacted(u64),
    /// The request has no effect: it was refused, for one because the node does not lead, or the log has
    /// something else in its place.
    Dropped,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_answers_are_short_json() {
        let requests = r#"[{"put":[1,5]},"compact",{"add":"n3"},{"remove":"n3"}]"#;
        let read: Vec<Request> = serde_json::from_str(requests).expect("these are requests");
        assert_eq!(read[0], Request::Put(1, 5));
        assert_eq!(serde_json::to_string(&read).expect("they are plain data"), requests);
        let answers = [Answer::Applied(7), Answer::Compacted(3), Answer::Dropped];
        let text = serde_json::to_string(&answers).expect("they are plain data");
        assert_eq!(text, r#"[{"applied":7},{"compacted":3},"dropped"]"#);
    }
}
