//! `shakedown report`: what is kept in a folder, as a page, and as files for CI.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use clap::Args;
use shakedown_campaign::{
    AnyTarget, Failure, Finding, Properties, ShrinkLimits, Silent, Verdict, guarded, shrink,
};
use shakedown_report::html::HtmlReport;
use shakedown_report::{
    Compared, FindingReport, JUnitSuite, Reproduction, json_lines, of_version, safe_json_line,
};
use shakedown_store::{Kept, Store, failures_in};

use crate::command_line::{CommandError, ExitStatus, find};
use crate::compare_command::trials_of;
use crate::kept_command::{verdict_on, warn_of};
use crate::printing::{Shown, outcome, program, replay_line, shell_word, step_time, write_file};
use crate::report_files::ReportFiles;
use crate::terminal::{paint, print_line, remark};

/// How long a finding of a comparison is shrunk, at most.
const SHRINK_TIME: Duration = Duration::from_secs(20);
/// The most findings of a report.
const FINDINGS_MAX: usize = 100;

#[derive(Args)]
pub(crate) struct Report {
    /// The folder of a campaign or a comparison
    folder: PathBuf,
    #[command(flatten)]
    files: ReportFiles,
    /// Also write JSON lines, one record per line
    #[arg(long, value_name = "FILE")]
    json_lines: Option<PathBuf>,
    /// Open the page in a browser
    #[arg(long)]
    open: bool,
}

pub(crate) fn report(targets: &[Box<dyn AnyTarget>], options: &Report) -> Result<ExitStatus, CommandError> {
    let store = Store::look_at(&options.folder)?;
    let kept = store.joined_campaigns()?;
    kept.iter().for_each(warn_of);
    let findings = findings_of(targets, &options.folder, &kept)?;
    if let Some(path) = &options.json_lines {
        let mut text = String::new();
        for (number, kept) in (1..).zip(&kept) {
            let standing = kept.standing.clone().unwrap_or_default();
            for line in json_lines(number, &kept.plan, &standing, kept.is_over) {
                text.push_str(&safe_json_line(&line));
                text.push('\n');
            }
        }
        write_file(path, &text)?;
    }
    let verdict = verdict_on(&kept);
    let suite = suite_of(&options.folder, &kept, &verdict);
    let mut files = options.files.clone();
    let path = files.html.get_or_insert_with(|| options.folder.join("report.html")).clone();
    files.write_all(&verdict, &suite, findings, |findings| {
        page_of(targets, &store, kept, &verdict, findings)
    })?;
    print_line!("{} {}", paint().faint("report"), path.display());
    if options.open {
        open(&path)?;
    }
    print_line!("{}", outcome(&verdict));
    Ok(ExitStatus::from(&verdict))
}

fn page_of(
    targets: &[Box<dyn AnyTarget>],
    store: &Store,
    mut kept: Vec<Kept>,
    verdict: &Verdict,
    findings: Vec<FindingReport>,
) -> Result<HtmlReport, CommandError> {
    if let [one] = &mut kept[..] {
        let campaign = one.plan.campaign(find(targets, &one.plan.target)?)?;
        let standing = one.standing.take().unwrap_or_default();
        let mut page = HtmlReport::of_campaign(&campaign, &campaign.summarise(standing)?, findings);
        if !one.is_over && one.notes.is_empty() {
            let folder = shell_word(&store.folder().to_string_lossy());
            let how = format!("The campaign is not over: go on with {} resume {folder}", program());
            page.warnings.insert(0, how);
        }
        page.warnings.extend(one.notes.iter().cloned());
        return Ok(page);
    }
    let compared = Compared::of(&trials_of(store)?)?;
    let plan = &kept[0].plan;
    let facts = vec![
        ("target".to_owned(), of_version(&plan.target, &plan.target_version)),
        ("nodes".to_owned(), plan.config.nodes.to_string()),
        ("steps".to_owned(), format!("at most {} an execution", plan.config.steps)),
    ];
    Ok(HtmlReport::of_comparison(
        format!("Strategies on {}", plan.target),
        verdict,
        facts,
        &compared,
        findings,
    ))
}

/// The findings, each replayed in full. Those of a comparison are many alike: of each property in each
/// configuration the shortest is taken, and shrunk.
fn findings_of(
    targets: &[Box<dyn AnyTarget>],
    folder: &Path,
    kept: &[Kept],
) -> Result<Vec<FindingReport>, CommandError> {
    let all =
        || kept.iter().filter_map(|kept| kept.standing.as_ref()).flat_map(|standing| &standing.findings);
    let mut reports = Vec::new();
    if kept.len() == 1 {
        for finding in all().take(FINDINGS_MAX) {
            let target = find(targets, &finding.failure.target)?;
            let report = finding_report(target, finding.failure.clone(), finding.path.as_deref());
            reports.push(FindingReport { causes: finding.causes.clone(), ..report });
        }
        return Ok(reports);
    }
    let mut shortest: BTreeMap<(String, String), &Finding> = BTreeMap::new();
    for finding in all() {
        let options: Vec<_> = finding.failure.config.options.iter().collect();
        let key = (format!("{options:?}"), finding.failure.violation.property.clone());
        let steps = finding.failure.schedule.steps.len();
        let known = shortest.entry(key).or_insert(finding);
        if steps < known.failure.schedule.steps.len() {
            *known = finding;
        }
    }
    for finding in shortest.into_values().take(FINDINGS_MAX) {
        let target = find(targets, &finding.failure.target)?;
        let limits = ShrinkLimits { time: Some(SHRINK_TIME), ..ShrinkLimits::default() };
        let execution = finding.failure.found.execution;
        let shrunk = guarded(step_time(target), &Silent, execution, |beat| {
            shrink(target, &finding.failure, limits, beat)
        });
        let path = failures_in(folder).join(shrunk.failure.file_name());
        let written = shrunk.failure.write(&path);
        if let Err(error) = &written {
            // The report is worth having without the file, as in a folder that is read-only.
            remark!("warning: a failure file is missing: {error}");
        }
        reports.push(finding_report(
            target,
            shrunk.failure,
            written.is_ok().then_some(&path).map(|path| &**path),
        ));
    }
    Ok(reports)
}

fn suite_of(folder: &Path, kept: &[Kept], verdict: &Verdict) -> JUnitSuite {
    let standings = || kept.iter().filter_map(|kept| kept.standing.as_ref());
    let name = kept.first().map_or_else(
        || folder.display().to_string(),
        |kept| format!("{} with {}", kept.plan.target, kept.plan.strategy),
    );
    let mut properties = Properties::default();
    for kept in kept {
        if let Some(standing) = &kept.standing {
            properties.add(&standing.all_properties(&kept.plan));
        }
    }
    JUnitSuite {
        name,
        seconds: standings().map(|standing| standing.elapsed.as_secs_f64()).sum(),
        properties: properties.tallies,
        unknown: verdict.unknown_reason().map(str::to_owned),
    }
}

/// Opens a file with the program that the system has for it.
fn open(path: &Path) -> Result<(), CommandError> {
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(target_os = "windows") {
        "explorer"
    } else {
        "xdg-open"
    };
    let started = Command::new(opener)
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    started.map(drop).map_err(|error| CommandError(format!("{opener} cannot open the page: {error}")))
}

/// A failure as reports want it, replayed in full.
fn finding_report(target: &dyn AnyTarget, found: Failure, file: Option<&Path>) -> FindingReport {
    let replay = file.map(replay_line).unwrap_or_default();
    Shown::of(target, &found).report(target, found, Reproduction::Violated, file, replay)
}
