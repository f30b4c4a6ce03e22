//! How a host is started.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::Encoding;

/// The time that a host has for one reply.
const REPLY_TIME: Duration = Duration::from_secs(10);
/// The time that a host has for the handshake: programs that are compiled or interpreted first take a while.
const START_TIME: Duration = Duration::from_secs(60);
/// The memory that a host may use.
const MEMORY_MAX: u64 = 2 << 30;

/// A program that holds nodes, and the limits that it runs within.
#[derive(Clone, Debug)]
pub struct HostCommand {
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) folder: Option<PathBuf>,
    pub(crate) variables: Vec<(OsString, OsString)>,
    pub(crate) encoding: Encoding,
    pub(crate) reply_time: Duration,
    pub(crate) start_time: Duration,
    pub(crate) memory_max: u64,
    pub(crate) is_pinned: bool,
    pub(crate) hint: Option<String>,
}

impl HostCommand {
    /// This program, without arguments.
    pub fn new(program: impl Into<OsString>) -> HostCommand {
        HostCommand {
            program: program.into(),
            arguments: Vec::new(),
            folder: None,
            variables: Vec::new(),
            encoding: Encoding::default(),
            reply_time: REPLY_TIME,
            start_time: START_TIME,
            memory_max: MEMORY_MAX,
            is_pinned: true,
            hint: None,
        }
    }

    /// With these further arguments.
    #[must_use]
    pub fn args(mut self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> HostCommand {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// With this variable in its environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> HostCommand {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// In this folder.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> HostCommand {
        self.folder = Some(folder.into());
        self
    }

    /// With this encoding, if the host speaks it.
    #[must_use]
    pub fn encoding(mut self, encoding: Encoding) -> HostCommand {
        self.encoding = encoding;
        self
    }

    /// With this time for each reply.
    #[must_use]
    pub fn reply_time(mut self, time: Duration) -> HostCommand {
        self.reply_time = time;
        self
    }

    /// With this time until it has answered the handshake.
    #[must_use]
    pub fn start_time(mut self, time: Duration) -> HostCommand {
        self.start_time = time;
        self
    }

    /// With at most this much memory, in bytes.
    #[must_use]
    pub fn memory_max(mut self, bytes: u64) -> HostCommand {
        self.memory_max = bytes;
        self
    }

    /// With this advice for who does not have the program.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> HostCommand {
        self.hint = Some(hint.into());
        self
    }

    /// Whether the host runs on the same core as the thread that calls it. A call and its reply are then more
    /// than twice as fast, since neither has to wake up another core.
    #[must_use]
    pub fn pinned(mut self, is_pinned: bool) -> HostCommand {
        self.is_pinned = is_pinned;
        self
    }
}

/// The command as one would type it.
impl fmt::Display for HostCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, word) in std::iter::once(&self.program).chain(&self.arguments).enumerate() {
            let word = word.to_string_lossy();
            let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
            let gap = if number > 0 { " " } else { "" };
            if !word.is_empty() && word.chars().all(is_plain) {
                write!(f, "{gap}{word}")?;
            } else {
                write!(f, "{gap}'{}'", word.replace('\'', r"'\''"))?;
            }
        }
        Ok(())
    }
}
