//! `shakedown run`: explore executions of a target.

use std::path::{Path, PathBuf};

use clap::Args;
#[cfg(feature = "store")]
use shakedown_campaign::Whole;
use shakedown_campaign::{AnyTarget, Campaign, Finding, Summary, Verdict};
use shakedown_explore::StrategyChoice;
use shakedown_report::{
    FindingReport, Painted, Reproduction, shrinking, summary, summary_json, summary_without_verdict,
};

use crate::campaign_options::CampaignOptions;
use crate::ci::{CI_FOLDER, Ci, ci_folder};
use crate::command_error::CommandError;
use crate::command_line::find;
use crate::corpus_command::begin_with;
use crate::environment::failures_in;
use crate::exit_status::ExitStatus;
use crate::features::STORE;
use crate::fleet_options::FleetArgs;
use crate::interruption::{interruptions, print_line_that_goes_on};
#[cfg(feature = "store")]
use crate::kept_command::begin;
use crate::on_finding::Announcing;
use crate::past::{Past, PastOptions};
use crate::printing::{Shown, outcome, print_rate, program, repeat, replay_line, shell_word};
use crate::report_files::ReportFiles;
use crate::shrink_options::ShrinkOptions;
use crate::strategy_parameters::{StrategyParameters, choice};
use crate::terminal::{Display, paint, print, print_json, print_line};

// What the help of `run` is divided into; what is left comes first.
const STRATEGY: &str = "Strategy";
const FAILURES: &str = "Failures";
const STORING: &str = "Where it goes, and parts of a campaign";
const PAST: &str = "Failures of the past";
const REPORTS: &str = "Reports and CI";

#[derive(Args)]
#[command(args_override_self = true)]
pub(crate) struct Run {
    /// Take the settings from `[profile.NAME]` in shakedown.toml; options on the command line override them
    #[cfg(feature = "remote")]
    #[arg(long = "profile", value_name = "NAME")]
    _profile: Option<String>,
    #[command(flatten)]
    campaign: CampaignOptions,
    /// The strategy that chooses the steps; `shakedown strategies` lists them
    #[arg(long, short = 's', default_value = "random", value_name = "NAME[:PARAMETER=VALUE,…]", value_parser = choice, help_heading = STRATEGY)]
    strategy: StrategyChoice,
    #[command(flatten, next_help_heading = STRATEGY)]
    parameters: StrategyParameters,
    /// With fuzz: begin with the inputs of these folders, each a corpus or a stored campaign
    #[arg(long, value_name = "DIR", help_heading = STRATEGY)]
    corpus: Vec<PathBuf>,
    /// The folder for failure files [default: shakedown-out]
    #[arg(long, value_name = "DIR", help_heading = STORING)]
    out: Option<PathBuf>,
    /// Store the campaign in this folder, so that it can be resumed, reported and merged
    #[arg(long, value_name = "DIR", conflicts_with = "out", help_heading = STORING)]
    keep: Option<PathBuf>,
    /// With --keep: the maximum size of the campaign's file, in MiB
    #[arg(long, value_name = "MIB", requires = "keep", help_heading = STORING)]
    disk: Option<u64>,
    /// Continue after a failure and report every violated property
    #[arg(long, help_heading = FAILURES)]
    keep_going: bool,
    /// With --keep-going: report at most N failures of one property, if they shrink to different schedules
    #[arg(long, default_value_t = 1, value_name = "N", requires = "keep_going", help_heading = FAILURES)]
    variants: usize,
    #[command(flatten, next_help_heading = FAILURES)]
    shrink: ShrinkOptions,
    /// Run this command for every finding; environment variables SHAKEDOWN_FOUND_… say which
    #[arg(long, value_name = "COMMAND", help_heading = FAILURES)]
    on_finding: Option<String>,
    #[command(flatten, next_help_heading = PAST)]
    past: PastOptions,
    /// Write JUnit XML, SARIF, a page and a summary in Markdown into this folder; annotate the run on GitHub
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true, default_missing_value = CI_FOLDER, help_heading = REPORTS)]
    ci: Option<PathBuf>,
    /// Write nothing for CI, even on GitHub, where `--ci` is the default
    #[arg(long, conflicts_with = "ci", help_heading = REPORTS)]
    no_ci: bool,
    /// Run every execution twice and compare the two, bit for bit
    #[arg(long, help_heading = FAILURES)]
    check_determinism: bool,
    /// The number of the first execution
    #[arg(long, default_value_t = 0, value_name = "N", help_heading = STORING)]
    first: u64,
    /// Run only the M-th of N equal parts of the executions; `merge` joins the parts
    #[arg(long, value_name = "M/N", help_heading = STORING)]
    partition: Option<String>,
    #[command(flatten, next_help_heading = REPORTS)]
    files: ReportFiles,
    /// Print JSON
    #[arg(long, help_heading = REPORTS)]
    json: bool,
    #[command(flatten)]
    fleet: FleetArgs,
}

