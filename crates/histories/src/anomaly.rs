//! What is wrong with a history.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::TransactionId;
use crate::models::{MODELS, Model};

/// Cycles of dependencies, by which dependencies they have (Adya 1999).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CycleKind {
    /// Write cycle: transactions overwrite each other in a circle.
    G0,
    /// Circular information flow: also with reads of what was written.
    G1c,
    /// Exactly one of the dependencies is a read of what was overwritten later (read skew).
    GSingle,
    /// Several are, but no two follow each other: snapshot isolation rules it out.
    GNonadjacent,
    /// Several are, and two follow each other (write skew).
    G2Item,
}

/// Which orders a cycle takes into account beside the dependencies of data.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Orders {
    /// None.
    Data,
    /// The order of each process.
    Process,
    /// Real time too.
    RealTime,
}

impl Orders {
    fn suffix(self) -> &'static str {
        match self {
            Orders::Data => "",
            Orders::Process => "-process",
            Orders::RealTime => "-realtime",
        }
    }
}

/// What an order of transactions is to explain.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Promise {
    /// All happen one after the other.
    Serial,
    /// Each reads what was committed when it began, and no two that overlap write one key.
    Snapshot,
}

/// A kind of anomaly.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AnomalyKind {
    /// A read returned what nobody wrote.
    GarbageRead,
    /// A read returned an element twice.
    DuplicateElements,
    /// An element was appended to one key twice, so that what depends on it cannot be known.
    DuplicateAppends,
    /// A value was written to one key twice, so that what depends on it cannot be known.
    DuplicateWrites,
    /// Two reads of one key differ otherwise than by elements at the end.
    IncompatibleOrder,
    /// What is known of the order of a register's versions contradicts itself.
    CyclicVersions,
    /// A read returned what an aborted transaction had appended.
    G1a,
    /// A read returned what a transaction had appended before it appended more.
    G1b,
    /// A transaction read what it wrote itself later.
    FutureRead,
    /// A committed element stands behind one of an aborted transaction.
    DirtyUpdate,
    /// Operations of one transaction contradict each other.
    Internal,
    /// Two transactions read the same version of a key, and both wrote it.
    LostUpdate,
    /// A cycle of dependencies.
    Cycle(CycleKind, Orders),
    /// No order explains the history, though no cycle shows it: all were tried.
    NoOrder(Promise, Orders),
    /// A cycle with one overwritten read that comes after the transaction had seen an effect of those that
    /// overwrote it (Adya's G-monotonic). Always said of a cycle, never alone.
    GMonotonic,
    /// A transaction sees one write of another one and misses another. Always said of a cycle.
    FracturedRead,
    /// The same, and what is missed is read after what is seen: an observed transaction vanishes (Bailis and
    /// others). Always said of a cycle.
    Vanishing,
    /// A cycle with overwritten reads in which at most one transaction writes nothing (Adya's G-update).
    /// Always said of a cycle.
    GUpdate,
}

impl AnomalyKind {
    /// The name that people use.
    pub fn name(self) -> String {
        let name = match self {
            AnomalyKind::GarbageRead => "garbage-read",
            AnomalyKind::DuplicateElements => "duplicate-elements",
            AnomalyKind::DuplicateAppends => "duplicate-appends",
            AnomalyKind::DuplicateWrites => "duplicate-writes",
            AnomalyKind::IncompatibleOrder => "incompatible-order",
            AnomalyKind::CyclicVersions => "cyclic-versions",
            AnomalyKind::FutureRead => "future-read",
            AnomalyKind::GMonotonic => "G-monotonic",
            AnomalyKind::FracturedRead => "fractured-read",
            AnomalyKind::Vanishing => "OTV",
            AnomalyKind::GUpdate => "G-update",
            AnomalyKind::G1a => "G1a",
            AnomalyKind::G1b => "G1b",
            AnomalyKind::DirtyUpdate => "dirty-update",
            AnomalyKind::Internal => "internal",
            AnomalyKind::LostUpdate => "lost-update",
            AnomalyKind::Cycle(kind, orders) => {
                let name = match kind {
                    CycleKind::G0 => "G0",
                    CycleKind::G1c => "G1c",
                    CycleKind::GSingle => "G-single",
                    CycleKind::GNonadjacent => "G-nonadjacent",
                    CycleKind::G2Item => "G2-item",
                };
                return format!("{name}{}", orders.suffix());
            }
            AnomalyKind::NoOrder(promise, orders) => {
                let name = match promise {
                    Promise::Serial => "no-serial-order",
                    Promise::Snapshot => "no-snapshot-order",
                };
                return format!("{name}{}", orders.suffix());
            }
        };
        name.to_owned()
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            AnomalyKind::GarbageRead => "a read of what nobody wrote",
            AnomalyKind::DuplicateElements => "a read with an element twice",
            AnomalyKind::DuplicateAppends => {
                "an element appended to one key twice: the history cannot be checked"
            }
            AnomalyKind::DuplicateWrites => "a value written to one key twice: the history cannot be checked",
            AnomalyKind::IncompatibleOrder => "reads of one key in different orders",
            AnomalyKind::CyclicVersions => "an order of versions that contradicts itself",
            AnomalyKind::FutureRead => "a read of what the transaction wrote later",
            AnomalyKind::GMonotonic => "a read that goes back behind what was seen before",
            AnomalyKind::FracturedRead => "a transaction that is seen in part",
            AnomalyKind::Vanishing => "a transaction that is seen, and then not any more",
            AnomalyKind::GUpdate => "a cycle with at most one transaction that writes nothing",
            AnomalyKind::G1a => "a read of what was aborted",
            AnomalyKind::G1b => "a read of an intermediate state",
            AnomalyKind::DirtyUpdate => "an update on top of one that was aborted",
            AnomalyKind::Internal => "a transaction that contradicts itself",
            AnomalyKind::LostUpdate => "two updates of the same version",
            AnomalyKind::NoOrder(Promise::Serial, _) => "transactions that no order explains",
            AnomalyKind::NoOrder(Promise::Snapshot, _) => "transactions that no order of snapshots explains",
            AnomalyKind::Cycle(CycleKind::G0, _) => "a cycle of writes",
            AnomalyKind::Cycle(CycleKind::G1c, _) => "a cycle of writes and reads",
            AnomalyKind::Cycle(CycleKind::GSingle, _) => "a cycle with one overwritten read (read skew)",
            AnomalyKind::Cycle(CycleKind::GNonadjacent, _) => {
                "a cycle with overwritten reads, none next to another"
            }
            AnomalyKind::Cycle(CycleKind::G2Item, _) => "a cycle with overwritten reads (write skew)",
        }
    }
}

