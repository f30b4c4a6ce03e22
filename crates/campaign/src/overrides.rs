//! What takes precedence over how a target is run by itself: the same for the command line and for tests.

use shakedown_cluster::Options;
use shakedown_explore::Weights;

use crate::Campaign;

/// Changes to how a target is run; what is not given stays as the target has it.
#[derive(Clone, Default)]
pub struct Overrides {
    /// How many nodes.
    pub nodes: Option<usize>,
    /// The most steps of an execution. If it is not given, executions of strategies that go in episodes have
    /// at least as many as an episode takes.
    pub steps: Option<usize>,
    /// How many requests clients have.
    pub requests: Option<usize>,
    /// The most crashes of an execution.
    pub crashes: Option<usize>,
    /// Options of the target.
    pub options: Options,
    /// How likely each kind of step is.
    pub weights: Option<Weights>,
}

impl Campaign<'_> {
    /// Takes these changes in. The strategy has to be chosen before, for the length of its episodes counts.
    pub fn apply(&mut self, overrides: &Overrides) {
        let Overrides { nodes, steps, requests, crashes, options, weights } = overrides;
        if let Some(weights) = weights {
            self.plan.weights = weights.clone();
        }
        let config = &mut self.plan.config;
        config.nodes = nodes.unwrap_or(config.nodes);
        config.steps = steps.unwrap_or(config.steps);
        config.requests = requests.unwrap_or(config.requests);
        config.crashes = crashes.unwrap_or(config.crashes);
        for (option, value) in options.iter() {
            config.options.set(option, value);
        }
        // What is wrong with an option is reported when the campaign runs.
        if steps.is_none()
            && let Ok(Some(steps)) = self.steps_wanted()
        {
            self.plan.config.steps = self.plan.config.steps.max(steps);
        }
    }
}
