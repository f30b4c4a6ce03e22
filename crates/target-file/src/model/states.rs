//! Comparing: the mapped variables of the program and of the specification, state by state.

use std::sync::Arc;

use shakedown_cluster::{Board, Cluster, MessageIndex, NodeId, Step};
use shakedown_conform::ActionCall;
use shakedown_conform::compare::{Meaning, Misread, Shown, StateMapping, Variables};
use shakedown_explore::Sight;
use shakedown_remote::{PlainMessage, PlainState};
use shakedown_tla::Value as TlaValue;

use super::moment::Moment;
use super::occurrence::{Occurrence, Sort};
use super::{MappedAction, Model};
use crate::sights::{States, node_value, requests_value, up_value, value_of};

/// An action with its arguments as JSON, which loses nothing.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct TextAction {
    name: String,
    arguments: Vec<String>,
}

impl TextAction {
    fn new(name: &str, arguments: &[TlaValue]) -> TextAction {
        let arguments = arguments.iter().map(|argument| argument.to_json().to_string()).collect();
        TextAction { name: name.to_owned(), arguments }
    }

    fn values(&self) -> Vec<TlaValue> {
        let read = |text: &String| {
            let json = serde_json::from_str(text).ok()?;
            TlaValue::from_json(&json).ok()
        };
        self.arguments.iter().map(|text| read(text).expect("it was written from a value")).collect()
    }
}

/// The mapped variables.
pub(super) struct TextView {
    values: Vec<Viewed>,
}

