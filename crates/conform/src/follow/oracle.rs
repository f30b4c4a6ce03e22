//! Following as an oracle: what the model forbids is a finding.

use shakedown_check::{Oracle, Seen};
use shakedown_cluster::{Cluster, Step};

use super::{EventMapping, Follower};
use crate::{BadModel, ModelSource};

/// Holds as long as the model can do what the implementation does.
pub struct FollowsModel<S, M: EventMapping<S>> {
    follower: Follower<S, M>,
}

impl<S, M: EventMapping<S>> FollowsModel<S, M> {
    /// An oracle for one execution.
    pub fn new(source: &ModelSource, mapping: M) -> Result<FollowsModel<S, M>, BadModel> {
        Follower::new(source, mapping).map(|follower| FollowsModel { follower })
    }
}

impl<S, M: EventMapping<S>> Oracle<S> for FollowsModel<S, M> {
    fn name(&self) -> &str {
        "conforms-to-the-model"
    }

    fn about(&self) -> &str {
        "every event of the execution is an action of the model that is possible there"
    }

    fn looks_before(&self) -> bool {
        true
    }

    fn before_step(&mut self, step: &Step, cluster: &dyn Cluster<State = S>) {
        self.follower.before_step(step, cluster);
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        self.follower.after_step(seen.board(), seen.states(), |_| {});
        self.follower.take_stutter().map_or(Ok(()), |stutter| Err(stutter.to_string()))
    }
}
