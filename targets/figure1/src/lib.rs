//! A reference bug: the protocol of figure 1 of "Testing Consensus Implementations using Communication
//! Closure" (Drăgoi, Enea, Ozkan, Majumdar, Niksic, OOPSLA 2020), a Paxos-like state machine replication, in
//! its buggy and its fixed form.
//!
//! Processes agree on a growing sequence of commands, the *log*. They live in rounds; four rounds are a
//! phase, and a phase has a leader:
//!
//! | round | who sends what | what is done with it |
//! |---|---|---|
//! | Prepare | the leader, to all | join its phase |
//! | Ack | who joined, to the leader: its log, and `last`, which dates it | with a majority, take over the most recent log and append a command |
//! | Propose | the leader, to all: its log | take the log over |
//! | Promise | who took it over, to all | with a majority for the same log, output it |
//!
//! Any two outputs, of any processes at any time, must be comparable in the prefix order. They are, if `last`
//! is the phase in which the log was *taken over*. The paper's bug sets it when a phase is *joined*: a
//! process that joins phases in which nothing comes about makes its old log look more recent than it is, and
//! a log that was output is lost. The option `last` chooses: `propose` is right, `prepare` is the bug.
//!
//! One tick of a process ends its round (the paper's `Upd`, with the messages of this round that have
//! arrived) and begins the next (`Snd`). So r rounds in lock step are r times: a tick of every process, then
//! every message of the round delivered or dropped; and one more tick of everybody for the last `Upd`. All
//! messages go over the network, also those of a process to itself, so that an isolated process loses these
//! too.
//!
//! As printed the protocol stalls when a Prepare is lost, because the leader follows from the last phase that
//! was joined. Here it follows from the clock: every process enters the next phase at the phase boundary,
//! whatever came of the last one. A process that is behind enters a phase early when its Prepare arrives;
//! messages of rounds to come wait in its [mailbox](Mailbox), those of rounds gone by are forgotten. So all
//! asynchronous executions make sense, and each of them is equivalent to a lossy one in lock step: the
//! protocol is communication-closed.
//!
//! Nothing here allocates once a process runs, for executions are counted by the ten thousand a second.

mod last;
mod log;
mod mailbox;
mod message;
mod outputs;
mod process;
mod target;
mod view;

pub use last::Last;
pub use log::{LOG_MAX, Log};
pub use mailbox::Mailbox;
pub use message::{Mail, ROUNDS_PER_PHASE};
pub use outputs::OutputsComparable;
pub use process::{NoRequest, Process};
pub use target::{any_target, target};
pub use view::{Output, Progress, View};
