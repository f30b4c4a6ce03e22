//! Why one transaction depends on another, by what lists show.

use super::versions::Versions;
use crate::graph::Label;
use crate::history::shown;
use crate::{History, Key, Op, TransactionId};

pub(super) struct Explainer<'a, 'h> {
    history: &'h History,
    versions: &'a Versions<'h>,
}

impl<'a, 'h> Explainer<'a, 'h> {
    pub fn new(history: &'h History, versions: &'a Versions<'h>) -> Explainer<'a, 'h> {
        Explainer { history, versions }
    }

    /// Why the second depends on the first.
    pub fn why(&self, from: u32, to: u32, label: Label) -> String {
        match label {
            Label::Ww => self.overwritten(from, to),
            Label::Wr => self.read(from, to),
            _ => self.missed(from, to),
        }
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
                return format!(
                    "T{to} appended {} to {} behind T{from}'s {}",
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
    fn missed(&self, from: u32, to: u32) -> String {
        for op in self.history.ops(TransactionId(from)) {
            let Op::Read(key, Some(list)) = op else { continue };
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

    fn appends(&self, id: u32) -> impl Iterator<Item = (Key, crate::Element)> + '_ {
        self.history.ops(TransactionId(id)).filter_map(|op| match op {
            Op::Append(key, element) => Some((key, element)),
            _ => None,
        })
    }
}
