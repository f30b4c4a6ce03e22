//! Fuzzing of everything that reads what strangers send: failure files, corpora, stores, specifications,
//! configurations, traces, and texts on the command line.
//!
//! A [`Reader`] is one function from bytes to an outcome; [`READERS`] lists them, and adding one adds it to
//! CI, to the scripts and to the attack. A [`Case`] is made from a number alone: seeds that are committed
//! (`fuzz/seeds`) or that the program makes itself, changed by [`Mutator`] with regard for their form.
//! [`watch`] runs a child process that reads case after case, and saves every input that panics, hangs, or
//! takes more memory than it may. All of it works on stable Rust.

mod case;
mod child;
mod form;
mod mutator;
mod random;
mod reader;
mod readers;
mod room;
mod watch;

pub use case::{Case, Seeds};
pub use child::{ChildOptions, read_cases};
pub use form::Form;
pub use mutator::Mutator;
pub use random::Random;
pub use reader::{Outcome, Read, Reader, quietly, read};
pub use readers::{READERS, SELF_TEST};
pub use room::Room;
pub use watch::{Limits, Watched, watch};
