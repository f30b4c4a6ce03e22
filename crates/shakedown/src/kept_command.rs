//! Campaigns that are kept in a folder: `run --keep`, `resume`, `list`, `show`, `merge`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use shakedown_campaign::{AnyTarget, Campaign, Failure, Plan, Summary};
use shakedown_report::grouped;
use shakedown_store::{Kept, Store, run_all};

use crate::command_line::{Said, Trouble, find, tell_campaign};
use crate::compare_command::tell_comparison;
use crate::telling::tell;
use crate::terminal::{Display, paint, say};

/// How deep `list` looks for campaigns.
const LIST_DEPTH: usize = 3;

#[derive(Args)]
pub(crate) struct Resume {
    /// The campaign's folder
    folder: PathBuf,
    /// How many executions side by side; never changes the result
    #[arg(long, short = 'j', default_value_t = 1, value_name = "N")]
    jobs: usize,
    /// Stop after this many seconds, and say so
    #[arg(long, value_name = "SECONDS")]
    time: Option<u64>,
    /// The most MiB that the campaign's file may have
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
    /// The folder of all of them together
    #[arg(long, value_name = "DIR")]
    into: PathBuf,
}

/// Where a campaign in a folder puts its failure files.
pub(crate) fn failures_in(folder: &Path) -> PathBuf {
    folder.join("failures")
}

/// The size of a file in bytes.
pub(crate) fn bytes(mib: Option<u64>) -> Option<u64> {
    mib.map(|mib| mib.saturating_mul(1 << 20))
}

/// Runs a campaign that is kept in a folder from its beginning.
pub(crate) fn begin(
    campaign: &Campaign<'_>,
    folder: &Path,
    disk: Option<u64>,
    display: &Display,
) -> Result<Summary, Trouble> {
    // What cannot run leaves no folder behind.
    campaign.explorer()?;
    let store = Store::create(folder)?.with_disk_max(bytes(disk));
    let id = store.enter(&campaign.plan)?;
    Ok(store.go_on(id, campaign, display)?)
}

pub(crate) fn resume(targets: &[Box<dyn AnyTarget>], options: &Resume) -> Result<Said, Trouble> {
    let store = Store::open(&options.folder)?.with_disk_max(bytes(options.disk));
    let kept = store.campaigns()?;
    let mut campaigns = Vec::new();
    for Kept { id, plan, .. } in &kept {
        let mut campaign = plan.campaign(find(targets, &plan.target)?)?;
        campaign.jobs = options.jobs;
        campaign.time = options.time.map(Duration::from_secs);
        campaign.out = Some(failures_in(&options.folder));
        campaigns.push((*id, campaign));
    }
    if let [(id, campaign)] = &campaigns[..] {
        let display = Display::new(campaign.executions, options.json);
        let result = store.go_on(*id, campaign, &display);
        display.finish();
        return tell_campaign(campaign, &result?, options.json);
    }
    let total = campaigns.iter().map(|(_, campaign)| campaign.executions).sum();
    let display = Display::new(total, options.json);
    let result = run_all(&store, &campaigns, options.jobs, &display);
    display.finish();
    result?;
    if are_parts(&kept) {
        return tell_parts(targets, &store, options.json);
    }
    tell_comparison(targets, &store, options.json)
}

/// Whether these are parts of one campaign, as `run --partition` makes them.
fn are_parts(kept: &[Kept]) -> bool {
    let apart_from_numbers = |kept: &Kept| Plan { first: 0, executions: 0, ..kept.plan.clone() };
    kept.windows(2).all(|pair| apart_from_numbers(&pair[0]) == apart_from_numbers(&pair[1]))
}

/// Prints what came of every part of a campaign. The whole is no better than the worst of them.
fn tell_parts(targets: &[Box<dyn AnyTarget>], store: &Store, as_json: bool) -> Result<Said, Trouble> {
    let mut worst = Said::Pass;
    for kept in store.campaigns()? {
        let campaign = kept.plan.campaign(find(targets, &kept.plan.target)?)?;
        let summary = campaign.summarise(kept.standing.unwrap_or_default())?;
        worst = match (worst, tell_campaign(&campaign, &summary, as_json)?) {
            (Said::Fail, _) | (_, Said::Fail) => Said::Fail,
            (Said::Unknown, _) | (_, Said::Unknown) => Said::Unknown,
            (Said::Pass, Said::Pass) => Said::Pass,
        };
        if !as_json {
            say!("");
        }
    }
    Ok(worst)
}

pub(crate) fn list(options: &List) -> Result<Said, Trouble> {
    let paint = paint();
    let mut found = Vec::new();
    for folder in &options.folders {
        look_for_stores(folder, LIST_DEPTH, &mut found);
    }
    let mut said = Said::Pass;
    for folder in &found {
        let store = match Store::look_at(folder) {
            Ok(store) => store,
            Err(error) => {
                say!("{}", paint.warn(&error.to_string()));
                said = Said::Unknown;
                continue;
            }
        };
        let campaigns = store.campaigns()?;
        say!("{}", paint.strong(&folder.display().to_string()));
        for kept in &campaigns {
            say!("    {}", line_of(kept));
        }
    }
    if found.is_empty() {
        say!("no campaign was found: `shakedown run TARGET --keep DIR` keeps one");
    }
    Ok(said)
}

/// A campaign in one line.
fn line_of(kept: &Kept) -> String {
    let Plan { target, strategy, seed, executions, .. } = &kept.plan;
    let (done, findings) =
        kept.standing.as_ref().map_or((0, 0), |standing| (standing.executions, standing.findings.len()));
    let state = match (kept.is_over, done) {
        (true, _) => "over",
        (false, 0) => "not begun",
        (false, _) => "to be resumed",
    };
    format!(
        "{target} with {strategy}, seed {seed}: {} of {} executions, {findings} found, {state}",
        grouped(done),
        grouped(*executions)
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

pub(crate) fn show(targets: &[Box<dyn AnyTarget>], options: &Show) -> Result<Said, Trouble> {
    let failure = if options.finding.is_dir() {
        let kept = Store::look_at(&options.finding)?.campaigns()?;
        let mut all =
            kept.into_iter().filter_map(|kept| kept.standing).flat_map(|standing| standing.findings);
        let wanted = options.number.checked_sub(1).and_then(|number| all.nth(number));
        let missing = || Trouble(format!("there is no finding {}", options.number));
        wanted.ok_or_else(missing)?.failure
    } else {
        Failure::read(&options.finding)?
    };
    tell(find(targets, &failure.target)?, &failure);
    Ok(Said::Fail)
}

pub(crate) fn merge(options: &Merge) -> Result<Said, Trouble> {
    // A folder that cannot be read leaves none behind.
    let stores =
        options.folders.iter().map(|folder| Store::look_at(folder)).collect::<Result<Vec<_>, _>>()?;
    let merged = Store::create(&options.into)?;
    for store in &stores {
        merged.take_all_of(store)?;
    }
    let into = options.into.display();
    match merged.campaigns()?.len() {
        1 => say!("1 campaign is in {into}"),
        campaigns => say!("{campaigns} campaigns are in {into}"),
    }
    Ok(Said::Pass)
}
