//! The services that nodes may use: `lin-kv`, `seq-kv`, `lww-kv` and `lin-tso`.
//!
//! A request to a service and its reply are messages, so strategies delay and reorder them. The service acts
//! when the request is delivered. How old the state is that it then shows (`seq-kv`), and which replica it
//! asks (`lww-kv`), comes from the seed of the execution.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use shakedown_cluster::{NodeId, Random};

/// How many past states `seq-kv` may show.
const PAST_MAX: usize = 32;
/// How many replicas `lww-kv` has.
const REPLICAS: usize = 5;

/// A service.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum ServiceName {
    LinKv,
    SeqKv,
    LwwKv,
    LinTso,
}

impl ServiceName {
    const ALL: [ServiceName; 4] =
        [ServiceName::LinKv, ServiceName::SeqKv, ServiceName::LwwKv, ServiceName::LinTso];

    pub fn text(self) -> &'static str {
        match self {
            ServiceName::LinKv => "lin-kv",
            ServiceName::SeqKv => "seq-kv",
            ServiceName::LwwKv => "lww-kv",
            ServiceName::LinTso => "lin-tso",
        }
    }

    pub fn of(text: &str) -> Option<ServiceName> {
        ServiceName::ALL.into_iter().find(|service| service.text() == text)
    }
}

/// What is stored: keys and values are any JSON, a key as its text.
type Store = BTreeMap<String, Value>;

/// A store in which values have times, and the last of them wins.
type Replica = BTreeMap<String, (u64, Value)>;

/// All services of one execution.
pub(crate) struct Services {
    linear: Store,
    /// The last states of `seq-kv`, the newest at the end, and the number of the first of them.
    past: Vec<Store>,
    past_first: usize,
    /// The number of the state that each node has seen.
    seen: BTreeMap<NodeId, usize>,
    replicas: Vec<Replica>,
    clock: u64,
    timestamp: u64,
}

impl Default for Services {
    fn default() -> Services {
        Services {
            linear: Store::new(),
            past: vec![Store::new()],
            past_first: 0,
            seen: BTreeMap::new(),
            replicas: vec![Replica::new(); REPLICAS],
            clock: 0,
            timestamp: 0,
        }
    }
}

impl Services {
    /// The reply to a request of this node.
    pub fn handle(&mut self, service: ServiceName, from: NodeId, body: &Value, random: &mut Random) -> Value {
        match service {
            ServiceName::LinKv => apply(&mut self.linear, body),
            ServiceName::SeqKv => self.sequential(from, body, random),
            ServiceName::LwwKv => self.last_write_wins(body, random),
            ServiceName::LinTso => self.next_timestamp(body),
        }
    }

    /// What changes nothing may see any state from the last one that this node has seen on; what changes
    /// something happens to the newest. So all operations have one order, and each node goes forward in it.
    fn sequential(&mut self, from: NodeId, body: &Value, random: &mut Random) -> Value {
        let newest = self.past_first + self.past.len() - 1;
        let seen = self.seen.get(&from).copied().unwrap_or(0).max(self.past_first);
        let shown = seen + random.index(newest - seen + 1);
        let mut state = self.past[shown - self.past_first].clone();
        let before = state.clone();
        let reply = apply(&mut state, body);
        if state == before {
            self.seen.insert(from, shown);
            return reply;
        }
        let mut state = self.past[newest - self.past_first].clone();
        let reply = apply(&mut state, body);
        self.past.push(state);
        if self.past.len() > PAST_MAX {
            self.past.remove(0);
            self.past_first += 1;
        }
        self.seen.insert(from, newest + 1);
        reply
    }

    /// One replica takes over what is newer in another, and a third, which may be one of the two, answers.
    fn last_write_wins(&mut self, body: &Value, random: &mut Random) -> Value {
        let (source, sink) = (random.index(REPLICAS), random.index(REPLICAS));
        for (key, (time, value)) in self.replicas[source].clone() {
            let known = self.replicas[sink].entry(key).or_insert((0, Value::Null));
            if time > known.0 {
                *known = (time, value);
            }
        }
        let asked = &mut self.replicas[random.index(REPLICAS)];
        let mut state: Store = asked.iter().map(|(key, (_, value))| (key.clone(), value.clone())).collect();
        let reply = apply(&mut state, body);
        let key = body.get("key").map(Value::to_string).unwrap_or_default();
        if let Some(value) = state.remove(&key)
            && asked.get(&key).map(|(_, known)| known) != Some(&value)
        {
            self.clock += 1;
            asked.insert(key, (self.clock, value));
        }
        reply
    }

