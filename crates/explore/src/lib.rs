//! Strategies: what chooses the next step.
//!
//! [`Strategy`] and [`Explorer`] are the two traits; a [`StrategyChoice`] is read from text such as `pctcp:depth=6` and
//! makes explorers.
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
    ParameterDefault, ParameterInfo, STRATEGIES, StrategyChoice, StrategyInfo, Surroundings, Takes,
    UnknownStrategy,
};
pub use environment::{Environment, Turn, Weights};
pub use pctcp::Pctcp;
pub use pos::Pos;
pub use random_walk::RandomWalk;
pub use sight::{Insight, Sight};
pub use strategy::{Execution, Experience, Explorer, Lesson, Strategy};
