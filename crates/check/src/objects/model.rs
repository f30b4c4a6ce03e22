//! What objects do, one operation after another.

use std::collections::BTreeSet;
use std::fmt;

use crate::Model;

/// A value, by its number in a table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symbol(pub u32);

/// A kind of object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Object {
    /// `read`, `write`, `cas`; what failed did not happen.
    Register,
    /// The same, but a `cas` that failed found another value.
    Cas,
    /// `enqueue`, `dequeue`: first in, first out.
    Queue,
    /// `push`, `pop`: last in, first out.
    Stack,
    /// `add`, `remove`, `read`.
    Set,
    /// `add`, `read`.
    Counter,
    /// `append`, `read`.
    Log,
    /// `acquire`, `release`.
    Lock,
}

impl Object {
    /// Every kind, with its name and the names of its operations.
    pub const ALL: [(&'static str, Object, &'static [&'static str]); 8] = [
        ("register", Object::Register, &["read", "write", "cas"]),
        ("cas", Object::Cas, &["read", "write", "cas"]),
        ("queue", Object::Queue, &["enqueue", "dequeue"]),
        ("stack", Object::Stack, &["push", "pop"]),
        ("set", Object::Set, &["add", "remove", "read"]),
        ("counter", Object::Counter, &["add", "read"]),
        ("log", Object::Log, &["append", "read"]),
        ("lock", Object::Lock, &["acquire", "release"]),
    ];

    /// The kind of this name.
    pub fn of(name: &str) -> Option<Object> {
        Object::ALL.iter().find(|(known, ..)| *known == name).map(|(_, object, _)| *object)
    }

    /// Its name, and those of its operations.
    pub fn names(self) -> (&'static str, &'static [&'static str]) {
        let place = Object::ALL.iter().position(|(_, object, _)| *object == self);
        let (name, _, operations) = Object::ALL[place.expect("every kind is listed")];
        (name, operations)
    }
}

/// What is asked of an object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ObjectOp {
    /// What does it hold?
    Read,
    /// A register is to hold this.
    Write(Symbol),
    /// A register that holds the first is to hold the second.
    Cas(Symbol, Symbol),
    /// One more at the end of a queue, a stack or a log, or in a set.
    Put(Symbol),
    /// The next one of a queue or a stack is taken out.
    Take,
    /// This one is taken out of a set.
    Remove(Symbol),
    /// A counter is to grow by this much.
    Add(i64),
    /// The lock is to be this process's.
    Acquire(i64),
    /// The lock is this process's no more.
    Release(i64),
}

/// What an object answers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ObjectAnswer {
    /// It is done.
    Done,
    /// A register, or the next one of a queue or a stack; nothing if there is none.
    Value(Option<Symbol>),
    /// Whether a register held what it was compared with.
    Applied(bool),
    /// A log.
    List(Vec<Symbol>),
    /// A set.
    Set(BTreeSet<Symbol>),
    /// A counter.
    Number(i64),
    /// What was appended is at this place of the log.
    At(usize),
}

/// What an object holds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ObjectState {
    /// A register.
    Value(Option<Symbol>),
    /// A queue, a stack or a log, the oldest first.
    List(Vec<Symbol>),
    /// A set.
    Set(BTreeSet<Symbol>),
    /// A counter.
    Number(i64),
    /// A lock, and who has it.
    Owner(Option<i64>),
}

impl Model for Object {
    type State = ObjectState;
    type Op = ObjectOp;
    type Answer = ObjectAnswer;

    fn initial(&self) -> ObjectState {
        match self {
            Object::Register | Object::Cas => ObjectState::Value(None),
            Object::Queue | Object::Stack | Object::Log => ObjectState::List(Vec::new()),
            Object::Set => ObjectState::Set(BTreeSet::new()),
            Object::Counter => ObjectState::Number(0),
            Object::Lock => ObjectState::Owner(None),
        }
    }

