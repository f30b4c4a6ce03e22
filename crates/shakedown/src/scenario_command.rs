//! `shakedown scenario list | run`: scenario unit tests from the command line.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::json;
use shakedown_campaign::{
    AnyTarget, Distance, Failure, Reach, ScenarioRun, ScenarioSummary, Verdict, Violation,
};
use shakedown_explore::StrategyChoice;
use shakedown_report::{Paint, Text, grouped, line};

use crate::campaign_options::read_settings;
use crate::command_line::{CommandError, ExitStatus, find};
use crate::fleet_options::FleetArgs;
use crate::jobs::Jobs;
use crate::near::did_you_mean;
use crate::printing::{outcome, replay_line};
use crate::scenario_explained::{diagram_of, folded};
use crate::strategy_parameters::choice;
use crate::terminal::{Display as ProgressDisplay, paint, print, print_json, print_line};

/// Scenario unit tests.
#[derive(Subcommand)]
pub(crate) enum ScenarioCommand {
    /// List the scenarios
    List {
        /// Only those of this target
        target: Option<String>,
    },
    /// Run a scenario, or all of a target
    Run(Box<Run>),
}

#[derive(Args)]
pub(crate) struct Run {
    /// The scenario, or a target to run all of its scenarios
    name: String,
    /// The target, where several have a scenario of this name
    #[arg(long)]
    target: Option<String>,
    /// How many iterations
    #[arg(long, short = 'n', default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    iterations: u64,
    /// The strategy for the steps that no filter chooses; `shakedown strategies` lists them
    #[arg(long, short = 's', default_value = "pctcp", value_name = "NAME[:PARAMETER=VALUE,…]", value_parser = choice)]
    strategy: StrategyChoice,
    /// The source of all randomness
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    #[command(flatten)]
    jobs: Jobs,
    /// The number of the first iteration
    #[arg(long, default_value_t = 0, value_name = "N")]
    first: u64,
    /// Leave out these filters, counted from 1, or `all`: does the strategy get there by itself?
    #[arg(long, value_name = "FILTER,…", value_delimiter = ',')]
    without: Vec<LeftOut>,
    /// Set an option of the target to another value than the scenario does; may be repeated
    #[arg(long = "set", value_name = "OPTION=VALUE")]
    settings: Vec<String>,
    /// Print for how many other messages a filter holds a message back in a fault-free run, and whether PCTCP
    /// alone would do so
    #[arg(long)]
    distances: bool,
    /// Print the events of the first iteration, which filter matched, and a diagram
    #[arg(long)]
    explain: bool,
    /// With --explain: print every event, also those that are like earlier ones, and the whole diagram
    #[arg(long, requires = "explain")]
    all_events: bool,
    /// Fail if a smaller share of iterations succeeds
    #[arg(long, value_name = "SHARE", value_parser = share)]
    at_least: Option<f64>,
    /// Refuse scenarios that make more nodes faulty than the protocol tolerates
    #[arg(long)]
    strict: bool,
    /// Give up when one call of a node takes longer than this many seconds [default: 30; 300 where nodes are
    /// real processes]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    step_time: Option<u64>,
    /// The folder for failure files
    #[arg(long, default_value = "shakedown-out", value_name = "DIR")]
    out: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    fleet: FleetArgs,
}

/// What `--at-least` takes.
fn share(text: &str) -> Result<f64, &'static str> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or("it is a number from 0 to 1")
}

/// What `--without` takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LeftOut {
    All,
    Filter(usize),
}

impl FromStr for LeftOut {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<LeftOut, &'static str> {
        match text {
            "all" => Ok(LeftOut::All),
            _ => text.parse().map(LeftOut::Filter).map_err(|_| "it is the number of a filter, or `all`"),
        }
    }
}

/// The numbers of the filters that are left out of a scenario with so many.
fn left_out(without: &[LeftOut], filters: usize) -> Vec<usize> {
    let numbers = |one: &LeftOut| match *one {
        LeftOut::All => (1..=filters).collect(),
        LeftOut::Filter(number) => vec![number],
    };
    without.iter().flat_map(numbers).collect()
}

pub(crate) fn scenario(
    targets: &[Box<dyn AnyTarget>],
    command: &ScenarioCommand,
) -> Result<ExitStatus, CommandError> {
    match command {
        ScenarioCommand::List { target } => list(targets, target.as_deref()),
        ScenarioCommand::Run(options) => run(targets, options),
    }
}

fn list(targets: &[Box<dyn AnyTarget>], only: Option<&str>) -> Result<ExitStatus, CommandError> {
    if let Some(only) = only {
        find(targets, only)?;
    }
    let paint = paint();
    for target in targets.iter().filter(|target| only.is_none_or(|only| only == target.name())) {
        let scenarios = &target.info().scenarios;
        if scenarios.is_empty() {
            continue;
        }
        print_line!("{}", paint.strong(target.name()));
        for info in scenarios {
            print_line!("    {:<26} {}", info.name, paint.faint(info.about));
        }
    }
    Ok(ExitStatus::Pass)
}

