//! Following: the events of an execution as actions of a specification.
//!
//! An [`EventMapping`] names the actions that events stand for; a [`Follower`] runs these actions on the
//! model while an execution goes on. From this come three things:
//!
//! - [`ModelGuide`]: the states of the model that an execution reaches are its coverage (ModelFuzz).
//! - [`FollowsModel`]: an oracle. What the implementation did and the model forbids is a finding, with the
//!   conjunct that forbids it.
//! - [`Recorder`]: the trace of an execution at the grain of the specification, for
//!   [`validate`](crate::validate).
//!
//! An action that the model has disabled changes nothing in it: the model *stutters*. Stutters are counted,
//! and so are events that a mapping leaves out on purpose and events that it does not know.

mod event_mapping;
mod follower;
mod following;
mod guide;
mod model;
mod oracle;
mod record;

pub use event_mapping::{EventMapping, Heard};
pub use follower::{Follower, Stutter};
pub use following::{Following, NotFollowed};
pub use guide::{Account, ModelGuide};
pub use model::{BadModel, ModelSource};
pub use oracle::FollowsModel;
pub use record::{Projection, Recorder};
