//! The command line, for any set of targets.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use serde_json::json;
#[cfg(feature = "store")]
use shakedown_campaign::Whole;
use shakedown_campaign::{
    AnyTarget, Campaign, CannotReplay, Failure, Finding, Replayed, Sameness, ShrinkLimits, Silent, Summary,
    Verdict, follow, guarded, own_process, shrink_side_by_side,
};
use shakedown_check::SpecTrace;
use shakedown_cluster::Recording;
use shakedown_explore::StrategyChoice;
use shakedown_report::{
    DiagramStyle, Painted, Reproduction, Style, Text, grouped, replayed_failure, shrinking, space, summary,
    summary_json,
};

use crate::campaign_options::CampaignOptions;
pub(crate) use crate::command_error::CommandError;
#[cfg(feature = "store")]
use crate::compare_command::{Compare, compare as compare_strategies};
#[cfg(feature = "tla")]
use crate::conform_command::{Conform, conform};
use crate::corpus_command::{CorpusCommand, begin_with, corpus};
use crate::environment::failures_in;
#[cfg(not(feature = "remote"))]
use crate::features::REMOTE;
use crate::features::{HTML, STORE, missing_command};
use crate::history_command::{CheckHistory, check_history, write_history};
#[cfg(feature = "remote")]
use crate::host_command::{HostSubcommand, described, host};
#[cfg(feature = "remote")]
use crate::init_command::{Init, init};
#[cfg(feature = "store")]
use crate::kept_command::{List, Merge, Resume, Show, begin, list, merge, replace_stored, resume, show};
use crate::list_command::{Strategies, Targets, list_strategies, list_targets};
#[cfg(feature = "maelstrom")]
use crate::maelstrom_command::{Maelstrom, maelstrom, refuse_to_start};
use crate::page::write_page;
use crate::printing::{
    Shown, print_rate, print_report, program, remember_target_files, repeat, replay_line, shell_word,
    step_time,
};
use crate::replayed::{as_replayed, verdict_of};
#[cfg(all(feature = "html", feature = "store"))]
use crate::report_command::{Report, report};
use crate::report_files::ReportFiles;
use crate::scenario_command::{ScenarioCommand, scenario};
use crate::strategy_parameters::{Closure, StrategyParameters};
use crate::terminal::{
    Display, all_was_printed, note, paint, print, print_error, print_json, print_line, remark, width,
};
#[cfg(feature = "tla")]
use crate::tla_command::TlaCommand;
#[cfg(feature = "tla")]
use crate::validate_command::{Validate, validate};

/// Exit codes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    /// Nothing is wrong.
    Pass = 0,
    /// A failure was found.
    Fail = 1,
    /// The result is inconclusive, or the command could not run.
    Unknown = 2,
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

impl From<&Verdict> for ExitStatus {
    fn from(verdict: &Verdict) -> ExitStatus {
        match verdict {
            Verdict::Pass => ExitStatus::Pass,
            Verdict::Fail(_) => ExitStatus::Fail,
            Verdict::Unknown(_) => ExitStatus::Unknown,
        }
    }
}

/// The most lines of an error that are printed.
const ERROR_LINES_MAX: usize = 40;

