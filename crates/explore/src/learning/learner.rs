//! An agent as an explorer: it runs episodes on clusters and learns from them in their order.

use std::sync::Arc;

use shakedown_cluster::StepKind;

use super::run::Run;
use super::table::{load, save};
use super::{Agent, Episode, Partitions};
use crate::{Execution, Experience, Explorer, Lesson, Strategy};

/// See the module's text.
pub struct Learner<A> {
    space: Arc<Partitions>,
    agent: Arc<A>,
    generation: u64,
}

impl<A: Agent> Learner<A> {
    /// Explores this space with this agent. With a generation of 1 every episode is learned from before the
    /// next one begins, as in the thesis; with larger ones, episodes can run side by side.
    pub fn new(space: Partitions, agent: A, generation: u64) -> Learner<A> {
        Learner { space: Arc::new(space), agent: Arc::new(agent), generation }
    }

    /// The agent.
    pub fn agent(&self) -> &A {
        &self.agent
    }
}

impl<A: Agent> Explorer for Learner<A> {
    fn strategy(&self, execution: &Execution) -> Box<dyn Strategy> {
        Box::new(Run::new(Arc::clone(&self.space), Arc::clone(&self.agent), execution.seed))
    }

    fn generation(&self) -> Option<u64> {
        self.agent.learns().then_some(self.generation)
    }

    fn uses_weights(&self) -> bool {
        false
    }

    fn wants(&self, kind: StepKind) -> bool {
        match kind {
            StepKind::Deliver | StepKind::Tick | StepKind::Request | StepKind::Flush => true,
            StepKind::Cut | StepKind::Heal => true,
            StepKind::Crash | StepKind::Restart => self.space.crashes > 0 && self.space.down > 0,
            StepKind::Drop | StepKind::Duplicate | StepKind::Tamper | StepKind::Inject => false,
            StepKind::Fire | StepKind::Round | StepKind::Retry => false,
        }
    }

    fn learn(&mut self, _execution: &Execution, experience: Experience, _lesson: &Lesson<'_>) {
        // An experience of another explorer's strategy has nothing to teach.
        if let Ok(episode) = experience.downcast::<Episode>() {
            // No strategy is left that reads the agent: nothing is copied.
            Arc::make_mut(&mut self.agent).learn(&episode);
        }
    }

    fn pack(&self, _execution: &Execution, experience: &Experience) -> Vec<u8> {
        experience.downcast_ref::<Episode>().map(Episode::pack).unwrap_or_default()
    }

    fn unpack(&self, _execution: &Execution, packed: &[u8]) -> Result<Experience, String> {
        Ok(Box::new(Episode::unpack(packed, self.space.waypoints.len())?))
    }

    fn save(&self) -> Vec<u8> {
        if self.agent.learns() { save(self.agent.name(), &self.agent.tables()) } else { Vec::new() }
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), String> {
        if saved.is_empty() && !self.agent.learns() {
            return Ok(());
        }
        let tables = load(self.agent.name(), saved).map_err(|error| error.to_string())?;
        Arc::make_mut(&mut self.agent).take_up(tables).map_err(|error| error.to_string())
    }
}
