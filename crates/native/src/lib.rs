//! Nodes in a shared library, called in this process: Shakedown's C interface (`clients/c/shakedown.h`).
//!
//! A [`SharedLibrary`] is the environment of a target whose nodes are [`NativeNode`]s; it is loaded before
//! the first execution. The calls have the meaning of the node protocol (`docs/node-protocol.md`) and cost a
//! function call each. What a node sends stays MessagePack until someone looks at it.
//!
//! `unsafe` is allowed here: functions of another language can only be called by their addresses. Everything
//! that is unsafe is in [`library`], [`callbacks`] and [`raw_node`]; a library that breaks the rules of the
//! header can still end this process, and `shakedown host library` runs it in one of its own.

mod abi;
mod callbacks;
mod collected;
mod library;
mod names;
mod node;
mod raw_node;
mod serve;
mod shared_library;

pub use library::{CannotLoad, Library};
pub use node::NativeNode;
pub use serve::{ServeError, serve, serve_process};
pub use shared_library::SharedLibrary;
