//! Campaigns on many machines: a coordinator, any number of workers, and NATS JetStream between them.
//!
//! A [`Coordinator`] is the [`Fleet`](shakedown_campaign::Fleet) of a campaign: it gives batches of
//! executions out and hands their reports over in the order of numbers. Other work goes the same way in
//! pieces: candidates of a shrinking, trials of a comparison, keys of a history. A worker ([`work`]) runs
//! batches of every campaign whose code is its own.
//!
//! ```text
//! coordinator ── batches ──▶ SHAKEDOWN_WORK ──▶ workers        (work queue: acknowledged, redelivered after a deadline)
//! coordinator ◀── reports ── SHAKEDOWN_REPORTS ◀── workers     (work queue; a full one holds workers back)
//! coordinator ── plan, lessons, snapshots ──▶ SHAKEDOWN_STATE  (one message for each subject, read by whoever needs it)
//! both        ── what is larger than a message ──▶ object store
//! ```
//!
//! Nothing here decides a result. The report of an execution follows from the plan and its number, so reports
//! may come twice, late, from workers that have died since and from an earlier life of the coordinator. What
//! arrives is hostile until it is parsed: every message has a version, sizes and counts have limits.

mod announcement;
mod batches;
mod bytes;
mod coordinator;
mod error;
mod flow;
mod identity;
mod link;
mod options;
mod presence;
mod reports;
mod status;
mod subjects;
mod wire;
mod worker;

pub use coordinator::Coordinator;
pub use error::FleetTrouble;
pub use options::FleetOptions;
pub use status::{Observer, Status, StreamStatus, WorkerStatus, status};
pub use worker::{MakeBench, Worked, WorkerOptions, work};
