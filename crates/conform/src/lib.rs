//! Implementations laid beside TLA+ specifications.
//!
//! A [`Mapping`] says which actions of a specification the events of an implementation stand for; each target declares its
//! own, once. A [`Follower`] runs these actions on the model while an execution goes on. From this come three things:
//!
//! - [`ModelGuide`]: the states of the model that an execution comes to are its coverage (ModelFuzz).
//! - [`Conforms`]: an oracle. What the implementation did and the model forbids is a finding, with the conjunct that forbids it.
//!
//! - [`Recorder`]: the trace of an execution at the grain of the specification, for [`validate`].
//!
//! An action that the model has disabled changes nothing in it: the model *stutters*. Stutters are counted, and so are
//! events that a mapping leaves out on purpose and events that it does not know.
//!
//! [`paths`] turns the state graph of a model into a test suite: paths that cover it.
//!
//! [`conformance`] lays the whole state of an implementation beside that of a specification, step by step, and plays the paths of
//! its state graph.
//!
//! [`raft`] is the mapping of Raft that several targets share. [`validate`] needs no mapping: it says whether a trace that any program
//! has recorded is a behaviour of a specification.

pub mod conformance;
mod follower;
mod guide;
mod mapping;
mod model;
mod oracle;
pub mod paths;
pub mod raft;
mod record;
pub mod validate;

pub use follower::{Follower, Stutter};
pub use guide::{Account, ModelGuide};
pub use mapping::{Heard, Mapping};
pub use model::{BadModel, ModelSource};
pub use oracle::Conforms;
pub use record::{Projection, Recorder};
pub use shakedown_tla::Value;
pub use shakedown_tla::walk::ActionCall;
