//! BonusMaxRL (Algorithm 2): what is new is worth 1, what was done t times 1/t, and an action is worth the
//! best that is still to be found behind it.

use shakedown_cluster::Random;

use super::agent::take_up;
use super::choice::epsilon_greedy;
use super::{Agent, BadTable, Episode, Situation, Table};

/// See the module's text.
#[derive(Clone, Debug)]
pub struct BonusMax {
    /// How much an update changes (α).
    pub alpha: f64,
    /// How much less is worth what is a step further away (γ).
    pub gamma: f64,
    /// How often an action is chosen at random (ε).
    pub epsilon: f64,
    table: Table,
}

impl BonusMax {
    /// What the thesis uses: α 0.2, γ 0.95, ε 0.05.
    pub const THESIS: (f64, f64, f64) = (0.2, 0.95, 0.05);

    /// An agent that has learned nothing.
    pub fn new(alpha: f64, gamma: f64, epsilon: f64) -> BonusMax {
        BonusMax { alpha, gamma, epsilon, table: Table::new(1.0) }
    }
}

impl Agent for BonusMax {
    fn pick(&self, situation: &Situation<'_>, random: &mut Random) -> usize {
        let value = |place: usize| self.table.value(situation.state, situation.actions[place]);
        epsilon_greedy(self.epsilon, situation.actions.len(), value, random)
    }

    /// Algorithm 2, `processEpisode`: backwards, so that what was found at the end shows at the beginning at
    /// once.
    fn learn(&mut self, episode: &Episode) {
        let BonusMax { alpha, gamma, table, .. } = self;
        for step in episode.transitions().rev() {
            let next = step.to.and_then(|to| table.best(to.state, step.next_actions)).unwrap_or(0.0);
            table.visit(step.from.state, step.action, |visits, value| {
                (1.0 - *alpha) * value + *alpha * f64::max(1.0 / visits, *gamma * next)
            });
        }
    }

    fn name(&self) -> &'static str {
        "bonusmax"
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

    /// States 1 → 2 → 3 by actions 10 and 20, each state with a second action that is never done.
    fn episode() -> Episode {
        let mut episode = Episode::new(0);
        for (state, action) in [(1, 10), (2, 20)] {
            episode.arrive(state, state, 0, [action, action + 1]);
            episode.choose(0);
        }
        episode.arrive(3, 3, 0, [30]);
        episode
    }

    #[test]
    fn values_are_those_of_the_algorithm_worked_out_by_hand() {
        let mut agent = BonusMax::new(0.2, 0.95, 0.05);
        agent.learn(&episode());
        // First time: the last step has 0.8·1 + 0.2·max(1/1, 0), the one before 0.8·1 + 0.2·max(1, 0.95·1).
        assert_eq!((agent.table.value(2, 20), agent.table.value(1, 10)), (1.0, 1.0));
        agent.learn(&episode());
        // Second time: 0.8·1 + 0.2·max(1/2, 0) = 0.9; then 0.8·1 + 0.2·max(1/2, 0.95·max(0.9, 1)), for 21 is
        // new.
        assert!((agent.table.value(2, 20) - 0.9).abs() < 1e-12);
        assert!((agent.table.value(1, 10) - 0.99).abs() < 1e-12);
    }

    #[test]
    fn what_was_found_at_the_end_shows_at_the_beginning_at_once() {
        let mut agent = BonusMax::new(1.0, 1.0, 0.0);
        // Without a second action the value of the first step is that of the last, updated in the same sweep.
        let mut episode = Episode::new(0);
        for state in 0..10 {
            episode.arrive(state, state, 0, [1]);
            episode.choose(0);
        }
        for times in 1..5 {
            agent.learn(&episode);
            assert!((agent.table.value(0, 1) - 1.0 / f64::from(times)).abs() < 1e-12);
        }
    }
}
