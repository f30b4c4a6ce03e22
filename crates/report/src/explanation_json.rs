//! An explanation as JSON.

use serde_json::{Value, json};
use shakedown_campaign::{Chance, Change, ExplainedStep, Failure, Need, Swap, SwapResult};
use shakedown_cluster::Trace;

use crate::Explained;
use crate::alignment::Alignment;

/// The version of the format: it changes when a field gets another meaning or goes.
const VERSION: u32 = 1;

/// Everything that is known of why a failure failed. `trace` is its replay.
pub fn explanation_json(failure: &Failure, explained: &Explained, trace: &Trace) -> Value {
    let explanation = &explained.explanation;
    let jump = explanation.largest_jump().map(
        |(step, before, after)| json!({ "step": step.number, "from": before.rate(), "to": after.rate() }),
    );
    let nearest = explanation.nearest.as_ref().map(|nearest| {
        let parts = explained.passing.as_ref().and_then(|passing| Alignment::of(trace, passing).parts_at());
        json!({
            "change": change(&nearest.change),
            "steps": nearest.steps,
            "first_difference": parts.map(|(failing, passing)| json!({ "failing": failing, "passing": passing })),
        })
    });
    json!({
        "format": "shakedown-explanation",
        "version": VERSION,
        "target": failure.target,
        "target_version": failure.target_version,
        "property": explanation.violation.property,
        "reason": explanation.violation.reason,
        "paragraph": explained.paragraph(),
        "slice": {
            "steps": explanation.needed().map(|step| step.number).collect::<Vec<_>>(),
            "of": explanation.steps.len(),
            "is_minimal": explanation.is_minimal,
        },
        "continuation": {
            "count": explanation.continuation.count,
            "steps_max": explanation.continuation.steps_max,
            "is_everywhere": explanation.continuation.is_everywhere,
        },
        "at_boot": chance(explanation.at_boot),
        "largest_jump": jump,
        "steps": explanation.steps.iter().map(step).collect::<Vec<_>>(),
        "swaps": explanation.swaps.iter().map(swap).collect::<Vec<_>>(),
        "nearest": nearest,
        "forbidden": explained.forbidden.as_ref().map(|step| {
            json!({ "step": step.number, "action": step.what.action, "reason": step.what.reason })
        }),
        "executions": explanation.executions,
    })
}

fn step(step: &ExplainedStep) -> Value {
    let (freedom, others) = match &step.need {
        Need::Needed => (None, &[][..]),
        Need::FreeAlone => (Some("alone"), &[][..]),
        Need::FreeToMove => (Some("to-move"), &[][..]),
        Need::FreeWith(others) => (Some("with"), &others[..]),
        Need::FreeTogether => (Some("together"), &[][..]),
    };
    json!({
        "number": step.number,
        "step": step.step,
        "needed": step.need == Need::Needed,
        "free": freedom,
        "free_with": others,
        "in_past": step.is_in_past,
        "chance": step.chance.map(chance),
    })
}

fn chance(chance: Chance) -> Value {
    let Chance { met, other, of, low, high } = chance;
    json!({ "met": met, "other": other, "of": of, "rate": chance.rate(), "low": low, "high": high })
}

fn swap(swap: &Swap) -> Value {
    let result = match swap.result {
        SwapResult::Stays => "stays",
        SwapResult::Passes => "passes",
        SwapResult::Other => "other",
        SwapResult::Impossible => "impossible",
        SwapResult::Same => "same",
    };
    json!({ "first": swap.first, "second": swap.first + 1, "result": result })
}

fn change(change: &Change) -> Value {
    match change {
        Change::Swapped(first) => json!({ "kind": "swapped", "first": first, "second": first + 1 }),
        Change::Delayed { step, after } => json!({ "kind": "delayed", "step": step, "after": after }),
        Change::Lost(step) => json!({ "kind": "lost", "step": step }),
        Change::Dropped { step, others } => json!({ "kind": "dropped", "step": step, "others": others }),
    }
}
