//! UCBZero (Zhang, Ma and Singla 2020): exploration without rewards by an optimistic bound, with a guarantee
//! that takes far more episodes than anybody has. A baseline.

use shakedown_cluster::{Random, derive_seed};

use super::agent::take_up;
use super::choice::greedy;
use super::{Agent, BadTable, Episode, Situation, Table};

/// See the module's text. As in the paper there is a value for every step of the episode, and actions are
/// chosen greedily.
#[derive(Clone, Debug)]
pub struct UcbZero {
    horizon: f64,
    constant: f64,
    /// η = ln(H·A·K·S), with the numbers of steps, actions, episodes and states. A and S cannot be known.
    eta: f64,
    table: Table,
}

impl UcbZero {
    /// The states and actions that the thesis takes there to be.
    pub const STATES: f64 = 10_000.0;
    /// See [`UcbZero::STATES`].
    pub const ACTIONS: f64 = 100.0;

    /// An agent that has learned nothing, for so many episodes of so many steps. The thesis uses a constant
    /// of 0.5.
    pub fn new(horizon: usize, episodes: usize, constant: f64) -> UcbZero {
        let horizon = horizon as f64;
        let eta = libm::log(horizon * UcbZero::ACTIONS * episodes as f64 * UcbZero::STATES);
        UcbZero { horizon, constant, eta, table: Table::new(horizon) }
    }
}

/// The state at this step of the episode.
fn at(state: u64, step: usize) -> u64 {
    derive_seed(state, step as u64)
}

impl Agent for UcbZero {
    fn pick(&self, situation: &Situation<'_>, random: &mut Random) -> usize {
        let state = at(situation.state, situation.step);
        greedy(situation.actions.iter().map(|&action| self.table.value(state, action)), random)
    }

    fn learn(&mut self, episode: &Episode) {
        let UcbZero { horizon, constant, eta, table } = self;
        for step in episode.transitions() {
            let best = step.to.and_then(|to| table.best(at(to.state, step.step + 1), step.next_actions));
            let next = best.map_or(0.0, |best| best.min(*horizon));
            table.visit(at(step.from.state, step.step), step.action, |visits, value| {
                let alpha = (*horizon + 1.0) / (*horizon + visits);
                let bonus = *constant * (horizon.powi(3) * *eta / visits).sqrt();
                (1.0 - alpha) * value + alpha * (next + 2.0 * bonus)
            });
        }
    }

    fn name(&self) -> &'static str {
        "ucbzero"
    }

    fn tables(&self) -> Vec<&Table> {
        vec![&self.table]
    }

    fn take_up(&mut self, tables: Vec<Table>) -> Result<(), BadTable> {
        take_up([&mut self.table], tables)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_visit_replaces_the_value_and_later_ones_are_averaged_in() {
        let mut agent = UcbZero::new(2, 10, 0.5);
        let eta = (2.0f64 * 100.0 * 10.0 * 10_000.0).ln();
        let bonus = |visits: f64| 2.0 * 0.5 * (8.0 * eta / visits).sqrt();
        let mut episode = Episode::new(0);
        for state in [1, 2] {
            episode.arrive(state, state, 0, [7]);
            episode.choose(0);
        }
        episode.arrive(3, 3, 0, [7]);
        agent.learn(&episode);
        // α₁ = 1. Behind the first step is state 2 at step 1, never done yet: worth H.
        assert!((agent.table.value(at(1, 0), 7) - (2.0 + bonus(1.0))).abs() < 1e-12);
        assert!((agent.table.value(at(2, 1), 7) - bonus(1.0)).abs() < 1e-12);
        agent.learn(&episode);
        // α₂ = 3/4. What is behind the first step is worth more than H now, and counts as H.
        let due = 0.25 * (2.0 + bonus(1.0)) + 0.75 * (2.0 + bonus(2.0));
        assert!((agent.table.value(at(1, 0), 7) - due).abs() < 1e-12);
    }
}
