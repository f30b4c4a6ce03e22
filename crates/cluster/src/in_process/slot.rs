//! What there is of one node, whether it runs or not.

use crate::node::{DiskChange, TimerChange};
use crate::panics::catch_panic;
use crate::{Board, Disk, DiskModel, Name, Node, NodeId, Random};

/// A node, its disk and its randomness.
pub(super) struct Slot<N: Node> {
    pub node: Option<N>,
    pub durable: N::Disk,
    pub unflushed: Vec<<N::Disk as Disk>::Write>,
    pub random: Random,
}

impl<N: Node> Drop for Slot<N> {
    /// A cluster that was closed has no nodes any more. Of one that was not, no verdict is asked.
    fn drop(&mut self) {
        let node = self.node.take();
        let _ = catch_panic(|| drop(node));
    }
}

impl<N: Node> Slot<N> {
    /// Carries out what the node did to its disk.
    pub fn change_disk(
        &mut self,
        changes: impl Iterator<Item = DiskChange<<N::Disk as Disk>::Write>>,
        node: NodeId,
        board: &mut Board,
    ) {
        let is_synchronous = board.contract().disk == DiskModel::Synchronous;
        for change in changes {
            match change {
                DiskChange::Write(write) if is_synchronous => self.durable.apply(write),
                DiskChange::Write(write) => self.unflushed.push(write),
                DiskChange::Flush => self.unflushed.drain(..).for_each(|write| self.durable.apply(write)),
            }
        }
        board.node_mut(node).unflushed = self.unflushed.len() as u32;
    }
}

/// Sets or cancels a timer.
pub(super) fn change_timer(timers: &mut Vec<(Name, u64)>, change: TimerChange) {
    let known = match &change {
        TimerChange::Set(name, _) | TimerChange::Cancel(name) => timers.iter().position(|(t, _)| t == name),
    };
    match (change, known) {
        (TimerChange::Set(_, due), Some(at)) => timers[at].1 = due,
        (TimerChange::Set(name, due), None) => timers.push((name, due)),
        (TimerChange::Cancel(_), Some(at)) => drop(timers.remove(at)),
        (TimerChange::Cancel(_), None) => {}
    }
}
