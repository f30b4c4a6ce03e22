//! The command `diff`: two executions side by side.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use shakedown_campaign::{AnyTarget, Failure, Replayed, Silent, Verdict, guarded};
use shakedown_cluster::{Recording, Trace};
use shakedown_report::{Alignment, beside};

use crate::command_line::{CommandError, ExitStatus, find};
use crate::features::HTML;
#[cfg(feature = "maelstrom")]
use crate::maelstrom_command::refuse_to_start;
use crate::printing::step_time;
use crate::replay_command::warn_of_versions;
use crate::terminal::{paint, print, print_json, print_line, width};

#[derive(Args)]
pub(crate) struct Diff {
    /// A failure file
    left: PathBuf,
    /// Another failure file
    right: PathBuf,
    /// Write an HTML page, one file that needs no network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One of the two.
struct Side {
    title: String,
    verdict: Verdict,
    trace: Trace,
}

/// Replays two files and puts the executions side by side. Exits with 0 if they do not differ, and with 1 if
/// they do.
pub(crate) fn diff(targets: &[Box<dyn AnyTarget>], options: &Diff) -> Result<ExitStatus, CommandError> {
    if options.html.is_some() {
        HTML.needed_for("--html").map_err(CommandError)?;
    }
    let (left, right) =
        (side(targets, &options.left, options.json)?, side(targets, &options.right, options.json)?);
    let alignment = Alignment::of(&left.trace, &right.trace);
    let parts = alignment.parts_at();
    if options.json {
        let one = |side: &Side| json!({ "verdict": side.verdict.to_string(), "steps": side.trace.board.steps().len() });
        let parts = parts.map(|(left, right)| json!({ "left": left, "right": right }));
        print_json(&json!({ "left": one(&left), "right": one(&right), "first_difference": parts }));
    } else {
        for (name, side) in [("left", &left), ("right", &right)] {
            print_line!("  {:>5}  {}: {}", paint().faint(name), side.title, side.verdict);
        }
        print_line!("");
        print(&beside(&alignment, [&left.title, &right.title], width()));
    }
    if let Some(out) = &options.html {
        write_page(out, [left.title, right.title], alignment)?;
        if !options.json {
            print_line!("\n  {}  {}", paint().faint("page"), out.display());
        }
    }
    Ok(if parts.is_none() { ExitStatus::Pass } else { ExitStatus::Fail })
}

fn side(targets: &[Box<dyn AnyTarget>], file: &Path, is_quiet: bool) -> Result<Side, CommandError> {
    let kept = Failure::read(file)?;
    #[cfg(feature = "maelstrom")]
    refuse_to_start(&kept, file)?;
    let target = find(targets, &kept.target)?;
    if !is_quiet {
        warn_of_versions(target, &kept);
    }
    let replayed = guarded(step_time(target), &Silent, kept.found.execution, |beat| {
        kept.replay_watched(target, Recording::Full, beat)
    })?;
    let Replayed { verdict, outcome, .. } = replayed;
    let outcome = outcome.ok_or_else(|| CommandError(format!("{}: no node booted", file.display())))?;
    let title = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    Ok(Side { title, verdict, trace: outcome.trace })
}

#[cfg(feature = "html")]
fn write_page(out: &Path, titles: [String; 2], alignment: Alignment) -> Result<(), CommandError> {
    use shakedown_report::html::{BesideReport, HtmlReport, render};

    let page = render(&HtmlReport {
        title: "Two executions".to_owned(),
        beside: Some(BesideReport { titles, alignment }),
        ..HtmlReport::default()
    });
    crate::printing::write_file(out, &page)
}

#[cfg(not(feature = "html"))]
fn write_page(_out: &Path, _titles: [String; 2], _alignment: Alignment) -> Result<(), CommandError> {
    HTML.needed_for("--html").map_err(CommandError)
}
