//! `shakedown replay` of several files, and of folders: a table of what has become of each failure; and
//! `--bisect`.

use std::path::PathBuf;

use serde_json::json;
use shakedown_campaign::{AnyTarget, Failure};
use shakedown_report::{Painted, Text, line};

use crate::command_error::CommandError;
use crate::command_line::find;
use crate::exit_status::ExitStatus;
#[cfg(feature = "maelstrom")]
use crate::maelstrom_command::refuse_to_start;
use crate::printing::step_time;
use crate::regressions::{Fate, Tried, counted, files_in};
use crate::terminal::{paint, print, print_json, print_line};

/// What several failures have come to, as one verdict.
fn verdict_on(tried: &[Tried]) -> ExitStatus {
    match tried {
        _ if tried.iter().any(|tried| tried.fate.is_failure()) => ExitStatus::Fail,
        _ if tried.iter().all(|tried| tried.fate == Fate::Fixed) => ExitStatus::Pass,
        _ => ExitStatus::Unknown,
    }
}

/// What `git bisect run` is to make of a commit: good if all are fixed, bad if one still fails, otherwise it
/// cannot be tested.
pub(crate) fn bisected(tried: &[Tried]) -> ExitStatus {
    match tried {
        _ if tried.iter().any(|tried| tried.fate == Fate::StillFails) => ExitStatus::Fail,
        _ if tried.iter().all(|tried| tried.fate == Fate::Fixed) => ExitStatus::Pass,
        _ => ExitStatus::Skip,
    }
}

/// The files that are named, and those of the folders that are.
pub(crate) fn all_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, CommandError> {
    let mut files = Vec::new();
    for path in paths {
        match path.is_dir() {
            true => files.extend(files_in(path)?),
            false => files.push(path.clone()),
        }
    }
    if files.is_empty() {
        let paths: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
        return Err(CommandError(format!("there is no failure file in {}", paths.join(", "))));
    }
    Ok(files)
}

/// Reads and tries these files. One of a target that is not here is inconclusive.
pub(crate) fn try_files(
    targets: &[Box<dyn AnyTarget>],
    files: Vec<PathBuf>,
) -> Result<Vec<Tried>, CommandError> {
    let mut tried = Vec::new();
    for path in files {
        let failure = Failure::read(&path)?;
        let target = find(targets, &failure.target);
        #[cfg(feature = "maelstrom")]
        let target = refuse_to_start(&failure, &path).and(target);
        let fate = match target {
            Ok(target) => Fate::of(target, &failure, step_time(target)),
            Err(CommandError(reason)) => Fate::Inconclusive(reason),
        };
        tried.push(Tried { path, failure, fate });
    }
    Ok(tried)
}

/// Replays several files and prints a table of them.
pub(crate) fn replay_several(
    targets: &[Box<dyn AnyTarget>],
    paths: &[PathBuf],
    as_json: bool,
) -> Result<ExitStatus, CommandError> {
    let tried = try_files(targets, all_files(paths)?)?;
    let verdict = verdict_on(&tried);
    if as_json {
        let word = ["pass", "fail", "unknown"][verdict as usize];
        print_json(&json!({ "verdict": word, "failures": tried.iter().map(as_value).collect::<Vec<_>>() }));
        return Ok(verdict);
    }
    print(&table(&tried));
    let counts = counted(&tried);
    print_line!(
        "\n  {}",
        match verdict {
            ExitStatus::Fail => paint().bad(format_args!("FAIL: {counts}")),
            ExitStatus::Pass => paint().good(format_args!("PASS: {counts}")),
            _ => paint().warn(format_args!("UNKNOWN: {counts}")),
        }
    );
    Ok(verdict)
}

/// A failure and its fate as JSON.
pub(crate) fn as_value(tried: &Tried) -> serde_json::Value {
    let Tried { path, failure, fate } = tried;
    let mut value = json!({
        "file": path.to_string_lossy(),
        "target": failure.target,
        "property": failure.violation.property,
        "fate": fate.word(),
        "detail": fate.detail(),
    });
    if let Fate::NoLongerFits { step, .. } = fate {
        value["step"] = json!(step);
    }
    value
}

/// One line for each failure.
pub(crate) fn table(tried: &[Tried]) -> Text {
    let name = |tried: &Tried| tried.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let widest = tried.iter().map(|tried| name(tried).chars().count()).max().unwrap_or(0).min(NAME_MAX);
    let mut text = Text::new();
    for tried in tried {
        let detail = tried.fate.detail();
        let detail = if detail.is_empty() { &tried.failure.violation.property } else { &detail };
        line!(text, "  {:<15}  {:<widest$}  {detail}", painted(&tried.fate), name(tried));
    }
    text
}

/// The widest column of names.
const NAME_MAX: usize = 80;

fn painted(fate: &Fate) -> Painted {
    match fate {
        fate if fate.is_failure() => paint().bad(fate.word()),
        Fate::Fixed => paint().good(fate.word()),
        _ => paint().warn(fate.word()),
    }
}
