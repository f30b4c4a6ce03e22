//! Campaigns that are kept in a folder: `run --keep`, `resume`, `merge`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use shakedown_campaign::{AnyTarget, Campaign, Failure, Plan, Progress, Summary, Verdict, Whole};
use shakedown_report::grouped;
use shakedown_store::{Kept, Store, failures_in, run_all};

use crate::command_line::{CommandError, ExitStatus, find};
use crate::compare_command::print_comparison;
use crate::fleet_options::FleetArgs;
use crate::interruption::{interruptions, print_line_that_goes_on};
use crate::jobs::Jobs;
use crate::run_command::print_campaign;
use crate::terminal::{Display, print_line, remark};

#[derive(Args)]
pub(crate) struct Resume {
    /// The campaign's folder
    folder: PathBuf,
    #[command(flatten)]
    jobs: Jobs,
    /// The total number of executions, with those that were run already; a larger number extends a finished
    /// campaign
    #[arg(long, short = 'n', value_name = "N")]
    executions: Option<u64>,
    /// Stop after this many seconds; the verdict reports that the limit was reached
    #[arg(long, value_name = "SECONDS")]
    time: Option<u64>,
    /// The maximum size of the campaign's file, in MiB
    #[arg(long, value_name = "MIB")]
    disk: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    fleet: FleetArgs,
}

#[derive(Args)]
pub(crate) struct Merge {
    /// The folders of the campaigns
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// The folder to write
    #[arg(long, value_name = "DIR")]
    into: PathBuf,
}

/// The size of a file in bytes.
pub(crate) fn bytes(mib: Option<u64>) -> Option<u64> {
    mib.map(|mib| mib.saturating_mul(1 << 20))
}

/// Runs a campaign, or the part of a whole one, that is kept in a folder from its beginning.
pub(crate) fn begin(
    campaign: &Campaign<'_>,
    part_of: Option<Whole>,
    folder: &Path,
    disk: Option<u64>,
    progress: &dyn Progress,
) -> Result<Summary, CommandError> {
    // What cannot run leaves no folder behind.
    campaign.explorer()?;
    let plan = Plan { part_of, ..campaign.plan.clone() };
    let (store, ids) = Store::create(folder, &[plan])?;
    Ok(store.with_disk_max(bytes(disk)).go_on(ids[0], campaign, progress)?)
}

pub(crate) fn resume(targets: &[Box<dyn AnyTarget>], options: &Resume) -> Result<ExitStatus, CommandError> {
    let store = Store::open(&options.folder)?.with_disk_max(bytes(options.disk));
    if let Some(executions) = options.executions {
        extend(&store, executions)?;
    }
    let mut campaigns = Vec::new();
    for Kept { id, plan, .. } in &store.campaigns()? {
        let mut campaign = plan.campaign(find(targets, &plan.target)?)?;
        campaign.jobs = options.jobs.of(campaign.target);
        campaign.time = options.time.map(Duration::from_secs);
        campaign.out = Some(failures_in(&options.folder));
        campaigns.push((*id, campaign));
    }
    if let [(id, campaign)] = &mut campaigns[..] {
        campaign.stop = interruptions();
        options.fleet.apply(campaign)?;
        let display = Display::new(campaign.plan.executions, campaign.time, options.json);
        let result = store.go_on(*id, campaign, &display);
        display.finish();
        let result = result?;
        let status = print_campaign(campaign, &result, options.json)?;
        if !options.json {
            print_line_that_goes_on(&result, Some(&options.folder));
        }
        return Ok(status);
    }
    let fleet = match campaigns.first() {
        Some((_, campaign)) => options.fleet.connect_for(campaign.target)?,
        None => None,
    };
    let total = campaigns.iter().map(|(_, campaign)| campaign.plan.executions).sum();
    let display = Display::new(total, options.time.map(Duration::from_secs), options.json);
    let result = run_all(&store, &campaigns, options.jobs.or_cores(), fleet.as_ref(), &display);
    display.finish();
    result?;
    match &mut store.joined_campaigns()?[..] {
        [whole] => print_whole(targets, whole, options.json),
        _ => print_comparison(targets, &store, options.json),
    }
}

