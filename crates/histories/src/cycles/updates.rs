//! Cycles in which at most one transaction writes nothing: update serializability (Adya's PL-3U) rules them
//! out, and lets those that only read disagree with each other.

use super::component::{Component, Path};
use super::{ALL, Label};
use crate::graph::Edge;

/// How many steps the search takes at most: beyond, some transactions that only read are not looked at.
const STEPS_MAX: usize = 1 << 28;

pub(super) enum Found {
    Nothing,
    /// The cycle that is known is such a one.
    SameCycle,
    Other(Path),
}

/// Looks for such a cycle in a component; `known` is a cycle of it.
pub(super) fn find(component: &Component, known: &Path, writes_nothing: impl Fn(u32) -> bool) -> Found {
    let only_reads: Vec<bool> = component.members.iter().map(|member| writes_nothing(*member)).collect();
    if known.iter().filter(|(node, _)| only_reads[*node as usize]).count() <= 1 {
        return Found::SameCycle;
    }
    let updates = restricted(component, |node| !only_reads[node as usize]);
    if let Some(path) = updates.shortest_within(ALL, |label| label == Label::Rw) {
        return Found::Other(path);
    }
    let readers = (0..component.len() as u32).filter(|node| only_reads[*node as usize]);
    let size = component.all_edges().count() + component.len();
    for reader in readers.take(STEPS_MAX / size + 1) {
        let with_one = restricted(component, |node| node == reader || !only_reads[node as usize]);
        let first = with_one.edges[reader as usize].iter().map(|edge| (reader, *edge));
        if let Some(path) = with_one.shortest(first, |label| ALL.has(label)) {
            return Found::Other(path);
        }
    }
    Found::Nothing
}

/// The component with the edges between some of its nodes only.
fn restricted(component: &Component, is_in: impl Fn(u32) -> bool) -> Component {
    let inside = |(from, edges): (u32, &Vec<Edge>)| match is_in(from) {
        true => edges.iter().copied().filter(|edge| is_in(edge.to)).collect(),
        false => Vec::new(),
    };
    let edges = (0..).zip(&component.edges).map(inside).collect();
    Component { members: component.members.clone(), edges }
}
