//! WaypointRL (Algorithms 3 and 4): a BonusMaxRL for every stretch of a way, rewarded for coming further on
//! it.

use shakedown_cluster::Random;

use super::choice::epsilon_greedy;
use super::{Agent, BadTable, Episode, Situation, Table};

/// See the module's text. Table 0 is used before the first waypoint (the predicate `true` of the thesis),
/// table i after the waypoint number i.
#[derive(Clone, Debug)]
pub struct Waypoint {
    /// How much an update changes (α).
    pub alpha: f64,
    /// How much less is worth what is a step further away (γ).
    pub gamma: f64,
    /// How often an action is chosen at random (ε).
    pub epsilon: f64,
    /// What coming further is worth, and what reaching the last waypoint is worth: 2 in the thesis.
    pub reward: f64,
    tables: Vec<Table>,
}

impl Waypoint {
    /// An agent that has learned nothing, for a way with so many waypoints.
    pub fn new(alpha: f64, gamma: f64, epsilon: f64, waypoints: usize) -> Waypoint {
        Waypoint { alpha, gamma, epsilon, reward: 2.0, tables: vec![Table::new(1.0); waypoints + 1] }
    }
}

impl Agent for Waypoint {
    fn pick(&self, situation: &Situation<'_>, random: &mut Random) -> usize {
        let table = &self.tables[situation.level];
        let value = |place: usize| table.value(situation.state, situation.actions[place]);
        epsilon_greedy(self.epsilon, situation.actions.len(), value, random)
    }

    /// Algorithm 4, `processEpisode`.
    fn learn(&mut self, episode: &Episode) {
        let Waypoint { alpha, gamma, reward, tables, .. } = self;
        let last = episode.waypoints();
        // The first step that was done with the last waypoint reached. If there is none, the final reward is
        // nothing, also when the last state of all is the first that has reached it: the algorithm looks at
        // p, not at p′.
        let reached = episode.transitions().position(|step| step.from.level == last);
        for step in episode.transitions().rev() {
            let here = step.from.level;
            let there = step.to.map_or(here, |to| to.level);
            let behind = if here == there || here == last {
                let next = step.to.and_then(|to| tables[here].best(to.state, step.next_actions));
                *gamma * next.unwrap_or(0.0)
            } else {
                let progress = if there > here { *reward } else { 0.0 };
                // d = reachedStep − i − 1. A step that changes the predicate comes before the one that is
                // done at the last.
                let distance = reached.map(|reached| (reached - step.step - 1) as i32);
                *gamma * (progress + distance.map_or(0.0, |distance| *reward * gamma.powi(distance)))
            };
            tables[here].visit(step.from.state, step.action, |visits, value| {
                (1.0 - *alpha) * value + *alpha * f64::max(1.0 / visits, behind)
            });
        }
    }

    fn name(&self) -> &'static str {
        "waypoint"
    }

    fn tables(&self) -> Vec<&Table> {
        self.tables.iter().collect()
    }

    fn take_up(&mut self, tables: Vec<Table>) -> Result<(), BadTable> {
        if tables.len() != self.tables.len() {
            return Err(BadTable::Tables { found: tables.len(), wanted: self.tables.len() });
        }
        self.tables = tables;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Through states of these levels, the action being 1 everywhere and the only one.
    fn episode(levels: &[usize]) -> Episode {
        let mut episode = Episode::new(2);
        for (state, level) in levels.iter().enumerate() {
            episode.arrive(state as u64, 0, *level, [1]);
            if state + 1 < levels.len() {
                episode.choose(0);
            }
        }
        episode
    }

    fn value(agent: &Waypoint, level: usize, state: u64) -> f64 {
        agent.tables[level].value(state, 1)
    }

    #[test]
    fn values_are_those_of_the_algorithm_worked_out_by_hand() {
        let (gamma, mut agent) = (0.9, Waypoint::new(0.5, 0.9, 0.0, 2));
        // p: 0 0 1 0 1 2; the sixth state is the first at which a step is done with the last waypoint
        // reached.
        agent.learn(&episode(&[0, 0, 1, 0, 1, 2, 2]));
        let close = |is: f64, due: f64| assert!((is - due).abs() < 1e-12, "{is} instead of {due}");
        // The last step: max(1/1, 0).
        close(value(&agent, 2, 5), 1.0);
        // 1 → 2 with d = 0.
        close(value(&agent, 1, 4), 0.5 + 0.5 * gamma * (2.0 + 2.0));
        // 0 → 1 with d = 1, and 1 → 0, which is no progress, with d = 2.
        close(value(&agent, 0, 3), 0.5 + 0.5 * gamma * (2.0 + 2.0 * gamma));
        close(value(&agent, 1, 2), 0.5 + 0.5 * f64::max(1.0, gamma * 2.0 * gamma * gamma));
        // 0 → 1 with d = 3; then within table 0, whose next state has just been updated.
        let first = 0.5 + 0.5 * gamma * (2.0 + 2.0 * gamma.powi(3));
        close(value(&agent, 0, 1), first);
        close(value(&agent, 0, 0), 0.5 + 0.5 * f64::max(1.0, gamma * first));
    }

    #[test]
    fn without_the_last_waypoint_there_is_no_final_reward() {
        let mut agent = Waypoint::new(0.5, 0.9, 0.0, 2);
        agent.learn(&episode(&[0, 1, 0, 0]));
        assert_eq!(value(&agent, 0, 0), 0.5 + 0.5 * 0.9 * 2.0);
        assert_eq!(value(&agent, 1, 1), 0.5 + 0.5 * 1.0, "going back is worth only that it is new");
    }

    #[test]
    fn without_waypoints_it_is_bonus_max() {
        let mut waypoint = Waypoint::new(0.2, 0.95, 0.05, 0);
        let mut bonus_max = super::super::BonusMax::new(0.2, 0.95, 0.05);
        let mut random = Random::new(1);
        for _ in 0..50 {
            let mut episode = Episode::new(0);
            for _ in 0..8 {
                let state = random.below(5);
                episode.arrive(state, state, 0, [1, 2, 3]);
                episode.choose(random.index(3));
            }
            waypoint.learn(&episode);
            bonus_max.learn(&episode);
        }
        for state in 0..5 {
            for action in 1..4 {
                assert_eq!(
                    waypoint.tables[0].value(state, action),
                    bonus_max.tables()[0].value(state, action)
                );
            }
        }
    }
}
