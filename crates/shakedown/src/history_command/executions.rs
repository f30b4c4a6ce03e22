//! Our own executions as histories: what clients asked and were answered.

use std::path::Path;

use serde_json::{Value as Json, json};
use shakedown_campaign::{AnyTarget, CannotReplay, Failure, Silent, guarded};
use shakedown_cluster::{Board, Recording, RequestInfo};
use shakedown_histories::json::operation;

use crate::command_line::{CommandError, find};
#[cfg(feature = "maelstrom")]
use crate::maelstrom_command::refuse_to_start;
use crate::printing::step_time;

/// The history of a failure file as JSON lines; nothing if the text is no failure file.
pub(super) fn replayed(
    targets: &[Box<dyn AnyTarget>],
    path: &Path,
    text: &str,
) -> Result<Option<String>, CommandError> {
    // The first bytes tell: a history of gigabytes is not read twice.
    let beginning: String = text.chars().take(200).filter(|character| !character.is_whitespace()).collect();
    if beginning.starts_with("{\"format\":\"shakedown-trace\"") {
        return Err(CommandError(format!(
            "{} is a trace for a specification, which has no answers to clients: give the failure file, or what `replay \
             FILE --history OUT` writes",
            path.display()
        )));
    }
    if !beginning.starts_with("{\"format\":\"shakedown-failure\"") {
        return Ok(None);
    }
    let kept = Failure::read(path)?;
    #[cfg(feature = "maelstrom")]
    refuse_to_start(&kept, path)?;
    let target = find(targets, &kept.target)?;
    let replayed = guarded(step_time(target), &Silent, kept.found.execution, |beat| {
        kept.replay_watched(target, Recording::Brief, beat)
    });
    let replayed = match replayed {
        Ok(replayed) => replayed,
        Err(CannotReplay::Diverged(divergence)) => return Err(divergence.into()),
        Err(CannotReplay::Begin(error)) => return Err(error.into()),
    };
    let outcome = replayed.outcome.ok_or_else(|| {
        CommandError(format!("{}: no node booted, so that no client asked anything", path.display()))
    })?;
    lines(&outcome.trace.board).map(Some)
}

/// Writes the history of an execution.
pub(crate) fn write(board: &Board, out: &Path) -> Result<(), CommandError> {
    let text = lines(board)?;
    std::fs::write(out, text).map_err(|error| CommandError(format!("{}: {error}", out.display())))
}

/// A line for each request and each answer, in the order of events. A client waits for no other: each request
/// has its own.
fn lines(board: &Board) -> Result<String, CommandError> {
    let mut records = Vec::new();
    for (process, request) in board.requests().iter().enumerate() {
        let (f, asked) = operation(parsed(request, &request.op)?).ok_or_else(|| {
            let text = &request.op;
            CommandError(format!("the request `{text}` of {} has no name of an operation", request.node))
        })?;
        let line = |kind: &str, value: &Json| {
            json!({ "process": process, "type": kind, "f": f, "value": value }).to_string()
        };
        records.push((request.requested, line("invoke", &asked)));
        let (Some(place), Some(answer)) = (request.answered, &request.answer) else { continue };
        let answer = parsed(request, answer)?;
        let record = match (f.as_str(), answer) {
            // Nothing is what a transaction returns that was aborted.
            ("txn", Json::Null) => line("fail", &asked),
            (_, answer) => line("ok", &answer),
        };
        records.push((place, record));
    }
    records.sort_by_key(|(place, _)| *place);
    Ok(records.into_iter().map(|(_, line)| line + "\n").collect())
}

fn parsed(request: &RequestInfo, text: &str) -> Result<Json, CommandError> {
    serde_json::from_str(text)
        .map_err(|error| CommandError(format!("`{text}`, to or from {}, is no JSON: {error}", request.node)))
}
