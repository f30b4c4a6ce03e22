//! NegRLVisits (Mukherjee et al. 2020, as the thesis compares with it): Q-learning in which coming to a state
//! costs as much as it was often visited, and actions are chosen by softmax.

use shakedown_cluster::Random;

use super::agent::take_up;
use super::choice::softmax;
use super::{Agent, BadTable, Episode, Situation, Table};

/// See the module's text.
#[derive(Clone, Debug)]
pub struct NegVisits {
    /// How much an update changes (α).
    pub alpha: f64,
    /// How much less is worth what is a step further away (γ).
    pub gamma: f64,
    /// How little values matter when an action is chosen.
    pub temperature: f64,
    table: Table,
    /// How often each state was come to.
    states: Table,
}

impl NegVisits {
    /// An agent that has learned nothing. The thesis uses α 0.3, γ 0.7 and temperature 1.
    pub fn new(alpha: f64, gamma: f64, temperature: f64) -> NegVisits {
        NegVisits { alpha, gamma, temperature, table: Table::new(0.0), states: Table::new(0.0) }
    }
}

impl Agent for NegVisits {
    fn pick(&self, situation: &Situation<'_>, random: &mut Random) -> usize {
        let value = |place: usize| self.table.value(situation.state, situation.actions[place]);
        softmax(self.temperature, situation.actions.len(), value, random)
    }

    /// Updates step by step, in the order in which the steps were done: it has no backward pass.
    fn learn(&mut self, episode: &Episode) {
        let NegVisits { alpha, gamma, table, states, .. } = self;
        for step in episode.transitions() {
            let Some(to) = step.to else { break };
            states.visit(to.state, 0, |visits, _| visits);
            let reward = -states.value(to.state, 0);
            let next = table.best(to.state, step.next_actions).unwrap_or(0.0);
            table.visit(step.from.state, step.action, |_, value| {
                (1.0 - *alpha) * value + *alpha * (reward + *gamma * next)
            });
        }
    }

    fn name(&self) -> &'static str {
        "negvisits"
    }

    fn tables(&self) -> Vec<&Table> {
        vec![&self.table, &self.states]
    }

    fn take_up(&mut self, tables: Vec<Table>) -> Result<(), BadTable> {
        take_up([&mut self.table, &mut self.states], tables)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_rule_worked_out_by_hand() {
        let mut agent = NegVisits::new(0.5, 0.5, 1.0);
        let mut episode = Episode::new(0);
        for state in [1, 2, 1, 2] {
            episode.arrive(state, state, 0, [7]);
            episode.choose(0);
        }
        episode.arrive(1, 1, 0, [7]);
        agent.learn(&episode);
        // 1→2: 0.5·(−1 + 0) = −0.5. 2→1: 0.5·(−1 + 0.5·−0.5) = −0.625. 1→2: 0.5·−0.5 + 0.5·(−2 + 0.5·−0.625).
        // 2→1 is the last step: 0.5·−0.625 + 0.5·(−2 + 0).
        assert_eq!(agent.table.value(1, 7), -0.25 + 0.5 * (-2.0 - 0.3125));
        assert_eq!(agent.table.value(2, 7), -0.3125 - 1.0);
    }
}
