//! The command `explain`: why a failure failed.

use std::path::PathBuf;
use std::thread::available_parallelism;

use clap::Args;
use shakedown_campaign::{
    AnyTarget, CONTINUATIONS_MAX, CONTINUATIONS_MIN, ExplainOptions, Failure, Replayed, Silent, explain,
    guarded, replay,
};
use shakedown_cluster::{Recording, Schedule, Trace};
use shakedown_report::{DiagramStyle, Explained, ForbiddenStep, explanation, explanation_json};

use crate::command_line::{CommandError, ExitStatus, find};
use crate::features::HTML;
#[cfg(feature = "maelstrom")]
use crate::maelstrom_command::refuse_to_start;
use crate::page::{PageOf, write_page};
use crate::printing::{replay_line, step_time};
use crate::replay_command::warn_of_versions;
use crate::replayed::as_replayed;
use crate::terminal::{paint, print, print_json, print_line, width};

#[derive(Args)]
pub(crate) struct Explain {
    /// The failure file
    file: PathBuf,
    /// How many random continuations to try from each step
    #[arg(long, short = 'n', default_value_t = CONTINUATIONS_MIN, value_name = "N",
        value_parser = clap::value_parser!(u64).range(CONTINUATIONS_MIN..=CONTINUATIONS_MAX))]
    continuations: u64,
    /// How many executions to run side by side; never changes a result [default: the number of cores]
    #[arg(long, short, value_name = "N")]
    jobs: Option<usize>,
    /// Write an HTML page, one file that needs no network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Explains the failure in a file.
pub(crate) fn explain_file(
    targets: &[Box<dyn AnyTarget>],
    options: &Explain,
) -> Result<ExitStatus, CommandError> {
    if options.html.is_some() {
        HTML.needed_for("--html").map_err(CommandError)?;
    }
    let kept = Failure::read(&options.file)?;
    #[cfg(feature = "maelstrom")]
    refuse_to_start(&kept, &options.file)?;
    let target = find(targets, &kept.target)?;
    if !options.json {
        warn_of_versions(target, &kept);
    }
    let jobs = options.jobs.unwrap_or_else(|| available_parallelism().map_or(1, Into::into));
    let how = ExplainOptions { continuations: options.continuations, jobs, step_time: step_time(target) };
    let explanation_found = explain(target, &kept, how, &Silent)?;
    let replayed = guarded(step_time(target), &Silent, kept.found.execution, |beat| {
        kept.replay_with_model(target, Recording::Full, beat)
    })?;
    let passing =
        explanation_found.nearest.as_ref().and_then(|nearest| replay_steps(target, &kept, &nearest.steps));
    let outcome = replayed.outcome.as_ref().ok_or_else(|| CommandError("no node booted".to_owned()))?;
    let forbidden = ForbiddenStep::first(&outcome.spec_steps);
    let explained = Explained { explanation: explanation_found, passing, forbidden };
    let shown = as_replayed(&kept, &replayed.verdict);
    if options.json {
        print_json(&explanation_json(&shown, &explained, &outcome.trace));
    } else {
        let style = DiagramStyle { width: width(), ..DiagramStyle::default() };
        print(&explanation(&shown, &explained, &outcome.trace, style));
    }
    if let Some(out) = &options.html {
        let page = PageOf {
            file: Some(&options.file),
            replay: replay_line(&options.file),
            explained: Some(explained),
            links: Vec::new(),
        };
        let Replayed { same, verdict, outcome } = replayed;
        write_page(target, out, kept, Replayed { same, verdict, outcome }, page)?;
        if !options.json {
            print_line!("\n  {}  {}", paint().faint("page"), out.display());
        }
    }
    Ok(ExitStatus::Pass)
}

/// Replays other steps in the world of a failure, in full.
fn replay_steps(target: &dyn AnyTarget, kept: &Failure, steps: &[shakedown_cluster::Step]) -> Option<Trace> {
    let schedule = Schedule { steps: steps.to_vec() };
    guarded(step_time(target), &Silent, kept.found.execution, |beat| {
        replay(target, &kept.config, kept.seed, &schedule, Recording::Full, beat).ok()
    })
    .map(|outcome| outcome.trace)
}
