//! `shakedown list`: the campaigns in folders, with their cases, dates and verdicts.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use serde_json::{Value, json};
use shakedown_campaign::{AnyTarget, Plan};
use shakedown_report::{changed_options, grouped};
use shakedown_store::{Kept, Store, StoreError, last_change};

use crate::command_error::CommandError;
use crate::exit_status::ExitStatus;
use crate::kept_command::verdict_of;
use crate::terminal::{paint, print_json, print_line};

/// How deep `list` looks for campaigns.
pub(crate) const LIST_DEPTH: usize = 3;

#[derive(Args)]
pub(crate) struct List {
    /// Where to look
    #[arg(default_value = ".")]
    folders: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn list(targets: &[Box<dyn AnyTarget>], options: &List) -> Result<ExitStatus, CommandError> {
    let paint = paint();
    let mut found = Vec::new();
    for folder in &options.folders {
        // A folder below this one may be anything; one that is named has to be there.
        std::fs::read_dir(folder).map_err(|error| CommandError(format!("{}: {error}", folder.display())))?;
        look_for_stores(folder, LIST_DEPTH, &mut found);
    }
    let mut status = ExitStatus::Pass;
    let mut all = Vec::new();
    if !found.is_empty() && !options.json {
        let head = "folder, date of the last change (UTC); below it: what was run, how far, what was found, the verdict";
        print_line!("{}", paint.faint(head));
    }
    for folder in &found {
        let campaigns = match Store::look_at(folder).and_then(|store| store.joined_campaigns()) {
            Ok(campaigns) => campaigns,
            Err(error) => {
                match options.json {
                    true => all.push(json!({ "folder": folder, "error": error.to_string() })),
                    false => print_line!("{}", paint.warn(&error)),
                }
                if !matches!(error, StoreError::NotBegun { .. }) {
                    status = ExitStatus::Unknown;
                }
                continue;
            }
        };
        let date = date_of(folder);
        if options.json {
            all.extend(campaigns.iter().map(|kept| as_json(targets, folder, &date, kept)));
            continue;
        }
        print_line!("{}  {}", paint.strong(folder.display()), paint.faint(&date));
        for kept in &campaigns {
            print_line!("    {}", line_of(targets, kept));
            for note in &kept.notes {
                print_line!("    {}", paint.warn(note));
            }
        }
    }
    if options.json {
        print_json(&Value::Array(all));
    } else if found.is_empty() {
        print_line!("no campaign was found: `shakedown run TARGET --keep DIR` stores one");
    }
    Ok(status)
}

/// The options of a campaign that are not the target's defaults; all of them if the target is not here.
pub(crate) fn case_of(targets: &[Box<dyn AnyTarget>], plan: &Plan) -> String {
    match targets.iter().find(|target| target.name() == plan.target) {
        Some(target) => changed_options(target.as_ref(), &plan.config),
        None => {
            let options = plan.config.options.iter().map(|(name, value)| format!("{name}={value}"));
            options.collect::<Vec<_>>().join(", ")
        }
    }
}

fn state_of(kept: &Kept) -> &'static str {
    match (kept.is_over, kept.standing.as_ref().map_or(0, |standing| standing.executions)) {
        (true, _) => "over",
        (false, 0) => "not begun",
        (false, _) => "to be resumed",
    }
}

/// A campaign in one line.
fn line_of(targets: &[Box<dyn AnyTarget>], kept: &Kept) -> String {
    let Plan { target, strategy, seed, executions, .. } = &kept.plan;
    let (done, findings) =
        kept.standing.as_ref().map_or((0, 0), |standing| (standing.executions, standing.findings.len()));
    let case = match case_of(targets, &kept.plan) {
        case if case.is_empty() => String::new(),
        case => format!(" ({case})"),
    };
    let parts = match kept.parts {
        1 => String::new(),
        parts => format!(", in {parts} parts"),
    };
    format!(
        "{target}{case} with {strategy}, seed {seed}: {} of {} executions, {findings} found, {}{parts}: {}",
        grouped(done),
        grouped(*executions),
        state_of(kept),
        verdict_of(kept).word()
    )
}

fn as_json(targets: &[Box<dyn AnyTarget>], folder: &Path, date: &str, kept: &Kept) -> Value {
    let verdict = verdict_of(kept);
    let standing = kept.standing.as_ref();
    json!({
        "folder": folder,
        "changed": date,
        "target": kept.plan.target,
        "target_version": kept.plan.target_version,
        "case": case_of(targets, &kept.plan),
        "strategy": kept.plan.strategy,
        "seed": kept.plan.seed,
        "planned": kept.plan.executions,
        "executions": standing.map_or(0, |standing| standing.executions),
        "found": standing.map_or(0, |standing| standing.findings.len()),
        "state": state_of(kept),
        "parts": kept.parts,
        "verdict": verdict.word(),
        "verdict_reason": verdict.unknown_reason(),
        "notes": kept.notes,
    })
}

/// The folders with stores in and below a folder, in order. Links are not followed.
pub(crate) fn look_for_stores(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    if Store::is_in(folder) {
        found.push(folder.to_owned());
    }
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    if depth == 0 {
        return;
    }
    let mut below: Vec<_> = entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect();
    below.sort();
    for folder in below {
        look_for_stores(&folder, depth - 1, found);
    }
}

/// When the files of a store were changed last, to the minute; empty if that is not known.
fn date_of(folder: &Path) -> String {
    last_change(folder).map(|(changed, _)| date(changed)).unwrap_or_default()
}

/// A moment as `2026-01-31 23:59`.
pub(crate) fn date(moment: SystemTime) -> String {
    let seconds = moment.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (mut days, minutes) = (seconds / 86_400, seconds % 86_400 / 60);
    let is_leap = |year: u64| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let months = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= months[month] {
        days -= months[month];
        month += 1;
    }
    format!("{year}-{:02}-{:02} {:02}:{:02}", month + 1, days + 1, minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let at = |seconds| date(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01 00:00");
        assert_eq!(at(951_782_399), "2000-02-28 23:59");
        assert_eq!(at(951_782_400), "2000-02-29 00:00");
        assert_eq!(at(951_868_800), "2000-03-01 00:00");
        assert_eq!(at(1_767_225_599), "2025-12-31 23:59");
    }
}
