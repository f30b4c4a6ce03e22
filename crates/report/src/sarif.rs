//! SARIF 2.1.0: what code-scanning services read. Rules are causes, results are findings, and the schedule of
//! a finding is its thread flow.

use serde_json::{Value, json};
use shakedown_campaign::{Cause, Verdict};

use crate::FindingReport;
use crate::escape::plain;

/// The longest name of a rule, in characters: services refuse longer ones.
const NAME_MAX: usize = 250;
/// The longest message.
const TEXT_MAX: usize = 2_000;
/// The most steps of a thread flow; of a longer schedule the last ones.
const STEPS_MAX: usize = 1_000;

/// A SARIF log with one run. Findings of one cause ([`Cause`]) share its rule, and can be followed from run
/// to run by it: it is the fingerprint too. A panic is located at its source line.
///
/// A log without results looks like a pass to its readers. If the verdict is unknown, the log says that the
/// tool did not succeed, and why.
pub fn sarif(verdict: &Verdict, findings: &[FindingReport]) -> Value {
    let mut rules: Vec<Rule> = Vec::new();
    let results: Vec<Value> = findings
        .iter()
        .map(|finding| {
            let cause = Cause::of(&finding.failure.violation);
            let rule = Rule {
                id: plain(&cause.label(), NAME_MAX),
                holds: match &cause.place {
                    Some(_) => "nothing panics there".to_owned(),
                    None => plain(&format!("{} holds", cause.property), NAME_MAX),
                },
            };
            let index = rules.iter().position(|known| known.id == rule.id).unwrap_or_else(|| {
                rules.push(rule.clone());
                rules.len() - 1
            });
            result(finding, &rule.id, &cause, index)
        })
        .collect();
    let rule = |rule: &Rule| {
        json!({
            "id": rule.id,
            "shortDescription": { "text": rule.holds },
            "defaultConfiguration": { "level": "error" },
        })
    };
    json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Shakedown",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(rule).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "invocations": [invocation(verdict)],
            "results": results,
        }],
    })
}

fn invocation(verdict: &Verdict) -> Value {
    match verdict.unknown_reason() {
        None => json!({ "executionSuccessful": true }),
        Some(reason) => json!({
            "executionSuccessful": false,
            "toolExecutionNotifications": [{
                "level": "error",
                "message": { "text": plain(&format!("inconclusive: {reason}"), TEXT_MAX) },
            }],
        }),
    }
}

fn result(finding: &FindingReport, rule: &str, cause: &Cause, index: usize) -> Value {
    let failure = &finding.failure;
    let steps = &failure.schedule.steps;
    let replay =
        if finding.replay.is_empty() { String::new() } else { format!("\nReplay: {}", finding.replay) };
    let message = format!("{}{replay}", failure.violation.reason);
    let mut result = json!({
        "ruleId": rule,
        "ruleIndex": index,
        "level": "error",
        "message": { "text": plain(&message, TEXT_MAX) },
        "locations": [location(finding, cause)],
        "partialFingerprints": { "shakedownCause/v1": rule },
        "properties": {
            "target": plain(&failure.target, NAME_MAX),
            "targetVersion": plain(&failure.target_version, NAME_MAX),
            "strategy": plain(&failure.found.strategy, NAME_MAX),
            "seed": failure.found.campaign_seed.to_string(),
            "execution": failure.found.execution,
            "nodes": failure.config.nodes,
            "steps": steps.len(),
            "executions": finding.causes.values().sum::<u64>().max(1),
            "trace": plain(&failure.fingerprint, NAME_MAX),
        },
    });
    if finding.is_known {
        result["baselineState"] = json!("unchanged");
        result["level"] = json!("note");
    }
    if !steps.is_empty() {
        let first = steps.len().saturating_sub(STEPS_MAX);
        let flow: Vec<_> = steps[first..]
            .iter()
            .enumerate()
            .map(|(place, step)| {
                json!({
                    "executionOrder": first + place + 1,
                    "location": { "message": { "text": plain(&step.to_string(), TEXT_MAX) } },
                })
            })
            .collect();
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": flow }] }]);
    }
    result
}

/// A rule: a cause, and what should hold instead.
#[derive(Clone)]
struct Rule {
    id: String,
    holds: String,
}

/// The source line of a panic; else the failure file, where there is one; else the target by name.
fn location(finding: &FindingReport, cause: &Cause) -> Value {
    let target = json!({ "name": plain(&finding.failure.target, NAME_MAX), "kind": "module" });
    match (&cause.place, &finding.file) {
        (Some(place), _) => json!({
            "physicalLocation": {
                "artifactLocation": { "uri": uri(&place.file) },
                "region": { "startLine": place.line, "startColumn": place.column },
            },
            "logicalLocations": [target],
        }),
        (None, Some(file)) => json!({
            "physicalLocation": {
                "artifactLocation": { "uri": uri(file) },
                "region": { "startLine": 1 },
            },
            "logicalLocations": [target],
        }),
        (None, None) => json!({ "logicalLocations": [target] }),
    }
}

/// A path as a URI reference: what is not unreserved is percent-encoded.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte as char)
            }
            b'\\' => uri.push('/'),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}
