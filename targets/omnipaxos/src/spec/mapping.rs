//! The mapping itself: views and actions, both ways.

use std::any::Any;

use shakedown_cluster::{Board, Cluster, MessageIndex, NodeId, Step};
use shakedown_conform::ActionCall;
use shakedown_conform::compare::{Meaning, Misread, Shown, StateMapping, Variables, read};
use shakedown_explore::Sight;

use super::{Action, Body, Sent, ServerView, SpecView};
use crate::{Message, Request, View};

/// The comparison with `specs/OmniPaxosCrate.tla`.
#[derive(Default)]
pub struct CrateMapping;

impl StateMapping<View> for CrateMapping {
    type View = SpecView;
    type Action = Action;

    fn spec_view(&self, variables: &Variables) -> Result<SpecView, Misread> {
        SpecView::read(variables)
    }

    fn read_action(&self, call: &ActionCall, nodes: usize) -> Result<Action, Misread> {
        Action::read(call, nodes)
    }

    fn call(&self, action: &Action, variables: &Variables) -> ActionCall {
        let promised = variables.get("promised").and_then(|promised| read::sequence("promised", promised));
        action.call(promised.map_or(0, <[_]>::len))
    }

    fn is_own(&self, action: &Action) -> bool {
        action.is_own()
    }

    fn show(&self, view: &SpecView) -> Vec<Shown> {
        view.show()
    }

    fn nodes(&self, view: &SpecView) -> usize {
        view.servers.len()
    }

    fn view(&mut self, cluster: &dyn Cluster<State = View>) -> SpecView {
        let board = cluster.board();
        let server = |(id, view): (NodeId, &View)| board.is_up(id).then(|| ServerView::of(view)).flatten();
        let nodes = || NodeId::first(board.size());
        let mut view = SpecView {
            servers: nodes().zip(cluster.states()).map(server).collect(),
            cuts: nodes().flat_map(|a| nodes().map(move |b| (a, b))).filter(|(a, b)| a < b).collect(),
            net: board.under_way().filter_map(|index| sent(index, board, cluster.contents(index))).collect(),
        };
        view.cuts.retain(|(a, b)| board.is_cut(*a, *b));
        view.sort();
        view
    }

    fn action(&mut self, step: &Step, cluster: &dyn Cluster<State = View>) -> Meaning<Action> {
        let board = cluster.board();
        let link = |a: NodeId, b: NodeId| (a.min(b), a.max(b));
        Meaning::Action(match step {
            Step::Deliver(id, kind) => {
                let index = board.find(*id, *kind);
                match index.and_then(|index| sent(index, board, cluster.contents(index))) {
                    Some(sent) if sent.body.names().is_some() => Action::Receive(sent),
                    _ => return Meaning::Unknown("a message that the specification does not know"),
                }
            }
            Step::Tick(node) => Action::Tick(*node),
            Step::Request(node, op) => match serde_json::from_str(op) {
                Ok(Request::Append(value)) => Action::Request(*node, value),
                Ok(Request::Lead) => Action::Lead(*node),
                _ => return Meaning::Unknown("a request that the specification does not know"),
            },
            Step::Cut(a, b) => {
                let (a, b) = link(*a, *b);
                Action::Cut(a, b)
            }
            Step::Heal(a, b) => {
                let (a, b) = link(*a, *b);
                Action::Heal(a, b)
            }
            Step::Crash { node, .. } => Action::Stop(*node),
            Step::Restart(node) => Action::Boot(*node),
            Step::Drop(..) | Step::Duplicate(..) | Step::Tamper(..) | Step::Inject(..) | Step::Retry(..) => {
                return Meaning::Unknown("a step that the target's contract rules out");
            }
            Step::Fire(..) | Step::Flush(..) | Step::Round { .. } => return Meaning::Nothing,
        })
    }

    fn steps(&self, action: &Action, sight: &Sight<'_>) -> Result<Vec<Step>, String> {
        let board = sight.board();
        let request = |node: NodeId, request: &Request| {
            let op = serde_json::to_string(request).map_err(|error| error.to_string())?;
            Ok::<_, String>(Step::Request(node, op.into()))
        };
        let step = match action {
            Action::Tick(node) => Step::Tick(*node),
            Action::Receive(wanted) => {
                let is_it = |index: &&MessageIndex| {
                    sent(**index, board, sight.contents(**index)).as_ref() == Some(wanted)
                };
                let found = board.deliverable().iter().find(is_it);
                board.deliver(*found.ok_or_else(|| format!("no such message is the next one: {wanted:?}"))?)
            }
            Action::Lead(node) => request(*node, &Request::Lead)?,
            Action::Request(node, value) => request(*node, &Request::Append(*value))?,
            Action::Cut(a, b) => Step::Cut(*a, *b),
            Action::Heal(a, b) => Step::Heal(*a, *b),
            Action::Stop(node) => Step::Crash { node: *node, keep: 0 },
            Action::Boot(node) => Step::Restart(*node),
            Action::Unknown(action) => return Err(format!("the target does not know the action {action}")),
        };
        Ok(vec![step])
    }
}

fn sent(index: MessageIndex, board: &Board, contents: Option<&dyn Any>) -> Option<Sent> {
    let body = Body::of(contents?.downcast_ref::<Message>()?)?;
    let id = board.message(index).id;
    Some(Sent { from: id.from, to: id.to, body })
}
