//! A report in words, as TLC puts them, and as JSON.

use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::check::{Outcome, Report, Trace, Violation, ViolationKind};

/// Prints a report.
pub(super) fn print_report(report: &Report, took: Duration) {
    for line in &report.output {
        println!("{line}");
    }
    match &report.outcome {
        Outcome::Success => println!("Model checking completed. No error has been found."),
        Outcome::Violation(violation) => {
            println!("Error: {}", sentence(violation));
            print!("{}", violation.trace);
        }
        Outcome::Error(error, trace) => {
            println!("Error: {error}");
            if !trace.steps.is_empty() {
                println!("The behaviour up to this point is:");
            }
            print!("{trace}");
        }
        Outcome::Limit(message) => println!("Stopped: {message}; what follows is as far as it came."),
    }
    println!(
        "{} states generated, {} distinct states found, {} states left on queue.",
        report.generated, report.distinct, report.queue
    );
    let whole = if matches!(report.outcome, Outcome::Limit(_)) { "unfinished" } else { "complete" };
    println!("The depth of the {whole} state graph search is {}.", report.depth);
    println!("Probability of a fingerprint collision: {:.1e}", report.collision_probability());
    for action in report.actions.iter().filter(|action| action.generated > 0) {
        println!("  {}: {} generated, {} distinct", action.name, action.generated, action.distinct);
    }
    let never: Vec<&str> =
        report.actions.iter().filter(|a| a.generated == 0).map(|a| a.name.as_str()).collect();
    if !never.is_empty() && matches!(report.outcome, Outcome::Success) {
        println!("  never taken: {}", never.join(", "));
    }
    println!("Finished in {:.3} s", took.as_secs_f64());
}

/// What does not hold.
fn sentence(violation: &Violation) -> String {
    let name = violation.name;
    let mut text = match violation.kind {
        ViolationKind::Assumption => "Assumption is false.".to_string(),
        ViolationKind::Deadlock => "Deadlock reached.".to_string(),
        ViolationKind::Invariant => format!("Invariant {name} is violated."),
        ViolationKind::InitialProperty => format!("Property {name} is violated by the initial state."),
        ViolationKind::StepProperty => format!("Action property {name} is violated."),
        ViolationKind::Liveness => format!("Temporal property {name} is violated."),
        ViolationKind::Assertion => "The first argument of Assert evaluated to FALSE.".to_string(),
        ViolationKind::Postcondition => format!("Postcondition {name} is violated."),
    };
    if !violation.message.is_empty() {
        text.push(' ');
        text.push_str(&violation.message);
    }
    text
}

/// A report as JSON.
pub(super) fn report_json(report: &Report) -> Json {
    let (outcome, message, trace) = match &report.outcome {
        Outcome::Success => ("success", String::new(), None),
        Outcome::Violation(violation) => ("violation", sentence(violation), Some(&violation.trace)),
        Outcome::Error(error, trace) => ("error", error.to_string(), Some(trace)),
        Outcome::Limit(message) => ("limit", message.clone(), None),
    };
    let actions = report.actions.iter().map(|action| {
        json!({ "name": action.name.as_str(), "generated": action.generated, "distinct": action.distinct })
    });
    json!({
        "outcome": outcome,
        "message": message,
        "exit_code": report.exit_code(),
        "generated": report.generated,
        "distinct": report.distinct,
        "depth": report.depth,
        "queue": report.queue,
        "collision_probability": report.collision_probability(),
        "actions": actions.collect::<Vec<_>>(),
        "output": report.output,
        "trace": trace.map(trace_json),
    })
}

fn trace_json(trace: &Trace) -> Json {
    let steps = trace.steps.iter().map(|step| {
        let names = step.variables.iter().map(|(name, _)| name.to_string());
        let state: serde_json::Map<String, Json> = names.zip(step.json.iter().cloned()).collect();
        json!({ "action": step.action, "state": state })
    });
    json!({ "steps": steps.collect::<Vec<_>>(), "back_to": trace.back_to })
}
