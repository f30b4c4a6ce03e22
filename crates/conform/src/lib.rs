//! Implementations laid beside TLA+ specifications.
//!
//! A [`Mapping`] says which actions of a specification the events of an implementation stand for; each target declares its
//! own, once. A [`Follower`] runs these actions on the model while an execution goes on. From this come two things:
//!
//! - [`ModelGuide`]: the states of the model that an execution comes to are its coverage (ModelFuzz).
//! - [`Conforms`]: an oracle. What the implementation did and the model forbids is a finding, with the conjunct that forbids it.
//!
//! An action that the model has disabled changes nothing in it: the model *stutters*. Stutters are counted, and so are
//! events that a mapping leaves out on purpose and events that it does not know.
//!
//! [`paths`] turns the state graph of a model into a test suite: paths that cover it.
//!
//! [`conformance`] lays the whole state of an implementation beside that of a specification, step by step, and plays the paths of
//! its state graph.
//!
//! [`raft`] is the mapping of Raft that several targets share.

pub mod conformance;
mod follower;
mod guide;
mod mapping;
mod model;
mod oracle;
pub mod paths;
pub mod raft;

pub use follower::{Follower, Stutter};
pub use guide::{Account, ModelGuide};
pub use mapping::{Heard, Mapping};
pub use model::{BadModel, ModelSource};
pub use oracle::Conforms;
pub use shakedown_tla::Value;
pub use shakedown_tla::walk::ActionCall;
