//! The uniform random walk: whatever kind of step the environment draws; among messages, each with equal
//! chance.

use shakedown_cluster::{Random, Step};

use crate::{Environment, Execution, Explorer, Mix, Sight, Strategy, Turn};

/// Makes random walks.
pub struct RandomWalk {
    environment: Environment,
}

impl RandomWalk {
    /// Random walks through this environment.
    pub fn new(environment: Environment) -> RandomWalk {
        RandomWalk { environment }
    }
}

impl Explorer for RandomWalk {
    fn strategy(&self, execution: &Execution) -> Box<dyn Strategy> {
        Box::new(Walk { environment: self.environment.clone(), random: Random::new(execution.seed) })
    }

    fn mixed(&self, execution: &Execution, mix: &Mix) -> Box<dyn Strategy> {
        RandomWalk::new(Environment::of(mix)).strategy(execution)
    }
}

struct Walk {
    environment: Environment,
    random: Random,
}

impl Strategy for Walk {
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step> {
        match self.environment.turn(sight, &mut self.random) {
            Turn::Deliver => {
                let messages = sight.deliverable();
                Some(sight.board().deliver(messages[self.random.index(messages.len())]))
            }
            Turn::Do(step) => Some(step),
            Turn::Nothing => None,
        }
    }
}
