//! Logs: the check of `crates/histories` over sends and polls; and committed offsets.

use std::collections::BTreeMap;

use serde_json::Value;
use shakedown_cluster::{Board, NodeId};
use shakedown_histories::{Item, Operation, Outcome, workloads};

use super::{Became, asked, final_answers, is_final};

/// The pairs of an offset and a message that a poll returned for a key.
fn pairs<'a>(answer: &'a Value, key: &str) -> impl Iterator<Item = (i64, &'a Value)> {
    let list = answer["msgs"].get(key).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(|pair| Some((pair.get(0)?.as_i64()?, pair.get(1)?)))
}

/// The highest offset of a key that a node returned in polls after the network was healed.
pub(crate) fn polled_by(board: &Board, node: NodeId, key: &str) -> Option<i64> {
    let of_node = board.requests().iter().filter(|request| request.node == node && is_final(&asked(request)));
    let offsets = of_node.filter_map(|request| match Became::of(request) {
        Became::Done(answer) => pairs(&answer, key).map(|(offset, _)| offset).max(),
        _ => None,
    });
    offsets.max()
}

/// Nothing is lost, doubled, reordered, skipped or unseen.
pub(super) fn check(board: &Board) -> Result<(), String> {
    final_answers(board)?;
    let check = workloads::workload("kafka").ok_or("there is no check of logs")?.check;
    let rules = workloads::Rules { most_of_a_kind: 1, ..workloads::Rules::default() };
    let problems = check(&operations(board)?, rules).map_err(|error| error.to_string())?;
    match problems.problems.first() {
        Some(problem) => Err(format!("{}: {}", problem.kind, problem.text)),
        None => Ok(()),
    }
}

fn operations(board: &Board) -> Result<Vec<Operation>, String> {
    let mut operations = Vec::new();
    for (number, request) in board.requests().iter().enumerate() {
        let asked = asked(request);
        let became = Became::of(request);
        let outcome = match &became {
            Became::Done(_) => Outcome::Ok,
            Became::Refused(_) => Outcome::Fail,
            Became::Unknown => Outcome::Info,
        };
        let (f, parts) = match (asked["type"].as_str(), &became) {
            (Some("send"), Became::Done(answer)) => {
                let offset = answer["offset"].as_i64().ok_or_else(|| {
                    format!("{} answered a send with {answer}, which has no `offset`", request.node)
                })?;
                (
                    "send",
                    vec![item(&asked["key"]), Item::List(vec![Item::Number(offset), item(&asked["msg"])])],
                )
            }
            (Some("send"), _) => ("send", vec![item(&asked["key"]), item(&asked["msg"])]),
            (Some("poll"), Became::Done(answer)) => match answer.get("msgs") {
                Some(logs @ Value::Object(_)) => ("poll", vec![item(logs)]),
                _ => {
                    return Err(format!(
                        "{} answered a poll with {answer}, which has no `msgs`",
                        request.node
                    ));
                }
            },
            _ => continue,
        };
        let mut operation = vec![Item::Text(f.to_owned())];
        operation.extend(parts);
        operations.push(Operation {
            // Every request has a client of its own, which asks nothing else.
            process: number as i64,
            f: f.to_owned(),
            asked: Item::List(vec![Item::List(operation)]),
            answered: Item::Nil,
            outcome,
            began: request.requested,
            ended: request.answered,
            times: (None, None),
            line: number + 1,
        });
    }
    Ok(operations)
}

fn item(value: &Value) -> Item {
    match value {
        Value::Null => Item::Nil,
        Value::Bool(truth) => Item::Truth(*truth),
        Value::Number(number) => {
            number.as_i64().map_or_else(|| Item::OtherNumber(number.to_string()), Item::Number)
        }
        Value::String(text) => Item::Text(text.clone()),
        Value::Array(values) => Item::List(values.iter().map(item).collect()),
        Value::Object(fields) => {
            Item::Map(fields.iter().map(|(name, value)| (Item::Text(name.clone()), item(value))).collect())
        }
    }
}

/// No committed offset is higher than any that a client committed, and none is lower than one that the same
/// node has acknowledged before it was asked. Offsets are committed in rising order.
pub(super) fn committed(board: &Board) -> Result<(), String> {
    let mut asked_for: BTreeMap<String, i64> = BTreeMap::new();
    // Acknowledged commits: the key, the node, when it was acknowledged, and the offset.
    let mut acknowledged: Vec<(String, NodeId, u32, i64)> = Vec::new();
    for request in board.requests() {
        let body = asked(request);
        let Some(offsets) = body["offsets"].as_object().filter(|_| body["type"] == "commit_offsets") else {
            continue;
        };
        for (key, offset) in offsets.iter().filter_map(|(key, offset)| Some((key, offset.as_i64()?))) {
            let highest = asked_for.entry(key.clone()).or_insert(offset);
            *highest = offset.max(*highest);
            if let (Became::Done(_), Some(at)) = (Became::of(request), request.answered) {
                acknowledged.push((key.clone(), request.node, at, offset));
            }
        }
    }
    for request in board.requests() {
        let (Became::Done(answer), "list_committed_offsets") =
            (Became::of(request), asked(request)["type"].as_str().unwrap_or_default())
        else {
            continue;
        };
        let node = request.node;
        let listed = |key: &str| answer["offsets"].get(key).and_then(Value::as_i64);
        for (key, offset) in answer["offsets"].as_object().into_iter().flatten() {
            let highest = asked_for.get(key).copied();
            if offset.as_i64().is_some_and(|offset| offset > highest.unwrap_or(-1).max(0)) {
                return Err(format!("{node} lists offset {offset} of {key}, but no client committed it"));
            }
        }
        let lives = board.node(node).lives;
        let keys = asked(request)["keys"].as_array().cloned().unwrap_or_default();
        let before = acknowledged.iter().filter(|(key, of, at, _)| {
            *of == node
                && *at < request.requested
                && lives == 1
                && keys.iter().any(|asked| asked == key.as_str())
        });
        for (key, _, _, offset) in before {
            if listed(key).is_none_or(|listed| listed < *offset) {
                let shown =
                    listed(key).map_or_else(|| "nothing".to_owned(), |listed| format!("offset {listed}"));
                return Err(format!("{node} acknowledged offset {offset} of {key}, and then lists {shown}"));
            }
        }
    }
    Ok(())
}
