//! A log: a short sequence of commands that is copied as it is.

use std::fmt;
use std::hash::{Hash, Hasher};

use serde::{Serialize, Serializer};

/// The most commands that a log holds. A leader whose log is full proposes it as it is.
pub const LOG_MAX: usize = 15;

/// A sequence of commands. A command is the number of the phase in which it was appended, so no two are the
/// same.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Log {
    length: u32,
    /// Zero from `length` on.
    commands: [u32; LOG_MAX],
}

impl Log {
    /// Appends a command, if there is room for it.
    pub fn append(&mut self, command: u32) {
        if let Some(place) = self.commands.get_mut(self.length as usize) {
            *place = command;
            self.length += 1;
        }
    }

    /// The commands, in order.
    pub fn commands(&self) -> &[u32] {
        &self.commands[..self.length as usize]
    }

    /// How many commands there are.
    pub fn length(&self) -> usize {
        self.length as usize
    }

    /// Whether the other log begins with this one.
    pub fn is_prefix_of(&self, other: &Log) -> bool {
        other.commands().starts_with(self.commands())
    }
}

/// Two commands to a word.
impl Hash for Log {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(u64::from(self.length));
        for pair in self.commands().chunks(2) {
            state.write_u64(u64::from(pair[0]) << 32 | pair.get(1).map_or(0, |&second| u64::from(second)));
        }
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let commands: Vec<_> = self.commands().iter().map(u32::to_string).collect();
        write!(f, "[{}]", commands.join(" "))
    }
}

impl Serialize for Log {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.commands())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(commands: impl IntoIterator<Item = u32>) -> Log {
        commands.into_iter().fold(Log::default(), |mut log, command| {
            log.append(command);
            log
        })
    }

    #[test]
    fn a_log_is_a_prefix_of_itself_and_of_what_extends_it() {
        assert!(log([]).is_prefix_of(&log([1])));
        assert!(log([1, 2]).is_prefix_of(&log([1, 2])));
        assert!(log([1, 2]).is_prefix_of(&log([1, 2, 5])));
        assert!(!log([1, 2, 5]).is_prefix_of(&log([1, 2])));
        assert!(!log([1, 3]).is_prefix_of(&log([1, 2, 3])));
    }

    #[test]
    fn a_full_log_stays_as_it_is() {
        let full = log(1..=LOG_MAX as u32);
        let mut more = full;
        more.append(99);
        assert_eq!(more, full);
        assert_eq!(full.length(), LOG_MAX);
    }
}