/// A variable and its value, or why it has none.
type Viewed = (&'static str, Result<TlaValue, String>);

impl PartialEq for TextView {
    fn eq(&self, other: &TextView) -> bool {
        let same = |(one, other): (&Viewed, &Viewed)| matches!((&one.1, &other.1), (Ok(one), Ok(other)) if one == other);
        self.values.len() == other.values.len() && self.values.iter().zip(&other.values).all(same)
    }
}

/// Compares one execution.
pub(super) struct TextStates {
    model: Arc<Model>,
    states: States,
    /// What the last action that was asked for depends on afterwards.
    last: Option<(usize, Moment)>,
}

impl TextStates {
    pub fn new(model: Arc<Model>) -> TextStates {
        TextStates { model, states: States::default(), last: None }
    }

    fn moment(&mut self, cluster: &dyn Cluster<State = PlainState>) -> Result<Moment, String> {
        let board = cluster.board();
        let state = self.states.function(board, cluster.states())?;
        let (up, requests) = (up_value(board), requests_value(board)?);
        Ok(Moment { before: state.clone(), state, up, requests, ..Moment::default() })
    }

    fn meaning(
        &mut self,
        step: &Step,
        cluster: &dyn Cluster<State = PlainState>,
    ) -> Result<Meaning<TextAction>, String> {
        let board = cluster.board();
        self.last = None;
        let Some(occurrence) = Occurrence::of_step(step, board, |message| cluster.contents(message))? else {
            return Ok(match step {
                Step::Round { .. } => Meaning::Nothing,
                _ => Meaning::Unknown("a link is cut or a node lies, which mappings have no word for"),
            });
        };
        let moment = occurrence.within(self.moment(cluster)?);
        let chosen = self.model.chosen(&occurrence, &moment, board.size()).map_err(|(_, error)| error)?;
        let Some((place, arguments)) = chosen else { return Ok(Meaning::Nothing) };
        let action = TextAction::new(&self.model.actions[place].name, &arguments);
        self.last = Some((place, moment));
        Ok(Meaning::Action(action))
    }

    /// The arguments of an action, where only what happens is known and not the states.
    fn arguments(
        &self,
        action: &MappedAction,
        occurrence: &Occurrence,
        nodes: usize,
    ) -> Result<Vec<TlaValue>, String> {
        let values = occurrence.within(Moment::default()).values();
        action.arguments.iter().map(|place| self.model.expressions.evaluate(*place, nodes, &values)).collect()
    }

    /// The steps that a table may stand for, each with what happens in it.
    fn candidates(
        &self,
        action: &MappedAction,
        sight: &Sight<'_>,
    ) -> Result<Vec<(Step, Occurrence)>, String> {
        let board = sight.board();
        let sort = action.on.sort;
        let of_messages = |make: fn(&Board, MessageIndex) -> Step| {
            let one = |index: &MessageIndex| {
                let (id, kind) = board.name_of(*index);
                let occurrence = Occurrence::of_message(sort, id, kind, sight.contents(*index))?;
                Ok((make(board, *index), occurrence))
            };
            board.deliverable().iter().map(one).collect()
        };
        let of_nodes = |step: fn(NodeId) -> Step| {
            Ok(NodeId::first(board.size()).map(|node| (step(node), Occurrence::at(sort, node))).collect())
        };
        match sort {
            Sort::Receive => of_messages(|board, index| board.deliver(index)),
            Sort::Lose => of_messages(|board, index| {
                let (id, kind) = board.name_of(index);
                Step::Drop(id, kind)
            }),
            Sort::Double => of_messages(|board, index| {
                let (id, kind) = board.name_of(index);
                Step::Duplicate(id, kind)
            }),
            Sort::Tick => of_nodes(Step::Tick),
            Sort::Flush => of_nodes(Step::Flush),
            Sort::Crash => of_nodes(|node| Step::Crash { node, keep: 0 }),
            Sort::Restart => of_nodes(Step::Restart),
            Sort::Fire => {
                let timers = board.ripe_timers();
                Ok(timers
                    .map(|(node, timer)| (Step::Fire(node, timer), Occurrence::fired(node, timer)))
                    .collect())
            }
            Sort::Request | Sort::Fact => Ok(Vec::new()),
        }
    }

    /// The request that does an action.
    fn request(
        &self,
        action: &MappedAction,
        arguments: &[TlaValue],
        nodes: usize,
    ) -> Result<Option<Step>, String> {
        let (Some(node), Some(request)) = (action.node, action.request) else { return Ok(None) };
        let moment = Moment { argument: TlaValue::tuple(arguments.to_vec()), ..Moment::default() };
        let values = moment.values();
        let node = self.model.expressions.evaluate(node, nodes, &values)?;
        let number =
            node.as_int().and_then(|number| usize::try_from(number).ok()).filter(|n| (1..=nodes).contains(n));
        let number = number.ok_or_else(|| format!("{node} is no node"))?;
        let op = self.model.expressions.evaluate(request, nodes, &values)?.to_json().to_string();
        Ok(Some(Step::Request(NodeId::new(number), op.into())))
    }
}

/// What is under way, each message with its number, so that two of equal contents are two.
fn network(cluster: &dyn Cluster<State = PlainState>) -> Result<TlaValue, String> {
    let board = cluster.board();
    let one = |index: MessageIndex| {
        let info = board.message(index);
        let contents = cluster.contents(index).and_then(|any| any.downcast_ref::<PlainMessage>());
        let contents = value_of(contents.ok_or("a message under way cannot be read")?.contents())?;
        Ok(TlaValue::record([
            ("from", node_value(info.id.from)),
            ("to", node_value(info.id.to)),
            ("kind", TlaValue::string(info.kind.as_str())),
            ("number", TlaValue::Int(index.index() as i64)),
            ("message", contents),
        ]))
    };
    board.under_way().map(one).collect::<Result<_, String>>().map(TlaValue::set)
}

impl StateMapping<PlainState> for TextStates {
    type View = TextView;
    type Action = TextAction;

    fn spec_view(&self, variables: &Variables) -> Result<TextView, Misread> {
        let one = |(name, _): &(&'static str, usize)| Ok((*name, Ok(variables.get(name)?.clone())));
        Ok(TextView { values: self.model.state.iter().map(one).collect::<Result<_, Misread>>()? })
    }

    fn read_action(&self, call: &ActionCall, _nodes: usize) -> Result<TextAction, Misread> {
        Ok(TextAction::new(call.name.as_str(), &call.arguments))
    }

    fn call(&self, action: &TextAction, _variables: &Variables) -> ActionCall {
        ActionCall::new(&action.name, action.values())
    }

    /// An action that no table names is the program's own, so that a mapping that leaves it out is found.
    fn is_own(&self, action: &TextAction) -> bool {
        let mut tables = self.model.actions.iter().filter(|mapped| mapped.name == action.name).peekable();
        tables.peek().is_none() || tables.any(|mapped| mapped.on.sort.is_own())
    }

    fn show(&self, view: &TextView) -> Vec<Shown> {
        let mut shown = Vec::new();
        for (name, value) in &view.values {
            match value {
                Ok(value) if value.is_function() => {
                    shown.extend(value.pairs().iter().map(|(of, value)| Shown::new(name, of, value)));
                }
                Ok(value) => shown.push(Shown::new(name, "", value)),
                Err(error) => shown.push(Shown::new(name, "", error)),
            }
        }
        shown
    }

    fn nodes(&self, _view: &TextView) -> usize {
        self.model.nodes
    }

    fn view(&mut self, cluster: &dyn Cluster<State = PlainState>) -> TextView {
        let moment =
            self.moment(cluster).and_then(|moment| Ok(Moment { network: network(cluster)?, ..moment }));
        let values = moment.map(|moment| moment.values());
        let one = |(name, place): &(&'static str, usize)| {
            let value = values
                .as_ref()
                .map_err(String::clone)
                .and_then(|values| self.model.expressions.evaluate(*place, cluster.board().size(), values));
            (*name, value)
        };
        TextView { values: self.model.state.iter().map(one).collect() }
    }

    fn action(&mut self, step: &Step, cluster: &dyn Cluster<State = PlainState>) -> Meaning<TextAction> {
        let failed = Meaning::Unknown("an expression of the target file cannot be evaluated here");
        self.meaning(step, cluster).unwrap_or(failed)
    }

    fn outcome(
        &mut self,
        meaning: Meaning<TextAction>,
        cluster: &dyn Cluster<State = PlainState>,
    ) -> Meaning<TextAction> {
        let Some((place, before)) = self.last.take() else { return meaning };
        let Some(after) = self.model.actions[place].after else { return meaning };
        let holds = self.moment(cluster).and_then(|now| {
            let moment = Moment { state: now.state, up: now.up, requests: now.requests, ..before };
            self.model.expressions.holds(after, cluster.board().size(), &moment.values())
        });
        match holds {
            Ok(true) => meaning,
            Ok(false) => Meaning::Nothing,
            Err(_) => Meaning::Unknown("`after` cannot be evaluated here"),
        }
    }

    fn steps(&self, action: &TextAction, sight: &Sight<'_>) -> Result<Vec<Step>, String> {
        let nodes = sight.board().size();
        let wanted = action.values();
        for mapped in self.model.actions.iter().filter(|mapped| mapped.name == action.name) {
            if let Some(step) = self.request(mapped, &wanted, nodes)? {
                return Ok(vec![step]);
            }
            for (step, occurrence) in self.candidates(mapped, sight)? {
                if mapped.on.fits(&occurrence) && self.arguments(mapped, &occurrence, nodes)? == wanted {
                    return Ok(vec![step]);
                }
            }
        }
        Err(format!("no `[[model.action]]` of `{}` gives a step here", action.name))
    }
}
