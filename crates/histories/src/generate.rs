//! Requests of workloads, one after the other: what clients ask of a system, so that its answers can be
//! checked.
//!
//! A request has a name and a value, as in a history: `txn` and `[["append", 3, 1], ["r", 4, null]]`. Numbers
//! come from the caller, who gives a function that draws one below a bound: so the same seed makes the same
//! requests.
//!
//! ```
//! use shakedown_histories::generate::{Generator, Shape};
//!
//! let mut generator = Generator::of("list-append", Shape { keys: 2, ..Shape::default() }).expect("it is known");
//! let mut below = |bound: u64| bound - 1;
//! assert_eq!(generator.next(&mut below).0, "txn");
//! ```

use serde_json::{Map, Value, json};

/// What requests look like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// How many keys are in use at a time: fewer are contended more.
    pub keys: u64,
    /// After how many writes a key is retired, and a new one is used in its place.
    pub writes_per_key: u64,
    /// The most operations of a transaction; there is at least one.
    pub ops: u64,
    /// How much more the first keys are used than the others: of this many further draws the lowest counts.
    /// 0: all alike.
    pub skew: u32,
}

impl Default for Shape {
    fn default() -> Shape {
        Shape { keys: 10, writes_per_key: 100, ops: 4, skew: 0 }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    ListAppend,
    RwRegister,
    Bank,
    LongFork,
    Set,
    Queue,
    Kafka,
}

/// Draws a number below a bound.
pub type Below<'r> = &'r mut dyn FnMut(u64) -> u64;

/// Makes the requests of a workload.
#[derive(Clone, Debug)]
pub struct Generator {
    kind: Kind,
    shape: Shape,
    /// The keys in use, and how often each was written.
    active: Vec<(u64, u64)>,
    next_key: u64,
    next_value: u64,
}

impl Generator {
    /// The workloads that there are.
    pub const NAMES: [&'static str; 7] =
        ["list-append", "rw-register", "bank", "long-fork", "set", "queue", "kafka"];

    /// The generator of this name.
    pub fn of(name: &str, shape: Shape) -> Option<Generator> {
        let kind = match name {
            "list-append" => Kind::ListAppend,
            "rw-register" => Kind::RwRegister,
            "bank" => Kind::Bank,
            "long-fork" => Kind::LongFork,
            "set" => Kind::Set,
            "queue" => Kind::Queue,
            "kafka" => Kind::Kafka,
            _ => return None,
        };
        let keys = shape.keys.max(1);
        let shape =
            Shape { keys, ops: shape.ops.max(1), writes_per_key: shape.writes_per_key.max(1), ..shape };
        let active = (0..keys).map(|key| (key, 0)).collect();
        Some(Generator { kind, shape, active, next_key: keys, next_value: 0 })
    }

    /// The next request: its name and its value.
    pub fn next(&mut self, below: Below<'_>) -> (&'static str, Value) {
        match self.kind {
            Kind::ListAppend => ("txn", self.transaction("append", below)),
            Kind::RwRegister => ("txn", self.transaction("w", below)),
            Kind::Bank => self.bank(below),
            Kind::LongFork => ("txn", self.long_fork(below)),
            Kind::Set => match below(4) {
                0 => ("read", Value::Null),
                _ => ("add", self.value().into()),
            },
            Kind::Queue => match below(2) {
                0 => ("dequeue", Value::Null),
                _ => ("enqueue", self.value().into()),
            },
            Kind::Kafka => self.kafka(below),
        }
    }

    fn value(&mut self) -> u64 {
        self.next_value += 1;
        self.next_value
    }

    /// The place of a key.
    fn draw(&self, below: Below<'_>) -> usize {
        let mut draw = || below(self.active.len() as u64) as usize;
        let first = draw();
        (0..self.shape.skew).fold(first, |lowest, _| lowest.min(draw()))
    }

    /// A key that is written, which it may have been often enough then.
    fn written(&mut self, below: Below<'_>) -> u64 {
        let place = self.draw(below);
        let (key, writes) = &mut self.active[place];
        *writes += 1;
        let written = *key;
        if *writes >= self.shape.writes_per_key {
            self.active[place] = (self.next_key, 0);
            self.next_key += 1;
        }
        written
    }

    fn transaction(&mut self, write: &str, below: Below<'_>) -> Value {
        let count = 1 + below(self.shape.ops);
        let op = |generator: &mut Generator, below: Below<'_>| match below(2) {
            0 => {
                let key = generator.draw(below);
                json!(["r", generator.active[key].0, null])
            }
            _ => {
                let key = generator.written(below);
                json!([write, key, generator.value()])
            }
        };
        (0..count).map(|_| op(self, below)).collect()
    }

    fn bank(&mut self, below: Below<'_>) -> (&'static str, Value) {
        if below(4) == 0 || self.shape.keys < 2 {
            return ("read", Value::Null);
        }
        let from = self.draw(below) as u64;
        // Another one.
        let to = (from + 1 + below(self.shape.keys - 1)) % self.shape.keys;
        ("transfer", json!({ "from": from, "to": to, "amount": 1 + below(5) }))
    }

    /// Keys in groups; each key is written once, and reads take all keys of a group in use.
    fn long_fork(&mut self, below: Below<'_>) -> Value {
        let group = self.shape.keys;
        let open: Vec<usize> = (0..self.active.len()).filter(|&place| self.active[place].1 == 0).collect();
        if below(2) == 0 && !open.is_empty() {
            let place = open[below(open.len() as u64) as usize];
            self.active[place].1 = 1;
            return json!([["w", self.active[place].0, 1]]);
        }
        let read: Value = self.active.iter().map(|(key, _)| json!(["r", key, null])).collect();
        // All are written: after a few more reads the next group has its turn.
        if open.is_empty() && below(4) == 0 {
            self.active = (self.next_key..self.next_key + group).map(|key| (key, 0)).collect();
            self.next_key += group;
        }
        read
    }

    fn kafka(&mut self, below: Below<'_>) -> (&'static str, Value) {
        match below(2) {
            0 => ("poll", json!([["poll"]])),
            _ => {
                let key = self.written(below);
                ("send", json!([["send", key, self.value()]]))
            }
        }
    }
}

/// A record of a history as a line of JSON: what a client begins, or how it ends.
pub fn record(process: u64, kind: &str, f: &str, value: &Value) -> String {
    let fields =
        [("process", process.into()), ("type", kind.into()), ("f", f.into()), ("value", value.clone())];
    Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
        .to_string()
}
