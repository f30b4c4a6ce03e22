//! `shakedown conform`: every path of a specification's state graph, played on an implementation.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;
use shakedown_campaign::{
    AnyTarget, ConformRun, ConformSummary, Finding, Progress, STATES_MAX, ShrinkLimits,
};
use shakedown_conform::SPEC_OPTION;
use shakedown_conform::compare::{FindingKind, SPEC_CONFIG_OPTION, SPEC_MODULES_OPTION};
use shakedown_conform::paths::{Covers, Ends, Shape};
use shakedown_report::{Paint, Text, grouped, line, per_second};

use crate::campaign_options::read_settings;
use crate::command_line::{CommandError, ExitStatus, find};
use crate::fleet_options::FleetArgs;
use crate::jobs::Jobs;
use crate::near::did_you_mean;
use crate::printing::{Shown, outcome};
use crate::run_command::print_finding;
use crate::shrink_options::ShrinkOptions;
use crate::terminal::{paint, print, print_json, print_line, remark};

/// How often a line of progress is printed, at most.
const LINE_EVERY: Duration = Duration::from_secs(5);
/// The most bytes of a module or a configuration.
const FILE_SIZE_MAX: u64 = 1 << 20;

#[derive(Args)]
pub(crate) struct Conform {
    /// The target; without --model, --spec and --config it is checked against its first model
    target: String,
    /// A model of the target
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// List the models of the target
    #[arg(long)]
    list: bool,
    /// A module of your own, the root of the specification; it may extend those of the model
    #[arg(long, value_name = "FILE.tla")]
    spec: Option<PathBuf>,
    /// A configuration of your own, as TLC reads it
    #[arg(long, value_name = "FILE.cfg")]
    config: Option<PathBuf>,
    /// How many nodes [default: as many as the configuration has servers]
    #[arg(long, value_name = "N")]
    nodes: Option<usize>,
    /// Set an option of the target
    #[arg(long = "set", value_name = "OPTION=VALUE")]
    options: Vec<String>,
    /// End a path after this action; may be repeated
    #[arg(long = "end", value_name = "ACTION")]
    ends: Vec<String>,
    /// If two actions lead to the same state in either order, cover only one of the orders
    #[arg(long)]
    reduce: bool,
    /// Cover every state instead of every edge
    #[arg(long)]
    nodes_only: bool,
    /// Find shorter paths for the same edges, instead of going depth first
    #[arg(long)]
    greedy: bool,
    /// Decides which order `--reduce` covers, and which edge comes first
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// At most N paths
    #[arg(long, value_name = "N")]
    paths: Option<u64>,
    /// At most this many seconds for running paths
    #[arg(long, value_name = "SECONDS")]
    budget: Option<u64>,
    /// The maximum number of states of the state graph
    #[arg(long, default_value_t = STATES_MAX, value_name = "N")]
    states: usize,
    #[command(flatten)]
    jobs: Jobs,
    /// Continue after a finding
    #[arg(long)]
    keep_going: bool,
    #[command(flatten)]
    shrink: ShrinkOptions,
    /// The folder for failure files
    #[arg(long, default_value = "shakedown-out", value_name = "DIR")]
    out: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    fleet: FleetArgs,
}

pub(crate) fn conform(targets: &[Box<dyn AnyTarget>], options: &Conform) -> Result<ExitStatus, CommandError> {
    let target = find(targets, &options.target)?;
    if options.list {
        return Ok(list(target));
    }
    let mut run = run_of(target, options)?;
    run.fleet = options.fleet.connect_for(target)?;
    let summary = run.run(&Lines { quiet: options.json, last: Mutex::new(Instant::now()) })?;
    if options.json {
        print_json(&as_json(&summary));
    } else {
        summary.findings.iter().for_each(|finding| {
            print_finding(finding, &Shown::of(target, &finding.failure));
        });
        print(&summary_text(&run, &summary));
    }
    Ok(ExitStatus::from(&summary.verdict()))
}

/// A line now and then, on standard error.
struct Lines {
    quiet: bool,
    last: Mutex<Instant>,
}

impl Progress for Lines {
    fn executions(&self, done: u64, _total: u64, findings: usize) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.quiet && last.elapsed() >= LINE_EVERY {
            *last = Instant::now();
            remark!("{} paths run, {findings} found", grouped(done));
        }
    }

    fn shrinking(&self, property: &str, steps: usize) {
        if !self.quiet {
            remark!("{property} after {steps} steps; shrinking");
        }
    }
}

fn list(target: &dyn AnyTarget) -> ExitStatus {
    let paint = paint();
    for model in &target.info().specs {
        let root = model.modules.first().map_or("", |(name, _)| name);
        print_line!(
            "{:<28} {}",
            paint.strong(model.name),
            paint.faint(format_args!("{} ({root})", model.about))
        );
    }
    ExitStatus::Pass
}