pub(crate) fn explore(targets: &[Box<dyn AnyTarget>], run: &Run) -> Result<ExitStatus, CommandError> {
    let ci = ci_folder(run.ci.as_deref(), run.no_ci).map(Ci::new);
    let files = match &ci {
        Some(ci) => run.files.clone().or_those_of(ci),
        None => run.files.clone(),
    };
    files.can_be_made()?;
    if run.keep.is_some() {
        STORE.needed_for("--keep").map_err(CommandError)?;
    }
    let target = find(targets, &run.campaign.target)?;
    let mut campaign = campaign(target, run, ci.as_ref())?;
    begin_with(targets, &run.corpus, &mut campaign)?;
    run.fleet.apply(&mut campaign)?;
    if let Some(ci) = &ci {
        ci.begin()?;
    }
    let past = Past::of(&campaign, &run.past)?;
    let ended = past.ends(&campaign)?;
    let is_explored = ended.is_none();
    let mut result = match ended {
        Some(result) => result,
        None => {
            let mut result = run_campaign(&campaign, run)?;
            past.add_to(&mut result);
            result
        }
    };
    let saved = past.save(&result)?;
    let verdict = past.verdict(&mut result);
    let shown = match run.json && !files.are_wanted() {
        true => Vec::new(),
        false => Shown::all_of(&campaign, &result),
    };
    if run.json {
        let mut value = summary_json(&campaign, &result);
        past.add_to_json(&mut value, &verdict, &result);
        print_json(&value);
    } else {
        print_found(&campaign, &result, &shown);
        match is_explored {
            true => print_judged(&campaign, &result, &past, &verdict),
            false => {
                past.print(&result);
                print_line!("  {}", paint().bad("FAIL: a failure of the past is back; nothing was explored"));
            }
        }
        saved.iter().for_each(|path| print_line!("  {}      {}", paint().faint("saved"), path.display()));
    }
    let reports = finding_reports(&campaign, &result, &past, shown);
    if let Some(ci) = &ci {
        ci.write(&campaign, &result, &past, &verdict, &reports, run.json)?;
    }
    files.write(&campaign, &result, &verdict, reports)?;
    if !run.json {
        let kept = run.keep.as_deref().filter(|_| is_explored);
        print_places(kept, &files, &result);
    }
    Ok(ExitStatus::from(&verdict))
}

/// Prints the summary, and the verdict beside the failures of the past.
fn print_judged(campaign: &Campaign<'_>, result: &Summary, past: &Past, verdict: &Verdict) {
    if !past.has_baseline() {
        print(&summary(campaign, result));
        return past.print(result);
    }
    print(&summary_without_verdict(campaign, result));
    past.print(result);
    print_line!("  {}", outcome_beside_baseline(verdict, result));
}

/// Runs the campaign, stored if that is wanted.
fn run_campaign(campaign: &Campaign<'_>, run: &Run) -> Result<Summary, CommandError> {
    let display = Display::new(campaign.plan.executions, campaign.time, run.json);
    let progress = Announcing { display: &display, command: run.on_finding.as_deref() };
    let result = match &run.keep {
        #[cfg(feature = "store")]
        Some(folder) => {
            let whole = Whole { first: run.first, executions: run.campaign.executions };
            begin(campaign, run.partition.as_ref().map(|_| whole), folder, run.disk, &progress)
        }
        _ => campaign.run(&progress).map_err(CommandError::from),
    };
    display.finish();
    result
}

/// Prints where else to look.
fn print_places(kept: Option<&Path>, files: &ReportFiles, result: &Summary) {
    if let Some(page) = &files.html {
        print_line!("  {}       {}", paint().faint("page"), page.display());
    }
    if let Some(folder) = kept {
        let (program, folder) = (shell_word(&program()), shell_word(&folder.to_string_lossy()));
        print_line!("  {}     {program} report {folder}", paint().faint("report"));
    }
    print_line_that_goes_on(result, kept);
}

/// The verdict where what is known does not count.
fn outcome_beside_baseline(verdict: &Verdict, result: &Summary) -> Painted {
    match verdict {
        Verdict::Pass if !result.findings.is_empty() => paint().good("PASS: what was violated is known"),
        verdict => outcome(verdict),
    }
}

