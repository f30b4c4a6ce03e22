//! What filters and the property of a scenario remember together: counters, sets of messages, recorded
//! messages, numbers, and parts of the cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use shakedown_cluster::{MessageIndex, NodeId, NodeSet, Random};

use crate::EventView;

/// The memory of one iteration. It is empty when the iteration begins, but for the parts that were drawn.
#[derive(Clone)]
pub struct Memory<M> {
    counters: BTreeMap<(&'static str, u64), u64>,
    sets: BTreeMap<&'static str, Vec<MessageIndex>>,
    /// The copies that were made of messages before they were received.
    copies: BTreeMap<MessageIndex, MessageIndex>,
    recorded: BTreeMap<&'static str, M>,
    numbers: BTreeMap<&'static str, i64>,
    parts: BTreeMap<&'static str, NodeSet>,
    /// The parts that the network is split into now; none if it is whole.
    partition: Vec<NodeSet>,
    /// The parts that the scenario draws for an iteration: a partition that only conditions see.
    logical: Vec<NodeSet>,
    done: BTreeSet<u64>,
    noted_nodes: BTreeMap<u64, NodeSet>,
    pub(crate) state: usize,
    pub(crate) state_names: Arc<[&'static str]>,
    /// Randomness that comes from the seed of the iteration.
    pub random: Random,
}

impl<M> Memory<M> {
    pub(crate) fn new(random: Random, state_names: Arc<[&'static str]>) -> Memory<M> {
        Memory {
            counters: BTreeMap::new(),
            sets: BTreeMap::new(),
            copies: BTreeMap::new(),
            recorded: BTreeMap::new(),
            numbers: BTreeMap::new(),
            parts: BTreeMap::new(),
            partition: Vec::new(),
            logical: Vec::new(),
            done: BTreeSet::new(),
            noted_nodes: BTreeMap::new(),
            state: 0,
            state_names,
            random,
        }
    }

    /// The value of a counter; `key` tells apart the counters of one name.
    pub fn count(&self, name: &'static str, key: u64) -> u64 {
        self.counters.get(&(name, key)).copied().unwrap_or(0)
    }

    /// Adds one to a counter.
    pub fn increment(&mut self, name: &'static str, key: u64) {
        *self.counters.entry((name, key)).or_insert(0) += 1;
    }

    /// The messages of a set.
    pub fn set(&self, name: &str) -> &[MessageIndex] {
        self.sets.get(name).map_or(&[], Vec::as_slice)
    }

    /// The copy that was made of this message before it was received, if one was.
    pub fn copy_of(&self, message: MessageIndex) -> Option<MessageIndex> {
        self.copies.get(&message).copied()
    }

    pub(crate) fn note_copy(&mut self, message: MessageIndex, copy: MessageIndex) {
        self.copies.insert(message, copy);
    }

    /// Puts a message into a set.
    pub fn store(&mut self, name: &'static str, message: MessageIndex) {
        let set = self.sets.entry(name).or_default();
        if !set.contains(&message) {
            set.push(message);
        }
    }

    /// Empties a set.
    pub fn take_set(&mut self, name: &str) -> Vec<MessageIndex> {
        self.sets.get_mut(name).map(std::mem::take).unwrap_or_default()
    }

    /// The message that was recorded under this name.
    pub fn recorded(&self, name: &str) -> Option<&M> {
        self.recorded.get(name)
    }

    /// Records a message under this name.
    pub fn record(&mut self, name: &'static str, message: M) {
        self.recorded.insert(name, message);
    }

    /// The number of this name.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.numbers.get(name).copied()
    }

    /// Remembers a number.
    pub fn set_number(&mut self, name: &'static str, number: i64) {
        self.numbers.insert(name, number);
    }

    /// The part of this name; nobody if there is no such part.
    pub fn part(&self, name: &str) -> NodeSet {
        self.parts.get(name).copied().unwrap_or_default()
    }

    /// All parts, by name.
    pub(crate) fn parts(&self) -> &BTreeMap<&'static str, NodeSet> {
        &self.parts
    }

    /// Gives a part its members.
    pub fn set_part(&mut self, name: &'static str, members: NodeSet) {
        self.parts.insert(name, members);
    }

    /// The single member of a part.
    pub fn role(&self, name: &str) -> Option<NodeId> {
        self.part(name).iter().next()
    }

    /// The parts that the network is split into now; none if it is whole.
    pub fn partition(&self) -> &[NodeSet] {
        &self.partition
    }

    pub(crate) fn set_partition(&mut self, parts: Vec<NodeSet>) {
        self.partition = parts;
    }

    pub(crate) fn set_logical_partition(&mut self, parts: Vec<NodeSet>) {
        self.logical = parts;
    }

    /// Whether both nodes are in one part of the partition: the parts that the network is split into, or,
    /// while it is whole, the parts that the scenario declares with
    /// [`Scenario::parts`](crate::Scenario::parts). Without either, always.
    pub fn is_within(&self, a: NodeId, b: NodeId) -> bool {
        let parts = if self.partition.is_empty() { &self.logical } else { &self.partition };
        parts.is_empty() || parts.iter().any(|part| part.contains(a) && part.contains(b))
    }

    /// The state that the property is in.
    pub fn property_state(&self) -> &'static str {
        self.state_names.get(self.state).copied().unwrap_or("")
    }

    /// Whether this is the first time that something with this identity is asked for.
    pub(crate) fn is_first(&mut self, identity: u64) -> bool {
        self.done.insert(identity)
    }

    /// Notes a node for whatever has this identity.
    pub(crate) fn note_node(&mut self, identity: u64, node: NodeId) {
        self.noted_nodes.entry(identity).or_default().insert(node);
    }

    /// The nodes that were noted for whatever has this identity.
    pub(crate) fn noted_nodes(&self, identity: u64) -> NodeSet {
        self.noted_nodes.get(&identity).copied().unwrap_or_default()
    }

    pub(crate) fn was_done(&self, identity: u64) -> bool {
        self.done.contains(&identity)
    }
}

/// A counter, or a family of counters told apart by what an event is about.
pub struct Counter<M> {
    name: &'static str,
    key: Option<Arc<KeyOf<M>>>,
}

type KeyOf<M> = dyn Fn(&EventView<'_, M>) -> u64 + Send + Sync;

impl<M> Counter<M> {
    /// One counter.
    pub fn new(name: &'static str) -> Counter<M> {
        Counter { name, key: None }
    }

    /// One counter for everything that `key` tells apart: a term, a receiver, both packed into one number.
    #[must_use]
    pub fn per(mut self, key: impl Fn(&EventView<'_, M>) -> u64 + Send + Sync + 'static) -> Counter<M> {
        self.key = Some(Arc::new(key));
        self
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn key(&self, event: &EventView<'_, M>) -> u64 {
        self.key.as_ref().map_or(0, |key| key(event))
    }

    pub(crate) fn value(&self, event: &EventView<'_, M>, memory: &Memory<M>) -> u64 {
        memory.count(self.name, self.key(event))
    }
}

impl<M> Clone for Counter<M> {
    fn clone(&self) -> Counter<M> {
        Counter { name: self.name, key: self.key.clone() }
    }
}

impl<M> From<&'static str> for Counter<M> {
    fn from(name: &'static str) -> Counter<M> {
        Counter::new(name)
    }
}

impl<M> From<&Counter<M>> for Counter<M> {
    fn from(counter: &Counter<M>) -> Counter<M> {
        counter.clone()
    }
}
