//! Conformance with state: an implementation and a specification side by side, step by step.
//!
//! A [`StateMapping`] says what of an implementation's state is which variable of the specification, and which step is which
//! action. A [`SameAsSpec`] oracle follows an execution on the specification, whatever chose its steps: after every
//! step all mapped variables of all nodes are compared, and what the implementation offers to do is laid beside what the
//! specification enables. A [`Suite`] is the state graph of a model, whose paths are played one by one (Mocket).
//!
//! What the specification says is found out once for every state of it and remembered (`chart`), so that what is left
//! to do in a step is to compare plain Rust values.

mod chart;
mod finding;
mod mapping;
mod offer;
mod oracle;
pub mod read;
mod source;
mod suite;
mod variables;

pub use finding::{Finding, FindingKind};
pub use mapping::{Shown, StateMapping, Told};
pub use offer::{
    Conformance, NO_SPEC, NoNodes, SPEC_CONFIG_OPTION, SPEC_MODULES_OPTION, SPEC_OPTION, SpecModel,
};
pub use oracle::SameAsSpec;
pub use source::SpecSource;
pub use suite::{Play, Suite, SuitePaths, Unplayed};
pub use variables::{Misread, Variables};
