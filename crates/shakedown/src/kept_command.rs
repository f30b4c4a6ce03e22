//! Campaigns that are kept in a folder: `run --keep`, `resume`, `list`, `show`, `merge`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use shakedown_campaign::{AnyTarget, Campaign, Failure, Plan, Summary, Verdict, Whole};
use shakedown_report::grouped;
use shakedown_store::{Kept, Store, StoreError, failures_in, run_all};

use crate::command_line::{CommandError, ExitStatus, find, print_campaign};
use crate::compare_command::print_comparison;
use crate::printing::print_recorded;
use crate::terminal::{Display, paint, print_line, remark};

/// How deep `list` looks for campaigns.
const LIST_DEPTH: usize = 3;

#[derive(Args)]
pub(crate) struct Resume {
    /// The campaign's folder
    folder: PathBuf,
    /// How many executions run in parallel; never changes the result
    #[arg(long, short = 'j', default_value_t = 1, value_name = "N")]
    jobs: usize,
    /// Stop after this many seconds; the verdict reports that the limit was reached
    #[arg(long, value_name = "SECONDS")]
    time: Option<u64>,
    /// The maximum size of the campaign's file, in MiB
    #[arg(long, value_name = "MIB")]
    disk: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(crate) struct List {
    /// Where to look
    #[arg(default_value = ".")]
    folders: Vec<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Show {
    /// A failure file, or the folder of a campaign
    finding: PathBuf,
    /// Which finding of the campaign, counted from 1
    #[arg(long, value_name = "N", default_value_t = 1)]
    number: usize,
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
    display: &Display,
) -> Result<Summary, CommandError> {
    // What cannot run leaves no folder behind.
    campaign.explorer()?;
    let plan = Plan { part_of, ..campaign.plan.clone() };
    let (store, ids) = Store::create(folder, &[plan])?;
    Ok(store.with_disk_max(bytes(disk)).go_on(ids[0], campaign, display)?)
}

pub(crate) fn resume(targets: &[Box<dyn AnyTarget>], options: &Resume) -> Result<ExitStatus, CommandError> {
    let store = Store::open(&options.folder)?.with_disk_max(bytes(options.disk));
    let mut campaigns = Vec::new();
    for Kept { id, plan, .. } in &store.campaigns()? {
        let mut campaign = plan.campaign(find(targets, &plan.target)?)?;
        campaign.jobs = options.jobs;
        campaign.time = options.time.map(Duration::from_secs);
        campaign.out = Some(failures_in(&options.folder));
        campaigns.push((*id, campaign));
    }
    if let [(id, campaign)] = &campaigns[..] {
        let display = Display::new(campaign.plan.executions, campaign.time, options.json);
        let result = store.go_on(*id, campaign, &display);
        display.finish();
        return print_campaign(campaign, &result?, options.json);
    }
    let total = campaigns.iter().map(|(_, campaign)| campaign.plan.executions).sum();
    let display = Display::new(total, options.time.map(Duration::from_secs), options.json);
    let result = run_all(&store, &campaigns, options.jobs, &display);
    display.finish();
    result?;
    match &mut store.joined_campaigns()?[..] {
        [whole] => print_whole(targets, whole, options.json),
        _ => print_comparison(targets, &store, options.json),
    }
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

pub(crate) fn list(options: &List) -> Result<ExitStatus, CommandError> {
    let paint = paint();
    let mut found = Vec::new();
    for folder in &options.folders {
        // A folder below this one may be anything; one that is named has to be there.
        std::fs::read_dir(folder).map_err(|error| CommandError(format!("{}: {error}", folder.display())))?;
        look_for_stores(folder, LIST_DEPTH, &mut found);
    }
    let mut status = ExitStatus::Pass;
    for folder in &found {
        let campaigns = match Store::look_at(folder).and_then(|store| store.joined_campaigns()) {
            Ok(campaigns) => campaigns,
            Err(error) => {
                print_line!("{}", paint.warn(&error));
                if !matches!(error, StoreError::NotBegun { .. }) {
                    status = ExitStatus::Unknown;
                }
                continue;
            }
        };
        print_line!("{}", paint.strong(folder.display()));
        for kept in &campaigns {
            print_line!("    {}", line_of(kept));
            for note in &kept.notes {
                print_line!("    {}", paint.warn(note));
            }
        }
    }
    if found.is_empty() {
        print_line!("no campaign was found: `shakedown run TARGET --keep DIR` keeps one");
    }
    Ok(status)
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

/// A campaign in one line.
fn line_of(kept: &Kept) -> String {
    let Plan { target, strategy, seed, executions, .. } = &kept.plan;
    let verdict = verdict_of(kept);
    let (done, findings) =
        kept.standing.as_ref().map_or((0, 0), |standing| (standing.executions, standing.findings.len()));
    let state = match (kept.is_over, done) {
        (true, _) => "over",
        (false, 0) => "not begun",
        (false, _) => "to be resumed",
    };
    let parts = match kept.parts {
        1 => String::new(),
        parts => format!(", in {parts} parts"),
    };
    format!(
        "{target} with {strategy}, seed {seed}: {} of {} executions, {findings} found, {state}{parts}: {}",
        grouped(done),
        grouped(*executions),
        verdict.word()
    )
}

fn look_for_stores(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
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

pub(crate) fn show(targets: &[Box<dyn AnyTarget>], options: &Show) -> Result<ExitStatus, CommandError> {
    let failure = if options.finding.is_dir() {
        let kept = Store::look_at(&options.finding)?.joined_campaigns()?;
        let mut all =
            kept.into_iter().filter_map(|kept| kept.standing).flat_map(|standing| standing.findings);
        let wanted = options.number.checked_sub(1).and_then(|number| all.nth(number));
        let missing = || CommandError(format!("there is no finding {}", options.number));
        wanted.ok_or_else(missing)?.failure
    } else {
        Failure::read(&options.finding)?
    };
    print_recorded(find(targets, &failure.target)?, &failure);
    Ok(ExitStatus::Fail)
}

/// Puts a shrunk failure in the place of the one that was read from this file, if the file is one of a stored campaign: what
/// `show` and `report` print is then that of the file, and the file has the name of what is in it.
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