    fn step(&self, state: &ObjectState, op: &ObjectOp, answer: Option<&ObjectAnswer>) -> Option<ObjectState> {
        match state {
            ObjectState::Value(value) => register(*value, op, answer).map(ObjectState::Value),
            ObjectState::List(list) => list_step(*self, list, op, answer).map(ObjectState::List),
            ObjectState::Set(set) => set_step(set, op, answer).map(ObjectState::Set),
            ObjectState::Number(number) => counter(*number, op, answer).map(ObjectState::Number),
            ObjectState::Owner(owner) => lock(*owner, op).map(ObjectState::Owner),
        }
    }

    fn only_looks(&self, op: &ObjectOp, answer: &ObjectAnswer) -> bool {
        *op == ObjectOp::Read || nothing_happened(answer)
    }
}

/// Whether the answer shows that nothing was changed.
fn nothing_happened(answer: &ObjectAnswer) -> bool {
    matches!(answer, ObjectAnswer::Applied(false) | ObjectAnswer::Value(None))
}

type Given<'a> = Option<&'a ObjectAnswer>;

fn register(value: Option<Symbol>, op: &ObjectOp, answer: Given<'_>) -> Option<Option<Symbol>> {
    match (op, answer) {
        (ObjectOp::Read, Some(ObjectAnswer::Value(read))) => (*read == value).then_some(value),
        (ObjectOp::Read, _) => Some(value),
        (ObjectOp::Write(written), _) => Some(Some(*written)),
        (ObjectOp::Cas(from, to), answer) => {
            let holds = value == Some(*from);
            let fits = match answer {
                Some(ObjectAnswer::Applied(applied)) => *applied == holds,
                _ => true,
            };
            fits.then_some(if holds { Some(*to) } else { value })
        }
        _ => None,
    }
}

fn list_step(object: Object, list: &[Symbol], op: &ObjectOp, answer: Given<'_>) -> Option<Vec<Symbol>> {
    match op {
        ObjectOp::Read => match answer {
            Some(ObjectAnswer::List(read)) => (read == list).then(|| list.to_vec()),
            _ => Some(list.to_vec()),
        },
        ObjectOp::Put(symbol) => {
            if let Some(ObjectAnswer::At(place)) = answer
                && *place != list.len()
            {
                return None;
            }
            Some(list.iter().copied().chain([*symbol]).collect())
        }
        ObjectOp::Take => {
            let (next, rest) = match object {
                Object::Queue => list.split_first(),
                _ => list.split_last(),
            }
            .map_or((None, list), |(next, rest)| (Some(*next), rest));
            match answer {
                Some(ObjectAnswer::Value(taken)) if *taken != next => None,
                _ => Some(rest.to_vec()),
            }
        }
        _ => None,
    }
}

fn set_step(set: &BTreeSet<Symbol>, op: &ObjectOp, answer: Given<'_>) -> Option<BTreeSet<Symbol>> {
    let mut after = set.clone();
    match (op, answer) {
        (ObjectOp::Read, Some(ObjectAnswer::Set(read))) if read != set => return None,
        (ObjectOp::Read, _) => {}
        (ObjectOp::Put(symbol), _) => drop(after.insert(*symbol)),
        (ObjectOp::Remove(symbol), answer) => {
            let was_there = after.remove(symbol);
            if let Some(ObjectAnswer::Applied(applied)) = answer
                && *applied != was_there
            {
                return None;
            }
        }
        _ => return None,
    }
    Some(after)
}

fn counter(number: i64, op: &ObjectOp, answer: Given<'_>) -> Option<i64> {
    match (op, answer) {
        (ObjectOp::Read, Some(ObjectAnswer::Number(read))) => (*read == number).then_some(number),
        (ObjectOp::Read, _) => Some(number),
        (ObjectOp::Add(more), _) => Some(number.wrapping_add(*more)),
        _ => None,
    }
}

/// A lock is acquired when it is free, and released by the process that has it.
fn lock(owner: Option<i64>, op: &ObjectOp) -> Option<Option<i64>> {
    match op {
        ObjectOp::Acquire(process) => owner.is_none().then_some(Some(*process)),
        ObjectOp::Release(process) => (owner == Some(*process)).then_some(None),
        _ => None,
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.names().0)
    }
}
