//! Implementations checked against TLA+ specifications.
//!
//! There are two ways, and each has one word:
//!
//! - **follow** ([`follow`]): an [`EventMapping`](follow::EventMapping) names the actions that the events of
//!   an implementation stand for, and these actions are run on the specification. This gives coverage
//!   ([`ModelGuide`](follow::ModelGuide)), an oracle ([`FollowsModel`](follow::FollowsModel)) and traces for
//!   [`validate`] ([`Recorder`](follow::Recorder)). A target declares it as a
//!   [`Following`](follow::Following).
//! - **compare** ([`compare`]): a [`StateMapping`](compare::StateMapping) turns the whole state of an
//!   implementation and of a specification into one type, and they are compared after every step; the paths
//!   of the specification's state graph are played as a test suite. A target declares it as a
//!   [`Comparison`](compare::Comparison).
//!
//! One option of a target, [`SPEC_OPTION`], names the specification that an execution is followed on or
//! compared with.
//!
//! [`paths`] turns the state graph of a model into a test suite: paths that cover it. [`validate`] needs no
//! mapping: it decides whether a trace that any program has recorded is a behaviour of a specification.

pub mod compare;
pub mod follow;
pub mod paths;
pub mod validate;

pub use follow::{BadModel, ModelSource};
pub use shakedown_tla::Value;
pub use shakedown_tla::config::ConfigValue;
pub use shakedown_tla::walk::ActionCall;

/// The option that names the specification that executions are checked against.
pub const SPEC_OPTION: &str = "spec";
/// The value of [`SPEC_OPTION`] that stands for no specification.
pub const NO_SPEC: &str = "none";
