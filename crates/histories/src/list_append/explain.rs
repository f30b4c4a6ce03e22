//! Why and where one transaction depends on another, by what lists show.

use super::versions::{NOBODY, Versions};
use crate::cycles::Dependencies;
use crate::graph::Label;
use crate::history::shown;
use crate::{Element, History, Key, Op, Outcome, TransactionId};

pub(super) struct Explainer<'a, 'h> {
    history: &'h History,
    versions: &'a Versions<'h>,
}

impl<'a, 'h> Explainer<'a, 'h> {
    pub fn new(history: &'h History, versions: &'a Versions<'h>) -> Explainer<'a, 'h> {
        Explainer { history, versions }
    }

    /// `to` appended behind `from`.
    fn overwritten(&self, from: u32, to: u32) -> String {
        for (key, element) in self.appends(from) {
            let list = self.versions.longest(key);
            let Some(position) = list.iter().position(|known| *known == element) else { continue };
            let next = (position + 1..list.len()).find(|&after| self.versions.writer(key, after) != from);
            let Some(next) = next else {
                // Nobody read what comes after; it was appended later than everything that was read.
                if let Some((_, later)) = self.appends(to).find(|(other, _)| *other == key) {
                    return format!(
                        "T{to} appended {} to {} after T{from} appended {}",
                        self.history.element_name(later),
                        self.history.key_name(key),
                        self.history.element_name(element)
                    );
                }
                continue;
            };
            if self.versions.writer(key, next) == to {
                // Who shows it, if it is neither of them.
                let reader = self.versions.longest_reader(key);
                let shown = if [from, to].contains(&reader) { "" } else { &format!(", as T{reader} reads") };
                return format!(
                    "T{to} appended {} to {} behind T{from}'s {}{shown}",
                    self.history.element_name(list[next]),
                    self.history.key_name(key),
                    self.history.element_name(list[next - 1])
                );
            }
        }
        format!("T{to} overwrote what T{from} wrote")
    }

    /// `to` read what `from` had appended.
    fn read(&self, from: u32, to: u32) -> String {
        for op in self.history.ops(TransactionId(to)) {
            let Op::Read(key, Some(list)) = op else { continue };
            let last =
                list.iter().rev().find(|element| self.versions.who_appended(key, **element) != Some(to));
            if let Some(last) = last.filter(|last| self.versions.who_appended(key, **last) == Some(from)) {
                return format!(
                    "T{to} read {} = {}, with T{from}'s {}",
                    self.history.key_name(key),
                    shown(self.history, list),
                    self.history.element_name(*last)
                );
            }
        }
        format!("T{to} read what T{from} wrote")
    }

    /// `from` read a version without what `to` appended.
    fn overlooked(&self, from: u32, to: u32) -> String {
        for op in self.history.ops(TransactionId(from)) {
            let Op::Read(key, list) = op else { continue };
            // Of a committed transaction, nothing is an empty list.
            let list = list.unwrap_or_default();
            if let Some((_, element)) =
                self.appends(to).find(|(other, element)| *other == key && !list.contains(element))
            {
                return format!(
                    "T{from} read {} = {}, without T{to}'s {}",
                    self.history.key_name(key),
                    shown(self.history, list),
                    self.history.element_name(element)
                );
            }
        }
        format!("T{from} read what T{to} overwrote")
    }

    fn appends(&self, id: u32) -> impl Iterator<Item = (Key, Element)> + '_ {
        self.history.ops(TransactionId(id)).filter_map(|op| match op {
            Op::Append(key, element) => Some((key, element)),
            _ => None,
        })
    }

    /// The reads of a transaction: which operation, of which key, and how many elements of others it
    /// returned. Those that fit to no version are left out.
    fn versions_read(&self, id: u32) -> Vec<(usize, Key, usize)> {
        let mut own = Vec::<Key>::new();
        let mut read = Vec::new();
        for (place, op) in self.history.ops(TransactionId(id)).enumerate() {
            match op {
                Op::Append(key, _) => own.push(key),
                Op::Read(key, list) => {
                    let list = list.unwrap_or_default();
                    let own = own.iter().filter(|other| **other == key).count();
                    let version = list.get(..list.len().saturating_sub(own)).unwrap_or_default();
                    if self.versions.longest(key).starts_with(version) {
                        read.push((place, key, version.len()));
                    }
                }
                _ => {}
            }
        }
        read
    }

    /// Where an element stands in the order of versions.
    fn position(&self, key: Key, element: Element) -> Option<usize> {
        self.versions.longest(key).iter().position(|known| *known == element)
    }

    /// Who wrote last before this position of a key, other than this transaction.
    fn writer_before(&self, key: Key, position: usize, id: u32) -> Option<u32> {
        let before = (0..position).rev().map(|at| self.versions.writer(key, at));
        let mut others = before.filter(|writer| *writer != NOBODY && *writer != id);
        others.find(|writer| self.history.transaction(TransactionId(*writer)).outcome != Outcome::Fail)
    }
}

impl Dependencies for Explainer<'_, '_> {
    fn why(&self, from: u32, to: u32, label: Label) -> String {
        match label {
            Label::Ww => self.overwritten(from, to),
            Label::Wr => self.read(from, to),
            _ => self.overlooked(from, to),
        }
    }

    fn entry(&self, from: u32, to: u32, label: Label) -> Option<usize> {
        if label == Label::Wr {
            let read = self.versions_read(to).into_iter();
            let mut from_it =
                read.filter(|(_, key, length)| *length > 0 && self.versions.writer(*key, length - 1) == from);
            return from_it.next().map(|(place, ..)| place);
        }
        self.history.ops(TransactionId(to)).position(|op| {
            let Op::Append(key, element) = op else { return false };
            // What no read returned was appended after everything that was read.
            let position = self.position(key, element).unwrap_or(self.versions.longest(key).len());
            self.writer_before(key, position, to) == Some(from)
        })
    }

    fn missed(&self, reader: u32, writer: u32) -> Option<usize> {
        let is_missed = |key: Key, length: usize| {
            let mut written = self.appends(writer).filter(|(other, _)| *other == key);
            written.any(|(_, element)| self.position(key, element).is_none_or(|position| position >= length))
        };
        let read = self.versions_read(reader).into_iter().rev();
        read.into_iter().find(|(_, key, length)| is_missed(*key, *length)).map(|(place, ..)| place)
    }
}
