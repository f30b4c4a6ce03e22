//! `shakedown replay`: a failing execution once more.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use shakedown_campaign::{
    AnyTarget, CannotReplay, Failure, Replayed, Sameness, Silent, Verdict, follow, guarded,
};
use shakedown_check::SpecTrace;
use shakedown_cluster::Recording;
use shakedown_report::{DiagramStyle, ForbiddenStep, Painted, Reproduction, described_failure, grouped};

use crate::command_error::CommandError;
use crate::command_line::find;
use crate::exit_status::ExitStatus;
use crate::features::HTML;
use crate::history_command::write_history;
#[cfg(feature = "maelstrom")]
use crate::maelstrom_command::refuse_to_start;
use crate::page::{PageOf, write_page};
use crate::printing::{print_rate, repeat, replay_line, step_time};
use crate::replay_several::{all_files, bisected, replay_several, table, try_files};
use crate::replayed::{as_replayed, verdict_of};
use crate::terminal::{paint, print, print_json, print_line, remark, width};

#[derive(Args)]
pub(crate) struct Replay {
    /// The failure file; several, or a folder of them, give a table: still fails, fixed, no longer fits
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Exit as `git bisect run` wants it: 0 if it is fixed, 1 if it still fails, 125 if the schedule does not
    /// fit this version
    #[arg(long, conflicts_with_all = ["times", "html", "trace", "history", "json"])]
    bisect: bool,
    /// How many times to replay
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    times: u64,
    /// Write an HTML page, one file that needs no network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the execution as a trace of the target's specification, for `validate`
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Write what clients asked and were answered, for `check-history`
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Replays a file as often as is wanted. How often it was the same, and the last one.
fn replay_exactly(
    target: &dyn AnyTarget,
    kept: &Failure,
    replay: &Replay,
) -> Result<(u64, Option<Replayed>), CommandError> {
    let mut same = 0;
    let mut last = None;
    for number in 1..=replay.times {
        // The last one is what is shown, with what the target's specification says.
        let with_model = number == replay.times;
        let replayed = guarded(step_time(target), &Silent, kept.found.execution, |beat| match with_model {
            true => kept.replay_with_model(target, Recording::Full, beat),
            false => kept.replay_watched(target, Recording::Full, beat),
        });
        let replayed = match replayed {
            Ok(replayed) => replayed,
            Err(CannotReplay::Diverged(divergence)) => return Err(divergence.into()),
            Err(CannotReplay::Begin(error)) => return Err(error.into()),
        };
        same += u64::from(replayed.same == Sameness::Exact);
        last = Some(replayed);
    }
    Ok((same, last))
}

/// Replays one failure or several.
pub(crate) fn replay(targets: &[Box<dyn AnyTarget>], options: &Replay) -> Result<ExitStatus, CommandError> {
    if options.bisect {
        return Ok(bisect(targets, &options.files));
    }
    match &options.files[..] {
        [file] if !file.is_dir() => replay_file(targets, file, options),
        files => {
            let of_one = [&options.html, &options.trace, &options.history].iter().any(|out| out.is_some());
            if of_one || options.times > 1 {
                let how = "--times, --html, --trace and --history are for one failure file";
                return Err(CommandError(how.to_owned()));
            }
            replay_several(targets, files, options.json)
        }
    }
}

/// What `git bisect run` is to make of this version. Whatever is wrong with the version skips it; a file that
/// cannot be read stops the search, for it is the same in every version.
fn bisect(targets: &[Box<dyn AnyTarget>], paths: &[PathBuf]) -> ExitStatus {
    match all_files(paths).and_then(|files| try_files(targets, files)) {
        Ok(tried) => {
            print(&table(&tried));
            bisected(&tried)
        }
        Err(CommandError(error)) => {
            remark!("error: {error}");
            ExitStatus::Abort
        }
    }
}

fn replay_file(
    targets: &[Box<dyn AnyTarget>],
    file: &Path,
    replay: &Replay,
) -> Result<ExitStatus, CommandError> {
    if replay.html.is_some() {
        HTML.needed_for("--html").map_err(CommandError)?;
    }
    let kept = Failure::read(file)?;
    #[cfg(feature = "maelstrom")]
    refuse_to_start(&kept, file)?;
    let target = find(targets, &kept.target)?;
    if !replay.json {
        warn_of_versions(target, &kept);
    }
    // Where nodes keep their own time, one run proves little: how often the schedule fails is measured.
    let is_rate = !target.info().is_deterministic && replay.times > 1;
    let (same, last) = match is_rate {
        true => repeat(target, &kept, replay.times)?,
        false => replay_exactly(target, &kept, replay)?,
    };
    let last = last.ok_or_else(|| CommandError("nothing was replayed".to_owned()))?;
    let verdict = verdict_of(target, &kept, &last);
    if replay.json {
        print_json(
            &json!({ "times": replay.times, "same": same, "verdict": verdict.to_string(), "expected": kept.violation }),
        );
    } else {
        // The headline is that of the run: what is violated now, or that nothing is.
        let shown = as_replayed(&kept, &verdict);
        let style = DiagramStyle { width: width(), ..DiagramStyle::default() };
        let trace = last.outcome.as_ref().map(|outcome| &outcome.trace);
        let forbidden = last.outcome.as_ref().and_then(|outcome| ForbiddenStep::first(&outcome.spec_steps));
        print(&described_failure(&shown, Reproduction::of(&verdict), trace, forbidden.as_ref(), style));
        print_line!("\n  {}", compare(&verdict, last.same));
        if is_rate {
            print_rate(same, replay.times);
        } else if replay.times > 1 {
            print_line!(
                "  {} of {} replays were the same, bit for bit",
                grouped(same),
                grouped(replay.times)
            );
        }
    }
    if let Some(out) = &replay.trace {
        write_trace(target, &kept, out)?;
        if !replay.json {
            print_line!("  {}         {}", paint().faint("trace"), out.display());
        }
    }
    if let Some(out) = &replay.history {
        let outcome = last.outcome.as_ref();
        let outcome =
            outcome.ok_or_else(|| CommandError("no node booted: there is no history".to_owned()))?;
        write_history(&outcome.trace.board, out)?;
        if !replay.json {
            print_line!("  {}       {}", paint().faint("history"), out.display());
        }
    }
    if let Some(out) = &replay.html {
        let last = Replayed { verdict: verdict.clone(), ..last };
        let page = PageOf { file: Some(file), replay: replay_line(file), explained: None, links: Vec::new() };
        write_page(target, out, kept, last, page)?;
        if !replay.json {
            print_line!("  {}          {}", paint().faint("page"), out.display());
        }
    }
    Ok(ExitStatus::from(&verdict))
}

/// Writes what happens in a failure's schedule at the grain of the target's specification.
fn write_trace(target: &dyn AnyTarget, kept: &Failure, out: &Path) -> Result<(), CommandError> {
    let trace = SpecTrace::default();
    guarded(step_time(target), &Silent, kept.found.execution, |beat| {
        let live = target.begin_traced(&kept.config, kept.seed, Recording::Brief, &trace)?;
        follow(live, &kept.schedule, beat).map(drop)
    })?;
    let mut text = trace.take().join("\n");
    text.push('\n');
    std::fs::write(out, text).map_err(|error| CommandError(format!("{}: {error}", out.display())))
}

fn compare(verdict: &Verdict, same: Sameness) -> Painted {
    let paint = paint();
    match (verdict, same) {
        (Verdict::Fail(_), Sameness::Exact) => {
            paint.bad("FAIL: the same violation and the same trace, bit for bit")
        }
        (Verdict::Fail(_), Sameness::OtherTrace) => {
            paint.bad("FAIL: the same violation, but not quite the same trace: the target has changed")
        }
        (Verdict::Fail(_), Sameness::Retraced) => {
            paint.bad("FAIL: the same violation; nodes keep their own time, so traces are not compared")
        }
        (Verdict::Fail(violation), Sameness::OtherVerdict) => {
            paint.bad(format_args!("FAIL: now another property is violated: {violation}"))
        }
        (Verdict::Fail(violation), Sameness::Unrepeatable) => {
            paint.bad(format_args!("FAIL: the target is not deterministic, two replays differ: {violation}"))
        }
        (Verdict::Pass, _) => paint.good("PASS: the schedule violates nothing any more"),
        (Verdict::Unknown(reason), _) => paint.warn(format_args!("UNKNOWN: {reason}")),
    }
}

pub(crate) fn warn_of_versions(target: &dyn AnyTarget, kept: &Failure) {
    if kept.target_version != target.version() {
        let (then, now) = (&kept.target_version, target.version());
        remark!("warning: the failure is of `{then}`, this is `{now}`");
    }
    let now = env!("CARGO_PKG_VERSION");
    if kept.shakedown != now {
        remark!("warning: the file was written by Shakedown {}, this is {now}", kept.shakedown);
    }
}
