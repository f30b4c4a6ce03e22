//! What each read says: which version it saw, and what is wrong with it.

use super::versions::{NOBODY, Versions};
use crate::anomaly::{AnomalyKind, Report, plain};
use crate::graph::{EdgeList, Label};
use crate::history::shown;
use crate::order::add_overwritten;
use crate::{Element, History, Key, Op, Outcome, TransactionId};

/// A key of the transaction under way: the list that it must show outside its own appends, once a read showed
/// it, and what the transaction appended to it.
struct Touched<'h> {
    key: Key,
    list: Option<&'h [Element]>,
    /// How many of the elements at the end of that list are the transaction's own.
    own_in_list: usize,
    own: Vec<Element>,
}

/// Goes through the reads, transaction by transaction.
pub(super) struct Reads<'v, 'h> {
    versions: &'v Versions<'h>,
    /// For each version of each key the transaction that read it and appended to it.
    updaters: Vec<u32>,
    /// Who read the last version of each key that was read at all.
    last_readers: Vec<(Key, u32)>,
    touched: Vec<Touched<'h>>,
}

impl<'v, 'h> Reads<'v, 'h> {
    pub fn new(versions: &'v Versions<'h>) -> Reads<'v, 'h> {
        Reads { versions, updaters: Vec::new(), last_readers: Vec::new(), touched: Vec::new() }
    }

    /// Takes in a committed transaction.
    pub fn take(
        &mut self,
        history: &'h History,
        id: TransactionId,
        most: usize,
        edges: &mut EdgeList,
        report: &mut Report,
    ) {
        self.touched.clear();
        for op in history.ops(id) {
            match op {
                Op::Append(key, element) => self.touch(key).own.push(element),
                // Of a committed transaction, nothing is an empty list.
                Op::Read(key, list) => {
                    self.read(history, id, key, list.unwrap_or_default(), most, edges, report);
                }
                Op::Write(..) | Op::ReadValue(..) => {}
            }
        }
        self.note_updates(history, id, most, report);
    }

