//! Histories in memory: flat arrays, so that ten million transactions fit and are read in one sweep.

use rustc_hash::FxHashMap;

/// A transaction, by its place in the history.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TransactionId(pub u32);

/// A key, numbered in the order in which keys were met.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key(pub u32);

/// An element of a list, or a value of a register.
///
/// Numbers from 0 to 2³¹ − 1 are themselves; everything else has a number from 2³¹ on, in the order in which
/// it was met.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct Element(pub u32);

/// The first number of an element that has a text.
const NAMED: u32 = 1 << 31;

/// How a transaction ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// It was committed.
    Ok,
    /// It was aborted.
    Fail,
    /// Nobody knows.
    Info,
}

/// An operation of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op<'a> {
    /// Appends an element to the list of a key.
    Append(Key, Element),
    /// Reads the list of a key; nothing if what it returned is not known, or if it returned nothing.
    Read(Key, Option<&'a [Element]>),
    /// Writes the register of a key.
    Write(Key, Element),
    /// Reads the register of a key, which holds this.
    ReadValue(Key, Element),
}

impl Op<'_> {
    /// The key that it is about.
    pub fn key(self) -> Key {
        match self {
            Op::Append(key, _) | Op::Read(key, _) | Op::Write(key, _) | Op::ReadValue(key, _) => key,
        }
    }
}

/// An operation in sixteen bytes.
#[derive(Clone, Copy, Debug)]
struct Packed {
    key: Key,
    /// How many elements a read returned, or one of the marks below.
    length: u32,
    /// Where they begin, or the element that is appended.
    start: u64,
}

const APPEND: u32 = u32::MAX;
const UNKNOWN_READ: u32 = u32::MAX - 1;
const WRITE: u32 = u32::MAX - 2;
const READ_VALUE: u32 = u32::MAX - 3;
/// The most elements of a list.
const LENGTH_MAX: u32 = u32::MAX - 4;

/// A transaction.
#[derive(Clone, Copy, Debug)]
pub struct Transaction {
    /// The process that ran it; a process runs one at a time.
    pub process: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// When it began: a position in the recorded history.
    pub began: u32,
    /// When it ended; [`u32::MAX`] if it never did.
    pub ended: u32,
    first_op: u64,
    op_count: u32,
}

/// What clients did. Make one with a [`HistoryBuilder`], or read one.
#[derive(Default)]
pub struct History {
    transactions: Vec<Transaction>,
    ops: Vec<Packed>,
    elements: Vec<Element>,
    keys: Vec<String>,
    names: Vec<String>,
    has_lists: bool,
    has_registers: bool,
}

impl History {
    /// How many transactions there are.
    pub fn len(&self) -> usize {
        self.transactions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.transactions.is_empty()
    }

    /// How many keys there are.
    pub fn key_count(&self) -> usize {
        self.keys.len()
    }

    /// How many operations there are.
    pub fn op_count(&self) -> usize {
        self.ops.len()
    }

    /// Whether anything was done to a list.
    pub fn has_lists(&self) -> bool {
        self.has_lists
    }

    /// Whether anything was done to a register.
    pub fn has_registers(&self) -> bool {
        self.has_registers
    }

    /// How many bytes the history takes in memory.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.transactions[..]) + size_of_val(&self.ops[..]) + size_of_val(&self.elements[..])
    }

    /// Every transaction, in the order in which they began.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = TransactionId> + ExactSizeIterator + use<> {
        (0..self.transactions.len() as u32).map(TransactionId)
    }

    /// A transaction.
    #[inline]
    pub fn transaction(&self, id: TransactionId) -> &Transaction {
        &self.transactions[id.0 as usize]
    }

    /// The operations of a transaction, in order.
    #[inline]
    pub fn ops(&self, id: TransactionId) -> impl DoubleEndedIterator<Item = Op<'_>> + ExactSizeIterator {
        let Transaction { first_op, op_count, .. } = self.transactions[id.0 as usize];
        let first = first_op as usize;
        let end = first + op_count as usize;
        self.ops[first..end].iter().map(|packed| match packed.length {
            APPEND => Op::Append(packed.key, Element(packed.start as u32)),
            UNKNOWN_READ => Op::Read(packed.key, None),
            WRITE => Op::Write(packed.key, Element(packed.start as u32)),
            READ_VALUE => Op::ReadValue(packed.key, Element(packed.start as u32)),
            length => {
                let start = packed.start as usize;
                Op::Read(packed.key, Some(&self.elements[start..start + length as usize]))
            }
        })
    }

    /// A transaction in a line.
    pub fn describe(&self, id: TransactionId) -> String {
        let op = |op: Op<'_>| match op {
            Op::Append(key, element) => {
                format!("append {} {}", self.key_name(key), self.element_name(element))
            }
            Op::Read(key, Some(list)) => format!("r {} {}", self.key_name(key), shown(self, list)),
            Op::Read(key, None) => format!("r {} nil", self.key_name(key)),
            Op::Write(key, element) => {
                format!("w {} {}", self.key_name(key), self.element_name(element))
            }
            Op::ReadValue(key, element) => {
                format!("r {} {}", self.key_name(key), self.element_name(element))
            }
        };
        self.ops(id).map(op).collect::<Vec<_>>().join("; ")
    }

    /// A key as it was recorded.
    pub fn key_name(&self, key: Key) -> &str {
        &self.keys[key.0 as usize]
    }

    /// An element as it was recorded.
    pub fn element_name(&self, element: Element) -> String {
        match element.0.checked_sub(NAMED) {
            None => element.0.to_string(),
            Some(place) => self.names[place as usize].clone(),
        }
    }
}

