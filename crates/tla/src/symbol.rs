//! Interned names: identifiers, strings and model values of a specification.
//!
//! A [`Symbol`] is a thin pointer to an entry of one process-wide table, so comparing two names for equality
//! is comparing two addresses, and a name travels freely between threads. Entries are never freed: a
//! specification has few names. The order of symbols is that of their text, never that of their creation,
//! because `CHOOSE` follows it and must not depend on what the process did before.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{LazyLock, Mutex, PoisonError};

/// An interned name.
#[derive(Clone, Copy)]
pub struct Symbol(&'static Entry);

struct Entry {
    text: &'static str,
    hash: u64,
    index: u32,
}

struct Table {
    by_text: HashMap<&'static str, Symbol>,
    by_index: Vec<Symbol>,
}

static TABLE: LazyLock<Mutex<Table>> = LazyLock::new(|| {
    let table = Table { by_text: HashMap::from([("", Symbol::EMPTY)]), by_index: vec![Symbol::EMPTY] };
    Mutex::new(table)
});

static EMPTY: Entry = Entry { text: "", hash: hash_text(""), index: 0 };

thread_local! {
    /// A copy of the table's list, so that decoding states takes no lock.
    static BY_INDEX: RefCell<Vec<Symbol>> = const { RefCell::new(Vec::new()) };
}

impl Symbol {
    /// The symbol of the empty text.
    pub const EMPTY: Symbol = Symbol(&EMPTY);

    /// The symbol of a text; the same text always gives the same symbol.
    pub fn new(text: &str) -> Symbol {
        let mut table = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(symbol) = table.by_text.get(text) {
            return *symbol;
        }
        let index = table.by_index.len() as u32;
        let text: &'static str = Box::leak(text.into());
        let entry: &'static Entry = Box::leak(Box::new(Entry { text, hash: hash_text(text), index }));
        let symbol = Symbol(entry);
        table.by_text.insert(text, symbol);
        table.by_index.push(symbol);
        symbol
    }

    /// The number of this symbol in this process: for encodings that never leave it.
    pub(crate) fn index(self) -> u32 {
        self.0.index
    }

    /// The symbol with a number.
    pub(crate) fn from_index(index: u32) -> Option<Symbol> {
        BY_INDEX.with_borrow_mut(|list| {
            if let Some(symbol) = list.get(index as usize) {
                return Some(*symbol);
            }
            let table = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
            list.clone_from(&table.by_index);
            list.get(index as usize).copied()
        })
    }

    /// The texts of all symbols, by their numbers.
    pub(crate) fn texts() -> Vec<&'static str> {
        let table = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
        table.by_index.iter().map(|symbol| symbol.as_str()).collect()
    }

    /// The text.
    pub fn as_str(self) -> &'static str {
        self.0.text
    }

    /// A hash of the text: the same in every process.
    pub(crate) fn hash64(self) -> u64 {
        self.0.hash
    }
}

/// FNV-1a with a final mix; it depends on nothing but the text.
pub(crate) const fn hash_text(text: &str) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let bytes = text.as_bytes();
    let mut index = 0;
    while index < bytes.len() {
        hash = (hash ^ bytes[index] as u64).wrapping_mul(0x0100_0000_01b3);
        index += 1;
    }
    crate::value::hash::mix(hash, text.len() as u64)
}

impl PartialEq for Symbol {
    #[inline]
    fn eq(&self, other: &Symbol) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Symbol {}

impl Hash for Symbol {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

impl PartialOrd for Symbol {
    fn partial_cmp(&self, other: &Symbol) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Symbol {
    #[inline]
    fn cmp(&self, other: &Symbol) -> Ordering {
        if self == other { Ordering::Equal } else { self.0.text.cmp(other.0.text) }
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}