    fn touch(&mut self, key: Key) -> &mut Touched<'h> {
        let place = match self.touched.iter().position(|touched| touched.key == key) {
            Some(place) => place,
            None => {
                self.touched.push(Touched { key, list: None, own_in_list: 0, own: Vec::new() });
                self.touched.len() - 1
            }
        };
        &mut self.touched[place]
    }

    #[expect(clippy::too_many_arguments, reason = "the arguments are what the whole pass works on")]
    fn read(
        &mut self,
        history: &'h History,
        id: TransactionId,
        key: Key,
        list: &'h [Element],
        most: usize,
        edges: &mut EdgeList,
        report: &mut Report,
    ) {
        let touched = self.touch(key);
        let own = touched.own.len();
        if let Some(before) = touched.list {
            let outside = &before[..before.len() - touched.own_in_list];
            let fits = list.len() == outside.len() + own
                && list.starts_with(outside)
                && list.ends_with(&touched.own);
            if !fits {
                let text = format!(
                    "T{} reads {} of {}, which contradicts what it did to it before",
                    id.0,
                    shown(history, list),
                    history.key_name(key)
                );
                report.add(most, plain(AnomalyKind::Internal, &[id.0], text));
            }
            return;
        }
        if !list.ends_with(&touched.own) {
            let text = format!(
                "T{} reads {} of {} without what it had appended to it at the end",
                id.0,
                shown(history, list),
                history.key_name(key)
            );
            report.add(most, plain(AnomalyKind::Internal, &[id.0], text));
            return;
        }
        (touched.list, touched.own_in_list) = (Some(list), own);
        let version = &list[..list.len() - own];
        self.outside(history, id, key, version, most, edges, report);
    }

    /// A version that others had written.
    #[expect(clippy::too_many_arguments, reason = "the arguments are what the whole pass works on")]
    fn outside(
        &mut self,
        history: &History,
        id: TransactionId,
        key: Key,
        version: &[Element],
        most: usize,
        edges: &mut EdgeList,
        report: &mut Report,
    ) {
        let longest = self.versions.longest(key);
        if !longest.starts_with(version) {
            self.incompatible(history, id, key, version, most, report);
            return;
        }
        let length = version.len();
        if length > self.versions.first_garbage(key) {
            let element = history.element_name(longest[self.versions.first_garbage(key)]);
            let text =
                format!("T{} reads {element} of {}, which nobody appended", id.0, history.key_name(key));
            report.add(most, plain(AnomalyKind::GarbageRead, &[id.0], text));
        }
        if length > self.versions.first_aborted(key) {
            let writer = self.versions.writer(key, self.versions.first_aborted(key));
            let element = history.element_name(longest[self.versions.first_aborted(key)]);
            let text = format!(
                "T{} reads {element} of {}, which T{writer} had appended, and T{writer} was aborted",
                id.0,
                history.key_name(key)
            );
            report.add(most, plain(AnomalyKind::G1a, &[writer, id.0], text));
        }
        if let Some(last) = length.checked_sub(1) {
            let writer = self.versions.writer(key, last);
            if writer != NOBODY && writer != id.0 {
                if self.versions.is_intermediate(key, last) {
                    let text = format!(
                        "T{} reads {} of {}, before T{writer} appended more to it",
                        id.0,
                        shown(history, version),
                        history.key_name(key)
                    );
                    report.add(most, plain(AnomalyKind::G1b, &[writer, id.0], text));
                }
                if history.transaction(TransactionId(writer)).outcome != Outcome::Fail {
                    edges.add(writer, id.0, Label::Wr);
                }
            }
        }
        let next =
            (length..longest.len()).map(|position| self.versions.writer(key, position)).find(|&writer| {
                writer != NOBODY && history.transaction(TransactionId(writer)).outcome != Outcome::Fail
            });
        match next {
            Some(writer) => edges.add(id.0, writer, Label::Rw),
            None => self.last_readers.push((key, id.0)),
        }
    }

    /// A version that is no beginning of the longest list: the two reads, and who appended what they have in
    /// different places.
    fn incompatible(
        &self,
        history: &History,
        id: TransactionId,
        key: Key,
        version: &[Element],
        most: usize,
        report: &mut Report,
    ) {
        let (longest, reader) = (self.versions.longest(key), self.versions.longest_reader(key));
        let mut transactions = vec![id.0, reader];
        let mut text = format!(
            "T{} reads {} of {}, but T{reader} {}",
            id.0,
            shown(history, version),
            history.key_name(key),
            shown(history, longest)
        );
        let differs = version.iter().zip(longest).find(|(one, other)| one != other);
        for element in differs.into_iter().flat_map(|(one, other)| [*one, *other]) {
            if let Some(writer) = self.versions.who_appended(key, element) {
                text += &format!("; T{writer} appended {}", history.element_name(element));
                transactions.push(writer);
            }
        }
        transactions.sort_unstable();
        transactions.dedup();
        report.add(most, plain(AnomalyKind::IncompatibleOrder, &transactions, text));
    }

    /// Finds transactions that append to the same version of a key.
    fn note_updates(&mut self, history: &History, id: TransactionId, most: usize, report: &mut Report) {
        for touched in &self.touched {
            let Some(list) = touched.list.filter(|_| !touched.own.is_empty()) else { continue };
            if let Some(element) = touched.own[touched.own_in_list..].iter().find(|own| list.contains(own)) {
                let text = format!(
                    "T{} reads {} of {}, and appends {} only later",
                    id.0,
                    shown(history, list),
                    history.key_name(touched.key),
                    history.element_name(*element)
                );
                report.add(most, plain(AnomalyKind::FutureRead, &[id.0], text));
            }
            let length = list.len() - touched.own_in_list;
            if length > self.versions.longest(touched.key).len() {
                continue;
            }
            if self.updaters.is_empty() {
                let versions = self.versions.position_count() + history.key_count();
                self.updaters = vec![NOBODY; versions];
            }
            // A key has one version more than it has positions.
            let place = self.versions.positions_before(touched.key) + touched.key.0 as usize + length;
            let before = std::mem::replace(&mut self.updaters[place], id.0);
            if before != NOBODY {
                let text = format!(
                    "T{before} and T{} read the same {} of {}, and both append to it",
                    id.0,
                    shown(history, &list[..length]),
                    history.key_name(touched.key)
                );
                report.add(most, plain(AnomalyKind::LostUpdate, &[before, id.0], text));
            }
        }
    }

    /// Whoever read the last version that anybody read comes before those who appended what nobody read.
    /// Gives the first number for further nodes.
    pub fn add_unobserved(&mut self, history: &History, edges: &mut EdgeList) -> u32 {
        let mut next_node = history.len() as u32;
        self.last_readers.sort_unstable();
        for readers in self.last_readers.chunk_by(|(a, _), (b, _)| a == b) {
            let key = readers[0].0;
            let writers: Vec<u32> = self.versions.unobserved(history, key).collect();
            let readers: Vec<u32> = readers.iter().map(|(_, id)| *id).collect();
            add_overwritten(&readers, &writers, &mut next_node, edges);
        }
        next_node
    }
}
