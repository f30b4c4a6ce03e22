//! Whether what is known of the order of a register's versions contradicts itself.
//!
//! A register holds nothing at first, writes follow reads, and keys that are assumed to be linearizable or
//! sequential meet their versions in order. Where these contradict each other there is no order of versions,
//! which all models ask for.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Checker, Version, key_orders};
use crate::anomaly::{AnomalyKind, Report, plain};
use crate::graph::{EdgeList, Label, Labels};
use crate::{Check, Key, TransactionId};

/// Reports contradictions, and gives the pairs of older and newer versions of keys without any.
pub(super) fn without_contradictions(
    checker: &Checker<'_>,
    check: Check,
    report: &mut Report,
) -> Vec<(Version, Version)> {
    let by_updates: Vec<(Version, Version)> = checker
        .updaters
        .iter()
        .filter(|((_, version), _)| version.is_some())
        .filter_map(|((key, version), id)| {
            let written = checker.final_write(TransactionId(*id), *key)?;
            Some(((*key, *version), (*key, Some(written))))
        })
        .collect();
    let mut wrong = FxHashSet::<Key>::default();
    add_contradictions(checker, &by_updates, "writes that follow reads", &mut wrong, report);
    let mut pairs = key_orders::older_and_newer(checker.history, check);
    if pairs.is_empty() {
        return pairs;
    }
    let assumed = match (check.linearizable_keys, check.sequential_keys) {
        (true, true) => "writes that follow reads, and linearizable and sequential keys",
        (true, false) => "writes that follow reads, and linearizable keys",
        _ => "writes that follow reads, and sequential keys",
    };
    let both: Vec<(Version, Version)> =
        by_updates.iter().chain(&pairs).copied().filter(|((key, _), _)| !wrong.contains(key)).collect();
    add_contradictions(checker, &both, assumed, &mut wrong, report);
    pairs.retain(|((key, _), (_, newer))| newer.is_some() && !wrong.contains(key));
    pairs
}

/// Reports groups of versions that are older than each other, and notes their keys.
fn add_contradictions(
    checker: &Checker<'_>,
    pairs: &[(Version, Version)],
    sources: &str,
    wrong: &mut FxHashSet<Key>,
    report: &mut Report,
) {
    let mut versions = Vec::<Version>::new();
    let mut numbers = FxHashMap::<Version, u32>::default();
    let mut edges = EdgeList::with_capacity(pairs.len());
    let mut number = |version: Version| {
        *numbers.entry(version).or_insert_with(|| {
            versions.push(version);
            versions.len() as u32 - 1
        })
    };
    for &(older, newer) in pairs {
        let (from, to) = (number(older), number(newer));
        edges.add(from, to, Label::Ww);
        // A register holds nothing first.
        if newer.1.is_none() {
            edges.add(to, from, Label::Ww);
        }
    }
    let graph = edges.into_graph(versions.len());
    for group in graph.components(Labels::of(&[Label::Ww])) {
        let (key, _) = versions[group[0] as usize];
        wrong.insert(key);
        let names: Vec<String> = group
            .iter()
            .map(|at| versions[*at as usize].1)
            .map(|value| value.map_or_else(|| "nil".to_owned(), |value| checker.history.element_name(value)))
            .collect();
        let mut writers: Vec<u32> = group
            .iter()
            .filter_map(|at| {
                let (key, value) = versions[*at as usize];
                checker.writes.get(&(key, value?)).map(|write| write.transaction)
            })
            .collect();
        writers.sort_unstable();
        writers.dedup();
        let text = format!(
            "of the versions {} of {}, each is older than the others, by {sources}",
            names.join(", "),
            checker.history.key_name(key)
        );
        report.add(checker.most, plain(AnomalyKind::CyclicVersions, &writers, text));
    }
}
