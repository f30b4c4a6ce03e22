//! Small histories, decided by a search through orders.
//!
//! Dependencies show what lists and registers reveal of the order of versions. Registers, and lists that
//! nobody read to the end, do not reveal all of it: then a history may have no order though no cycle shows
//! it. Where there are few transactions, orders are tried.

mod serial;
mod snapshot;

use crate::anomaly::{AnomalyKind, Orders, Promise, Report, plain};
use crate::{Check, Element, History, Op, Outcome, TransactionId};

/// The most transactions of a history that is searched: sets of them are bits of a number.
const TRANSACTIONS_MAX: usize = 64;

/// How many states are looked at before a search gives up.
const STATES_MAX: usize = 50_000;

/// What the keys hold: lists, or the last value of a register.
type Contents = Vec<Vec<Element>>;

/// Adds what no order explains, of the models that nothing else rules out; and of which models that is not
/// known.
pub(crate) fn decide(history: &History, check: Check, report: &mut Report) {
    let mut orders = vec![Orders::Data];
    orders.extend(check.process_order.then_some(Orders::Process));
    orders.extend(check.real_time.then_some(Orders::RealTime));
    let is_open = |kind, report: &Report| {
        crate::MODELS.iter().any(|model| model.own(kind) && report.allows(model.name))
    };
    let mut undecided = Vec::new();
    for promise in [Promise::Snapshot, Promise::Serial] {
        // What holds with more orders holds with fewer, so the strictest comes first.
        let mut broken = None;
        for &orders in orders.iter().rev() {
            let kind = AnomalyKind::NoOrder(promise, orders);
            if !is_open(kind, report) {
                continue;
            }
            match holds(history, check, promise, orders) {
                Some(true) => break,
                Some(false) => broken = Some(kind),
                None => undecided.push((promise, orders)),
            }
        }
        if let Some(kind) = broken {
            let ids: Vec<u32> = history
                .ids()
                .filter(|id| history.transaction(*id).outcome != Outcome::Fail)
                .map(|id| id.0)
                .collect();
            let text =
                format!("none of all orders of the {} transactions explains what they read", ids.len());
            report.add(check.most_of_a_kind, plain(kind, &ids, text));
        }
    }
    report.anomalies.sort_by_key(|anomaly| anomaly.kind);
    for (promise, orders) in undecided {
        // Lists without a cycle have a serial order, which is one of snapshots, too.
        let serial = AnomalyKind::NoOrder(Promise::Serial, orders);
        if history.has_registers() || promise == Promise::Snapshot && !is_open(serial, report) {
            let kind = AnomalyKind::NoOrder(promise, orders);
            let open = crate::MODELS.iter().filter(|model| model.own(kind) && report.allows(model.name));
            let names: Vec<&'static str> = open.map(|model| model.name).collect();
            report.undecided.extend(names);
        }
    }
}

/// Whether an order of this kind explains a history; nothing if there are too many transactions, or too many
/// orders.
fn holds(history: &History, check: Check, promise: Promise, orders: Orders) -> Option<bool> {
    if history.len() > check.exact_up_to.min(TRANSACTIONS_MAX) {
        return None;
    }
    let search = Search::new(history, orders);
    match (promise, serial::exists(&search)) {
        // One after the other is an order of snapshots, too, and found faster.
        (Promise::Serial, found) | (Promise::Snapshot, found @ Some(true)) => found,
        (Promise::Snapshot, _) => snapshot::exists(&search),
    }
}

/// What is searched.
struct Search<'h> {
    history: &'h History,
    /// Those that were not aborted.
    transactions: Vec<TransactionId>,
    /// For each of them, bit by bit: those that must come before it.
    before: Vec<u64>,
    /// Those that were committed for certain.
    certain: u64,
}

impl<'h> Search<'h> {
    fn new(history: &'h History, orders: Orders) -> Search<'h> {
        let happened = |id: &TransactionId| history.transaction(*id).outcome != Outcome::Fail;
        let transactions: Vec<TransactionId> = history.ids().filter(happened).collect();
        let precedes = |first: TransactionId, second: TransactionId| {
            let (a, b) = (history.transaction(first), history.transaction(second));
            let by_process = a.process == b.process && first < second;
            let by_time = a.outcome == Outcome::Ok && a.ended < b.began;
            match orders {
                Orders::Data => false,
                Orders::Process => by_process,
                Orders::RealTime => by_process || by_time,
            }
        };
        let bits = |is_in: &dyn Fn(TransactionId) -> bool| {
            let places = (0..).zip(&transactions).filter(|(_, id)| is_in(**id));
            places.fold(0_u64, |bits, (place, _)| bits | 1 << place)
        };
        let before = transactions.iter().map(|id| bits(&|other| precedes(other, *id))).collect();
        let certain = bits(&|id| history.transaction(id).outcome == Outcome::Ok);
        Search { history, before, certain, transactions }
    }

    /// Nothing is in any key yet.
    fn nothing(&self) -> Contents {
        vec![Vec::new(); self.history.key_count()]
    }

    /// Whether a transaction may come next, behind those that came: no certain one that must be before it is
    /// missing, and none that must be behind it came.
    fn may_come(&self, place: usize, came: u64) -> bool {
        let is_missing = self.before[place] & self.certain & !came != 0;
        let is_late = || {
            (0..self.before.len()).any(|other| came >> other & 1 == 1 && self.before[other] >> place & 1 == 1)
        };
        came >> place & 1 == 0 && !is_missing && !is_late()
    }

    /// What the keys hold after a transaction; nothing if one of its reads does not fit.
    fn after(&self, place: usize, before: &Contents) -> Option<Contents> {
        let mut contents = before.clone();
        let id = self.transactions[place];
        let is_certain = self.certain >> place & 1 == 1;
        for op in self.history.ops(id) {
            let held = &mut contents[op.key().0 as usize];
            match op {
                Op::Append(_, element) => held.push(element),
                Op::Write(_, value) => *held = vec![value],
                Op::Read(_, Some(list)) if *held != list => return None,
                Op::Read(_, None) if is_certain && !held.is_empty() => return None,
                Op::ReadValue(_, value) if *held != [value] => return None,
                Op::Read(..) | Op::ReadValue(..) => {}
            }
        }
        Some(contents)
    }
}
