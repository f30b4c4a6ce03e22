//! Why a fleet cannot work.

use std::io;

/// Why a fleet cannot work.
#[derive(Debug, thiserror::Error)]
pub enum FleetTrouble {
    /// The address is none.
    #[error(
        "`{url}` is no address of a NATS server: {reason}; give one as nats://HOST:4222 or tls://HOST:4222"
    )]
    Address {
        /// What was given.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The connection would be plain text.
    #[error(
        "the connection to {host} would be plain text, which anyone on the way can read and change: use tls://, or allow it \
         with --fleet-insecure"
    )]
    PlainText {
        /// The host.
        host: String,
    },
    /// A file of credentials or certificates cannot be read.
    #[error("cannot read {path}: {source}")]
    File {
        /// Which one.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// No connection.
    #[error("cannot connect to the NATS server at {url}: {reason}")]
    Connect {
        /// Where.
        url: String,
        /// Why.
        reason: String,
    },
    /// The server has no JetStream, or refuses what is asked of it.
    #[error("the NATS server refuses {what}: {reason}")]
    Refused {
        /// What.
        what: &'static str,
        /// Why.
        reason: String,
    },
    /// A stream of the server has no room.
    #[error(
        "the NATS server has no room to {what}: {reason}; what is stored here is whole, and `resume` goes on when there is room \
         (`nats stream ls` shows what is full)"
    )]
    Full {
        /// What there is no room for.
        what: &'static str,
        /// What the server says.
        reason: String,
    },
    /// The server has not answered for too long.
    #[error("the NATS server has not done this for {seconds} s: {what} ({reason})")]
    NoAnswer {
        /// What it was to do.
        what: &'static str,
        /// For how long.
        seconds: u64,
        /// What came last.
        reason: String,
    },
    /// A message is none of ours.
    #[error("a message on {subject} cannot be read: {reason}")]
    Poisoned {
        /// Where it came.
        subject: String,
        /// What is wrong with it.
        reason: String,
    },
    /// All workers refuse the plan.
    #[error("every worker refuses the campaign: {reason}")]
    NoWorkerFits {
        /// Why the last one did.
        reason: String,
    },
    /// Another coordinator runs the same campaign.
    #[error("another coordinator has taken this campaign over: it runs on {0}")]
    TakenOver(String),
    /// The executable cannot be read, or no thread started.
    #[error("{what}: {source}")]
    Machine {
        /// What was tried.
        what: &'static str,
        /// Why it failed.
        source: io::Error,
    },
}
