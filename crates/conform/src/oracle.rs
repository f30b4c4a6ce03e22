//! Conformance as an oracle: what the model forbids is a finding.

use shakedown_check::{Oracle, Seen};
use shakedown_cluster::{Cluster, Step};

use crate::{BadModel, Follower, Mapping, ModelSource};

/// Holds as long as the model can do what the implementation does.
pub struct Conforms<S, M: Mapping<S>> {
    follower: Follower<S, M>,
}

impl<S, M: Mapping<S>> Conforms<S, M> {
    /// An oracle for one execution.
    pub fn new(source: &ModelSource, mapping: M) -> Result<Conforms<S, M>, BadModel> {
        Follower::new(source, mapping).map(|follower| Conforms { follower })
    }
}

impl<S, M: Mapping<S>> Oracle<S> for Conforms<S, M> {
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
