//! Novelty: BonusMaxRL rewarded for what it is measured by.
//!
//! BonusMaxRL is rewarded for pairs of states and actions that it has seldom done. Many of these lead to
//! nothing new: a state holds the partition, a count of repetitions and the requests that are left, and a new
//! pair that comes to nodes of known colours is worth as much as one that comes to colours that nobody has
//! seen.

use shakedown_cluster::Random;

use super::agent::take_up;
use super::choice::epsilon_greedy;
use super::{Agent, BadTable, Episode, Situation, Table};

/// See the module's text.
#[derive(Clone, Debug)]
pub struct Novelty {
    /// How much an update changes (α).
    pub alpha: f64,
    /// How much less is worth what is a step further away (γ).
    pub gamma: f64,
    /// How often an action is chosen at random (ε).
    pub epsilon: f64,
    table: Table,
    /// How often what is covered was covered.
    covered: Table,
}

impl Novelty {
    /// An agent that has learned nothing.
    pub fn new(alpha: f64, gamma: f64, epsilon: f64) -> Novelty {
        Novelty { alpha, gamma, epsilon, table: Table::new(1.0), covered: Table::new(0.0) }
    }
}

impl Agent for Novelty {
    fn pick(&self, situation: &Situation<'_>, random: &mut Random) -> usize {
        let value = |place: usize| self.table.value(situation.state, situation.actions[place]);
        epsilon_greedy(self.epsilon, situation.actions.len(), value, random)
    }

    fn learn(&mut self, episode: &Episode) {
        let Novelty { alpha, gamma, table, covered, .. } = self;
        for place in episode.places().iter().skip(1) {
            covered.visit(place.covered, 0, |visits, _| visits);
        }
        for step in episode.transitions().rev() {
            let next = step.to.and_then(|to| table.best(to.state, step.next_actions)).unwrap_or(0.0);
            let reward = step.to.map_or(0.0, |to| 1.0 / covered.value(to.covered, 0));
            table.visit(step.from.state, step.action, |_, value| {
                (1.0 - *alpha) * value + *alpha * f64::max(reward, *gamma * next)
            });
        }
    }

    fn name(&self) -> &'static str {
        "novelty"
    }

    fn tables(&self) -> Vec<&Table> {
        vec![&self.table, &self.covered]
    }

    fn take_up(&mut self, tables: Vec<Table>) -> Result<(), BadTable> {
        take_up([&mut self.table, &mut self.covered], tables)
    }
}
