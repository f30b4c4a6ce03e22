//! The mapping itself: views and actions, both ways.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;

use shakedown_cluster::{Board, Cluster, MessageIndex, NodeId, Step};
use shakedown_conform::compare::{Meaning, Misread, Shown, StateMapping, Variables, read};
use shakedown_conform::{ActionCall, Value};
use shakedown_explore::Sight;

use super::{Action, Sent, SpecDialect, SpecView, values};
use crate::{RaftState, Role, Term};

/// The comparison of a Raft with its specification.
pub struct SpecMapping<D> {
    /// The terms of all servers when they were last looked at.
    terms: Vec<u64>,
    dialect: PhantomData<fn() -> D>,
}

impl<D> Default for SpecMapping<D> {
    fn default() -> SpecMapping<D> {
        SpecMapping { terms: Vec::new(), dialect: PhantomData }
    }
}

impl<D: SpecDialect> StateMapping<D::State> for SpecMapping<D> {
    type View = SpecView<D::Server, D::Contents>;
    type Action = Action<D::Contents>;

    fn spec_view(&self, variables: &Variables) -> Result<Self::View, Misread> {
        let servers = values::servers(variables)?;
        let active = values::nodes(variables.get("active")?)?;
        let server = |node: NodeId| {
            active.contains(node).then(|| D::spec_server(variables, node, servers)).transpose()
        };
        let servers_seen = NodeId::first(servers).map(server).collect::<Result<_, _>>()?;
        let mut net = Vec::new();
        for (message, copies) in variables.get("net")?.pairs() {
            let sent = spec_sent::<D>(&message, servers)?;
            net.extend(std::iter::repeat_n(sent, read::number("net", &copies)? as usize));
        }
        net.sort_unstable();
        Ok(SpecView { servers: servers_seen, net })
    }

    fn read_action(&self, call: &ActionCall, nodes: usize) -> Result<Self::Action, Misread> {
        Action::read(call, &D::NAMES, |value| spec_sent::<D>(value, nodes))
    }

    fn call(&self, action: &Self::Action, variables: &Variables) -> ActionCall {
        action.call(&D::NAMES, D::handler, |sent| {
            find::<D>(sent, variables).unwrap_or_else(|| D::message_value(sent))
        })
    }

    fn is_own(&self, action: &Self::Action) -> bool {
        action.is_own()
    }

    fn show(&self, view: &Self::View) -> Vec<Shown> {
        view.show(D::describe)
    }

    fn nodes(&self, view: &Self::View) -> usize {
        view.servers.len()
    }

    fn view(&mut self, cluster: &dyn Cluster<State = D::State>) -> Self::View {
        let board = cluster.board();
        self.terms.clear();
        self.terms.extend(cluster.states().iter().map(|state| state.term().number()));
        let server =
            |(node, state): (NodeId, &D::State)| board.is_up(node).then(|| D::server(state)).flatten();
        let servers = NodeId::first(board.size()).zip(cluster.states()).map(server).collect();
        let sent = |index| sent::<D>(index, board, cluster.contents(index));
        let mut net: Vec<_> = board.under_way().filter_map(sent).collect();
        net.sort_unstable();
        SpecView { servers, net }
    }

    fn action(&mut self, step: &Step, cluster: &dyn Cluster<State = D::State>) -> Meaning<Self::Action> {
        let board = cluster.board();
        let with_message = |action: fn(Sent<D::Contents>) -> Self::Action| {
            let (Step::Deliver(id, kind) | Step::Drop(id, kind) | Step::Duplicate(id, kind)) = step else {
                return Meaning::Nothing;
            };
            let index = board.find(*id, *kind);
            let sent = index.and_then(|index| sent::<D>(index, board, cluster.contents(index)));
            sent.map_or(Meaning::Unknown("a message cannot be read"), |sent| Meaning::Action(action(sent)))
        };
        let state = |node: &NodeId| cluster.states().get(node.index());
        match step {
            Step::Deliver(..) => with_message(Action::Handle),
            Step::Drop(..) => with_message(Action::Lose),
            Step::Duplicate(..) => with_message(Action::Repeat),
            Step::Tick(node) => match state(node) {
                Some(state) if state.role() == Role::Leader => Meaning::Action(Action::Heartbeat(*node)),
                Some(state) if D::campaigns(*node, state) => Meaning::Action(Action::Campaign(*node)),
                _ => Meaning::Nothing,
            },
            Step::Request(node, op) => {
                state(node).map_or(Meaning::Nothing, |state| D::request(*node, op, state, board.size()))
            }
            Step::Retry(..) => Meaning::Unknown("clients ask again, which the specification does not know"),
            Step::Crash { node, .. } => Meaning::Action(Action::Crash(*node)),
            Step::Restart(node) => Meaning::Action(Action::Restart(*node)),
            Step::Cut(..) | Step::Heal(..) => {
                Meaning::Unknown("links are cut, which the specification does not know: give cuts no weight")
            }
            Step::Tamper(..) | Step::Inject(..) => {
                Meaning::Unknown("a node lies, and the specification knows no lies")
            }
            Step::Fire(..) | Step::Flush(..) | Step::Round { .. } => Meaning::Nothing,
        }
    }

