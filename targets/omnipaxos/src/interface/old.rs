//! The interface of version 0.2.2: indices are `u64`, those that a storage sees do not count trimmed entries,
//! and every write stands alone.

use omnipaxos::ballot_leader_election::Ballot;
use omnipaxos::messages::sequence_paxos::{AcceptSync, Promise};
use omnipaxos::storage::{NoSnapshot, StopSign, Storage, StorageResult};
use omnipaxos::util::NodeId;
use omnipaxos::{OmniPaxos, ServerConfig};

use super::{BUFFER_SIZE, Sync, Wire};
use crate::spec::Standing;
use crate::{Entry, Settings, Store, Write};

/// Whether a server can be asked to become the leader.
pub const CAN_LEAD: bool = false;

/// Whether the TLA+ model of Sequence Paxos is one of this version: it syncs logs in another way.
pub const HAS_MODEL: bool = false;

/// Whether unfinished batches are flushed by the clock.
pub const FLUSHES_BATCHES: bool = false;

/// An index as a number.
pub fn number(index: u64) -> u64 {
    index
}

/// The configuration of a server.
pub fn server_config(pid: NodeId, settings: &Settings) -> ServerConfig {
    ServerConfig {
        pid,
        election_tick_timeout: settings.election_tick.get(),
        resend_message_tick_timeout: settings.resend_tick.get(),
        batch_size: settings.batch_size.get() as usize,
        buffer_size: BUFFER_SIZE,
        ..ServerConfig::default()
    }
}

/// The leader that the server follows, 0 if it knows none.
pub fn leader(paxos: &OmniPaxos<Entry, Store>) -> NodeId {
    paxos.get_current_leader().unwrap_or(0)
}

/// Moves what the server sends into the buffer.
pub fn take_outgoing(paxos: &mut OmniPaxos<Entry, Store>, buffer: &mut Vec<Wire>) {
    buffer.extend(paxos.outgoing_messages());
}

/// What a server shows besides: nothing, for this version has no model.
pub fn standing(_paxos: &OmniPaxos<Entry, Store>) -> Option<Standing> {
    None
}

/// Asks the server to become the leader.
pub fn lead(_paxos: &mut OmniPaxos<Entry, Store>) -> Result<(), String> {
    Err("this version has no way to ask for it".to_owned())
}

/// What a promise brings the leader. It does not say where its suffix goes: the leader has to know.
pub fn promise_sync(promise: &Promise<Entry>) -> Option<Sync<'_>> {
    Some(Sync { from: None, suffix: &promise.suffix, stop_sign: promise.stopsign.as_ref() })
}

/// What an AcceptSync brings a follower.
pub fn accept_sync(message: &AcceptSync<Entry>) -> Sync<'_> {
    Sync { from: Some(message.sync_idx), suffix: &message.suffix, stop_sign: message.stopsign.as_ref() }
}

impl Store {
    fn length_after(&mut self, write: Write) -> StorageResult<u64> {
        self.write(write);
        self.get_log_len()
    }

    fn done(&mut self, write: Write) -> StorageResult<()> {
        self.write(write);
        Ok(())
    }

    /// The place of an entry, trimmed entries counted.
    fn place(&self, index: u64) -> u64 {
        self.disk().trimmed + index
    }
}

impl Storage<Entry> for Store {
    fn append_entry(&mut self, entry: Entry) -> StorageResult<u64> {
        self.length_after(Write::Append(vec![entry]))
    }

    fn append_entries(&mut self, entries: Vec<Entry>) -> StorageResult<u64> {
        self.length_after(Write::Append(entries))
    }

    fn append_on_prefix(&mut self, from: u64, entries: Vec<Entry>) -> StorageResult<u64> {
        let from = self.place(from);
        self.length_after(Write::Replace(from, entries))
    }

    fn set_promise(&mut self, ballot: Ballot) -> StorageResult<()> {
        self.done(Write::Promise(ballot))
    }

    fn set_decided_idx(&mut self, decided: u64) -> StorageResult<()> {
        self.done(Write::Decided(decided))
    }

    fn get_decided_idx(&self) -> StorageResult<u64> {
        Ok(self.disk().decided)
    }

    fn set_accepted_round(&mut self, ballot: Ballot) -> StorageResult<()> {
        self.done(Write::AcceptedRound(ballot))
    }

    fn get_accepted_round(&self) -> StorageResult<Option<Ballot>> {
        Ok(self.disk().accepted_round)
    }

    fn get_entries(&self, from: u64, to: u64) -> StorageResult<Vec<Entry>> {
        Ok(self.disk().entries(self.place(from), self.place(to)))
    }

    fn get_log_len(&self) -> StorageResult<u64> {
        Ok(self.disk().log.len() as u64)
    }

    fn get_suffix(&self, from: u64) -> StorageResult<Vec<Entry>> {
        Ok(self.disk().suffix(self.place(from)))
    }

    fn get_promise(&self) -> StorageResult<Option<Ballot>> {
        Ok(self.disk().promise)
    }

    fn set_stopsign(&mut self, stop_sign: Option<StopSign>) -> StorageResult<()> {
        self.done(Write::StopSign(stop_sign))
    }

    fn get_stopsign(&self) -> StorageResult<Option<StopSign>> {
        Ok(self.disk().stop_sign.clone())
    }

    fn trim(&mut self, count: u64) -> StorageResult<()> {
        let to = self.place(count);
        self.done(Write::Trim(to))
    }

    fn set_compacted_idx(&mut self, compacted: u64) -> StorageResult<()> {
        self.done(Write::Compacted(compacted))
    }

    fn get_compacted_idx(&self) -> StorageResult<u64> {
        Ok(self.disk().compacted)
    }

    fn set_snapshot(&mut self, _snapshot: Option<NoSnapshot>) -> StorageResult<()> {
        Ok(())
    }

    fn get_snapshot(&self) -> StorageResult<Option<NoSnapshot>> {
        Ok(None)
    }
}