/// Gives the one campaign of a store this many executions in all.
fn extend(store: &Store, executions: u64) -> Result<(), CommandError> {
    let campaigns = store.campaigns()?;
    let [Kept { id, plan, standing, .. }] = &campaigns[..] else {
        let how = "--executions extends one campaign, and the folder has several";
        return Err(CommandError(how.to_owned()));
    };
    if plan.part_of.is_some() {
        let how = "--executions extends a whole campaign, and this is a part of one";
        return Err(CommandError(how.to_owned()));
    }
    let (done, failed) = standing.as_ref().map_or((0, 0), |standing| (standing.executions, standing.failed));
    if failed > 0 && !plan.keep_going {
        let how =
            "the campaign ended with its first failure: only one that was begun with --keep-going goes on";
        return Err(CommandError(how.to_owned()));
    }
    if executions < done {
        return Err(CommandError(format!(
            "--executions is the total number, with those that were run already: it has to be at least {}",
            grouped(done)
        )));
    }
    store.extend(*id, executions)?;
    Ok(())
}

/// Prints what came of a campaign that was joined from its parts.
fn print_whole(
    targets: &[Box<dyn AnyTarget>],
    whole: &mut Kept,
    as_json: bool,
) -> Result<ExitStatus, CommandError> {
    let campaign = whole.plan.campaign(find(targets, &whole.plan.target)?)?;
    let summary = campaign.summarise(whole.standing.take().unwrap_or_default())?;
    warn_of(whole);
    print_campaign(&campaign, &summary, as_json)
}

/// Prints what a reader should know of a stored campaign.
pub(crate) fn warn_of(kept: &Kept) {
    for note in &kept.notes {
        remark!("warning: {note}");
    }
}

/// The verdict on a campaign as far as it has come.
pub(crate) fn verdict_of(kept: &Kept) -> Verdict {
    match &kept.standing {
        Some(standing) => standing.verdict(kept.plan.executions),
        None => Verdict::Unknown("the campaign has not begun".to_owned()),
    }
}

/// The verdict on several campaigns together.
pub(crate) fn verdict_on(kept: &[Kept]) -> Verdict {
    let nothing = || Verdict::Unknown("there is no campaign".to_owned());
    kept.iter().map(verdict_of).reduce(Verdict::and).unwrap_or_else(nothing)
}

/// Puts a shrunk failure in the place of the one that was read from this file, if the file is one of a stored
/// campaign: what `show` and `report` print is then that of the file, and the file has the name of what is in
/// it.
pub(crate) fn replace_stored(
    file: &Path,
    old: &Failure,
    new: &Failure,
) -> Result<Option<PathBuf>, CommandError> {
    let Some(folder) = file.parent().and_then(Path::parent) else { return Ok(None) };
    let is_of_store = file.parent() == Some(&*failures_in(folder)) && Store::is_in(folder);
    if !is_of_store {
        return Ok(None);
    }
    Ok(Store::open(folder)?.replace_failure(old, new)?)
}

pub(crate) fn merge(options: &Merge) -> Result<ExitStatus, CommandError> {
    // A folder that cannot be read leaves none behind.
    let stores =
        options.folders.iter().map(|folder| Store::look_at(folder)).collect::<Result<Vec<_>, _>>()?;
    let merged = Store::merge(&stores, &options.into)?.joined_campaigns()?;
    let into = options.into.display();
    match &merged[..] {
        [one] if one.parts > 1 => print_line!("1 campaign of {} parts is in {into}", one.parts),
        [_] => print_line!("1 campaign is in {into}"),
        several => print_line!("{} campaigns are in {into}", several.len()),
    }
    merged.iter().for_each(warn_of);
    Ok(ExitStatus::Pass)
}
