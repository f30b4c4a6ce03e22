//! Entries of the log, and the state machine that they are applied to.

use serde::{Deserialize, Serialize};

use super::{Server, Servers};

/// What an entry asks for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    /// Nothing: the first entry of every leader.
    Noop,
    /// Give a key a value.
    Put(u8, u64),
    /// Add a server to the voters.
    Add(Server),
    /// Remove a server from the voters.
    Remove(Server),
}

impl Command {
    /// Whether it changes the membership.
    pub fn is_change(self) -> bool {
        matches!(self, Command::Add(_) | Command::Remove(_))
    }

    /// The voters after this command.
    pub fn change(self, voters: Servers) -> Servers {
        match self {
            Command::Add(server) => voters.with(server),
            Command::Remove(server) => voters.without(server),
            Command::Noop | Command::Put(..) => voters,
        }
    }

    /// Stands for the command.
    pub fn digest(self) -> u64 {
        match self {
            Command::Noop => 0,
            Command::Put(key, value) => mix(u64::from(key) << 8 | 1, value),
            Command::Add(server) => mix(2, server.number() as u64),
            Command::Remove(server) => mix(3, server.number() as u64),
        }
    }
}

/// An entry of the log. Its index is its place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// The term in which a leader made it.
    pub term: u64,
    /// What it asks for.
    pub command: Command,
}

/// The replicated state machine: a map.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Machine(Vec<(u8, u64)>);

impl Machine {
    /// Applies an entry's command. Only puts change the map: membership counts from when it is in the log.
    pub fn apply(&mut self, command: Command) {
        if let Command::Put(key, value) = command {
            match self.0.binary_search_by_key(&key, |(known, _)| *known) {
                Ok(place) => self.0[place].1 = value,
                Err(place) => self.0.insert(place, (key, value)),
            }
        }
    }

    /// The value of a key.
    pub fn get(&self, key: u8) -> Option<u64> {
        self.0.iter().find(|(known, _)| *known == key).map(|(_, value)| *value)
    }

    /// Stands for the whole map.
    pub fn digest(&self) -> u64 {
        self.0.iter().fold(0, |digest, (key, value)| mix(mix(digest, u64::from(*key)), *value))
    }
}

/// One number for two, with SplitMix64's finaliser.
pub(super) fn mix(a: u64, b: u64) -> u64 {
    let mut z = a.rotate_left(23) ^ b.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