/// The scenarios that a name stands for, each with its target and its number of filters.
fn chosen<'a>(
    targets: &'a [Box<dyn AnyTarget>],
    options: &Run,
) -> Result<Vec<(&'a dyn AnyTarget, &'static str, usize)>, CommandError> {
    let within: Vec<&dyn AnyTarget> = match &options.target {
        Some(name) => vec![find(targets, name)?],
        None => targets.iter().map(AsRef::as_ref).collect(),
    };
    let of_target = |target: &'a dyn AnyTarget| {
        target.info().scenarios.iter().map(move |info| (target, info.name, info.filters.len()))
    };
    if let Some(target) = targets.iter().map(AsRef::as_ref).find(|target| target.name() == options.name) {
        return Ok(of_target(target).collect());
    }
    let named: Vec<_> = within
        .iter()
        .flat_map(|target| of_target(*target))
        .filter(|(_, name, _)| *name == options.name)
        .collect();
    match named.len() {
        0 => {
            let names =
                targets.iter().flat_map(|target| target.info().scenarios.iter().map(|info| info.name));
            let meant = did_you_mean(&options.name, names);
            Err(CommandError(format!(
                "there is no scenario `{}`: `shakedown scenario list` lists them{meant}",
                options.name
            )))
        }
        1 => Ok(named),
        _ => {
            let names: Vec<_> = named.iter().map(|(target, ..)| target.name()).collect();
            Err(CommandError(format!(
                "several targets have a scenario `{}`: give --target {}",
                options.name,
                names.join(" or ")
            )))
        }
    }
}

fn run(targets: &[Box<dyn AnyTarget>], options: &Run) -> Result<ExitStatus, CommandError> {
    if options.first.checked_add(options.iterations).is_none() {
        let (iterations, first) = (options.iterations, options.first);
        return Err(CommandError(format!("there are no {iterations} iterations from number {first} on")));
    }
    let mut worst = Verdict::Pass;
    let mut all = Vec::new();
    let chosen = chosen(targets, options)?;
    let settings = chosen.first().map(|(target, ..)| read_settings(*target, &options.settings));
    let settings = settings.transpose()?.unwrap_or_default();
    let mut covered = vec![0; chosen.first().map_or(0, |(target, ..)| target.info().clauses.len())];
    for (target, name, filters) in &chosen {
        let scenario = ScenarioRun {
            target: *target,
            scenario: name,
            strategy: options.strategy.clone(),
            iterations: options.iterations,
            first: options.first,
            seed: options.seed,
            jobs: options.jobs.of(*target),
            without: left_out(&options.without, *filters),
            options: settings.clone(),
            explain: options.explain,
            strict: options.strict,
            step_time: options.step_time.map(Duration::from_secs),
            fleet: options.fleet.connect_for(*target)?,
        };
        let display = ProgressDisplay::new(options.iterations, None, options.json || chosen.len() > 1);
        let summary = scenario.run(&display);
        display.finish();
        let summary = summary?;
        let distances = if options.distances { scenario.distances()? } else { Vec::new() };
        let verdict = verdict_of(&summary, options.at_least);
        let files = write_failures(&summary, &options.out)?;
        if options.json {
            all.push(as_json(&summary, &verdict, &distances, &files));
        } else {
            if options.explain {
                print(&diagram_of(*target, &summary, options.all_events));
                print(&folded(&summary.log, options.all_events));
            }
            print(&print_report(&summary, &verdict, &distances, &files));
        }
        worst = worst.and(verdict);
        for (total, count) in covered.iter_mut().zip(&summary.total.clauses) {
            *total += count;
        }
    }
    if options.json {
        print_json(&json!(all));
    } else if let Some((target, ..)) = chosen.first() {
        print(&print_clauses(&target.info().clauses, &covered));
    }
    Ok(ExitStatus::from(&worst))
}

/// Writes a failure file for every violated property. Gives their paths, in the order of the violations.
fn write_failures(summary: &ScenarioSummary, out: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let write = |failure: &Failure| {
        let path = out.join(failure.file_name());
        failure.write(&path).map(|()| path)
    };
    Ok(summary.failures.iter().map(write).collect::<Result<_, _>>()?)
}

/// The verdict on a scenario. If a share of successes is wanted, that is a property as well, and the only one
/// that asks for successes.
fn verdict_of(summary: &ScenarioSummary, at_least: Option<f64>) -> Verdict {
    match (summary.verdict(), at_least) {
        (verdict @ Verdict::Fail(_), _) | (verdict, None) => verdict,
        (verdict, Some(wanted)) => {
            if summary.rate() < wanted {
                let reason = format!("{} of {} iterations succeeded", summary.successes, summary.iterations);
                return Verdict::Fail(Violation { property: format!("at least {wanted}"), reason });
            }
            if summary.unknown > 0 { verdict } else { Verdict::Pass }
        }
    }
}