    fn next_timestamp(&mut self, body: &Value) -> Value {
        if body.get("type").and_then(Value::as_str) != Some("ts") {
            return error(10, "lin-tso has the request ts");
        }
        self.timestamp += 1;
        json!({ "type": "ts_ok", "ts": self.timestamp - 1 })
    }
}

/// Does a request to a store.
fn apply(store: &mut Store, body: &Value) -> Value {
    let Some(key) = body.get("key").map(Value::to_string) else {
        return error(12, "the request has no key");
    };
    let field = |name: &str| body.get(name).cloned().unwrap_or(Value::Null);
    match body.get("type").and_then(Value::as_str) {
        Some("read") => match store.get(&key) {
            Some(value) => json!({ "type": "read_ok", "value": value }),
            None => error(20, "key does not exist"),
        },
        Some("write") => {
            store.insert(key, field("value"));
            json!({ "type": "write_ok" })
        }
        Some("cas") => {
            let creates = body.get("create_if_not_exists").and_then(Value::as_bool) == Some(true);
            match store.get(&key) {
                None if !creates => return error(20, "key does not exist"),
                Some(value) if *value != field("from") => {
                    return error(22, &format!("current value {value} is not {}", field("from")));
                }
                _ => {}
            }
            store.insert(key, field("to"));
            json!({ "type": "cas_ok" })
        }
        _ => error(10, "a store has the requests read, write and cas"),
    }
}

fn error(code: u32, text: &str) -> Value {
    json!({ "type": "error", "code": code, "text": text })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(services: &mut Services, service: ServiceName, node: usize, body: &Value, seed: u64) -> Value {
        services.handle(service, NodeId::new(node), body, &mut Random::new(seed))
    }

    fn write(key: &str, value: u64) -> Value {
        json!({ "type": "write", "key": key, "value": value })
    }

    #[test]
    fn lin_kv_shows_the_last_write_and_compares_before_it_sets() {
        let (mut services, kv) = (Services::default(), ServiceName::LinKv);
        let read = json!({ "type": "read", "key": "x" });
        let cas = |from: u64, to: u64| json!({ "type": "cas", "key": "x", "from": from, "to": to });
        assert_eq!(ask(&mut services, kv, 1, &read, 0)["code"], 20);
        assert_eq!(ask(&mut services, kv, 1, &cas(0, 1), 0)["code"], 20);
        let create = json!({ "type": "cas", "key": "x", "from": 9, "to": 1, "create_if_not_exists": true });
        assert_eq!(ask(&mut services, kv, 1, &create, 0)["type"], "cas_ok");
        assert_eq!(ask(&mut services, kv, 2, &cas(2, 3), 0)["code"], 22);
        assert_eq!(ask(&mut services, kv, 2, &cas(1, 2), 0)["type"], "cas_ok");
        assert_eq!(ask(&mut services, kv, 3, &read, 0)["value"], 2);
    }

    #[test]
    fn seq_kv_shows_the_past_to_others_but_never_goes_back_for_one_node() {
        let (mut services, kv) = (Services::default(), ServiceName::SeqKv);
        let read = json!({ "type": "read", "key": "x" });
        for value in 1..=8 {
            ask(&mut services, kv, 1, &write("x", value), value);
            assert_eq!(ask(&mut services, kv, 1, &read, value)["value"], value, "a node sees its own writes");
        }
        let values: Vec<u64> = (0..40)
            .map(|seed| ask(&mut services, kv, 2, &read, seed)["value"].as_u64().unwrap_or(0))
            .collect();
        assert!(values[0] < 8, "another node sees the past: {values:?}");
        assert!(values.is_sorted(), "it never goes back: {values:?}");
        assert_eq!(values.last(), Some(&8));
    }

    #[test]
    fn lww_kv_forgets_nothing_for_good_but_shows_old_values() {
        let (mut services, kv) = (Services::default(), ServiceName::LwwKv);
        let read = json!({ "type": "read", "key": "x" });
        ask(&mut services, kv, 1, &write("x", 1), 1);
        let mut seen = Vec::new();
        for seed in 0..200 {
            seen.push(ask(&mut services, kv, 1, &read, seed)["value"].as_u64());
        }
        assert!(seen.contains(&None), "a replica that has not heard of it: {seen:?}");
        assert_eq!(seen.last(), Some(&Some(1)), "all have heard of it in the end");
    }

    #[test]
    fn lin_tso_counts() {
        let mut services = Services::default();
        let ts = json!({ "type": "ts" });
        let stamps: Vec<_> =
            (0..3).map(|_| ask(&mut services, ServiceName::LinTso, 1, &ts, 0)["ts"].as_u64()).collect();
        assert_eq!(stamps, [Some(0), Some(1), Some(2)]);
    }
}
