//! A TLA+ engine without a JVM.
//!
//! It parses specifications, evaluates them, checks them exhaustively, simulates them, and walks them under
//! control. It stands alone: it knows nothing of clusters, targets or strategies, and it does no input or
//! output of its own; the texts of modules come through a [`Loader`]. Only the command line (feature `cli`)
//! reads files.
//!
//! Data flows one way: `syntax` (text to tree) → `loader` (all modules of a specification) → `compile` (names
//! resolved, operators expanded) → `eval` (values and successor states) → `check` and `walk`.

pub mod budget;
pub mod check;
#[cfg(feature = "cli")]
pub mod command;
mod compile;
pub mod config;
pub mod error;
mod eval;
pub mod loader;
mod model;
pub mod pluscal;
mod semantic;
mod stack;
mod standard;
mod symbol;
pub mod syntax;
pub mod value;
pub mod walk;

pub use budget::Budget;
pub use config::Config;
pub use error::{Error, Place, Result};
pub use loader::{Files, Loader, Sources};
pub use model::Spec;
pub use symbol::Symbol;
pub use value::Value;
