//! Why a cluster of servers cannot begin.

use std::io;

use shakedown_cluster::NodeId;

/// See the module's text.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The deployment does not make sense.
    #[error("the deployment is wrong: {0}")]
    Deployment(String),
    /// A file or a folder.
    #[error("{what}: {error}")]
    Io {
        /// What was being done.
        what: String,
        /// Why it failed.
        error: io::Error,
    },
    /// A server ended before it was ready.
    #[error("{node} was not ready when it {ended}{log}")]
    Died {
        /// The server.
        node: NodeId,
        /// How it ended.
        ended: String,
        /// The end of its log.
        log: LogEnd,
    },
    /// A server did not become ready.
    #[error("{node} was not ready within {seconds} s ({condition}){log}")]
    NeverReady {
        /// The server.
        node: NodeId,
        /// How long it had.
        seconds: u64,
        /// What was waited for.
        condition: String,
        /// The end of its log.
        log: LogEnd,
    },
    /// A server used more than it may.
    #[error("{node} {reason} before it was ready")]
    Limit {
        /// The server.
        node: NodeId,
        /// What it used.
        reason: String,
    },
    /// Servers that others start did not register.
    #[error("{missing} within {seconds} s")]
    Missing {
        /// Who, and what was seen of them.
        missing: String,
        /// How long they had.
        seconds: u64,
    },
    /// A message could not be read.
    #[error("{0}")]
    Undecodable(String),
}

impl LiveError {
    /// Whether another attempt with other ports may help.
    pub(crate) fn is_port_taken(&self) -> bool {
        let LiveError::Died { log, .. } = self else { return false };
        let text = log.0.to_lowercase();
        text.contains("address already in use")
            || text.contains("eaddrinuse")
            || text.contains("bindexception")
    }
}

/// The end of a log, for a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEnd(pub String);

impl std::fmt::Display for LogEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0.is_empty() {
            true => f.write_str("; its log is empty"),
            false => write!(f, "; its log ends with: {}", self.0),
        }
    }
}
