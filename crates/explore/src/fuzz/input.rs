//! Inputs: what is fuzzed.

use std::cmp::Ordering;

/// The most steps that an input may have.
pub(crate) const HORIZON_MAX: usize = 10_000;

/// A buffer of messages: a link or a process, by number (see [`super::Shape`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Buffer(pub u16);

impl Buffer {
    /// Whichever buffer is drawn among those that hold something, when the input is played. What was drawn is
    /// then put in its place, so that the input can be repeated.
    pub const OPEN: Buffer = Buffer(u16::MAX);
}

/// One thing that an input says to do. Nodes are counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Deed {
    /// The node crashes; of its unflushed writes so many 256ths survive.
    Crash { node: u8, keep: u8 },
    /// The node restarts.
    Restart(u8),
    /// The link between two nodes breaks.
    Cut(u8, u8),
    /// The link between two nodes works again.
    Heal(u8, u8),
    /// The oldest message of the buffer is lost.
    Drop(Buffer),
    /// The oldest message of the buffer is doubled.
    Duplicate(Buffer),
    /// At most so many messages of the buffer are delivered, the oldest first.
    Deliver(Buffer, u8),
    /// The next request of the workload goes to this node, or to the next one that is up.
    Request(u8),
    /// A timer of the node goes off, where timers may go off at any time.
    Fire(u8),
    /// What the node has written becomes durable.
    Flush(u8),
}

impl Deed {
    /// Its place in a step: crash, restart, deliver, request, and then the clocks tick. What the paper does
    /// not know of goes where it can matter most: faults of the network before deliveries, the rest after
    /// them.
    pub fn rank(self) -> u8 {
        match self {
            Deed::Crash { .. } => 0,
            Deed::Restart(_) => 1,
            Deed::Cut(..) => 2,
            Deed::Heal(..) => 3,
            Deed::Drop(_) => 4,
            Deed::Duplicate(_) => 5,
            Deed::Deliver(..) => 6,
            Deed::Request(_) => 7,
            Deed::Fire(_) => 8,
            Deed::Flush(_) => 9,
        }
    }
}

/// A deed and its step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub step: u16,
    pub deed: Deed,
}

impl Entry {
    fn order(&self, other: &Entry) -> Ordering {
        (self.step, self.deed.rank()).cmp(&(other.step, other.deed.rank()))
    }
}

/// An input: deeds in the order in which they are done, and the seed of the nodes and the workload that it
/// was first played with; nothing if it was not played yet. Mutants keep that seed, for with another one they
/// would not do again what their parent did before its first change.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Input {
    pub world: Option<u64>,
    /// The last step in which it did something, when it was played: what comes after it does not matter.
    pub end: u16,
    entries: Vec<Entry>,
}

impl Input {
    pub fn new(mut entries: Vec<Entry>) -> Input {
        entries.sort_by(Entry::order);
        Input { world: None, end: 0, entries }
    }

    /// An input that was played in this world, up to this step.
    pub fn played(world: u64, end: u16, entries: Vec<Entry>) -> Input {
        Input { world: Some(world), end, ..Input::new(entries) }
    }

    /// What is to be done, in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Puts the buffer that was drawn in the place of an open one.
    pub fn fix(&mut self, place: usize, buffer: Buffer) {
        if let Deed::Deliver(open, _) | Deed::Drop(open) | Deed::Duplicate(open) =
            &mut self.entries[place].deed
        {
            *open = buffer;
        }
    }

    /// The first delivery after this place from one of these buffers: its place, and the buffer.
    pub fn next_delivery(&self, place: usize, buffers: &[Buffer]) -> Option<(usize, Buffer)> {
        let later = self.entries.iter().enumerate().skip(place + 1);
        let buffer = |entry: &Entry| match entry.deed {
            Deed::Deliver(buffer, _) if buffers.contains(&buffer) => Some(buffer),
            _ => None,
        };
        later.filter_map(|(place, entry)| Some((place, buffer(entry)?))).next()
    }

    /// Puts these deliveries in the place of all others, each of them so many times.
    pub fn echo(&mut self, delivered: &[Entry], times: usize) {
        self.change(|entries| {
            entries.retain(|entry| !matches!(entry.deed, Deed::Deliver(..)));
            entries.extend(delivered.iter().flat_map(|entry| std::iter::repeat_n(*entry, times)));
        });
    }

    /// Changes the entries, and puts them in order again.
    pub fn change(&mut self, change: impl FnOnce(&mut Vec<Entry>)) {
        change(&mut self.entries);
        self.entries.sort_by(Entry::order);
    }
}
