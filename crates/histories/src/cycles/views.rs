//! What a transaction sees of others, where a cycle has one overwritten read: whether it sees them in part,
//! and whether it goes back behind what it has seen.
//!
//! Monotonic view (Adya's PL-2L) lets a transaction read old versions first and new ones later, but not the
//! other way round: the overwritten read must not come after the operation by which the cycle enters the
//! transaction.

use super::component::{Component, Path};
use super::{Dependencies, Label, READS};
use crate::anomaly::AnomalyKind;

/// How many steps the search for a read that goes back takes at most.
const STEPS_MAX: usize = 1 << 28;

/// The cycles that show something besides one overwritten read: at most two, and none twice.
pub(super) fn find(component: &Component, dependencies: &impl Dependencies) -> Vec<(Path, Vec<AnomalyKind>)> {
    use AnomalyKind::{FracturedRead, GMonotonic, Vanishing};
    let (vanishing, fractured) = seen_in_part(component, dependencies);
    if let Some(path) = vanishing {
        return vec![(path, vec![GMonotonic, FracturedRead, Vanishing])];
    }
    let goes_back = goes_back(component, dependencies).map(|path| (path, vec![GMonotonic]));
    let fractured = fractured.map(|path| (path, vec![FracturedRead]));
    goes_back.into_iter().chain(fractured).collect()
}

/// A transaction that sees a write of another one and misses another write of it: after the first, and
/// otherwise.
fn seen_in_part(component: &Component, dependencies: &impl Dependencies) -> (Option<Path>, Option<Path>) {
    let mut fractured = None;
    for (writer, edge) in component.all_edges().filter(|(_, edge)| edge.label == Label::Wr) {
        let reader = edge.to;
        // Who misses something that was written has a read that was overwritten.
        if component.edges[reader as usize].iter().all(|edge| edge.label != Label::Rw) {
            continue;
        }
        let [writer_id, reader_id] = [writer, reader].map(|node| component.members[node as usize]);
        let Some(missed) = dependencies.missed(reader_id, writer_id) else { continue };
        let vanishes =
            dependencies.entry(writer_id, reader_id, Label::Wr).is_some_and(|entry| entry < missed);
        if !vanishes && fractured.is_some() {
            continue;
        }
        // The reader's version was overwritten, again and again, in the end by the writer.
        let overwritten = component.edges[reader as usize].iter().filter(|edge| edge.label == Label::Rw);
        let ways = overwritten.filter_map(|edge| {
            component.way(edge.to, writer, |label| matches!(label, Label::Ww | Label::Half))
        });
        let Some(mut path) = ways.min_by_key(Vec::len) else { continue };
        path.insert(0, (reader, Label::Rw));
        path.push((writer, Label::Wr));
        if vanishes {
            return (Some(path), None);
        }
        fractured = Some(path);
    }
    (None, fractured)
}

/// A transaction that depends on another one by an operation, and misses what that one wrote, or what came
/// before it, by a later operation.
fn goes_back(component: &Component, dependencies: &impl Dependencies) -> Option<Path> {
    let mut entries = vec![Vec::new(); component.len()];
    for (from, edge) in component.all_edges().filter(|(_, edge)| READS.has(edge.label)) {
        entries[edge.to as usize].push((from, edge.label));
    }
    let id = |node: u32| component.members[node as usize];
    let size = component.all_edges().count() + component.len();
    let mut blocks_left = STEPS_MAX / size + 1;
    let mut found = None;
    component.close(READS, |block| {
        for closing in block {
            let reader = closing.from;
            for &(source, label) in entries[reader as usize].iter().filter(|(node, _)| closing.reaches(*node))
            {
                let Some(entry) = dependencies.entry(id(source), id(reader), label) else { continue };
                let way =
                    component.way(closing.edge.to, source, |label| READS.has(label) || label == Label::Half);
                let Some(way) = way else { continue };
                // The first transaction behind the read: the edge's end, unless that is a node of its own.
                let half = way.first().is_some_and(|(_, label)| *label == Label::Half);
                let writer = match half {
                    true => way.get(1).map_or(source, |(node, _)| *node),
                    false => closing.edge.to,
                };
                if dependencies.missed(id(reader), id(writer)).is_some_and(|missed| entry < missed) {
                    let first = std::iter::once((reader, Label::Rw));
                    found = Some(first.chain(way).chain([(source, label)]).collect());
                    return false;
                }
            }
        }
        blocks_left -= 1;
        blocks_left > 0
    });
    found
}
