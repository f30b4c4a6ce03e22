//! The crate `informalsystems-malachitebft-core-consensus`, a Tendermint, as a target of Shakedown.
//!
//! [`TendermintNode`] drives one consensus process, deterministically: messages, time-outs and crashes come
//! from the tester, and the write-ahead log is the simulated [`Disk`]. It stands for what surrounds the
//! library in a real validator: the application that makes values ([`Value::made_by`]), the signer, the
//! timers, the log and its replay, and the transfer of decided values to validators that fell behind.
//!
//! The library hands its own votes and proposals to itself before it publishes them, so nothing is sent from
//! a node to itself. Scenarios work with [`Message`], whose fields are public; text that changes or invents a
//! message carries no signature of its sender, for the adapter signs with the key of whoever sends it. So a
//! liar may say what it likes in its own name, and cannot speak in another's.

mod clauses;
mod context;
mod disk;
mod message;
mod node;
mod oracles;
mod outside;
mod scenarios;
mod settings;
mod signing;
mod target;
mod timeouts;
mod value;
mod view;
mod wire;

pub use disk::{Disk, LogEntry, ReceivedValue, Write};
pub use message::{
    Because, CertifiedVote, DecidedValue, DecisionRequest, Message, PolkaCertificate, Proposal,
    RoundCertificate, SignedBy, Vote, VoteKind,
};
pub use node::TendermintNode;
pub use oracles::{NoEquivocation, Validity};
pub use scenarios::{ScenarioMessage, scenarios};
pub use settings::{Properties, Settings, TimerModel};
pub use signing::SignatureText;
pub use target::{any_target, oracles, target};
pub use value::Value;
pub use view::{Decision, RoundValue, Step, View};
