//! Fuzzing guided by a specification: the states of `TokenRing.tla` that an execution reaches are its
//! coverage.
//!
//! An [`EventMapping`] names the action that a step stands for. With it, `fuzz:model` prefers inputs that
//! lead to new states of the specification; and with the option `spec=TokenRing`, what the specification
//! forbids is a finding.

use shakedown::cluster::{Board, Cluster, Step};
use shakedown::conform::follow::{EventMapping, Following, Heard};
use shakedown::conform::{ActionCall, ModelSource, Value};
use shakedown::prelude::*;

use crate::token_ring::{self, Ring, Token, View};

/// What happened, as far as the specification is concerned.
#[derive(Clone, Copy, Hash, Debug)]
pub enum Event {
    /// A node has passed the token on.
    Passed(NodeId),
    /// A node has taken the token of a turn.
    Took(NodeId, u64),
}

/// From steps to events: a step is remembered before it is done, and judged by what it has changed.
#[derive(Default)]
pub struct TokenMapping {
    before: Vec<View>,
    delivered: Option<(NodeId, u64)>,
}

impl EventMapping<View> for TokenMapping {
    type Event = Event;

    fn before_step(&mut self, step: &Step, cluster: &dyn Cluster<State = View>) {
        self.before = cluster.states().to_vec();
        self.delivered = match step {
            Step::Deliver(id, kind) => cluster
                .board()
                .find(*id, *kind)
                .and_then(|message| cluster.contents(message)?.downcast_ref::<Token>())
                .map(|token| (id.to, token.turn)),
            _ => None,
        };
    }

    fn after_step(&mut self, _board: &Board, states: &[View], heard: &mut Heard<Event>) {
        if let Some((node, turn)) = self.delivered.take() {
            return heard.event(Event::Took(node, turn));
        }
        let changed = self.before.iter().zip(states).position(|(before, now)| before.holds && !now.holds);
        if let Some(place) = changed {
            heard.event(Event::Passed(NodeId::from_index(place)));
        }
    }

    fn action(event: &Event) -> ActionCall {
        let number = |node: NodeId| Value::Int(node.number() as i64);
        match *event {
            Event::Passed(node) => ActionCall::new("Pass", vec![number(node)]),
            Event::Took(node, turn) => ActionCall::new("Take", vec![number(node), Value::Int(turn as i64)]),
        }
    }
}

/// The specification for a number of nodes.
pub fn model(nodes: usize) -> ModelSource {
    ModelSource {
        modules: &[("TokenRing", include_str!("TokenRing.tla"))],
        config: format!("CONSTANTS Size = {nodes} MaxTurn = 0\nINIT Init NEXT Next"),
        abstraction: None,
    }
}

/// The ring, followed on its specification.
pub fn target() -> Target<Ring> {
    token_ring::target().follow(Following::by::<TokenMapping, _>(
        "TokenRing",
        "states of TokenRing.tla",
        |nodes, _options| Ok(model(nodes)),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_of_the_ring_is_one_that_the_specification_allows() {
        Test::new(target()).executions(200).strategy("fuzz:model").set("spec", "TokenRing").run();
    }

    #[test]
    fn a_turn_that_is_not_counted_is_found_where_it_happens() {
        let test = Test::new(target()).executions(200).strategy("fuzz:model").set("spec", "TokenRing");
        let finding = test.set("forgets_to_count", true).expect_violation("conforms-to-the-model");
        let reason = &finding.failure.violation.reason;
        assert!(reason.contains("the model does not allow Take"), "{reason}");
    }
}
