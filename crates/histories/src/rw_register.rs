//! Histories of registers: transactions write unique values and read single values.
//!
//! A value says who wrote it, but registers do not show in which order they were written. What is known of
//! it: before every write, a register holds nothing; and a transaction that reads a value and then writes the
//! register overwrites that value. So fewer anomalies can be seen than with lists.

mod explain;
mod key_orders;
mod version_order;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::anomaly::{AnomalyKind, Report, plain};
use crate::cycles::add_cycles;
use crate::exact;
use crate::graph::{EdgeList, Label};
use crate::order::add_overwritten;
use crate::{Check, Element, History, Key, Op, Outcome, TransactionId};

/// Finds what is wrong with a history of registers.
pub fn check(history: &History, check: Check) -> Report {
    let mut report = Report::default();
    let mut checker = Checker::new(history, check.most_of_a_kind);
    checker.gather_writes(&mut report);
    let mut edges = EdgeList::with_capacity(history.op_count() * 2);
    for id in history.ids().filter(|id| history.transaction(*id).outcome == Outcome::Ok) {
        checker.take(id, &mut edges, &mut report);
    }
    let next_node = checker.add_overwrites(&mut edges, &mut report);
    let pairs = version_order::without_contradictions(&checker, check, &mut report);
    let next_node = checker.add_key_orders(&pairs, next_node, &mut edges);
    add_cycles(history, check, next_node, edges, &mut report, &checker);
    exact::decide(history, check, &mut report);
    report
}

/// Who wrote a value, and whether it wrote the register again.
#[derive(Clone, Copy)]
struct Written {
    transaction: u32,
    is_final: bool,
}

/// A version of a register: nothing, or a value.
type Version = (Key, Option<Element>);

struct Checker<'h> {
    history: &'h History,
    most: usize,
    writes: FxHashMap<(Key, Element), Written>,
    /// Who read each version from outside.
    readers: Vec<(Version, u32)>,
    /// Who read each version, and wrote the register after it.
    updaters: Vec<(Version, u32)>,
    /// Transactions whose outcome is unknown, but something of which was read: they were committed.
    revealed: FxHashSet<u32>,
    touched: Vec<Touched>,
}

/// A register of the transaction under way.
struct Touched {
    key: Key,
    /// What it read there first, unless it wrote before.
    outside: Option<Option<Element>>,
    /// What it must read there now, if it is known.
    now: Option<Option<Element>>,
    is_written: bool,
}

