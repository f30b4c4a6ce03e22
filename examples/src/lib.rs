//! Small examples, to copy from. Each file can be read alone; its tests are at its end.
//!
//! | file | shows |
//! |---|---|
//! | `register.rs` | a protocol, an invariant, a plain `#[test]` that finds a bug |
//! | `own_raft.rs` | a Raft of one's own: all of Raft's invariants by implementing one trait |
//! | `async_counter.rs` | an async service with calls, time-outs and retries, and a bug in it |
//! | `scenario.rs` | a scenario test: filters over the network and a property |
//! | `model_guided.rs` | fuzzing guided by the states of a small TLA+ specification (`fuzz:model`) |
//! | `conformance.rs` | a conformance run: every path of that specification, with all states compared |
//! | `bin/own_binary.rs` | a program with the whole command line for targets of one's own |
//!
//! `token_ring.rs` is the protocol, and `TokenRing.tla` the specification, of the last two tests.

pub mod async_counter;
pub mod conformance;
pub mod model_guided;
pub mod own_raft;
pub mod register;
pub mod scenario;
pub mod token_ring;
