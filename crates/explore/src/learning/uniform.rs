//! The baseline of all agents: any action, each with equal chance.

use shakedown_cluster::Random;

use super::agent::take_up;
use super::{Agent, BadTable, Episode, Situation, Table};

/// See the module's text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform;

impl Agent for Uniform {
    fn pick(&self, situation: &Situation<'_>, random: &mut Random) -> usize {
        random.index(situation.actions.len())
    }

    fn learn(&mut self, _episode: &Episode) {}

    fn learns(&self) -> bool {
        false
    }

    fn name(&self) -> &'static str {
        "partitions"
    }

    fn tables(&self) -> Vec<&Table> {
        Vec::new()
    }

    fn take_up(&mut self, tables: Vec<Table>) -> Result<(), BadTable> {
        take_up([], tables)
    }
}