/// A list in few words.
pub(crate) fn shown(history: &History, list: &[Element]) -> String {
    const SHOWN: usize = 12;
    let from = list.len().saturating_sub(SHOWN);
    let names: Vec<String> = list[from..].iter().map(|element| history.element_name(*element)).collect();
    format!("[{}{}]", if from > 0 { "… " } else { "" }, names.join(" "))
}

/// Makes a history, transaction by transaction.
#[derive(Default)]
pub struct HistoryBuilder {
    history: History,
    keys: FxHashMap<String, Key>,
    names: FxHashMap<String, Element>,
}

impl HistoryBuilder {
    /// The number of a key.
    pub fn key(&mut self, name: &str) -> Key {
        if let Some(key) = self.keys.get(name) {
            return *key;
        }
        let key = Key(self.keys.len() as u32);
        self.keys.insert(name.to_owned(), key);
        self.history.keys.push(name.to_owned());
        key
    }

    /// An element that is a number.
    pub fn number(&mut self, number: i64) -> Element {
        match u32::try_from(number).ok().filter(|number| *number < NAMED) {
            Some(number) => Element(number),
            None => self.element(&number.to_string()),
        }
    }

    /// An element with a text.
    pub fn element(&mut self, name: &str) -> Element {
        if let Some(element) = self.names.get(name) {
            return *element;
        }
        let element = Element(NAMED + self.names.len() as u32);
        self.names.insert(name.to_owned(), element);
        self.history.names.push(name.to_owned());
        element
    }

    /// Begins a transaction; its operations follow.
    pub fn transaction(&mut self, process: u32, outcome: Outcome, began: u32, ended: Option<u32>) {
        let first_op = self.history.ops.len() as u64;
        let ended = ended.unwrap_or(u32::MAX);
        let transaction = Transaction { process, outcome, began, ended, first_op, op_count: 0 };
        self.history.transactions.push(transaction);
    }

    /// The transaction appends an element.
    ///
    /// # Panics
    /// If there is no transaction yet.
    pub fn append(&mut self, key: Key, element: Element) {
        self.history.has_lists = true;
        self.push(Packed { key, length: APPEND, start: element.0.into() });
    }

    /// The transaction reads a list; nothing if what it returned is not known.
    ///
    /// # Panics
    /// If there is no transaction yet.
    pub fn read(&mut self, key: Key, elements: Option<&[Element]>) {
        let start = self.history.elements.len() as u64;
        let length = match elements {
            Some(elements) => {
                self.history.has_lists = true;
                self.history.elements.extend_from_slice(elements);
                (elements.len() as u32).min(LENGTH_MAX)
            }
            None => UNKNOWN_READ,
        };
        self.push(Packed { key, length, start });
    }

    /// The transaction writes a register.
    ///
    /// # Panics
    /// If there is no transaction yet.
    pub fn write(&mut self, key: Key, value: Element) {
        self.history.has_registers = true;
        self.push(Packed { key, length: WRITE, start: value.0.into() });
    }

    /// The transaction reads a register, and finds this.
    ///
    /// # Panics
    /// If there is no transaction yet.
    pub fn read_value(&mut self, key: Key, value: Element) {
        self.history.has_registers = true;
        self.push(Packed { key, length: READ_VALUE, start: value.0.into() });
    }

    /// # Panics
    /// If there is no transaction yet.
    fn push(&mut self, op: Packed) {
        self.history.ops.push(op);
        self.history.transactions.last_mut().expect("an operation belongs to a transaction").op_count += 1;
    }

    /// The history: transactions in the order in which they began; those that began together in the order in
    /// which they were added.
    pub fn finish(mut self) -> History {
        self.history.transactions.sort_by_key(|transaction| transaction.began);
        self.history
    }
}
