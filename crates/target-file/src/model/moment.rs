//! What the expressions of a mapping see.

use shakedown_tla::Value as TlaValue;

use crate::sights::none;

/// The names that expressions may use besides `Nodes`.
pub(super) const VARIABLES: &[&str] = &[
    "state", "before", "up", "requests", "network", "node", "from", "message", "fact", "request", "argument",
    "timer",
];

/// What they stand for. What is not there is the string "none".
#[derive(Clone)]
pub(super) struct Moment {
    pub state: TlaValue,
    pub before: TlaValue,
    pub up: TlaValue,
    pub requests: TlaValue,
    pub network: TlaValue,
    pub node: TlaValue,
    pub from: TlaValue,
    pub message: TlaValue,
    pub fact: TlaValue,
    pub request: TlaValue,
    pub argument: TlaValue,
    pub timer: TlaValue,
}

impl Default for Moment {
    fn default() -> Moment {
        Moment {
            state: none(),
            before: none(),
            up: none(),
            requests: none(),
            network: none(),
            node: none(),
            from: none(),
            message: none(),
            fact: none(),
            request: none(),
            argument: none(),
            timer: none(),
        }
    }
}

impl Moment {
    /// The values, in the order of [`VARIABLES`].
    pub fn values(&self) -> [TlaValue; 12] {
        let Moment {
            state,
            before,
            up,
            requests,
            network,
            node,
            from,
            message,
            fact,
            request,
            argument,
            timer,
        } = self.clone();
        [state, before, up, requests, network, node, from, message, fact, request, argument, timer]
    }
}
