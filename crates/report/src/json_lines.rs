//! Campaigns as JSON lines: one record a line, for those who read them with programs of their own. The schema
//! is in `docs/formats.md`; records get new fields, but none goes away or changes its meaning without a new
//! `version`.

use serde_json::{Value, json};
use shakedown_campaign::{Plan, Standing};

/// The version of the records.
const VERSION: u32 = 1;

/// The records of one campaign: what it was to do, how its coverage grew, what it found, and what it came to.
pub fn json_lines(number: usize, plan: &Plan, standing: &Standing, is_over: bool) -> Vec<Value> {
    let mut lines = vec![json!({
        "record": "campaign", "version": VERSION, "campaign": number, "plan": plan,
    })];
    for coverage in &standing.coverage {
        for point in coverage.whole_curve(standing.executions) {
            lines.push(json!({
                "record": "coverage", "campaign": number, "guide": coverage.guide,
                "executions": point.executions, "covered": point.covered,
            }));
        }
    }
    for finding in &standing.findings {
        let failure = &finding.failure;
        lines.push(json!({
            "record": "finding", "campaign": number, "property": failure.violation.property,
            "reason": failure.violation.reason, "execution": failure.found.execution, "hits": finding.hits,
            "steps_found": failure.found.steps, "steps": failure.schedule.steps.len(),
            "is_shrunk": failure.found.shrunk, "file": finding.path, "failure": failure,
        }));
    }
    for tally in standing.all_properties(plan).tallies {
        lines.push(json!({
            "record": "property", "campaign": number, "property": tally.name, "evaluations": tally.evaluations,
            "premise": tally.premise, "held": tally.held, "violated": tally.violated,
            "inconclusive": tally.inconclusive,
        }));
    }
    let verdict = standing.verdict(plan.executions);
    lines.push(json!({
        "record": "summary", "verdict": verdict.word(), "verdict_reason": verdict.unknown_reason(), "campaign": number, "is_over": is_over, "executions": standing.executions,
        "failed": standing.failed, "unknown": standing.unknown, "seconds": standing.elapsed.as_secs_f64(),
        "seconds_shrinking": standing.shrinking.as_secs_f64(),
        "seconds_keeping": standing.keeping.as_secs_f64(),
        "fingerprint": standing.fingerprint().to_string(), "steps": standing.tally.all_steps(),
        "messages_sent": standing.tally.sent, "messages_lost": standing.tally.lost,
    }));
    lines
}
