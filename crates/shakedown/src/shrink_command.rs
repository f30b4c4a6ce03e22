//! `shakedown shrink`: a shorter schedule of the same failure.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use shakedown_campaign::{AnyTarget, Failure, ShrinkLimits, Silent, Verdict, guarded, shrink_side_by_side};
use shakedown_cluster::Recording;
use shakedown_report::grouped;

use crate::command_error::CommandError;
use crate::command_line::find;
use crate::exit_status::ExitStatus;
use crate::fleet_options::FleetArgs;
use crate::jobs::Jobs;
#[cfg(feature = "store")]
use crate::kept_command::replace_stored;
#[cfg(feature = "maelstrom")]
use crate::maelstrom_command::refuse_to_start;
use crate::printing::{print_report, step_time};
use crate::replay_command::warn_of_versions;
use crate::terminal::{Display, paint, print_line};

#[derive(Args)]
pub(crate) struct Shrink {
    /// The failure file
    file: PathBuf,
    /// Where to write the result [default: in place of FILE; in a stored campaign under the name of the new
    /// schedule]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The maximum number of executions
    #[arg(long, short = 'n', default_value_t = 1_000_000, value_name = "N")]
    executions: u64,
    /// The maximum number of seconds
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    time: u64,
    #[command(flatten)]
    jobs: Jobs,
    /// Print no progress
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    fleet: FleetArgs,
}

/// Writes a shrunk failure in place of the file that it came from. Gives where it is: a file of a stored
/// campaign gets the name of what is in it now.
fn put_in_place(file: &Path, old: &Failure, new: &Failure) -> Result<PathBuf, CommandError> {
    #[cfg(feature = "store")]
    if let Some(path) = replace_stored(file, old, new)? {
        return Ok(path);
    }
    #[cfg(not(feature = "store"))]
    let _ = old;
    new.write(file)?;
    Ok(file.to_owned())
}

pub(crate) fn shrink_file(
    targets: &[Box<dyn AnyTarget>],
    options: &Shrink,
) -> Result<ExitStatus, CommandError> {
    let kept = Failure::read(&options.file)?;
    #[cfg(feature = "maelstrom")]
    refuse_to_start(&kept, &options.file)?;
    let target = find(targets, &kept.target)?;
    warn_of_versions(target, &kept);
    let replayed = guarded(step_time(target), &Silent, kept.found.execution, |beat| {
        kept.replay_watched(target, Recording::Brief, beat)
    });
    match replayed?.verdict {
        Verdict::Fail(violation) if violation.is_like(&kept.violation) => {}
        other => {
            return Err(CommandError(format!(
                "the file does not fail as it says, so it cannot be shrunk: {other}"
            )));
        }
    }
    let limits =
        ShrinkLimits { executions: options.executions, time: Some(Duration::from_secs(options.time)) };
    let display = Display::of_shrinking(options.quiet);
    let fleet = options.fleet.connect_for(target)?;
    let (jobs, step_time) = (options.jobs.of(target), step_time(target));
    let shrunk = shrink_side_by_side(target, &kept, limits, jobs, step_time, fleet.as_deref(), &display);
    let out = match &options.out {
        Some(out) => {
            shrunk.failure.write(out)?;
            out.clone()
        }
        None => put_in_place(&options.file, &kept, &shrunk.failure)?,
    };
    print_report(target, &shrunk.failure);
    let (before, after) = (kept.schedule.steps.len(), shrunk.failure.schedule.steps.len());
    print_line!("\n  {before} steps before, {after} after, in {} executions", grouped(shrunk.executions));
    match shrunk.cut_short {
        Some(limit) => {
            print_line!(
                "  {}",
                paint().warn(format_args!("cut short by {limit}: `shrink` on the new file goes on"))
            );
        }
        None => {
            print_line!("  nothing got shorter in the last {} of them", grouped(shrunk.fruitless));
        }
    }
    print_line!("  {}  {}", paint().faint("failure file"), out.display());
    Ok(ExitStatus::Pass)
}
