//! A conformance run: every path of the state graph of `TokenRing.tla` is played on a fresh cluster, and the
//! states of all nodes and the messages under way are compared after every action.
//!
//! A [`StateMapping`] turns both sides into one type, [`RingView`], and steps into actions and back.

use shakedown::cluster::{Cluster, Step};
use shakedown::conform::compare::{
    Comparison, Meaning, Misread, Shown, SpecModel, StateMapping, Variables, read,
};
use shakedown::conform::{ActionCall, Value};
use shakedown::explore::Sight;
use shakedown::prelude::*;

use crate::token_ring::{self, Ring, Token, View};

/// What is compared.
#[derive(PartialEq)]
pub struct RingView {
    /// Of every node, whether it holds the token and the latest turn that it has seen.
    nodes: Vec<(bool, u64)>,
    /// The tokens under way: receiver and turn.
    net: Vec<(NodeId, u64)>,
}

/// An action of the specification.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Action {
    /// `Pass(i)`
    Pass(NodeId),
    /// `Take(i, turn)`
    Take(NodeId, u64),
}

/// The mapping.
#[derive(Default)]
pub struct RingMapping;

impl StateMapping<View> for RingMapping {
    type View = RingView;
    type Action = Action;

    fn spec_view(&self, variables: &Variables) -> Result<RingView, Misread> {
        let holds = read::sequence("holds", variables.get("holds")?)?;
        let seen = read::sequence("seen", variables.get("seen")?)?;
        let node = |(holds, seen)| Ok((read::truth("holds", holds)?, read::number("seen", seen)?));
        let token = |token: &Value| {
            Ok((node_of(read::field(token, "to")?)?, read::number("turn", read::field(token, "turn")?)?))
        };
        let mut net =
            read::set("net", variables.get("net")?)?.iter().map(token).collect::<Result<Vec<_>, _>>()?;
        net.sort_unstable();
        Ok(RingView { nodes: holds.iter().zip(seen).map(node).collect::<Result<_, _>>()?, net })
    }

    fn read_action(&self, call: &ActionCall, _nodes: usize) -> Result<Action, Misread> {
        let node = node_of(read::argument(call, 0)?)?;
        match call.name.as_str() {
            "Pass" => Ok(Action::Pass(node)),
            _ => Ok(Action::Take(node, read::number("turn", read::argument(call, 1)?)?)),
        }
    }

    fn call(&self, action: &Action, _variables: &Variables) -> ActionCall {
        let number = |node: NodeId| Value::Int(node.number() as i64);
        match *action {
            Action::Pass(node) => ActionCall::new("Pass", vec![number(node)]),
            Action::Take(node, turn) => ActionCall::new("Take", vec![number(node), Value::Int(turn as i64)]),
        }
    }

    /// Both are the implementation's own: nothing here is done to it.
    fn is_own(&self, _action: &Action) -> bool {
        true
    }

    fn show(&self, view: &RingView) -> Vec<Shown> {
        let mut shown = Vec::new();
        for (number, (holds, seen)) in (1..).zip(&view.nodes) {
            shown.extend([Shown::new("holds", number, holds), Shown::new("seen", number, seen)]);
        }
        shown.extend(view.net.iter().map(|(to, turn)| Shown::new("net", to, turn)));
        shown
    }

    fn nodes(&self, view: &RingView) -> usize {
        view.nodes.len()
    }

    fn view(&mut self, cluster: &dyn Cluster<State = View>) -> RingView {
        let board = cluster.board();
        let token = |message| {
            let token = cluster.contents(message)?.downcast_ref::<Token>()?;
            Some((board.message(message).id.to, token.turn))
        };
        let mut net: Vec<_> = board.under_way().filter_map(token).collect();
        net.sort_unstable();
        RingView { nodes: cluster.states().iter().map(|view| (view.holds, view.seen)).collect(), net }
    }

    fn action(&mut self, step: &Step, cluster: &dyn Cluster<State = View>) -> Meaning<Action> {
        match step {
            Step::Tick(node) if cluster.states()[node.index()].holds => Meaning::Action(Action::Pass(*node)),
            Step::Deliver(id, kind) => {
                let message = cluster.board().find(*id, *kind);
                let token = message.and_then(|message| cluster.contents(message)?.downcast_ref::<Token>());
                token.map_or(Meaning::Unknown("a message cannot be read"), |token| {
                    Meaning::Action(Action::Take(id.to, token.turn))
                })
            }
            _ => Meaning::Nothing,
        }
    }

    fn steps(&self, action: &Action, sight: &Sight<'_>) -> Result<Vec<Step>, String> {
        let board = sight.board();
        match *action {
            Action::Pass(node) => Ok(vec![Step::Tick(node)]),
            Action::Take(node, _) => {
                let found = board.deliverable().iter().find(|message| board.message(**message).id.to == node);
                let message = found.ok_or_else(|| format!("no token is on its way to {node}"))?;
                Ok(vec![board.deliver(*message)])
            }
        }
    }
}

fn node_of(value: &Value) -> Result<NodeId, Misread> {
    match read::number("a node", value)? {
        number @ 1..=64 => Ok(NodeId::new(number as usize)),
        number => Err(Misread::new("a node", "a number from 1 on", number)),
    }
}

/// The ring, compared with its specification.
pub fn target() -> Target<Ring> {
    let model = SpecModel {
        name: "ring",
        about: "three nodes, up to turn 5",
        modules: &[("TokenRing", include_str!("TokenRing.tla"))],
        config: "CONSTANTS Size = 3 MaxTurn = 5\nINIT Init NEXT Next CONSTRAINT Bounded",
    };
    token_ring::target().compare(Comparison::by::<RingMapping>().model(model))
}

#[cfg(test)]
mod tests {
    use shakedown::campaign::{ConformRun, ConformSummary, Silent};

    use super::*;

    fn run(forgets_to_count: bool) -> ConformSummary {
        let target = target();
        let mut run = ConformRun::new(&target).expect("the target has a specification");
        run.config.options.set("forgets_to_count", forgets_to_count);
        run.run(&Silent).expect("the paths are run")
    }

    #[test]
    fn every_path_of_the_specification_can_be_played() {
        let summary = run(false);
        assert_eq!((summary.failed, summary.unplayed.0, summary.unknown.0), (0, 0, 0));
        assert!(summary.paths > 0 && summary.edges == summary.graph.edges, "{summary:?}");
    }

    #[test]
    fn a_turn_that_is_not_counted_differs_in_the_network() {
        let summary = run(true);
        let property = &summary.findings[0].failure.violation.property;
        assert_eq!(property, "inconsistent state: net");
    }
}
