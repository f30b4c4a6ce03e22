//! The workloads of Maelstrom: what clients ask, and what they read in the end.

use std::fmt;
use std::str::FromStr;

use serde_json::{Value, json};
use shakedown_cluster::{Board, NodeId, Random};

use crate::checks::kafka::polled_by;

/// The field that marks a read after the network was healed. Nodes never see it.
pub(crate) const FINAL: &str = "final";
/// How many keys there are.
const KEYS: u64 = 2;
/// The most operations of a transaction.
const OPERATIONS_MAX: u64 = 4;

/// A workload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Workload {
    /// Nodes send back what they are sent.
    Echo,
    /// Nodes make identifiers that no other node makes.
    UniqueIds,
    /// Nodes spread messages until all have them.
    Broadcast,
    /// A set that grows.
    GSet,
    /// A counter that grows.
    GCounter,
    /// A counter that grows and shrinks.
    PnCounter,
    /// Logs with offsets.
    Kafka,
    /// A linearizable key-value store.
    LinKv,
    /// Transactions over lists.
    TxnListAppend,
    /// Transactions over registers.
    TxnRwRegister,
}

impl Workload {
    /// Every workload.
    pub const ALL: [Workload; 10] = [
        Workload::Echo,
        Workload::UniqueIds,
        Workload::Broadcast,
        Workload::GSet,
        Workload::GCounter,
        Workload::PnCounter,
        Workload::Kafka,
        Workload::LinKv,
        Workload::TxnListAppend,
        Workload::TxnRwRegister,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Workload::Echo => "echo",
            Workload::UniqueIds => "unique-ids",
            Workload::Broadcast => "broadcast",
            Workload::GSet => "g-set",
            Workload::GCounter => "g-counter",
            Workload::PnCounter => "pn-counter",
            Workload::Kafka => "kafka",
            Workload::LinKv => "lin-kv",
            Workload::TxnListAppend => "txn-list-append",
            Workload::TxnRwRegister => "txn-rw-register",
        }
    }

    /// Whether nodes are given a topology.
    pub(crate) fn has_topology(self) -> bool {
        self == Workload::Broadcast
    }

    /// Whether the network is healed in the end, and every node is read.
    pub(crate) fn has_final_reads(self) -> bool {
        matches!(
            self,
            Workload::Broadcast | Workload::GSet | Workload::GCounter | Workload::PnCounter | Workload::Kafka
        )
    }

    /// What clients ask.
    pub(crate) fn requests(self, count: usize, random: &mut Random) -> Vec<Value> {
        (0..count as u64).map(|number| self.request(number, random)).collect()
    }

    fn request(self, number: u64, random: &mut Random) -> Value {
        match self {
            Workload::Echo => json!({ "type": "echo", "echo": format!("Please echo {number}") }),
            Workload::UniqueIds => json!({ "type": "generate" }),
            Workload::Broadcast if random.below(3) > 0 => json!({ "type": "broadcast", "message": number }),
            Workload::GSet if random.below(3) > 0 => json!({ "type": "add", "element": number }),
            Workload::GCounter if random.below(3) > 0 => json!({ "type": "add", "delta": random.below(5) }),
            Workload::PnCounter if random.below(3) > 0 => {
                json!({ "type": "add", "delta": random.below(10) as i64 - 5 })
            }
            Workload::Broadcast | Workload::GSet | Workload::GCounter | Workload::PnCounter => {
                json!({ "type": "read" })
            }
            Workload::Kafka => kafka_request(number, random),
            Workload::LinKv => lin_kv_request(number, random),
            Workload::TxnListAppend => transaction("append", number, random),
            Workload::TxnRwRegister => transaction("w", number, random),
        }
    }

    /// What a node is asked after the network was healed.
    pub(crate) fn final_request(self, board: &Board, node: NodeId) -> Value {
        match self {
            Workload::Kafka => {
                let offset = |key: u64| {
                    let next = polled_by(board, node, &kafka_key(key)).map_or(0, |offset| offset + 1);
                    (kafka_key(key), json!(next))
                };
                let offsets: serde_json::Map<_, _> = (0..KEYS).map(offset).collect();
                json!({ "type": "poll", "offsets": offsets, FINAL: true })
            }
            _ => json!({ "type": "read", FINAL: true }),
        }
    }
}

fn kafka_key(key: u64) -> String {
    format!("k{key}")
}

/// Sends, polls from the beginning or a little later, and commits that go forward.
fn kafka_request(number: u64, random: &mut Random) -> Value {
    let key = kafka_key(random.below(KEYS));
    match random.below(10) {
        0..=4 => json!({ "type": "send", "key": key, "msg": number }),
        5..=7 => json!({ "type": "poll", "offsets": { key: random.below(2) } }),
        8 => json!({ "type": "commit_offsets", "offsets": { key: number / 4 } }),
        _ => json!({ "type": "list_committed_offsets", "keys": [key] }),
    }
}

/// Reads, writes and comparisons with one of the last values.
fn lin_kv_request(number: u64, random: &mut Random) -> Value {
    let key = random.below(KEYS);
    match random.below(5) {
        0 | 1 => json!({ "type": "read", "key": key }),
        2 | 3 => json!({ "type": "write", "key": key, "value": number }),
        _ => {
            let from = number.saturating_sub(1 + random.below(3));
            json!({ "type": "cas", "key": key, "from": from, "to": number })
        }
    }
}

fn transaction(write: &str, number: u64, random: &mut Random) -> Value {
    let operation = |place: u64, random: &mut Random| {
        let key = random.below(KEYS);
        match random.below(2) {
            0 => json!(["r", key, null]),
            // No value is written twice.
            _ => json!([write, key, number * OPERATIONS_MAX + place + 1]),
        }
    };
    let count = 1 + random.below(OPERATIONS_MAX);
    let operations: Vec<Value> = (0..count).map(|place| operation(place, random)).collect();
    json!({ "type": "txn", "txn": operations })
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Workload {
    type Err = String;

    fn from_str(text: &str) -> Result<Workload, String> {
        let names: Vec<_> = Workload::ALL.iter().map(|workload| workload.name()).collect();
        let found = Workload::ALL.into_iter().find(|workload| workload.name() == text);
        found.ok_or_else(|| format!("it is one of {}", names.join(", ")))
    }
}