/// Tests implementations of distributed protocols.
///
/// Controls the network, the clocks, the disks and the crashes of a cluster, explores executions, and returns a
/// failing one that is small, readable and replays every time.
#[derive(Parser)]
#[command(version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Exit codes: 0 pass, 1 a failure was found, 2 inconclusive or could not run.")]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
    /// A file that describes a target; may be given several times [default: shakedown.toml, if it is there]
    #[arg(long, global = true, value_name = "FILE")]
    target_file: Vec<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// List the targets, with their options
    Targets(Targets),
    /// List the strategies, with their parameters
    Strategies(Strategies),
    /// Explore executions of a target
    Run(Box<Run>),
    /// Print how many executions the strategy `closure` samples from, and how many samples hit a given one
    Space(Space),
    /// List and run scenario unit tests: filters that steer messages, and a property
    #[command(subcommand)]
    Scenario(ScenarioCommand),
    /// Check a target against a specification: play every path of its state graph and compare all variables
    #[cfg(feature = "tla")]
    Conform(Box<Conform>),
    /// Check, simulate and walk TLA+ specifications
    #[cfg(feature = "tla")]
    #[command(subcommand)]
    Tla(TlaCommand),
    /// Take TLC's command line, and print TLC's messages
    #[cfg(feature = "tla")]
    #[command(disable_help_flag = true)]
    Tlc(shakedown_tla::command::Tlc),
    /// Check whether a recorded trace is a behaviour of a TLA+ specification
    #[cfg(feature = "tla")]
    Validate(Validate),
    /// Check programs that hold nodes in other languages
    #[cfg(feature = "remote")]
    #[command(subcommand)]
    Host(HostSubcommand),
    /// Test nodes written for Maelstrom, in any language, unmodified
    #[cfg(feature = "maelstrom")]
    Maelstrom(Box<Maelstrom>),
    /// Make a new project: a small protocol, its target and its properties
    #[cfg(feature = "remote")]
    Init(Init),
    /// Check a recorded history of transactions for isolation anomalies
    CheckHistory(CheckHistory),
    /// Replay a failing execution
    Replay(Replay),
    /// Look for a shorter schedule of the same failure
    Shrink(Shrink),
    /// Continue a campaign that is stored in a folder
    #[cfg(feature = "store")]
    Resume(Resume),
    /// Compare strategies: the same budget, several seeds each, and whether the differences are significant
    #[cfg(feature = "store")]
    Compare(Box<Compare>),
    /// Write a report of a campaign or a comparison that is stored in a folder
    #[cfg(all(feature = "html", feature = "store"))]
    Report(Report),
    /// Print a finding with its diagram
    #[cfg(feature = "store")]
    Show(Show),
    /// List the campaigns in folders
    #[cfg(feature = "store")]
    List(List),
    /// Merge several campaigns into one folder
    #[cfg(feature = "store")]
    Merge(Merge),
    /// Minimise, merge and replay the inputs of a fuzzer
    #[command(subcommand)]
    Corpus(CorpusCommand),
}

