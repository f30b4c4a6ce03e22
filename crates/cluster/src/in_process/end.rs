//! The end of a cluster: everything is dropped one by one, for every drop may panic.

use crate::board::Stop;
use crate::panics::{Way, catch_every_panic};
use crate::{Node, NodeId};

use super::{DROP, InProcess, ON_A_THREAD};

impl<N: Node> InProcess<N> {
    /// Ends the lives of all nodes.
    pub(super) fn end_lives(&mut self) {
        for id in NodeId::first(self.slots.len()) {
            let slot = &mut self.slots[id.index()];
            let (node, durable) = (slot.node.take(), std::mem::take(&mut slot.durable));
            let unflushed = std::mem::take(&mut slot.unflushed);
            self.end(id, DROP, || drop(node));
            self.end_all(id, std::iter::once(durable));
            self.end_all(id, unflushed.into_iter());
        }
        let (payloads, states) = (std::mem::take(&mut self.payloads), std::mem::take(&mut self.states));
        let last = self.last_activated();
        self.end_all(last, payloads.into_contents());
        self.end_all(last, states.into_iter());
        // Threads may have panicked, and nodes may all be down.
        self.end(last, ON_A_THREAD, || {});
    }

    /// Does something at the end of a node's life. Its panic is a finding unless there was one before.
    fn end(&mut self, node: NodeId, doing: &'static str, work: impl FnOnce()) {
        if let Err(caught) = catch_every_panic(self.caught, work)
            && !matches!(self.board.stopped(), Some(Stop::Panicked(..)))
        {
            let node = if caught.1 == Way::OnThread { self.last_activated() } else { node };
            let moment = self.board.begin_moment(node, None);
            self.note_panic(node, moment, doing, caught);
        }
    }

    fn last_activated(&self) -> NodeId {
        self.board.moments().last().map_or(NodeId::new(1), |moment| moment.node)
    }

    /// Drops one by one: two panics at once would end the process.
    fn end_all<T>(&mut self, node: NodeId, all: impl Iterator<Item = T>) {
        if std::mem::needs_drop::<T>() {
            all.for_each(|one| self.end(node, "the drop of a message, a state or a disk", || drop(one)));
        }
    }
}
