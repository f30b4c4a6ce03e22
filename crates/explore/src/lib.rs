//! Strategies: what chooses the next step.
//!
//! [`Strategy`] and [`Explorer`] are the two traits; a [`StrategyChoice`] is read from text such as
//! `pctcp:depth=6` and makes explorers. Nothing here knows a target: strategies see a [`Sight`] of the board
//! and answer with steps.

mod archive;
mod by_name;
mod chains;
pub mod closure;
mod draw;
mod environment;
pub mod fuzz;
mod going_back;
mod known;
pub mod learning;
mod mix;
mod pctcp;
mod portfolio;
mod pos;
mod random_walk;
mod recorder;
mod sight;
mod stalls;
mod strategy;
mod swarm;

pub use by_name::{
    ParameterDefault, ParameterInfo, STRATEGIES, StrategyChoice, StrategyInfo, Surroundings, Takes,
    UnknownStrategy,
};
pub use environment::{Environment, Turn, Weights};
pub use going_back::GoBack;
pub use mix::{Draws, Mix};
pub use pctcp::Pctcp;
pub use portfolio::{Portfolio, PortfolioArm, PortfolioSettings};
pub use pos::Pos;
pub use random_walk::RandomWalk;
pub use recorder::{Entered, order_of};
pub use sight::{Insight, Sight};
pub use strategy::{ArmInfo, Execution, Experience, Explorer, Lesson, Seen, Shared, Strategy};
pub use swarm::Swarm;
