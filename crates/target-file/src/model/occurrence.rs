//! What happens in an execution, as far as mappings name it.

use std::any::Any;

use shakedown_cluster::{Board, Fact, MessageId, MessageIndex, Name, NodeId, Step, Value as FactValue};
use shakedown_remote::PlainMessage;
use shakedown_tla::Value as TlaValue;

use super::moment::Moment;
use crate::sights::{json_value, node_value, none, value_of};

/// The sorts of occurrences, with the steps that `conform` offers as the program's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    Receive,
    Lose,
    Double,
    Request,
    Tick,
    Fire,
    Flush,
    Crash,
    Restart,
    Fact,
}

const SORTS: [(&str, Sort); 10] = [
    ("receive", Sort::Receive),
    ("lose", Sort::Lose),
    ("double", Sort::Double),
    ("request", Sort::Request),
    ("tick", Sort::Tick),
    ("fire", Sort::Fire),
    ("flush", Sort::Flush),
    ("crash", Sort::Crash),
    ("restart", Sort::Restart),
    ("fact", Sort::Fact),
];

impl Sort {
    /// The word for it.
    pub fn word(self) -> &'static str {
        SORTS.iter().find(|(_, sort)| *sort == self).map_or("", |(word, _)| word)
    }

    /// Whether the program does it by itself, and not the environment.
    pub fn is_own(self) -> bool {
        matches!(self, Sort::Receive | Sort::Tick | Sort::Fire | Sort::Flush)
    }
}

/// What stands at the end of a name for any ending.
const ANY: char = '*';
/// What stands between the parts of a timer's name.
const BETWEEN: char = '-';

/// `on = "receive Append"`: a sort, and the name of a message, timer or fact, or its beginning with a star
/// behind it.
pub(super) struct Trigger {
    pub sort: Sort,
    pub name: Option<String>,
}

impl Trigger {
    pub fn read(text: &str) -> Result<Trigger, String> {
        let mut words = text.split_whitespace();
        let word = words.next().unwrap_or_default();
        let Some((_, sort)) = SORTS.into_iter().find(|(known, _)| *known == word) else {
            let known: Vec<_> = SORTS.iter().map(|(word, _)| *word).collect();
            return Err(format!("`on` begins with one of {}, and not `{word}`", known.join(", ")));
        };
        let name = words.next().map(str::to_owned);
        let takes_name = matches!(sort, Sort::Receive | Sort::Lose | Sort::Double | Sort::Fire | Sort::Fact);
        match (words.next(), &name) {
            (None, None) if sort == Sort::Fact => {
                Err("`on = \"fact NAME\"` needs the name of a fact".to_owned())
            }
            (None, Some(name)) if !takes_name => Err(format!("`{word}` takes no name: `{name}` is too much")),
            (Some(more), _) => Err(format!("`{more}` is too much: `on` has at most two words")),
            _ => Ok(Trigger { sort, name }),
        }
    }

    pub fn fits(&self, occurrence: &Occurrence) -> bool {
        self.sort == occurrence.sort
            && self.name.as_deref().is_none_or(|name| {
                let of_it = occurrence.name.unwrap_or_default();
                match name.strip_suffix(ANY) {
                    Some(beginning) => of_it.starts_with(beginning),
                    None => of_it == name,
                }
            })
    }
}

/// Something that happens.
pub(super) struct Occurrence {
    pub sort: Sort,
    /// The kind of the message, or the name of the timer or fact.
    pub name: Option<&'static str>,
    node: NodeId,
    from: Option<NodeId>,
    message: TlaValue,
    request: TlaValue,
    fact: TlaValue,
    timer: TlaValue,
}

/// The parts of a timer's name, so that it can bring parameters: those that are numbers as such.
fn parts(name: &str) -> TlaValue {
    let part = |text: &str| text.parse().map_or_else(|_| TlaValue::string(text), TlaValue::Int);
    TlaValue::tuple(name.split(BETWEEN).map(part).collect())
}

impl Occurrence {
    pub fn at(sort: Sort, node: NodeId) -> Occurrence {
        Occurrence {
            sort,
            name: None,
            node,
            from: None,
            message: none(),
            request: none(),
            fact: none(),
            timer: none(),
        }
    }

    /// A timer that goes off.
    pub fn fired(node: NodeId, timer: Name) -> Occurrence {
        let name = timer.as_str();
        Occurrence { name: Some(name), timer: parts(name), ..Occurrence::at(Sort::Fire, node) }
    }

    /// What a step is; nothing if mappings have no word for it. The error reports contents that cannot be
    /// read.
    pub fn of_step<'c>(
        step: &Step,
        board: &Board,
        contents: impl Fn(MessageIndex) -> Option<&'c dyn Any>,
    ) -> Result<Option<Occurrence>, String> {
        let of_message = |sort, id: &MessageId, kind: &Name| {
            let message = board.find(*id, *kind).and_then(&contents);
            Occurrence::of_message(sort, *id, *kind, message).map(Some)
        };
        Ok(Some(match step {
            Step::Deliver(id, kind) => return of_message(Sort::Receive, id, kind),
            Step::Drop(id, kind) => return of_message(Sort::Lose, id, kind),
            Step::Duplicate(id, kind) => return of_message(Sort::Double, id, kind),
            Step::Request(node, op) | Step::Retry(node, op) => {
                Occurrence { request: json_value(op)?, ..Occurrence::at(Sort::Request, *node) }
            }
            Step::Tick(node) => Occurrence::at(Sort::Tick, *node),
            Step::Fire(node, timer) => Occurrence::fired(*node, *timer),
            Step::Flush(node) => Occurrence::at(Sort::Flush, *node),
            Step::Crash { node, .. } => Occurrence::at(Sort::Crash, *node),
            Step::Restart(node) => Occurrence::at(Sort::Restart, *node),
            Step::Tamper(..) | Step::Inject(..) | Step::Cut(..) | Step::Heal(..) | Step::Round { .. } => {
                return Ok(None);
            }
        }))
    }

    /// Something that is done to a message.
    pub fn of_message(
        sort: Sort,
        id: MessageId,
        kind: Name,
        contents: Option<&dyn Any>,
    ) -> Result<Occurrence, String> {
        let message = contents.and_then(|any| any.downcast_ref::<PlainMessage>());
        let message = value_of(message.ok_or("the message cannot be read")?.contents())?;
        let (name, from) = (Some(kind.as_str()), Some(id.from));
        Ok(Occurrence { name, from, message, ..Occurrence::at(sort, id.to) })
    }

    pub fn of_fact(node: NodeId, fact: &Fact) -> Occurrence {
        let value = |value: &FactValue| match value {
            FactValue::Number(number) => TlaValue::Int(*number),
            FactValue::Truth(truth) => TlaValue::Bool(*truth),
            FactValue::Text(text) => TlaValue::string(text),
        };
        let fields = TlaValue::record(fact.fields.iter().map(|(name, field)| (*name, value(field))));
        Occurrence { name: Some(fact.name.as_str()), fact: fields, ..Occurrence::at(Sort::Fact, node) }
    }

    /// The moment in which it happens.
    pub fn within(&self, moment: Moment) -> Moment {
        Moment {
            node: node_value(self.node),
            from: self.from.map_or_else(none, node_value),
            message: self.message.clone(),
            request: self.request.clone(),
            fact: self.fact.clone(),
            timer: self.timer.clone(),
            ..moment
        }
    }
}
