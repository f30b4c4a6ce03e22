//! `linearizability`: what clients did to an object, by how `[[request]]` tables map requests and answers to
//! its operations.

use std::sync::Arc;

use shakedown_check::objects::{self, Object, ObjectVerdict, understand};
use shakedown_check::{Doubt, Oracle, SearchLimits, Seen};
use shakedown_cluster::RequestInfo;
use shakedown_histories::{Item, Operation as Recorded, Outcome};
use shakedown_remote::{PlainState, Value};
use toml::Spanned;

use super::ObjectTable;
use crate::located::{Located, error_at};
use crate::path::Path;
use crate::shape::Shape;

/// How a request of one shape is an operation of an object.
pub(crate) struct Mapped {
    /// What such a request looks like.
    pub shape: Shape,
    /// The operation; nothing if it is none of the object's business.
    pub operation: Option<OperationOf>,
}

/// An operation, and where its parts stand in request and answer.
#[derive(Clone)]
pub(crate) struct OperationOf {
    pub name: Located,
    pub key: Option<Path>,
    pub value: Option<Path>,
    pub answer: Path,
    pub failed: Option<Path>,
    pub client: Option<Path>,
}

/// How all requests are read.
pub(crate) type Operations = Vec<Mapped>;

/// An object that clients use, and how.
pub(crate) struct Objects(Arc<Inner>);

struct Inner {
    object: Object,
    initial: Option<Value>,
    operations: Operations,
    is_keyed: bool,
}

impl Objects {
    /// The object of a table, which stands in the file as `spanned`.
    pub fn new<T>(
        spanned: &Spanned<T>,
        table: &ObjectTable,
        operations: Operations,
        file: &str,
    ) -> Result<Objects, String> {
        let object = table.object.map_or(Object::Register, |name| name.0);
        let mapped: Vec<_> = operations.iter().filter_map(|mapped| mapped.operation.as_ref()).collect();
        let (name, known) = object.names();
        if let Some(other) = mapped.iter().find(|operation| !known.contains(&operation.name.text.as_str())) {
            let reason =
                format!("a {name} has no operation `{}`: it has {}", other.name.text, known.join(", "));
            return Err(other.name.error(1, 1, reason));
        }
        let Some(first) = mapped.first() else {
            let reason = "`linearizability` needs requests that have an `operation`, or a `[workload]`";
            return Err(error_at(file, spanned, reason));
        };
        let is_keyed = first.key.is_some();
        if let Some(other) = mapped.iter().find(|operation| operation.key.is_some() != is_keyed) {
            return Err(other.name.error(1, 1, "either every operation has a `key`, or none has"));
        }
        let initial = table.initial.as_ref().map(|text| {
            let wrong = |error| error_at(file, text, format!("`initial` is no JSON: {error}"));
            serde_json::from_str(text.get_ref()).map_err(wrong)
        });
        let initial = initial.transpose()?;
        Ok(Objects(Arc::new(Inner { object, initial, operations, is_keyed })))
    }

    pub fn oracle(&self) -> Box<dyn Oracle<PlainState>> {
        Box::new(Linearizable { objects: Arc::clone(&self.0), judged: 0 })
    }
}

struct Linearizable {
    objects: Arc<Inner>,
    judged: u64,
}

impl Oracle<PlainState> for Linearizable {
    fn name(&self) -> &str {
        "linearizability"
    }

    fn about(&self) -> &str {
        "the history of requests and answers is linearizable"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.judged)
    }

    fn after_step(&mut self, _seen: &Seen<'_, PlainState>) -> Result<(), String> {
        Ok(())
    }

    fn at_end(&mut self, seen: &Seen<'_, PlainState>) -> Result<(), Doubt> {
        let requests = seen.board().requests();
        let mut recorded = Vec::new();
        for (number, request) in (0..).zip(requests) {
            recorded.extend(self.objects.read(number, request)?);
        }
        self.judged += recorded.iter().filter(|operation| operation.outcome == Outcome::Ok).count() as u64;
        let history = understand(self.objects.object, &recorded, self.objects.is_keyed)
            .map_err(|error| Doubt::Unknown(error.message))?;
        match objects::check(&history, SearchLimits::default()) {
            ObjectVerdict::Linearizable(_) => Ok(()),
            ObjectVerdict::Unknown(limit) => Err(Doubt::Unknown(limit.to_string())),
            ObjectVerdict::NotLinearizable(found) => {
                let shown = |place: usize| {
                    let operation = &recorded[history.recorded[found.key][place]];
                    let request = &requests[operation.line];
                    let answer = request.answer.as_deref().unwrap_or("no answer");
                    format!("{} `{}`: {answer}", request.node, request.op)
                };
                let of_key = match history.keys[found.key].0.as_str() {
                    "" => String::new(),
                    key => format!(" of key {key}"),
                };
                let obstacle = found.obstacle.describe(shown);
                Err(Doubt::Violated(format!("no order explains the answers{of_key}: {obstacle}")))
            }
        }
    }
}

