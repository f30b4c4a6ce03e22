//! A compact PBFT after Castro and Liskov ("Practical Byzantine Fault Tolerance", OSDI 1999), with the
//! message names of BFT-SMaRt: replicas agree on a log of commands although f of them, of n ≥ 3f+1, lie.
//!
//! | here, and in BFT-SMaRt | in the paper | who sends it |
//! |---|---|---|
//! | Request | request | the replica that a client asked, to all |
//! | Propose | pre-prepare | the leader, to all: this command has this place in the log |
//! | Write | prepare | every replica, the leader too, to all: I have seen the proposal |
//! | Accept | commit | who has seen a quorum of Writes (*prepared*), to all |
//! | Stop | (the first half of) view-change | whose time-out has run off, to all |
//! | StopData | view-change | who has seen a quorum of Stops, to the new leader: all it has prepared, with proofs |
//! | Sync | new-view | the new leader, to all: what is proposed again, with what it was told |
//! | Decision | (state transfer) | anybody, to a replica that lags behind |
//!
//! An *instance* is a place in the log (a sequence number), an *epoch* is a view; epochs are those of the
//! whole system and their leaders take turns. A replica that has seen a quorum of Accepts for a proposal
//! has *decided* the instance, and executes instances in their order. A quorum is 2f+1 replicas.
//!
//! # The change of epochs
//!
//! A replica that knows of a command runs a time-out until it has executed it. When it runs off, the replica
//! sends a Stop for the next epoch, and sends again what may have been lost. It goes on voting in its epoch
//! until a quorum wants another. f+1 Stops make a replica join, 2f+1 make it enter the epoch, after which it
//! never votes in a lower one. The new leader waits for the StopData of a quorum. For every instance, the
//! value that was prepared in the highest epoch is proposed again, and nothing in the gaps ([`choose`]).
//! Every replica checks the proofs and the choice ([`Sync::is_justified`]), then goes on with Write and
//! Accept in the new epoch, also in instances that it has decided. A value that is decided anywhere was
//! prepared by f+1 correct replicas, one of which is in every quorum of StopData: so it is chosen.
//!
//! # What is different from the paper
//!
//! - There are no checkpoints: logs are short. StopData begins with instance 1.
//! - The leader writes too, and a prepared certificate is a quorum of Writes; a quorum of Accepts decides, as
//!   in BFT-SMaRt, also where the replica has not seen the quorum of Writes itself.
//! - The paper's network delivers at last what is sent again and again. Here a time-out sends again: the
//!   votes on what is undecided, the Stop, the StopData. A Stop says what its sender has executed and whether
//!   it has heard of the leader, and who knows more sends it the Decisions and the Sync that it lacks. So
//!   what is lost delays, and does not stop, the rest.
//! - Replicas do not crash, for they keep nothing on a disk; one whose links are cut is the same to the
//!   others.
//! - The replica that was asked answers the client when it has executed the command. (The paper's clients
//!   wait for f+1 equal replies.)
//!
//! # Signatures and lies
//!
//! A signature is a digest of a secret and the contents, and to verify it is to compute it again. Secrets
//! follow from the number of the node and do not leave this crate, so what is written in a schedule or a
//! scenario can only repeat signatures, not make them. There is one way to get a message signed:
//! [`Mail::signed`], which `decode` uses too, signs its outermost layer with the key of the `sender` that it
//! names. A tampered or injected message is therefore signed by whoever lies. If it names another sender than
//! the node it comes from, receivers forget it: links are authenticated, and nothing that a node signed is
//! taken from another one but as a proof inside a message (a certificate, a StopData in a Sync, a Decision).
//! Proofs keep the signatures that they came with, and those that do not verify make the whole message worth
//! nothing. (A scenario in Rust that signs a message in the name of another node and packs it into a proof
//! breaks the model.) Commands are signed by clients: a lying leader can repeat and reorder them but not
//! invent any ([`Command::forged`]).
//!
//! # Bugs
//!
//! Two options break the change of epochs. With `new_view_choice=own` a new leader proposes again only what
//! it has prepared itself; the others notice, and the epoch comes to nothing. With `new_view_check=false`
//! nobody checks what a new leader says: one lie suffices to lose a value that was decided. With both, no lie
//! is needed.

mod ballot;
mod message;
mod proof;
mod quorum;
mod replica;
mod scenarios;
mod settings;
mod signature;
mod target;
mod value;
mod view;
mod vote;

#[cfg(test)]
mod tests;

pub use message::{Mail, Propose, Stop};
pub use proof::{Certificate, Decision, StopData, Sync, choose};
pub use quorum::Quorum;
pub use replica::{Replica, TIMER};
pub use scenarios::controls;
pub use settings::{Choice, TimerModel};
pub use signature::{Digest, Signature};
pub use target::{any_target, target};
pub use value::{Command, Value};
pub use view::{Settled, View};
pub use vote::Vote;
