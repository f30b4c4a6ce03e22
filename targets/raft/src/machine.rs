//! The replicated state machine: a small key-value map and the configuration that goes with it.

use std::sync::Arc;

use raft::eraftpb::{ConfState, Snapshot};

use shakedown_check::{RegisterAnswer, RegisterOp, RegisterValues};
use shakedown_cluster::{NodeSet, derive_seed};

use crate::sessions::Sessions;
use crate::view::voters_of;

/// What applying the log has led to.
pub(crate) struct Machine {
    values: Arc<RegisterValues>,
    applied: u64,
    conf_state: ConfState,
    voters: NodeSet,
    digest: u64,
    /// What was answered to clients that may ask again; nothing if none do.
    sessions: Option<Sessions>,
}

/// The bytes of a put: the key, then the value.
const PUT_LENGTH: usize = 9;

impl Machine {
    /// The machine as of a snapshot. A snapshot of index 0 has no data: an empty map.
    pub fn restore(snapshot: &Snapshot) -> Machine {
        Machine::restore_from(snapshot, snapshot.get_data(), None)
    }

    /// The same for a machine with sessions, whose snapshots hold them: the length of the map, the map, the
    /// table.
    pub fn restore_with_sessions(snapshot: &Snapshot) -> Machine {
        let data = snapshot.get_data();
        let parts = data.split_first_chunk().and_then(|(length, rest)| {
            rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)
        });
        let (map, table) = parts.unwrap_or_default();
        Machine::restore_from(snapshot, map, Some(Sessions::decode(table)))
    }

    fn restore_from(snapshot: &Snapshot, map: &[u8], sessions: Option<Sessions>) -> Machine {
        let metadata = snapshot.get_metadata();
        let values = map.chunks_exact(PUT_LENGTH).filter_map(decode_put).collect();
        let values = Arc::new(values);
        let conf_state = metadata.get_conf_state().clone();
        let voters = voters_of(&conf_state.voters);
        let mut machine =
            Machine { values, applied: metadata.index, conf_state, voters, digest: 0, sessions };
        machine.refresh();
        machine
    }

    /// A snapshot of the machine. The term is that of the last entry applied.
    pub fn snapshot(&self, term: u64) -> Snapshot {
        let mut snapshot = Snapshot::default();
        let metadata = snapshot.mut_metadata();
        metadata.index = self.applied;
        metadata.term = term;
        metadata.set_conf_state(self.conf_state.clone());
        let data: Vec<u8> = self.values.iter().flat_map(|(key, value)| encode_put(key, value)).collect();
        let data = match &self.sessions {
            None => data,
            Some(sessions) => {
                let length = u32::try_from(data.len()).expect("a map of 256 keys is small");
                [&length.to_le_bytes()[..], &data, &sessions.encode()].concat()
            }
        };
        snapshot.data = data.into();
        snapshot
    }

    /// Applies the data of an entry; what is not a put, such as a new leader's empty entry, changes nothing.
    pub fn put(&mut self, data: &[u8]) -> Option<(u8, u64)> {
        let (key, value) = decode_put(data)?;
        Arc::make_mut(&mut self.values).set(key, value);
        self.refresh();
        Some((key, value))
    }

    /// Applies the data of an entry that is a request to registers.
    pub fn register(&mut self, data: &[u8]) -> Option<(RegisterOp, RegisterAnswer)> {
        if data.is_empty() {
            // A new leader's entry: every term has one.
            return None;
        }
        let op: RegisterOp = serde_json::from_slice(data).ok()?;
        let answer = op.apply(Arc::make_mut(&mut self.values));
        self.refresh();
        Some((op, answer))
    }

    /// What every key holds.
    pub fn values(&self) -> &Arc<RegisterValues> {
        &self.values
    }

    /// What was answered to clients that may ask again.
    pub fn sessions(&self) -> &Sessions {
        const NONE: &Sessions = &Sessions::NONE;
        self.sessions.as_ref().unwrap_or(NONE)
    }

    /// The same, to be changed; nothing if no client asks again.
    pub fn sessions_mut(&mut self) -> Option<&mut Sessions> {
        self.sessions.as_mut()
    }

    pub fn set_configuration(&mut self, conf_state: ConfState) {
        self.voters = voters_of(&conf_state.voters);
        self.conf_state = conf_state;
        self.refresh();
    }

    /// Stands for the values and the voters.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    fn refresh(&mut self) {
        self.digest = machine_digest(&self.values, self.voters);
    }

    pub fn applied(&self) -> u64 {
        self.applied
    }

    pub fn set_applied(&mut self, index: u64) {
        self.applied = index;
    }

    pub fn voters(&self) -> NodeSet {
        self.voters
    }

    /// The value of a key, once it was written.
    pub fn get(&self, key: u8) -> Option<u64> {
        Some(self.values.get(key)).filter(|value| *value > 0)
    }
}

/// Stands for what applying a log has led to: the values and the voters.
pub fn machine_digest(values: &RegisterValues, voters: NodeSet) -> u64 {
    let values = values.iter().map(|(key, value)| derive_seed(u64::from(key), value));
    let voters = voters.iter().fold(0, |bits, node| bits | 1 << node.index());
    values.fold(derive_seed(0, voters), derive_seed)
}

pub(crate) fn encode_put(key: u8, value: u64) -> [u8; PUT_LENGTH] {
    let mut data = [key; PUT_LENGTH];
    data[1..].copy_from_slice(&value.to_le_bytes());
    data
}

pub(crate) fn decode_put(data: &[u8]) -> Option<(u8, u64)> {
    let (key, value) = data.split_first()?;
    Some((*key, u64::from_le_bytes(value.try_into().ok()?)))
}
