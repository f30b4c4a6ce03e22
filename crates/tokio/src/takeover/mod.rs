//! The functions of the C library that are taken over while a node runs: random numbers, clocks, sockets,
//! threads.
//!
//! This crate defines functions of the same names, and the linker takes them for those of the program, its
//! crates and the standard library. On a thread that runs a node they answer from the node's own world
//! ([`Machine`]); on every other thread they do what they always do. All that is unsafe is in here.

mod address;
pub(crate) mod kernel;
mod machine;
mod raw;
mod seed;
mod symbols;

pub(crate) use machine::{Entered, Machine};
pub(crate) use seed::{prepare, seed};

/// Why the world of a node could not be taken over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TakeoverError {
    /// The functions that this crate defines are not those that the program calls.
    #[error(
        "`{0}` of the C library could not be taken over: link the program without `-C prefer-dynamic`, on Linux"
    )]
    Symbol(&'static str),
    /// The state of a builder is not where it was in all versions that are known.
    #[error("the seed of tokio's runtime was not found: this version of tokio is not known")]
    Seed,
}