fn print_report(
    summary: &ScenarioSummary,
    verdict: &Verdict,
    distances: &[Distance],
    files: &[PathBuf],
) -> Text {
    let mut text = Text::new();
    line!(text, "{}  {}", Paint.strong(summary.info.name), Paint.faint(summary.info.about));
    let mut line =
        |name: &str, what: &dyn Display| line!(text, "  {} {what}", Paint.faint(format_args!("{name:<9}")));
    let info = &summary.info;
    let milliseconds = summary.elapsed.as_secs_f64() * 1e3 / summary.iterations.max(1) as f64;
    line(
        "outcome",
        &Paint.strong(format_args!("{} of {} iterations succeeded", summary.successes, summary.iterations)),
    );
    line(
        "on",
        &format!(
            "{}, {} nodes, {}, seed {}, {milliseconds:.2} ms an iteration",
            summary.target_version, summary.nodes, summary.strategy, summary.seed
        ),
    );
    if let Some(first) = summary.first_without_success {
        line(
            "look at",
            &format!(
                "iteration {first}, the first without success: --first {first} --iterations 1 --explain"
            ),
        );
    }
    for (number, (filter, tally)) in (1..).zip(info.filters.iter().zip(&summary.total.filters)) {
        let deeds: Vec<_> =
            tally.deeds.iter().map(|(word, count)| format!("{word} {}", grouped(*count))).collect();
        let deeds = if deeds.is_empty() { String::new() } else { format!(" ({})", deeds.join(", ")) };
        line(
            &format!("filter {number}"),
            &format!("matched {}{deeds}: {}", grouped(tally.matched), filter.name),
        );
    }
    let states: Vec<_> = info
        .states
        .iter()
        .zip(&summary.total.states)
        .map(|(state, count)| format!("{state} {}", grouped(*count)))
        .collect();
    line("property", &format!("entered {}", states.join(" · ")));
    for distance in distances {
        let reach = match distance.reach {
            Reach::Messages(messages) => format!("{messages} messages"),
            Reach::Infinite => "∞".to_owned(),
            Reach::Unknown => "?".to_owned(),
        };
        let release = distance.released_by.map_or("the end".to_owned(), |filter| format!("filter {filter}"));
        line("distance", &format!("filter {} to {release}: {reach}; {}", distance.filter, distance.advice()));
    }
    for (number, violation) in &summary.violations {
        line("violated", &Paint.bad(format_args!("in iteration {number}: {violation}")));
    }
    for file in files {
        line("file", &file.display());
        line("replay", &replay_line(file));
    }
    for warning in &summary.warnings {
        line("warning", &Paint.warn(warning));
    }
    line("verdict", &outcome(verdict));
    text.blank();
    text
}

fn print_clauses(clauses: &[&str], covered: &[u64]) -> Text {
    let mut text = Text::new();
    if clauses.is_empty() {
        return text;
    }
    let count = covered.iter().filter(|count| **count > 0).count();
    line!(text, "{count} of {} clauses of the protocol were covered", clauses.len());
    for (clause, times) in clauses.iter().zip(covered) {
        let line = format!("  {:>9} × {clause}", grouped(*times));
        line!(text, "{}", if *times == 0 { Paint.warn(line) } else { Paint.plain(line) });
    }
    text
}

fn as_json(
    summary: &ScenarioSummary,
    verdict: &Verdict,
    distances: &[Distance],
    files: &[PathBuf],
) -> serde_json::Value {
    let info = &summary.info;
    let filters: Vec<_> = info
        .filters
        .iter()
        .zip(&summary.total.filters)
        .map(|(filter, tally)| json!({ "name": filter.name, "matched": tally.matched, "did": tally.deeds }))
        .collect();
    let reach = |distance: &Distance| match distance.reach {
        Reach::Messages(messages) => json!(messages),
        Reach::Infinite => json!("infinite"),
        Reach::Unknown => json!(null),
    };
    json!({
        "scenario": info.name,
        "verdict": verdict.word(),
        "verdict_reason": verdict.unknown_reason(),
        "target_version": summary.target_version,
        "nodes": summary.nodes,
        "strategy": summary.strategy,
        "seed": summary.seed,
        "iterations": summary.iterations,
        "successes": summary.successes,
        "fails": summary.fails,
        "first_without_success": summary.first_without_success,
        "milliseconds": summary.elapsed.as_secs_f64() * 1e3,
        "filters": filters,
        "states": info.states.iter().zip(&summary.total.states).collect::<std::collections::BTreeMap<_, _>>(),
        "clauses": summary.clauses.iter().zip(&summary.total.clauses).collect::<std::collections::BTreeMap<_, _>>(),
        "distances": distances.iter().map(|distance| json!({ "filter": distance.filter, "released_by": distance.released_by, "messages": reach(distance) })).collect::<Vec<_>>(),
        "violations": summary.violations.iter().zip(files).map(|((number, violation), file)| json!({ "iteration": number, "property": violation.property, "reason": violation.reason, "file": file })).collect::<Vec<_>>(),
        "warnings": summary.warnings,
        "log": summary.log,
    })
}
