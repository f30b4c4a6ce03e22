//! Strategies: what chooses the next step.
//!
//! [`Strategy`] and [`Explorer`] are the two traits; [`by_name`] makes an explorer from text such as `pctcp:depth=6`.
//! Nothing here knows a target: strategies see a [`shakedown_cluster::Board`] and answer with steps.

mod environment;
mod random_walk;
mod strategy;

pub use environment::{Environment, Turn, Weights};
pub use random_walk::RandomWalk;
pub use strategy::{Execution, Experience, Explorer, Strategy};
