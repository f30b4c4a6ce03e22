//! Exploration as reinforcement learning (chapter 4 of the thesis on controlled testing of distributed
//! protocols).
//!
//! The cluster becomes a small transition system, [`Partitions`]: a state is how the network is parted and
//! what colour the nodes of each part have; an action parts it anew, lets time pass, crashes or restarts a
//! node, or sends a request. An [`Agent`] chooses actions and learns from whole [`Episode`]s: [`BonusMax`]
//! and [`Waypoint`] of the thesis, its baselines [`NegVisits`], [`UcbZero`] and [`Uniform`], and [`Novelty`],
//! which is ours. Agents know states and actions as numbers only, so they explore anything: [`cube_world`] is
//! a world without a cluster in it. A [`Learner`] makes an explorer of an agent.

mod agent;
mod bonus_max;
mod choice;
pub mod cube_world;
mod episode;
mod learner;
mod multisets;
mod neg_visits;
mod novelty;
mod partitions;
mod run;
mod table;
mod ucb_zero;
mod uniform;
mod waypoint;
mod waypoints;

pub use agent::{Agent, Situation};
pub use bonus_max::BonusMax;
pub use episode::{Episode, Place, Transition};
pub use learner::Learner;
pub use multisets::{Partition, multiset_partitions};
pub use neg_visits::NegVisits;
pub use novelty::Novelty;
pub use partitions::{Delivery, Partitions};
pub use table::{BadTable, Table};
pub use ucb_zero::UcbZero;
pub use uniform::Uniform;
pub use waypoint::Waypoint;
pub use waypoints::{BadWaypoints, Parameter, Predicate, WAYPOINTS_MAX, WaypointInfo, Waypoints};
