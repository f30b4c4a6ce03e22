//! The interface of the versions from 0.2.3 on: indices are `usize` and count trimmed entries, storages write
//! atomically.

use omnipaxos::ballot_leader_election::Ballot;
use omnipaxos::messages::sequence_paxos::{AcceptSync, Promise};
use omnipaxos::storage::{NoSnapshot, StopSign, Storage, StorageOp, StorageResult};
use omnipaxos::util::{LogSync, NodeId};
use omnipaxos::{OmniPaxos, ServerConfig};

use super::{BUFFER_SIZE, Sync, Wire};
use crate::spec::Standing;
use crate::{Entry, Settings, Store, Write};

/// Whether a server can be asked to become the leader.
pub const CAN_LEAD: bool = true;

/// Whether the TLA+ model of Sequence Paxos is one of this version.
pub const HAS_MODEL: bool = true;

/// Whether unfinished batches are flushed by the clock.
pub const FLUSHES_BATCHES: bool = true;

/// An index as a number.
pub fn number(index: usize) -> u64 {
    index as u64
}

/// The configuration of a server.
pub fn server_config(pid: NodeId, settings: &Settings) -> ServerConfig {
    ServerConfig {
        pid,
        election_tick_timeout: settings.election_tick.get(),
        resend_message_tick_timeout: settings.resend_tick.get(),
        flush_batch_tick_timeout: settings.flush_batch_tick.get(),
        batch_size: settings.batch_size.get() as usize,
        buffer_size: BUFFER_SIZE,
        ..ServerConfig::default()
    }
}

/// The leader that the server follows, 0 if it knows none.
pub fn leader(paxos: &OmniPaxos<Entry, Store>) -> NodeId {
    paxos.get_current_leader().map_or(0, |(leader, _)| leader)
}

/// Moves what the server sends into the buffer.
pub fn take_outgoing(paxos: &mut OmniPaxos<Entry, Store>, buffer: &mut Vec<Wire>) {
    paxos.take_outgoing_messages(buffer);
}

/// What a server shows besides, as a specification is compared with it.
pub fn standing(paxos: &OmniPaxos<Entry, Store>) -> Option<Standing> {
    let shown = paxos.get_ui_states();
    // The library puts one more in front, so that the first server has the index 1.
    let lens = shown.cluster_state.accepted_indexes.iter().skip(1).copied().map(number).collect();
    Some(Standing {
        accepts: paxos.get_current_leader().is_some_and(|(_, accepts)| accepts),
        ballot: shown.current_ballot.into(),
        lens,
    })
}

/// Asks the server to become the leader.
pub fn lead(paxos: &mut OmniPaxos<Entry, Store>) -> Result<(), String> {
    paxos.try_become_leader();
    Ok(())
}

/// What a promise brings the leader, if it brings anything.
pub fn promise_sync(promise: &Promise<Entry>) -> Option<Sync<'_>> {
    promise.log_sync.as_ref().map(sync)
}

/// What an AcceptSync brings a follower.
pub fn accept_sync(message: &AcceptSync<Entry>) -> Sync<'_> {
    sync(&message.log_sync)
}

fn sync(sync: &LogSync<Entry>) -> Sync<'_> {
    Sync { from: Some(number(sync.sync_idx)), suffix: &sync.suffix, stop_sign: sync.stopsign.as_ref() }
}

/// The write that an operation stands for; none if it is about snapshots, which entries without them never
/// write.
fn write(operation: StorageOp<Entry>) -> Option<Write> {
    Some(match operation {
        StorageOp::AppendEntry(entry) => Write::Append(vec![entry]),
        StorageOp::AppendEntries(entries) => Write::Append(entries),
        StorageOp::AppendOnPrefix(from, entries) => Write::Replace(number(from), entries),
        StorageOp::SetPromise(ballot) => Write::Promise(ballot),
        StorageOp::SetDecidedIndex(decided) => Write::Decided(number(decided)),
        StorageOp::SetAcceptedRound(ballot) => Write::AcceptedRound(ballot),
        StorageOp::SetCompactedIdx(compacted) => Write::Compacted(number(compacted)),
        StorageOp::Trim(to) => Write::Trim(number(to)),
        StorageOp::SetStopsign(stop_sign) => Write::StopSign(stop_sign),
        StorageOp::SetSnapshot(_) => return None,
    })
}

impl Store {
    fn do_one(&mut self, operation: StorageOp<Entry>) -> StorageResult<()> {
        if let Some(write) = write(operation) {
            self.write(write);
        }
        Ok(())
    }
}

impl Storage<Entry> for Store {
    fn write_atomically(&mut self, operations: Vec<StorageOp<Entry>>) -> StorageResult<()> {
        self.write(Write::Together(operations.into_iter().filter_map(write).collect()));
        Ok(())
    }

    fn append_entry(&mut self, entry: Entry) -> StorageResult<()> {
        self.do_one(StorageOp::AppendEntry(entry))
    }

    fn append_entries(&mut self, entries: Vec<Entry>) -> StorageResult<()> {
        self.do_one(StorageOp::AppendEntries(entries))
    }

    fn append_on_prefix(&mut self, from: usize, entries: Vec<Entry>) -> StorageResult<()> {
        self.do_one(StorageOp::AppendOnPrefix(from, entries))
    }

    fn set_promise(&mut self, ballot: Ballot) -> StorageResult<()> {
        self.do_one(StorageOp::SetPromise(ballot))
    }

    fn set_decided_idx(&mut self, decided: usize) -> StorageResult<()> {
        self.do_one(StorageOp::SetDecidedIndex(decided))
    }

    fn get_decided_idx(&self) -> StorageResult<usize> {
        Ok(self.disk().decided as usize)
    }

    fn set_accepted_round(&mut self, ballot: Ballot) -> StorageResult<()> {
        self.do_one(StorageOp::SetAcceptedRound(ballot))
    }

    fn get_accepted_round(&self) -> StorageResult<Option<Ballot>> {
        Ok(self.disk().accepted_round)
    }

    fn get_entries(&self, from: usize, to: usize) -> StorageResult<Vec<Entry>> {
        Ok(self.disk().entries(number(from), number(to)))
    }

    fn get_log_len(&self) -> StorageResult<usize> {
        Ok(self.disk().log.len())
    }

    fn get_suffix(&self, from: usize) -> StorageResult<Vec<Entry>> {
        Ok(self.disk().suffix(number(from)))
    }

    fn get_promise(&self) -> StorageResult<Option<Ballot>> {
        Ok(self.disk().promise)
    }

    fn set_stopsign(&mut self, stop_sign: Option<StopSign>) -> StorageResult<()> {
        self.do_one(StorageOp::SetStopsign(stop_sign))
    }

    fn get_stopsign(&self) -> StorageResult<Option<StopSign>> {
        Ok(self.disk().stop_sign.clone())
    }

    fn trim(&mut self, to: usize) -> StorageResult<()> {
        self.do_one(StorageOp::Trim(to))
    }

    fn set_compacted_idx(&mut self, compacted: usize) -> StorageResult<()> {
        self.do_one(StorageOp::SetCompactedIdx(compacted))
    }

    fn get_compacted_idx(&self) -> StorageResult<usize> {
        Ok(self.disk().compacted as usize)
    }

    fn set_snapshot(&mut self, _snapshot: Option<NoSnapshot>) -> StorageResult<()> {
        Ok(())
    }

    fn get_snapshot(&self) -> StorageResult<Option<NoSnapshot>> {
        Ok(None)
    }
}
