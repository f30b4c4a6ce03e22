//! Why and where one transaction depends on another, by what registers show.

use super::Checker;
use crate::cycles::Dependencies;
use crate::graph::Label;
use crate::{Element, Key, Op, TransactionId};

impl Dependencies for Checker<'_> {
    fn why(&self, from: u32, to: u32, label: Label) -> String {
        let (from, to) = (TransactionId(from), TransactionId(to));
        let reads = |id| {
            self.history.ops(id).filter_map(|op| match op {
                Op::ReadValue(key, value) => Some((key, Some(value))),
                Op::Read(key, None) => Some((key, None)),
                _ => None,
            })
        };
        let writes = |id, of: Key| self.final_write(id, of);
        let wrote = |key: Key, version: Option<Element>, id: TransactionId| {
            version
                .and_then(|value| self.writes.get(&(key, value)))
                .is_some_and(|write| write.transaction == id.0)
        };
        match label {
            Label::Wr => match reads(to).find(|(key, version)| wrote(*key, *version, from)) {
                Some((key, version)) => format!("T{} read {} of T{}", to.0, self.shown(key, version), from.0),
                None => format!("T{} read what T{} wrote", to.0, from.0),
            },
            Label::Ww => {
                let found = reads(to).find_map(|(key, version)| {
                    wrote(key, version, from).then(|| writes(to, key).map(|value| (key, version, value)))?
                });
                match found {
                    Some((key, version, value)) => format!(
                        "T{} read {} of T{} and wrote {}",
                        to.0,
                        self.shown(key, version),
                        from.0,
                        self.shown(key, Some(value))
                    ),
                    None => format!("T{} overwrote what T{} wrote", to.0, from.0),
                }
            }
            _ => {
                let found =
                    reads(from).find_map(|(key, version)| writes(to, key).map(|value| (key, version, value)));
                match found {
                    Some((key, version, value)) => format!(
                        "T{} read {}, before T{} wrote {}",
                        from.0,
                        self.shown(key, version),
                        to.0,
                        self.shown(key, Some(value))
                    ),
                    None => format!("T{} read what T{} overwrote", from.0, to.0),
                }
            }
        }
    }

    fn entry(&self, from: u32, to: u32, label: Label) -> Option<usize> {
        let ops = || self.history.ops(TransactionId(to)).enumerate();
        if label == Label::Wr {
            let is_of = |op: Op<'_>| match op {
                Op::ReadValue(key, value) => {
                    self.writes.get(&(key, value)).is_some_and(|write| write.transaction == from)
                }
                _ => false,
            };
            return ops().find(|(_, op)| is_of(*op)).map(|(place, _)| place);
        }
        // By which of the keys that both write it is known is not remembered: the last one is right in any
        // case.
        let is_common = |op: &Op<'_>| match op {
            Op::Write(key, _) => self.final_write(TransactionId(from), *key).is_some(),
            _ => false,
        };
        ops().rfind(|(_, op)| is_common(op)).map(|(place, _)| place)
    }

    fn missed(&self, reader: u32, writer: u32) -> Option<usize> {
        let is_missed = |key: Key, version: Option<Element>| match version {
            // Whoever writes at all writes after nothing.
            None => self.final_write(TransactionId(writer), key).is_some(),
            version => self.updaters.binary_search(&((key, version), writer)).is_ok(),
        };
        let mut read =
            self.history.ops(TransactionId(reader)).enumerate().filter_map(|(place, op)| match op {
                Op::Read(key, None) => Some((place, key, None)),
                Op::ReadValue(key, value) => Some((place, key, Some(value))),
                _ => None,
            });
        read.rfind(|(_, key, version)| is_missed(*key, *version)).map(|(place, ..)| place)
    }
}

impl Checker<'_> {
    /// What a transaction wrote to a register in the end.
    pub(super) fn final_write(&self, id: TransactionId, of: Key) -> Option<Element> {
        self.history.ops(id).rev().find_map(|op| match op {
            Op::Write(key, value) if key == of => Some(value),
            _ => None,
        })
    }
}
