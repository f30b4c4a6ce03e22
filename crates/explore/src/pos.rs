//! POS: partial-order sampling (Yuan, Yang and Gu, CAV 2018).
//!
//! Every message gets a random priority when it is sent; the highest one is delivered; then every message
//! under way that races with the delivered one gets a new priority. Two deliveries race iff they are to the
//! same node: those are the deliveries whose order matters.

use shakedown_cluster::{MessageIndex, Random, Step};

use crate::{Environment, Execution, Explorer, Mix, Sight, Strategy, Turn};

/// Makes POS strategies.
pub struct Pos {
    environment: Environment,
}

impl Pos {
    /// Partial-order sampling in this environment.
    pub fn new(environment: Environment) -> Pos {
        Pos { environment }
    }
}

impl Explorer for Pos {
    fn strategy(&self, execution: &Execution) -> Box<dyn Strategy> {
        let random = Random::new(execution.seed);
        Box::new(Sampler { environment: self.environment.clone(), random, priorities: Vec::new() })
    }

    fn mixed(&self, execution: &Execution, mix: &Mix) -> Box<dyn Strategy> {
        Pos::new(Environment::of(mix)).strategy(execution)
    }
}

struct Sampler {
    environment: Environment,
    random: Random,
    /// By message. 64 random bits: ties are practically impossible and would go to the older message.
    priorities: Vec<u64>,
}

impl Sampler {
    fn highest(&self, sight: &Sight<'_>) -> MessageIndex {
        let priority = |index: &&MessageIndex| (self.priorities[index.index()], std::cmp::Reverse(index.0));
        *sight
            .deliverable()
            .iter()
            .max_by_key(priority)
            .expect("the environment says that a message is deliverable")
    }

    fn redraw_races(&mut self, delivered: MessageIndex, sight: &Sight<'_>) {
        let receiver = sight.board().message(delivered).id.to;
        for &other in sight.deliverable() {
            if other != delivered && sight.board().message(other).id.to == receiver {
                self.priorities[other.index()] = self.random.next_u64();
            }
        }
    }
}

impl Strategy for Sampler {
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step> {
        while self.priorities.len() < sight.board().messages().len() {
            self.priorities.push(self.random.next_u64());
        }
        match self.environment.turn(sight, &mut self.random) {
            Turn::Deliver => {
                let message = self.highest(sight);
                self.redraw_races(message, sight);
                Some(sight.board().deliver(message))
            }
            Turn::Do(step) => Some(step),
            Turn::Nothing => None,
        }
    }
}