/// One dependency of a cycle.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Link {
    /// The transaction that comes first.
    pub from: u32,
    /// The one that must come after it.
    pub to: u32,
    /// `ww`, `wr`, `rw`, `process` or `real-time`.
    pub label: &'static str,
    /// Why, in words.
    pub why: String,
}

/// Something that is wrong with a history.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Anomaly {
    /// What kind it is.
    pub kind: AnomalyKind,
    /// The transactions that show it.
    pub transactions: Vec<TransactionId>,
    /// In words.
    pub text: String,
    /// The dependencies of a cycle, each ending where the next begins.
    pub links: Vec<Link>,
    /// What the cycle shows besides.
    pub also: Vec<AnomalyKind>,
}

impl Anomaly {
    /// Whether a model forbids it, or what it shows besides.
    pub fn is_forbidden_by(&self, model: &Model) -> bool {
        std::iter::once(&self.kind).chain(&self.also).any(|kind| model.forbids(*kind))
    }
}

/// The outcome of a check.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What is wrong, by kind; of each kind at most as many as were asked for.
    pub anomalies: Vec<Anomaly>,
    /// How many there are of each kind; of cycles, how many groups of transactions that depend on each other
    /// have one.
    pub counts: BTreeMap<AnomalyKind, usize>,
    /// How many groups have a cycle that shows something besides its kind.
    pub also: BTreeMap<AnomalyKind, usize>,
    /// How many dependencies were found.
    pub dependencies: usize,
    /// The models that nothing rules out, but of which it is not known whether an order of all transactions
    /// explains the history: there are too many to try them.
    pub undecided: Vec<&'static str>,
}

impl Report {
    /// Whether nothing is wrong.
    pub fn is_valid(&self) -> bool {
        self.counts.is_empty()
    }

    /// The names of the kinds that were found, in the order of their gravity.
    pub fn kinds(&self) -> Vec<String> {
        self.counts.keys().map(|kind| kind.name()).collect()
    }

    /// Whether the history is one that the model of this name allows, as far as was checked. An unknown name
    /// is allowed nothing.
    pub fn allows(&self, model: &str) -> bool {
        Model::of(model).is_some_and(|model| {
            let mut kinds = self.counts.keys().chain(self.also.keys());
            kinds.all(|kind| !model.forbids(*kind))
        })
    }

    /// The models that the history rules out, and those that it still allows; each behind those that it
    /// implies.
    pub fn models(&self) -> (Vec<&'static str>, Vec<&'static str>) {
        MODELS.iter().map(|model| model.name).partition(|name| !self.allows(name))
    }

    /// The weakest of the models that the history rules out, and the strongest of those that it still allows.
    pub fn boundary(&self) -> (Vec<&'static str>, Vec<&'static str>) {
        let (out, allowed): (Vec<&Model>, Vec<&Model>) =
            MODELS.iter().partition(|model| !self.allows(model.name));
        let alone = |models: &[&'static Model], is_covered: fn(&Model, &Model) -> bool| {
            let others = |model: &Model| models.iter().any(|o| o.name != model.name && is_covered(model, o));
            models.iter().filter(|model| !others(model)).map(|model| model.name).collect()
        };
        (
            alone(&out, |model, other| model.implies(other)),
            alone(&allowed, |model, other| other.implies(model)),
        )
    }

    pub(crate) fn add(&mut self, most: usize, anomaly: Anomaly) {
        let count = self.counts.entry(anomaly.kind).or_default();
        *count += 1;
        let is_kept = *count <= most;
        self.add_shown(is_kept, anomaly);
    }

    /// Adds a further witness in a group that has been counted.
    pub(crate) fn add_besides(&mut self, most: usize, anomaly: Anomaly) {
        let is_kept = self.anomalies.iter().filter(|known| known.kind == anomaly.kind).count() < most;
        self.add_shown(is_kept, anomaly);
    }

    fn add_shown(&mut self, is_kept: bool, anomaly: Anomaly) {
        for kind in &anomaly.also {
            *self.also.entry(*kind).or_default() += 1;
        }
        if is_kept {
            self.anomalies.push(anomaly);
        }
    }
}

/// An anomaly that is no cycle.
pub(crate) fn plain(kind: AnomalyKind, transactions: &[u32], text: String) -> Anomaly {
    let transactions = transactions.iter().map(|id| TransactionId(*id)).collect();
    Anomaly { kind, transactions, text, links: Vec::new(), also: Vec::new() }
}
