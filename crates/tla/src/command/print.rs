//! A report in words, as TLC puts them, and as JSON.

use std::io::{Result, Write};
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::check::{Outcome, Report, Trace, Violation, ViolationKind};

/// Writes the report of a check.
pub(super) fn write_check(out: &mut dyn Write, report: &Report, took: Duration) -> Result<()> {
    write_outcome(out, report, "Model checking")?;
    let whole = if matches!(report.outcome, Outcome::Limit(_)) { "unfinished" } else { "complete" };
    writeln!(
        out,
        "{} states generated, {} distinct states found, {} states left on queue.",
        report.generated, report.distinct, report.queue
    )?;
    writeln!(out, "The depth of the {whole} state graph search is {}.", report.depth)?;
    writeln!(out, "Probability of a fingerprint collision: {:.1e}", report.collision_probability())?;
    for action in report.actions.iter().filter(|action| action.generated > 0) {
        writeln!(out, "  {}: {} generated, {} distinct", action.name, action.generated, action.distinct)?;
    }
    let never: Vec<&str> =
        report.actions.iter().filter(|a| a.generated == 0).map(|a| a.name.as_str()).collect();
    if !never.is_empty() && matches!(report.outcome, Outcome::Success) {
        writeln!(out, "  never taken: {}", never.join(", "))?;
    }
    writeln!(out, "Finished in {:.3} s", took.as_secs_f64())
}

/// Writes the report of a simulation, which does not know how many states there are.
pub(super) fn write_simulation(out: &mut dyn Write, report: &Report, took: Duration) -> Result<()> {
    write_outcome(out, report, "Simulation")?;
    let behaviours = if report.behaviours == 1 { "behaviour" } else { "behaviours" };
    writeln!(
        out,
        "{} {behaviours} simulated, {} states generated; the longest behaviour has {} states.",
        report.behaviours, report.generated, report.depth
    )?;
    writeln!(out, "Finished in {:.3} s", took.as_secs_f64())
}

/// What the specification printed, and what came out.
fn write_outcome(out: &mut dyn Write, report: &Report, what: &str) -> Result<()> {
    for line in &report.output {
        writeln!(out, "{line}")?;
    }
    for warning in &report.warnings {
        writeln!(out, "Warning: {warning}.")?;
    }
    match &report.outcome {
        Outcome::Success => writeln!(out, "{what} completed. No error has been found."),
        Outcome::Violation(violation) => {
            writeln!(out, "Error: {}", sentence(violation))?;
            write!(out, "{}", violation.trace)
        }
        Outcome::Error(error, trace) => {
            writeln!(out, "Error: {error}")?;
            if !trace.steps.is_empty() {
                writeln!(out, "The behaviour up to this point is:")?;
            }
            write!(out, "{trace}")
        }
        Outcome::Limit(message) => {
            writeln!(out, "Stopped: {message}; what follows is as far as it came.")
        }
    }
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

/// The report of a simulation as JSON: what only a check knows is null.
pub(super) fn simulation_json(report: &Report) -> Json {
    let mut json = report_json(report);
    for unknown in ["distinct", "queue", "collision_probability"] {
        json[unknown] = Json::Null;
    }
    json["behaviours"] = json!(report.behaviours);
    json
}

/// The report of a check as JSON.
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
        "warnings": report.warnings,
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