    /// A clock that goes on leads to an election sooner or later.
    fn outcome(
        &mut self,
        meaning: Meaning<Self::Action>,
        cluster: &dyn Cluster<State = D::State>,
    ) -> Meaning<Self::Action> {
        let has_waited = |node: NodeId| {
            let now = cluster.states().get(node.index()).map(|state| state.term().number());
            now.as_ref() == self.terms.get(node.index())
        };
        match meaning {
            Meaning::Action(Action::Campaign(node)) if D::CAMPAIGN_TICKS > 1 && has_waited(node) => {
                Meaning::Nothing
            }
            other => other,
        }
    }

    fn steps(&self, action: &Self::Action, sight: &Sight<'_>) -> Result<Vec<Step>, String> {
        let board = sight.board();
        let named = |sent: &Sent<D::Contents>| {
            let is_it = |index: &&MessageIndex| {
                self::sent::<D>(**index, board, sight.contents(**index)).as_ref() == Some(sent)
            };
            let found = board.deliverable().iter().find(is_it);
            found
                .map(|index| board.name_of(*index))
                .ok_or_else(|| format!("no such message is under way: {}", D::describe(sent)))
        };
        let step = match action {
            Action::Campaign(node) => return Ok(vec![Step::Tick(*node); D::CAMPAIGN_TICKS]),
            Action::Heartbeat(node) => Step::Tick(*node),
            Action::Handle(sent) => named(sent).map(|(id, kind)| Step::Deliver(id, kind))?,
            Action::Lose(sent) => named(sent).map(|(id, kind)| Step::Drop(id, kind))?,
            Action::Repeat(sent) => named(sent).map(|(id, kind)| Step::Duplicate(id, kind))?,
            Action::Request(node, _)
            | Action::Add(node, _)
            | Action::Remove(node, _)
            | Action::Compact(node) => Step::Request(*node, Arc::from(D::request_of(action)?)),
            Action::Crash(node) => Step::Crash { node: *node, keep: 0 },
            Action::Restart(node) => Step::Restart(*node),
            Action::Unknown(action) => return Err(format!("the target does not know the action {action}")),
        };
        Ok(vec![step])
    }
}

fn sent<D: SpecDialect>(
    index: MessageIndex,
    board: &Board,
    contents: Option<&dyn Any>,
) -> Option<Sent<D::Contents>> {
    let contents = D::contents(contents?)?;
    let id = board.message(index).id;
    Some(Sent { from: id.from, to: id.to, contents })
}

fn spec_sent<D: SpecDialect>(value: &Value, servers: usize) -> Result<Sent<D::Contents>, Misread> {
    let end = |field| values::node(read::field(value, field)?);
    let contents = D::spec_contents(value, servers)?;
    Ok(Sent { from: end("from")?, to: end("to")?, contents })
}

/// The message of the specification's network that is this one.
fn find<D: SpecDialect>(sent: &Sent<D::Contents>, variables: &Variables) -> Option<Value> {
    let servers = values::servers(variables).ok()?;
    let net = variables.get("net").ok()?.pairs();
    net.into_iter()
        .map(|(message, _)| message)
        .find(|message| spec_sent::<D>(message, servers).as_ref() == Ok(sent))
}
