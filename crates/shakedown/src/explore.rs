//! Strategies: how likely each kind of step is, what a target tells those that go in rounds or learn, and the
//! two traits behind all of them.

pub use shakedown_explore::{
    Execution, Experience, Explorer, Lesson, STRATEGIES, Sight, Strategy, StrategyInfo, Weights,
};

/// Strategies that go in rounds: the phase of a protocol, and which requests are sent when.
pub mod closure {
    pub use shakedown_explore::closure::{Harness, Occasion, Pace, Phase, PhaseRound, When};
}

/// Strategies that learn: the predicates that waypoints are made of.
pub mod learning {
    pub use shakedown_explore::learning::{Parameter, WaypointInfo};
}
