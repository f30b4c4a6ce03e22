//! Crashes and restarts, and what nodes hear of their connections.

use crate::board::Noted;
use crate::panics::catch_every_panic;
use crate::{Disk, Loss, Node, NodeId, Recording};

use super::{DROP, InProcess};

impl<N: Node> InProcess<N> {
    /// Reports a connection that is there again to a node.
    pub(super) fn notify_reconnected(&mut self, node: NodeId, peer: NodeId) {
        if self.board.stopped().is_none() && self.board.is_up(node) {
            let moment = self.board.begin_moment(node, None);
            self.activate(node, moment, "reconnected", |n, ctx| n.reconnected(peer, ctx));
        }
    }

    /// Reports a lost connection to a node that wants to hear of it.
    pub(super) fn notify_disconnected(&mut self, node: NodeId, peer: NodeId) {
        let is_wanted = N::HEARS_DISCONNECTED && self.board.contract().loss == Loss::Session;
        if is_wanted && self.board.stopped().is_none() && self.board.is_up(node) {
            let moment = self.board.begin_moment(node, None);
            self.activate(node, moment, "disconnected", |n, ctx| n.disconnected(peer, ctx));
        }
    }

    /// Ends the life of a node: what it has not flushed is lost, but for the first writes.
    pub(super) fn crash(&mut self, node: NodeId, keep: u32) {
        let moment = self.board.begin_moment(node, None);
        let lost = self.board.node(node).unflushed.saturating_sub(keep);
        self.board.note(moment, Noted::Crashed { lost });
        if self.recording == Recording::Full {
            self.state_texts.push("down".into());
        }
        let slot = &mut self.slots[node.index()];
        if let Err(caught) = catch_every_panic(self.caught, || slot.node = None) {
            self.note_panic(node, moment, DROP, caught);
        }
        let slot = &mut self.slots[node.index()];
        let survived = slot.unflushed.drain(..).take(keep as usize);
        let write = || survived.for_each(|write| slot.durable.apply(write));
        if let Err(caught) = catch_every_panic(self.caught, write) {
            self.note_panic(node, moment, "a write to its disk", caught);
        }
        self.board.crash(node);
        for peer in NodeId::first(self.board.size()) {
            if peer != node && !self.board.is_cut(node, peer) {
                self.notify_disconnected(peer, node);
            }
        }
    }

    /// Boots a node again, on its disk.
    pub(super) fn restart(&mut self, node: NodeId) {
        self.board.restart(node);
        if self.boot_node(node).is_err() {
            return;
        }
        let moment = self.board.moments().len() as u32 - 1;
        self.board.note(moment, Noted::Restarted);
        if self.board.contract().loss == Loss::Session {
            for peer in NodeId::first(self.board.size()) {
                if peer == node {
                    continue;
                }
                if self.board.is_up(peer) && !self.board.is_cut(node, peer) {
                    self.notify_reconnected(node, peer);
                    self.notify_reconnected(peer, node);
                } else {
                    self.notify_disconnected(node, peer);
                }
            }
        }
    }
}