fn run_of<'a>(target: &'a dyn AnyTarget, options: &Conform) -> Result<ConformRun<'a>, CommandError> {
    let mut run = ConformRun::new(target)?;
    for (name, value) in read_settings(target, &options.options)?.iter() {
        run.config.options.set(name, value);
    }
    if let Some(model) = &options.model {
        let known: Vec<_> = target.info().specs.iter().map(|spec| spec.name).collect();
        if !known.contains(&model.as_str()) {
            let (target, meant) = (target.name(), did_you_mean(model, known.iter().copied()));
            let known = known.join(", ");
            return Err(CommandError(format!(
                "{target} has no model `{model}`: choose one of {known}{meant}"
            )));
        }
        run.config.options.set(SPEC_OPTION, model);
    }
    for (file, option) in [(&options.spec, SPEC_MODULES_OPTION), (&options.config, SPEC_CONFIG_OPTION)] {
        if let Some(file) = file {
            run.config.options.set(option, read_text(file)?);
        }
    }
    match options.nodes {
        Some(nodes) => run.config.nodes = nodes,
        None => drop(run.with_its_nodes()?),
    }
    run.cover.what = if options.nodes_only { Covers::Nodes } else { Covers::Edges };
    run.cover.shape = if options.greedy { Shape::Greedy } else { Shape::DepthFirst };
    run.cover.ends = Ends { actions: options.ends.clone(), states: Vec::new() };
    (run.cover.reduce, run.cover.seed) = (options.reduce, options.seed);
    (run.paths, run.time) = (options.paths, options.budget.map(Duration::from_secs));
    (run.states_max, run.jobs, run.keep_going) =
        (options.states, options.jobs.or_cores(), options.keep_going);
    run.shrink = options.shrink.limits(ShrinkLimits::default());
    run.out = Some(options.out.clone());
    Ok(run)
}

/// The text of a file that is not too large.
fn read_text(path: &Path) -> Result<String, CommandError> {
    use std::io::Read as _;
    let error = |error: std::io::Error| CommandError(format!("{}: {error}", path.display()));
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(error)?;
    file.take(FILE_SIZE_MAX + 1).read_to_string(&mut text).map_err(error)?;
    if text.len() as u64 > FILE_SIZE_MAX {
        return Err(CommandError(format!("{} has more than {FILE_SIZE_MAX} bytes", path.display())));
    }
    Ok(text)
}

fn summary_text(run: &ConformRun<'_>, summary: &ConformSummary) -> Text {
    let mut text = Text::new();
    let mut line =
        |name: &str, what: &dyn Display| line!(text, "  {} {what}", Paint.faint(format_args!("{name:<9}")));
    let graph = &summary.graph;
    line(
        "model",
        &format!(
            "{}, {} nodes: {} states, {} edges, built in {:.1} s",
            run.config.options.text(SPEC_OPTION).unwrap_or_default(),
            summary.nodes,
            grouped(graph.states),
            grouped(graph.edges),
            summary.building.as_secs_f64()
        ),
    );
    let rate = summary.paths as f64 / summary.running.as_secs_f64().max(1e-9);
    line(
        "paths",
        &format!(
            "{} run, {} steps, {:.1} s, {} a second",
            grouped(summary.paths),
            grouped(summary.steps),
            summary.running.as_secs_f64(),
            per_second(rate)
        ),
    );
    if !run.target.info().is_deterministic {
        line("target", &"not deterministic: each path was played once, and another run may differ");
    }
    line("covered", &format!("{} of {} edges", grouped(summary.edges), grouped(graph.edges)));
    for kind in FindingKind::ALL {
        let count = summary.of_kind(kind);
        let words = format!("{count} of {}", kind.words());
        line("findings", &if count > 0 { Paint.bad(words) } else { Paint.plain(words) });
    }
    let total: usize = FindingKind::ALL.iter().map(|kind| summary.of_kind(*kind)).sum();
    let several = if total == 1 { "finding" } else { "findings" };
    line(
        "total",
        &format!("{total} {several}, {} of {} paths failed", grouped(summary.failed), grouped(summary.paths)),
    );
    if let (unknown @ 1.., Some(reason)) = &summary.unknown {
        line("unknown", &Paint.warn(format_args!("{} paths were inconclusive: {reason}", grouped(*unknown))));
    }
    if let (count @ 1.., Some(first)) = &summary.unplayed {
        let summary_text = format!(
            "{} paths could not be played to their ends; path {}, {}: {}",
            grouped(*count),
            grouped(first.execution),
            first.action,
            first.reason
        );
        line("unplayed", &Paint.warn(summary_text));
    }
    if let Some(limit) = summary.cut_short {
        line("warning", &Paint.warn(format_args!("cut short by {limit}: not all paths were run")));
    }
    line("verdict", &outcome(&summary.verdict()));
    text
}

fn as_json(summary: &ConformSummary) -> serde_json::Value {
    let finding = |finding: &Finding| {
        json!({
            "property": finding.failure.violation.property,
            "reason": finding.failure.violation.reason,
            "path": finding.failure.found.execution,
            "hits": finding.hits,
            "steps": finding.failure.schedule.steps.len(),
            "file": finding.path,
        })
    };
    let verdict = summary.verdict();
    json!({
        "verdict": verdict.word(),
        "verdict_reason": verdict.unknown_reason(),
        "nodes": summary.nodes,
        "states": summary.graph.states,
        "edges": summary.graph.edges,
        "edges_covered": summary.edges,
        "paths": summary.paths,
        "steps": summary.steps,
        "failed": summary.failed,
        "findings": summary.findings.iter().map(finding).collect::<Vec<_>>(),
        "unknown": summary.unknown.0,
        "unplayed": summary.unplayed.0,
        "seconds_building": summary.building.as_secs_f64(),
        "seconds_running": summary.running.as_secs_f64(),
        "cut_short": summary.cut_short,
    })
}