/// The findings as reports want them.
fn finding_reports(
    campaign: &Campaign<'_>,
    result: &Summary,
    past: &Past,
    shown: Vec<Shown>,
) -> Vec<FindingReport> {
    let report = |(finding, shown): (&Finding, Shown)| {
        let file = finding.path.as_deref();
        let replay = file.map(replay_line).unwrap_or_default();
        let found = finding.failure.clone();
        let is_known = past.is_known(&found);
        let report = shown.report(campaign.target, found, Reproduction::Violated, file, replay);
        FindingReport { is_known, causes: finding.causes.clone(), ..report }
    };
    result.findings.iter().zip(shown).map(report).collect()
}

/// Prints what came of a campaign.
#[cfg(feature = "store")]
pub(crate) fn print_campaign(
    campaign: &Campaign<'_>,
    result: &Summary,
    as_json: bool,
) -> Result<ExitStatus, CommandError> {
    if as_json {
        print_json(&summary_json(campaign, result));
    } else {
        print_found(campaign, result, &Shown::all_of(campaign, result));
        print(&summary(campaign, result));
    }
    Ok(ExitStatus::from(&result.verdict()))
}

/// How often the schedule of a finding is run to see how often it fails, where nodes keep their own time.
const RATE_TIMES: u64 = 5;

/// Prints every finding, and how often it repeats where nodes keep their own time.
fn print_found(campaign: &Campaign<'_>, result: &Summary, shown: &[Shown]) {
    for (finding, shown) in result.findings.iter().zip(shown) {
        print_finding(finding, shown);
        if !campaign.target.info().is_deterministic
            && let Ok((met, _)) = repeat(campaign.target, &finding.failure, RATE_TIMES)
        {
            print_rate(met, RATE_TIMES);
        }
    }
}

/// Prints a finding with its diagram, and where its file lies.
pub(crate) fn print_finding(finding: &Finding, shown: &Shown) {
    print_finding_with(finding, shown, replay_line);
}

/// The same, given the line that replays a file.
pub(crate) fn print_finding_with(finding: &Finding, shown: &Shown, replay_line: impl Fn(&Path) -> String) {
    let paint = paint();
    shown.print(&finding.failure);
    if let Some(cut_short) = shrinking(finding) {
        print_line!("\n  {}", paint.warn(cut_short));
    }
    if let Some(error) = &finding.file_error {
        print_line!("\n  {}", paint.warn(format_args!("no failure file could be written: {error}")));
    }
    if let Some(path) = &finding.path {
        print_line!("\n  {}  {}", paint.faint("failure file"), path.display());
        print_line!("  {}        {}", paint.faint("replay"), replay_line(path));
        print_line!("");
    }
}

fn campaign<'a>(
    target: &'a dyn AnyTarget,
    run: &Run,
    ci: Option<&Ci<'_>>,
) -> Result<Campaign<'a>, CommandError> {
    let mut campaign = run.campaign.campaign(target, run.parameters.of(run.strategy.clone())?)?;
    (campaign.plan.first, campaign.plan.keep_going, campaign.plan.variants) =
        (run.first, run.keep_going || run.past.baseline.is_some(), run.variants);
    campaign.plan.check_determinism = run.check_determinism;
    campaign.out = Some(match (&run.keep, &run.out, ci) {
        (Some(keep), ..) => failures_in(keep),
        (_, Some(out), _) => out.clone(),
        (_, _, Some(ci)) => ci.failures(),
        _ => PathBuf::from("shakedown-out"),
    });
    campaign.stop = interruptions();
    campaign.plan.shrink = campaign.plan.shrink.and_then(|limits| run.shrink.limits(limits));
    if let Some(partition) = &run.partition {
        let (first, executions) = part_of(partition, campaign.plan.first, campaign.plan.executions)?;
        (campaign.plan.first, campaign.plan.executions) = (first, executions);
    }
    Ok(campaign)
}

/// The first number and how many executions there are in a part that is given as `M/N`.
fn part_of(partition: &str, first: u64, executions: u64) -> Result<(u64, u64), CommandError> {
    let numbers = partition.split_once('/').and_then(|(part, parts)| {
        let (part, parts): (u64, u64) = (part.trim().parse().ok()?, parts.trim().parse().ok()?);
        (1 <= part && part <= parts && parts <= executions).then_some((part, parts))
    });
    let (part, parts) = numbers.ok_or_else(|| {
        CommandError(format!(
            "`--partition {partition}` is not of the form M/N with M from 1 to N, and N at most the executions"
        ))
    })?;
    // Wide enough not to overflow.
    let bound = |part: u64| (u128::from(executions) * u128::from(part) / u128::from(parts)) as u64;
    Ok((first.saturating_add(bound(part - 1)), bound(part) - bound(part - 1)))
}