#[derive(Args)]
struct Run {
    #[command(flatten)]
    campaign: CampaignOptions,
    /// The strategy that chooses the steps; `shakedown strategies` lists them
    #[arg(long, short = 's', default_value = "random", value_name = "NAME[:PARAMETER=VALUE,…]")]
    strategy: StrategyChoice,
    #[command(flatten)]
    parameters: StrategyParameters,
    /// With fuzz: begin with the inputs of these folders, each a corpus or a stored campaign
    #[arg(long, value_name = "DIR")]
    corpus: Vec<PathBuf>,
    /// The folder for failure files
    #[arg(long, default_value = "shakedown-out", value_name = "DIR")]
    out: PathBuf,
    /// Store the campaign in this folder, so that it can be resumed, reported and merged
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    keep: Option<PathBuf>,
    /// With --keep: the maximum size of the campaign's file, in MiB
    #[arg(long, value_name = "MIB", requires = "keep")]
    disk: Option<u64>,
    /// Continue after a failure and report every violated property
    #[arg(long)]
    keep_going: bool,
    /// With --keep-going: report at most N failures of one property, if they shrink to different schedules
    #[arg(long, default_value_t = 1, value_name = "N", requires = "keep_going")]
    variants: usize,
    /// Do not shrink failures
    #[arg(long)]
    no_shrink: bool,
    /// Run every execution twice and compare the two, bit for bit
    #[arg(long)]
    check_determinism: bool,
    /// The number of the first execution
    #[arg(long, default_value_t = 0, value_name = "N")]
    first: u64,
    /// Run only the M-th of N equal parts of the executions; `merge` joins the parts
    #[arg(long, value_name = "M/N")]
    partition: Option<String>,
    #[command(flatten)]
    files: ReportFiles,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct Space {
    /// The target; `shakedown targets` lists them
    target: String,
    #[command(flatten)]
    closure: Closure,
    /// How many nodes [default: the target's]
    #[arg(long, value_name = "N")]
    nodes: Option<usize>,
    /// The confidence with which a given execution is sampled
    #[arg(long, default_value_t = 0.95, value_name = "P")]
    confidence: f64,
}

#[derive(Args)]
struct Replay {
    /// The failure file
    file: PathBuf,
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

#[derive(Args)]
struct Shrink {
    /// The failure file
    file: PathBuf,
    /// Where to write the result [default: in place of FILE; in a stored campaign under the name of the new schedule]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The maximum number of executions
    #[arg(long, short = 'n', default_value_t = 1_000_000, value_name = "N")]
    executions: u64,
    /// The maximum number of seconds
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    time: u64,
    /// How many executions to run side by side; never changes a result
    #[arg(long, short, default_value_t = 1, value_name = "N")]
    jobs: usize,
    /// Print no progress
    #[arg(long, short)]
    quiet: bool,
}

/// The whole command line, for these targets. Call it from a `main` of your own.
pub fn main(targets: Vec<Box<dyn AnyTarget>>) -> ExitCode {
    own_process();
    main_with(targets, std::env::args_os())
}

/// The same with arguments of the caller's own, the first of which is the name of the program.
pub fn main_with(
    targets: Vec<Box<dyn AnyTarget>>,
    arguments: impl IntoIterator<Item = OsString>,
) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let command_line = match CommandLine::try_parse_from(&arguments) {
        Ok(command_line) => command_line,
        Err(error) => {
            if let Some(missing) = missing_command(&error) {
                return ended_with(Err(CommandError(missing)));
            }
            // Help and the version are errors to the parser, but not to the user.
            if !error.use_stderr() {
                note(error.print());
                return ended_with(Ok(ExitStatus::Pass));
            }
            let has_line_break =
                arguments.iter().any(|argument| argument.to_string_lossy().contains(['\n', '\r']));
            print_usage_error(&error, has_line_break);
            return ended_with(Ok(ExitStatus::Unknown));
        }
    };
    remember_target_files(&command_line.target_file);
    let targets = match with_described(targets, &command_line.target_file) {
        Ok(targets) => targets,
        Err(error) => return ended_with(Err(error)),
    };
    let result = match command_line.command {
        Command::Targets(options) => list_targets(&targets, &options),
        Command::Strategies(options) => Ok(list_strategies(&options)),
        Command::Run(run) => explore(&targets, &run),
        Command::Space(options) => print_space(&targets, &options),
        Command::Scenario(command) => scenario(&targets, &command),
        #[cfg(feature = "tla")]
        Command::Conform(options) => conform(&targets, &options),
        // Its exit codes are TLC's.
        #[cfg(feature = "tla")]
        Command::Tla(command) => return command.run(),
        #[cfg(feature = "tla")]
        Command::Tlc(command) => return ExitCode::from(command.run()),
        #[cfg(feature = "tla")]
        Command::Validate(options) => validate(&options),
        #[cfg(feature = "remote")]
        Command::Host(command) => host(&command),
        #[cfg(feature = "maelstrom")]
        Command::Maelstrom(options) => maelstrom(&options),
        #[cfg(feature = "remote")]
        Command::Init(options) => init(&options),
        Command::CheckHistory(options) => check_history(&targets, &options),
        Command::Replay(replay) => replay_file(&targets, &replay),
        Command::Shrink(shrink) => shrink_file(&targets, &shrink),
        #[cfg(feature = "store")]
        Command::Resume(options) => resume(&targets, &options),
        #[cfg(feature = "store")]
        Command::Compare(options) => compare_strategies(&targets, &options),
        #[cfg(all(feature = "html", feature = "store"))]
        Command::Report(options) => report(&targets, &options),
        #[cfg(feature = "store")]
        Command::Show(options) => show(&targets, &options),
        #[cfg(feature = "store")]
        Command::List(options) => list(&options),
        #[cfg(feature = "store")]
        Command::Merge(options) => merge(&options),
        Command::Corpus(command) => corpus(&targets, &command),
    };
    ended_with(result)
}

/// These targets, and before them those that files describe: they take the place of others of the same names.
fn with_described(
    targets: Vec<Box<dyn AnyTarget>>,
    files: &[PathBuf],
) -> Result<Vec<Box<dyn AnyTarget>>, CommandError> {
    #[cfg(feature = "remote")]
    {
        let mut all = described(files)?;
        for target in targets {
            if all.iter().all(|known| known.name() != target.name()) {
                all.push(target);
            }
        }
        Ok(all)
    }
    #[cfg(not(feature = "remote"))]
    {
        if !files.is_empty() {
            REMOTE.needed_for("--target-file").map_err(CommandError)?;
        }
        Ok(targets)
    }
}

/// Prints what is wrong with the arguments. The error repeats them, so they are foreign text, which may break lines; if there
/// is nothing harmful in them, the parser's own colours stay. If standard error takes nothing, there is nowhere to report that.
fn print_usage_error(error: &clap::Error, has_line_break: bool) {
    let rendered = error.render().to_string();
    let is_plain = |line: &str| {
        let mut text = Text::new();
        text.line(format_args!("{line}"));
        text.to_string().trim_end() == line.trim_end()
    };
    if !has_line_break && rendered.lines().all(is_plain) {
        let _ = error.print();
        return;
    }
    let mut text = Text::new();
    text.block("", 0, ERROR_LINES_MAX, Style::Plain, &rendered);
    print_error(&text);
}

/// The exit code of a command, and the error if there is one.
fn ended_with(result: Result<ExitStatus, CommandError>) -> ExitCode {
    let error = match result {
        Ok(status) if all_was_printed() => return status.into(),
        Ok(_) => "not all could be printed: standard output takes no more".to_owned(),
        Err(CommandError(text)) => text,
    };
    let mut text = Text::new();
    text.block("error: ", 7, ERROR_LINES_MAX, Style::Plain, &error);
    print_error(&text);
    ExitStatus::Unknown.into()
}

pub(crate) fn find<'a>(
    targets: &'a [Box<dyn AnyTarget>],
    name: &str,
) -> Result<&'a dyn AnyTarget, CommandError> {
    let target = targets.iter().find(|target| target.name() == name);
    target.map(AsRef::as_ref).ok_or_else(|| {
        let names: Vec<_> = targets.iter().map(|target| target.name()).collect();
        CommandError(format!("there is no target `{name}`: choose one of {}", names.join(", ")))
    })
}