impl Inner {
    /// A request as an operation; nothing if it is none of the object's business.
    fn read(&self, number: usize, request: &RequestInfo) -> Result<Option<Recorded>, Doubt> {
        let parse = |text: &str| {
            serde_json::from_str::<Value>(text).map_err(|error| Doubt::Unknown(format!("`{text}`: {error}")))
        };
        let op = parse(&request.op)?;
        let Some(mapped) = self.operations.iter().find(|mapped| mapped.shape.fits(&op)) else {
            return Err(Doubt::Unknown(format!("no `[[request]]` has the shape of `{op}`")));
        };
        let Some(operation) = &mapped.operation else { return Ok(None) };
        let missing =
            |what: &str, within: &Value| format!("`{within}` has no {what} where the file looks for it");
        let part = |what: &str, path: &Option<Path>| match path {
            None => Ok(Item::Nil),
            Some(path) => path.get(&op).map(item).ok_or_else(|| Doubt::Unknown(missing(what, &op))),
        };
        let (key, asked, client) = (
            part("key", &operation.key)?,
            part("value", &operation.value)?,
            part("client", &operation.client)?,
        );
        let answer = request.answer.as_deref().map(parse).transpose()?;
        let failed = |answer: &Value| {
            operation
                .failed
                .as_ref()
                .and_then(|path| path.get(answer))
                .is_some_and(|value| *value != Value::Null)
        };
        let (outcome, answered) = match &answer {
            None => (Outcome::Info, Item::Nil),
            Some(answer) if failed(answer) => (Outcome::Fail, Item::Nil),
            // Only operations that return something are looked into.
            Some(answer) if returns(&operation.name.text) => match operation.answer.get(answer) {
                Some(value) if Some(value) == self.initial.as_ref() => (Outcome::Ok, Item::Nil),
                Some(value) => (Outcome::Ok, item(value)),
                None => {
                    return Err(Doubt::Violated(format!(
                        "{} answered {}",
                        request.node,
                        missing("value", answer)
                    )));
                }
            },
            Some(_) => (Outcome::Ok, Item::Nil),
        };
        let keyed = |value: Item| if self.is_keyed { Item::List(vec![key.clone(), value]) } else { value };
        Ok(Some(Recorded {
            process: client.number().unwrap_or(request.node.number() as i64),
            f: operation.name.text.clone(),
            asked: keyed(asked),
            answered: if outcome == Outcome::Ok { keyed(answered) } else { Item::Nil },
            outcome,
            began: request.requested,
            ended: request.answered,
            times: (None, None),
            line: number,
        }))
    }
}

/// Whether the answer of an operation holds what it found.
fn returns(operation: &str) -> bool {
    matches!(operation, "read" | "dequeue" | "pop")
}

fn item(value: &Value) -> Item {
    match value {
        Value::Null => Item::Nil,
        Value::Truth(truth) => Item::Truth(*truth),
        Value::Integer(number) => Item::Number(*number),
        Value::Large(_) | Value::Float(_) => Item::OtherNumber(value.to_string()),
        Value::Text(text) => Item::Text(text.clone()),
        Value::Bytes(bytes) => Item::List(bytes.iter().map(|byte| Item::Number((*byte).into())).collect()),
        Value::List(values) => Item::List(values.iter().map(item).collect()),
        Value::Map(fields) => {
            Item::Map(fields.iter().map(|(name, value)| (Item::Text(name.clone()), item(value))).collect())
        }
    }
}
