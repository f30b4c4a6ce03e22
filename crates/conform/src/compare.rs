//! Comparing: the whole state of an implementation and of a specification, step by step.
//!
//! A [`StateMapping`] names the parts of an implementation's state that are variables of the specification,
//! and the steps that are its actions. A [`SameAsSpec`] oracle compares an execution with the specification,
//! whatever chose its steps: after every step all mapped variables of all nodes are compared, and what the
//! implementation offers to do is compared with what the specification enables. A [`Suite`] is the state
//! graph of a model, whose paths are played one by one (Mocket).
//!
//! What a state of the specification means is computed once and remembered (`known_spec`), so that a step
//! costs a comparison of plain Rust values.

mod comparison;
mod finding;
mod known_spec;
mod oracle;
pub mod read;
mod source;
mod state_mapping;
mod suite;
mod variables;

pub use comparison::{Comparison, NoNodes, SPEC_CONFIG_OPTION, SPEC_MODULES_OPTION, SpecModel};
pub use finding::{Finding, FindingKind};
pub use oracle::SameAsSpec;
pub use source::SpecSource;
pub use state_mapping::{Meaning, Shown, StateMapping};
pub use suite::{Play, Suite, SuitePaths, Unplayed};
pub use variables::{Misread, Variables};