fn explore(targets: &[Box<dyn AnyTarget>], run: &Run) -> Result<ExitStatus, CommandError> {
    run.files.can_be_made()?;
    if run.keep.is_some() {
        STORE.needed_for("--keep").map_err(CommandError)?;
    }
    let target = find(targets, &run.campaign.target)?;
    let mut campaign = campaign(target, run)?;
    begin_with(targets, &run.corpus, &mut campaign)?;
    let display = Display::new(campaign.plan.executions, campaign.time, run.json);
    let result = match &run.keep {
        #[cfg(feature = "store")]
        Some(folder) => {
            let whole = Whole { first: run.first, executions: run.campaign.executions };
            begin(&campaign, run.partition.as_ref().map(|_| whole), folder, run.disk, &display)
        }
        _ => campaign.run(&display).map_err(CommandError::from),
    };
    display.finish();
    let result = result?;
    let shown = match run.json && !run.files.are_wanted() {
        true => Vec::new(),
        false => Shown::all_of(&campaign, &result, run.files.html.is_some()),
    };
    let status = print_shown(&campaign, &result, &shown, run.json)?;
    run.files.write(&campaign, &result, shown)?;
    if let Some(page) = run.files.html.as_ref().filter(|_| !run.json) {
        print_line!("  {}       {}", paint().faint("page"), page.display());
    }
    if let Some(folder) = run.keep.as_ref().filter(|_| !run.json) {
        let (program, folder) = (shell_word(&program()), shell_word(&folder.to_string_lossy()));
        print_line!("  {}     {program} report {folder}", paint().faint("report"));
    }
    Ok(status)
}

