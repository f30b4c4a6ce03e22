//! Recorded reads and writes of registers, with numbers for keys and versions.

use std::collections::BTreeMap;

use crate::workloads::Problems;
use crate::{Item, Operation, Outcome, ReadError};

/// The version that a register has before anything is written.
pub(super) const INITIAL: usize = usize::MAX;

/// A read or a write.
pub(super) struct Access<'h> {
    pub operation: &'h Operation,
    pub key: usize,
    pub is_write: bool,
    /// The version that it wrote or read, by its number; [`INITIAL`] before the first write.
    pub version: usize,
}

/// A value that was written to a key.
pub(super) struct Version<'h> {
    pub key: usize,
    pub value: &'h Item,
    pub write: &'h Operation,
}

#[derive(Default)]
pub(super) struct Registers<'h> {
    /// In the order in which they began. Reads have succeeded; writes may have happened.
    pub accesses: Vec<Access<'h>>,
    pub versions: Vec<Version<'h>>,
    pub keys: Vec<String>,
}

impl<'h> Registers<'h> {
    /// Reads the history. Values that nobody can have written are problems, and such reads are left out.
    pub fn read(
        history: &'h [Operation],
        is_keyed: bool,
        problems: &mut Problems,
    ) -> Result<Registers<'h>, ReadError> {
        let mut registers = Registers::default();
        let mut keys = BTreeMap::<&Item, usize>::new();
        let mut written = BTreeMap::<(usize, &Item), usize>::new();
        let mut parts = Vec::with_capacity(history.len());
        for operation in history {
            let is_write = match operation.f.as_str() {
                "write" => true,
                "read" => false,
                f => return Err(operation.wrong(format!("the operation `{f}` is unknown: read, write"))),
            };
            let (key, value) = key_and_value(operation, is_keyed)?;
            let next = keys.len();
            let key = *keys.entry(key).or_insert_with(|| {
                registers.keys.push(if is_keyed { format!(" of {}", key.shown()) } else { String::new() });
                next
            });
            parts.push((operation, key, is_write, value));
            if is_write && operation.outcome != Outcome::Fail {
                let number = registers.versions.len();
                if let Some(before) = written.insert((key, value), number) {
                    let line = registers.versions[before].write.line;
                    let shown = value.shown();
                    return Err(operation.wrong(format!("{shown} was written before, in line {line}")));
                }
                registers.versions.push(Version { key, value, write: operation });
            }
        }
        for (operation, key, is_write, value) in parts {
            let happened =
                if is_write { operation.outcome != Outcome::Fail } else { operation.outcome == Outcome::Ok };
            if !happened {
                continue;
            }
            let version = match (value, written.get(&(key, value))) {
                (Item::Nil, None) if !is_write => INITIAL,
                (_, Some(version)) => *version,
                (_, None) => {
                    problems.add("unexpected", &[operation.line], || {
                        format!("{} is read, but no write of it can have happened", value.shown())
                    });
                    continue;
                }
            };
            registers.accesses.push(Access { operation, key, is_write, version });
        }
        Ok(registers)
    }

    /// A version in words.
    pub fn shown(&self, key: usize, version: usize) -> String {
        let value = self.versions.get(version).map_or("nothing".to_owned(), |version| version.value.shown());
        format!("{value}{}", self.keys[key])
    }
}

fn key_and_value(operation: &Operation, is_keyed: bool) -> Result<(&Item, &Item), ReadError> {
    let value = match (operation.f.as_str(), operation.outcome) {
        // A read that succeeded holds what it returned, be it nothing.
        ("read", Outcome::Ok) => &operation.answered,
        _ if operation.asked == Item::Nil => &operation.answered,
        _ => &operation.asked,
    };
    if !is_keyed {
        return Ok((&Item::Nil, value));
    }
    match value.list() {
        Some([key, value]) => Ok((key, value)),
        _ => Err(operation.wrong(format!("{} is no pair of a key and a value", value.shown()))),
    }
}
