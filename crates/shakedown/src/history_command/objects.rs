//! Histories of operations on an object: whether they are linearizable.

use serde_json::{Value as Json, json};
use shakedown_check::objects::{NotLinearizable, ObjectHistory, ObjectVerdict, SequentialVerdict};
use shakedown_histories::{Item, Operation, Outcome};

use super::counted;
use crate::command_line::ExitStatus;
use crate::terminal::{paint, print_line};

/// How many operations of the order are printed: the last ones.
const SHOWN_MAX: usize = 12;

pub(super) fn exit_status(verdict: &ObjectVerdict) -> ExitStatus {
    match verdict {
        ObjectVerdict::Linearizable(_) => ExitStatus::Pass,
        ObjectVerdict::NotLinearizable(_) => ExitStatus::Fail,
        ObjectVerdict::Unknown(_) => ExitStatus::Unknown,
    }
}

/// An operation in a few words: what was asked, and what came of it.
pub(super) fn describe(operation: &Operation) -> String {
    let asked = if operation.asked == Item::Nil { &operation.answered } else { &operation.asked };
    let f = &operation.f;
    match operation.outcome {
        Outcome::Ok if operation.asked == Item::Nil => format!("{f} → {}", operation.answered.shown()),
        Outcome::Ok if operation.answered != operation.asked && operation.answered != Item::Nil => {
            format!("{f} {} → {}", asked.shown(), operation.answered.shown())
        }
        Outcome::Ok => format!("{f} {}", asked.shown()),
        Outcome::Fail => format!("{f} {}: failed", asked.shown()),
        Outcome::Info => format!("{f} {}: no answer", asked.shown()),
    }
}

/// The sentence of a verdict.
pub(super) fn sentence(history: &ObjectHistory, recorded: &[Operation], verdict: &ObjectVerdict) -> String {
    match verdict {
        ObjectVerdict::Linearizable(_) => "an order explains every answer".to_owned(),
        ObjectVerdict::Unknown(limit) => limit.to_string(),
        ObjectVerdict::NotLinearizable(found) => {
            let place = history.recorded[found.key][found.culprit];
            let key = match history.keys[found.key].0.as_str() {
                "" => String::new(),
                key => format!(" of key {key}"),
            };
            let first = if found.is_minimal { "" } else { ", or one before it," };
            format!(
                "the answer in line {}{key}{first} cannot be explained by any order",
                recorded[place].line
            )
        }
    }
}

pub(super) fn print(history: &ObjectHistory, recorded: &[Operation], verdict: &ObjectVerdict) {
    let paint = paint();
    let (name, _) = history.object.names();
    let unknown = recorded.iter().filter(|operation| operation.outcome == Outcome::Info).count();
    print_line!(
        "{} on a {name} ({unknown} without an answer), {}",
        counted(history.len(), "operation", "operations"),
        counted(history.keys.len(), "key", "keys")
    );
    let sentence = sentence(history, recorded, verdict);
    match verdict {
        ObjectVerdict::Linearizable(_) => print_line!("\n{}", paint.good(format_args!("PASS: {sentence}"))),
        ObjectVerdict::Unknown(_) => print_line!("\nUNKNOWN: {sentence}"),
        ObjectVerdict::NotLinearizable(found) => {
            print_order(history, recorded, found);
            print_line!("\n{}", paint.bad(format_args!("FAIL: not linearizable: {sentence}")));
        }
    }
}

/// The longest order that was found for the beginning of the history, and what does not fit then.
fn print_order(history: &ObjectHistory, recorded: &[Operation], found: &NotLinearizable) {
    let shown = |place: &usize| {
        let operation = &recorded[history.recorded[found.key][*place]];
        format!("  P{:<5} {:<32} line {}", operation.process, describe(operation), operation.line)
    };
    let order = &found.obstacle.order;
    print_line!("\nthe longest order that was found:");
    let hidden = order.len().saturating_sub(SHOWN_MAX);
    if hidden > 0 {
        print_line!("  ({hidden} earlier ones)");
    }
    for place in &order[hidden..] {
        print_line!("{}", shown(place));
    }
    if let Some(misfit) = &found.obstacle.misfit {
        print_line!("nothing leads to:");
        print_line!("{}", shown(misfit));
    }
}

pub(super) fn as_json(history: &ObjectHistory, recorded: &[Operation], verdict: &ObjectVerdict) -> Json {
    let word = match verdict {
        ObjectVerdict::Linearizable(_) => "pass",
        ObjectVerdict::NotLinearizable(_) => "fail",
        ObjectVerdict::Unknown(_) => "unknown",
    };
    let mut out = json!({
        "verdict": word,
        "model": format!("linearizable:{}", history.object),
        "operations": history.len(),
        "keys": history.keys.len(),
        "text": sentence(history, recorded, verdict),
    });
    if let ObjectVerdict::NotLinearizable(found) = verdict {
        let one = |place: usize| {
            let operation = &recorded[history.recorded[found.key][place]];
            json!({ "line": operation.line, "process": operation.process, "text": describe(operation) })
        };
        out["key"] = json!(history.keys[found.key].0);
        out["culprit"] = one(found.culprit);
        out["order"] = found.obstacle.order.iter().map(|place| one(*place)).collect();
        out["misfit"] = found.obstacle.misfit.map_or(Json::Null, one);
        out["is_minimal"] = json!(found.is_minimal);
    }
    out
}

pub(super) fn sequential_status(verdict: &SequentialVerdict) -> ExitStatus {
    match verdict {
        SequentialVerdict::Consistent(_) => ExitStatus::Pass,
        SequentialVerdict::Inconsistent(_) => ExitStatus::Fail,
        SequentialVerdict::Unknown(_) => ExitStatus::Unknown,
    }
}

pub(super) fn print_sequential(history: &ObjectHistory, recorded: &[Operation], verdict: &SequentialVerdict) {
    let paint = paint();
    print_line!(
        "{} on a {}, {}",
        counted(history.len(), "operation", "operations"),
        history.object,
        counted(history.keys.len(), "key", "keys")
    );
    match verdict {
        SequentialVerdict::Consistent(_) => {
            print_line!(
                "\n{}",
                paint.good("PASS: one order explains every answer, in the order of each client")
            );
        }
        SequentialVerdict::Unknown(limit) => print_line!("\nUNKNOWN: {limit}"),
        SequentialVerdict::Inconsistent(order) => {
            print_line!("\nthe longest order that was found:");
            for (key, place) in order.iter().skip(order.len().saturating_sub(SHOWN_MAX)) {
                let operation = &recorded[history.recorded[*key][*place]];
                print_line!(
                    "  P{:<5} {:<32} line {}",
                    operation.process,
                    describe(operation),
                    operation.line
                );
            }
            let sentence = "FAIL: no order explains every answer, in the order of each client";
            print_line!("\n{}", paint.bad(sentence));
        }
    }
}

pub(super) fn sequential_json(
    history: &ObjectHistory,
    recorded: &[Operation],
    verdict: &SequentialVerdict,
) -> Json {
    let (word, order) = match verdict {
        SequentialVerdict::Consistent(order) => ("pass", order.as_slice()),
        SequentialVerdict::Inconsistent(order) => ("fail", order.as_slice()),
        SequentialVerdict::Unknown(_) => ("unknown", [].as_slice()),
    };
    let lines: Vec<usize> =
        order.iter().map(|(key, place)| recorded[history.recorded[*key][*place]].line).collect();
    json!({
        "verdict": word,
        "model": format!("sequential:{}", history.object),
        "operations": history.len(),
        "order": lines,
    })
}