/// Prints what came of a campaign.
#[cfg(feature = "store")]
pub(crate) fn print_campaign(
    campaign: &Campaign<'_>,
    result: &Summary,
    as_json: bool,
) -> Result<ExitStatus, CommandError> {
    let shown = if as_json { Vec::new() } else { Shown::all_of(campaign, result, false) };
    print_shown(campaign, result, &shown, as_json)
}

/// How often the schedule of a finding is run to see how often it fails, where nodes keep their own time.
const RATE_TIMES: u64 = 5;

/// Prints what came of a campaign, given its findings replayed.
fn print_shown(
    campaign: &Campaign<'_>,
    result: &Summary,
    shown: &[Shown],
    as_json: bool,
) -> Result<ExitStatus, CommandError> {
    if as_json {
        print_json(&summary_json(campaign, result));
    } else {
        for (finding, shown) in result.findings.iter().zip(shown) {
            print_finding(finding, shown);
            if !campaign.target.info().is_deterministic
                && let Ok((met, _)) = repeat(campaign.target, &finding.failure, RATE_TIMES)
            {
                print_rate(met, RATE_TIMES);
            }
        }
        print(&summary(campaign, result));
    }
    Ok(ExitStatus::from(&result.verdict()))
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

fn campaign<'a>(target: &'a dyn AnyTarget, run: &Run) -> Result<Campaign<'a>, CommandError> {
    let mut campaign = run.campaign.campaign(target, run.parameters.of(run.strategy.clone())?)?;
    (campaign.plan.first, campaign.plan.keep_going, campaign.plan.variants) =
        (run.first, run.keep_going, run.variants);
    campaign.plan.check_determinism = run.check_determinism;
    campaign.out = Some(run.keep.as_deref().map_or_else(|| run.out.clone(), failures_in));
    if run.no_shrink {
        campaign.plan.shrink = None;
    }
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

fn print_space(targets: &[Box<dyn AnyTarget>], options: &Space) -> Result<ExitStatus, CommandError> {
    if !(0.0..1.0).contains(&options.confidence) {
        return Err(CommandError(format!("a confidence is from 0 to below 1, not {}", options.confidence)));
    }
    let mut campaign = Campaign::new(find(targets, &options.target)?);
    campaign.plan.strategy = options.closure.of("closure".parse()?)?;
    campaign.plan.config.nodes = options.nodes.unwrap_or(campaign.plan.config.nodes);
    let lock_step = campaign.lock_step()?.ok_or_else(|| CommandError("there is no such space".to_owned()))?;
    print(&space(&lock_step, options.confidence));
    Ok(ExitStatus::Pass)
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
        // The last one is what is shown: a page also shows what the target's specification says.
        let with_model = replay.html.is_some() && number == replay.times;
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

fn replay_file(targets: &[Box<dyn AnyTarget>], replay: &Replay) -> Result<ExitStatus, CommandError> {
    if replay.html.is_some() {
        HTML.needed_for("--html").map_err(CommandError)?;
    }
    let kept = Failure::read(&replay.file)?;
    #[cfg(feature = "maelstrom")]
    refuse_to_start(&kept, &replay.file)?;
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
        print(&replayed_failure(&shown, Reproduction::of(&verdict), trace, style));
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
        write_page(target, out, &replay.file, kept, last, replay_line(&replay.file))?;
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

/// Writes a shrunk failure in place of the file that it came from. Gives where it is: a file of a stored campaign gets the name of
/// what is in it now.
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

fn shrink_file(targets: &[Box<dyn AnyTarget>], options: &Shrink) -> Result<ExitStatus, CommandError> {
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
    let shrunk = shrink_side_by_side(target, &kept, limits, options.jobs, step_time(target), &display);
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
