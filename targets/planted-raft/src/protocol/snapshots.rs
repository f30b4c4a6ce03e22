//! Snapshots (chapter 5 of the thesis).

use std::sync::Arc;

use super::{Message, Raft, Server, Snapshot};
use crate::Fault;

impl Raft {
    /// Puts everything that is committed into the snapshot; gives the snapshot's index.
    pub fn update_snapshot_index(&mut self) -> u64 {
        let index = self.commit;
        if index > self.log.snapshot().index {
            let snapshot = Snapshot {
                index,
                term: self
                    .log
                    .term_at(index)
                    .expect("what is committed and not in the snapshot is in the log"),
                voters: self.log.configuration(index).voters,
                machine: self.machine.clone(),
            };
            Arc::make_mut(&mut self.log).compact(snapshot);
            self.configuration = self.log.configuration(self.log.last());
        }
        self.log.snapshot().index
    }

    /// The entries that the other server lacks are gone: it gets the snapshot.
    pub(super) fn send_snapshot(&mut self, to: Server) {
        let snapshot = Box::new(self.log.snapshot().clone());
        self.send(to, Message::InstallSnapshot { term: self.term, snapshot });
    }

    /// A snapshot that brings nothing new is ignored, but answered. If the log has its last entry, what
    /// follows stays.
    pub(super) fn handle_install_snapshot_request(&mut self, from: Server, term: u64, snapshot: Snapshot) {
        let mut match_index = 0;
        if term == self.term {
            self.follow(from);
            if snapshot.index > self.commit || self.fault == Fault::SnapshotOverNewer {
                self.install(snapshot);
            }
            match_index = self.commit;
        }
        self.send(from, Message::SnapshotResponse { term: self.term, match_index });
    }

    fn install(&mut self, snapshot: Snapshot) {
        self.commit = snapshot.index;
        self.machine = snapshot.machine.clone();
        let is_known = self.log.term_at(snapshot.index) == Some(snapshot.term);
        let log = Arc::make_mut(&mut self.log);
        if is_known && self.fault != Fault::SnapshotOverNewer {
            log.compact(snapshot);
        } else {
            log.restore(snapshot);
        }
        self.configuration = self.log.configuration(self.log.last());
    }
}
