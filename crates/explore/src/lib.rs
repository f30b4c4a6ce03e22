//! Strategies: what chooses the next step.
//!
//! [`Strategy`] and [`Explorer`] are the two traits; [`by_name`] makes an explorer from text such as `pctcp:depth=6`.
//! Nothing here knows a target: strategies see a [`Sight`] of the board and answer with steps.

mod by_name;
mod chains;
pub mod closure;
mod draw;
mod environment;
pub mod fuzz;
pub mod learning;
mod pctcp;
mod pos;
mod random_walk;
mod sight;
mod strategy;

pub use by_name::{
    STRATEGIES, StrategyInfo, Surroundings, UnknownStrategy, by_name, lock_step_by_name, steps_by_name,
};
pub use environment::{Environment, Turn, Weights};
pub use pctcp::Pctcp;
pub use pos::Pos;
pub use random_walk::RandomWalk;
pub use sight::{Insight, Sight};
pub use strategy::{Execution, Experience, Explorer, Lesson, Strategy};