impl<'h> Checker<'h> {
    fn new(history: &'h History, most: usize) -> Checker<'h> {
        Checker {
            history,
            most,
            writes: FxHashMap::default(),
            readers: Vec::new(),
            updaters: Vec::new(),
            revealed: FxHashSet::default(),
            touched: Vec::new(),
        }
    }

    fn gather_writes(&mut self, report: &mut Report) {
        let mut last: Vec<(Key, Element)> = Vec::new();
        for id in self.history.ids() {
            last.clear();
            for op in self.history.ops(id) {
                let Op::Write(key, value) = op else { continue };
                let before = self.writes.insert((key, value), Written { transaction: id.0, is_final: true });
                if let Some(before) = before {
                    let text = format!(
                        "T{} and T{} write {}",
                        before.transaction,
                        id.0,
                        self.shown(key, Some(value))
                    );
                    let both = [before.transaction, id.0];
                    report.add(self.most, plain(AnomalyKind::DuplicateWrites, &both, text));
                }
                match last.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, known)) => {
                        let overwritten = std::mem::replace(known, value);
                        if let Some(write) = self.writes.get_mut(&(key, overwritten)) {
                            write.is_final = overwritten == value;
                        }
                    }
                    None => last.push((key, value)),
                }
            }
        }
    }

    /// Takes in a committed transaction.
    fn take(&mut self, id: TransactionId, edges: &mut EdgeList, report: &mut Report) {
        self.touched.clear();
        for op in self.history.ops(id) {
            match op {
                Op::Write(key, value) => {
                    let touched = self.touch(key);
                    touched.now = Some(Some(value));
                    touched.is_written = true;
                }
                Op::Read(key, None) => self.read(id, key, None, report),
                Op::ReadValue(key, value) => self.read(id, key, Some(value), report),
                Op::Append(..) | Op::Read(..) => {}
            }
        }
        for touched in std::mem::take(&mut self.touched) {
            let Some(version) = touched.outside else { continue };
            self.outside(id, touched.key, version, edges, report);
            self.readers.push(((touched.key, version), id.0));
            if touched.is_written {
                self.updaters.push(((touched.key, version), id.0));
            }
        }
    }

    fn touch(&mut self, key: Key) -> &mut Touched {
        let place = match self.touched.iter().position(|touched| touched.key == key) {
            Some(place) => place,
            None => {
                self.touched.push(Touched { key, outside: None, now: None, is_written: false });
                self.touched.len() - 1
            }
        };
        &mut self.touched[place]
    }

    fn read(&mut self, id: TransactionId, key: Key, value: Option<Element>, report: &mut Report) {
        let touched = self.touch(key);
        match touched.now {
            None => (touched.outside, touched.now) = (Some(value), Some(value)),
            Some(now) if now == value => {}
            Some(now) => {
                let (read, now) = (self.shown(key, value), self.shown(key, now));
                let text = format!("T{} reads {read} where {now} must be", id.0);
                report.add(self.most, plain(AnomalyKind::Internal, &[id.0], text));
            }
        }
    }

    /// A version that others wrote.
    fn outside(
        &mut self,
        id: TransactionId,
        key: Key,
        version: Option<Element>,
        edges: &mut EdgeList,
        report: &mut Report,
    ) {
        let Some(value) = version else { return };
        let read = self.shown(key, version);
        let Some(&Written { transaction: writer, is_final }) = self.writes.get(&(key, value)) else {
            let text = format!("T{} reads {read}, which nobody wrote", id.0);
            return report.add(self.most, plain(AnomalyKind::GarbageRead, &[id.0], text));
        };
        if writer == id.0 {
            let text = format!("T{} reads {read}, and writes that only later", id.0);
            return report.add(self.most, plain(AnomalyKind::FutureRead, &[id.0], text));
        }
        match self.history.transaction(TransactionId(writer)).outcome {
            Outcome::Fail => {
                let text = format!("T{} reads {read} of T{writer}, which was aborted", id.0);
                return report.add(self.most, plain(AnomalyKind::G1a, &[writer, id.0], text));
            }
            Outcome::Info => drop(self.revealed.insert(writer)),
            Outcome::Ok => {}
        }
        if !is_final {
            let text = format!("T{} reads {read}, which T{writer} overwrote itself", id.0);
            report.add(self.most, plain(AnomalyKind::G1b, &[writer, id.0], text));
        }
        edges.add(writer, id.0, Label::Wr);
    }

    /// Adds who overwrote what was written and read. Gives the first number for further nodes.
    fn add_overwrites(&mut self, edges: &mut EdgeList, report: &mut Report) -> u32 {
        let mut next_node = self.history.len() as u32;
        self.readers.sort_unstable();
        self.updaters.sort_unstable();
        for updates in self.updaters.chunk_by(|(a, _), (b, _)| a == b) {
            let ((key, version), _) = updates[0];
            let ids: Vec<u32> = updates.iter().map(|(_, id)| *id).collect();
            if let [first, second, ..] = ids[..] {
                let text =
                    format!("T{first} and T{second} read {}, and both write it", self.shown(key, version));
                report.add(self.most, plain(AnomalyKind::LostUpdate, &[first, second], text));
            }
            let writer = version.and_then(|value| self.writes.get(&(key, value)));
            if let Some(writer) = writer.filter(|writer| self.happened(writer.transaction)) {
                ids.iter().for_each(|id| edges.add(writer.transaction, *id, Label::Ww));
            }
        }
        let mut of_key: FxHashMap<Key, Vec<u32>> = FxHashMap::default();
        for (&(key, _), write) in &self.writes {
            if self.happened(write.transaction) {
                of_key.entry(key).or_default().push(write.transaction);
            }
        }
        for readers in self.readers.chunk_by(|(a, _), (b, _)| a == b) {
            let (version, _) = readers[0];
            let ids: Vec<u32> = readers.iter().map(|(_, id)| *id).collect();
            let writers = match version {
                // Whoever writes at all writes after nothing.
                (key, None) => {
                    let mut all = of_key.remove(&key).unwrap_or_default();
                    all.sort_unstable();
                    all.dedup();
                    all
                }
                _ => {
                    let from = self.updaters.partition_point(|(known, _)| *known < version);
                    let of_version = self.updaters[from..].iter().take_while(|(known, _)| *known == version);
                    of_version.map(|(_, id)| *id).collect()
                }
            };
            add_overwritten(&ids, &writers, &mut next_node, edges);
        }
        next_node
    }

    /// Adds who overwrote whom by the orders of keys that are assumed. Gives the first number for further
    /// nodes.
    fn add_key_orders(&self, pairs: &[(Version, Version)], mut next_node: u32, edges: &mut EdgeList) -> u32 {
        for pairs in pairs.chunk_by(|(a, _), (b, _)| a == b) {
            let (older, _) = pairs[0];
            let written =
                |(key, value): Version| self.writes.get(&(key, value?)).map(|write| write.transaction);
            let mut newer: Vec<u32> = pairs.iter().filter_map(|(_, newer)| written(*newer)).collect();
            newer.retain(|id| self.happened(*id));
            newer.sort_unstable();
            newer.dedup();
            if let Some(writer) = written(older).filter(|writer| self.happened(*writer)) {
                newer.iter().filter(|id| **id != writer).for_each(|id| edges.add(writer, *id, Label::Ww));
            }
            let from = self.readers.partition_point(|(known, _)| *known < older);
            let readers = self.readers[from..].iter().take_while(|(known, _)| *known == older);
            let readers: Vec<u32> = readers.map(|(_, id)| *id).collect();
            add_overwritten(&readers, &newer, &mut next_node, edges);
        }
        next_node
    }

    /// Whether a transaction was committed for certain.
    fn happened(&self, id: u32) -> bool {
        match self.history.transaction(TransactionId(id)).outcome {
            Outcome::Ok => true,
            Outcome::Fail => false,
            Outcome::Info => self.revealed.contains(&id),
        }
    }

    fn shown(&self, key: Key, version: Option<Element>) -> String {
        let value = version.map_or_else(|| "nil".to_owned(), |value| self.history.element_name(value));
        format!("{} = {value}", self.history.key_name(key))
    }
}
