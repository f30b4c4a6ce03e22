//! CometBFT, in Go, as a target of Shakedown: the Tendermint that Cosmos' chains run.
//!
//! The validators live in a program that `targets/cometbft/build.sh` builds, which runs the library's own
//! code: its consensus state machine, the gossip of its reactor, its stores, write-ahead log format, signer
//! and block execution. What can be seen of a validator, the numbers of values and the scenarios are those of
//! the target `tendermint`, which runs another implementation.

mod hosts;
mod message;
mod oracles;
mod target;

pub use hosts::{are_built, command};
pub use message::{Block, Kind, Message};
pub use oracles::UnlockIsJustified;
pub use target::{CometBft, target, target_with, targets};
