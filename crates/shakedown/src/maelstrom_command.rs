//! `shakedown maelstrom`: nodes written for Maelstrom, as campaigns and replays.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde_json::json;
use shakedown_campaign::{Campaign, Failure, Overrides, ShrinkLimits, Verdict};
use shakedown_cluster::Options;
use shakedown_explore::StrategyChoice;
use shakedown_maelstrom::{
    CONSISTENCY_OPTION, MaelstromTarget, NAME, NEMESIS_OPTION, NodeCommand, SETTLE_OPTION, TICK_OPTION,
    TOPOLOGY_OPTION, WORKLOAD_OPTION, Workload,
};
use shakedown_report::{DiagramStyle, Reproduction, replayed_failure, summary, summary_json};

use crate::command_line::{CommandError, ExitStatus};
use crate::printing::{Shown, print_rate, program, repeat, shell_word};
use crate::replay_command::warn_of_versions;
use crate::replayed::as_replayed;
use crate::run_command::print_finding_with;
use crate::strategy_parameters::choice;
use crate::terminal::{Display, print, print_json, print_line, width};

/// How long one call of a node may take: a node that is compiled first takes a while to start.
const STEP_TIME: Duration = Duration::from_secs(120);

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Maelstrom {
    /// The command that starts a node: a program, or a program and its arguments
    #[arg(long, value_name = "CMD")]
    bin: String,
    /// What clients ask and what must hold: echo, unique-ids, broadcast, g-set, g-counter, pn-counter, kafka,
    /// lin-kv, txn-list-append or txn-rw-register
    #[arg(long, short = 'w', value_name = "NAME", required_unless_present = "replay")]
    workload: Option<Workload>,
    /// How many nodes [default: 1 for echo, 3 otherwise]
    #[arg(long, value_name = "N")]
    nodes: Option<usize>,
    /// What goes wrong besides delays: none, or some of partition, kill, loss, duplicate
    #[arg(long, default_value = "none", value_name = "FAULT,…")]
    nemesis: String,
    /// The strategy that chooses the steps; `shakedown strategies` lists them
    #[arg(long, short = 's', default_value = "random", value_name = "NAME[:PARAMETER=VALUE,…]", value_parser = choice)]
    strategy: StrategyChoice,
    /// How many executions
    #[arg(long, short = 'n', default_value_t = 100, value_name = "N")]
    executions: u64,
    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS")]
    time: Option<u64>,
    /// The source of all randomness that is not the nodes' own
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// How many executions run in parallel
    #[arg(long, short = 'j', default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,
    /// The maximum number of steps of an execution, before the network is healed [default: 120]
    #[arg(long, value_name = "N")]
    steps: Option<usize>,
    /// How many requests clients send [default: 12]
    #[arg(long, value_name = "N")]
    requests: Option<usize>,
    /// The weight of each kind of step, as in tick=30,cut=10
    #[arg(long, value_name = "KIND=WEIGHT,…")]
    weights: Option<String>,
    /// How much real time a tick gives a node, in milliseconds
    #[arg(long, default_value_t = 10, value_name = "MS")]
    tick_ms: u64,
    /// How long nodes have after healing to show what they should, in milliseconds
    #[arg(long, default_value_t = 10_000, value_name = "MS")]
    settle_ms: u64,
    /// The neighbours that broadcast nodes are given: line, grid, tree, tree3, tree4 or total
    #[arg(long, default_value = "grid", value_name = "SHAPE")]
    topology: String,
    /// The consistency model that transactions are held to
    #[arg(long, default_value = "strict-serializable", value_name = "MODEL")]
    consistency: String,
    /// The folder for failure files
    #[arg(long, default_value = "shakedown-out", value_name = "DIR")]
    out: PathBuf,
    /// Continue after a failure and report every violated property
    #[arg(long)]
    keep_going: bool,
    /// Do not shrink failures
    #[arg(long)]
    no_shrink: bool,
    /// The maximum number of seconds for shrinking
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    shrink_time: u64,
    /// Replay this failure file, with the nodes that --bin starts
    #[arg(long, value_name = "FILE", conflicts_with_all = ["workload", "nodes", "executions"])]
    replay: Option<PathBuf>,
    /// How many times a schedule is replayed to measure how often it fails
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    times: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Further arguments of the command
    #[arg(last = true, value_name = "ARG")]
    arguments: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  shakedown maelstrom --bin ./echo.py --workload echo
  shakedown maelstrom --bin 'python3 broadcast.py' --workload broadcast --nemesis partition
  shakedown maelstrom --bin ./broadcast --replay shakedown-out/FILE.json --times 20

Every node is a process of its own. Its threads and clocks are real, so a schedule may fail in some
replays only: the rate is measured and printed.
Exit codes: 0 pass, 1 a failure was found, 2 inconclusive or could not run.";

/// Runs the command.
pub(crate) fn maelstrom(options: &Maelstrom) -> Result<ExitStatus, CommandError> {
    let command = command(&options.bin, &options.arguments)?;
    match &options.replay {
        Some(file) => replay(options, command, file),
        None => explore(options, command),
    }
}

/// A failure file names a workload, but no program is started because a file names it.
pub(crate) fn refuse_to_start(kept: &Failure, file: &Path) -> Result<(), CommandError> {
    if kept.target != NAME {
        return Ok(());
    }
    Err(CommandError(format!(
        "the nodes of this failure are processes, and no program is started because a file names it: {}",
        replay_line("CMD", &[], file)
    )))
}

/// The program and its arguments. A text that is the path of a file is a program; otherwise it is words with
/// spaces between.
fn command(bin: &str, arguments: &[OsString]) -> Result<NodeCommand, CommandError> {
    let mut words: Vec<OsString> = match Path::new(bin).is_file() {
        true => vec![bin.into()],
        false => bin.split_whitespace().map(Into::into).collect(),
    };
    if words.is_empty() {
        return Err(CommandError("`--bin` names no program".to_owned()));
    }
    let mut program = words.remove(0);
    // A file of this folder need not be written with `./` before it.
    if Path::new(&program).is_file() {
        program = std::path::absolute(&program)
            .map_err(|error| CommandError(format!("{}: {error}", program.to_string_lossy())))?
            .into();
    }
    words.extend(arguments.iter().cloned());
    Ok(NodeCommand { program, arguments: words })
}

/// The line that replays a failure file with these nodes.
fn replay_line(bin: &str, arguments: &[OsString], file: &Path) -> String {
    let mut line = format!(
        "{} maelstrom --bin {} --replay {}",
        shell_word(&program()),
        shell_word(bin),
        shell_word(&file.to_string_lossy())
    );
    if !arguments.is_empty() {
        line.push_str(" --");
    }
    for argument in arguments {
        line.push(' ');
        line.push_str(&shell_word(&argument.to_string_lossy()));
    }
    line
}

fn settings(options: &Maelstrom) -> Options {
    let mut settings = Options::default();
    settings.set(NEMESIS_OPTION, &options.nemesis);
    settings.set(TOPOLOGY_OPTION, &options.topology);
    settings.set(CONSISTENCY_OPTION, &options.consistency);
    settings.set(TICK_OPTION, options.tick_ms);
    settings.set(SETTLE_OPTION, options.settle_ms);
    settings
}

fn campaign<'a>(options: &Maelstrom, target: &'a MaelstromTarget) -> Result<Campaign<'a>, CommandError> {
    let mut campaign = Campaign::new(target);
    campaign.plan.strategy = options.strategy.clone();
    (campaign.plan.executions, campaign.plan.seed) = (options.executions, options.seed);
    campaign.plan.keep_going = options.keep_going;
    let limits =
        ShrinkLimits { time: Some(Duration::from_secs(options.shrink_time)), ..ShrinkLimits::default() };
    campaign.plan.shrink = (!options.no_shrink).then_some(limits);
    campaign.jobs = usize::from(options.jobs);
    campaign.time = options.time.map(Duration::from_secs);
    campaign.step_time = STEP_TIME;
    campaign.out = Some(options.out.clone());
    let weights = options.weights.as_ref().map(|changes| campaign.plan.weights.clone().changed_by(changes));
    campaign.apply(&Overrides {
        nodes: options.nodes,
        steps: options.steps,
        requests: options.requests,
        crashes: None,
        options: settings(options),
        weights: weights.transpose().map_err(CommandError)?,
    });
    Ok(campaign)
}

fn explore(options: &Maelstrom, command: NodeCommand) -> Result<ExitStatus, CommandError> {
    let workload = options.workload.unwrap_or(Workload::Echo);
    let target = MaelstromTarget::new(command, workload);
    let campaign = campaign(options, &target)?;
    let display = Display::new(campaign.plan.executions, campaign.time, options.json);
    let result = campaign.run(&display);
    display.finish();
    let result = result?;
    if options.json {
        let mut text = summary_json(&campaign, &result);
        let rates = result.findings.iter().map(|finding| {
            let (met, _) = repeat(&target, &finding.failure, options.times)?;
            Ok(json!({ "property": finding.failure.violation.property, "times": options.times, "repeated": met }))
        });
        text["repetition"] = rates.collect::<Result<Vec<_>, CommandError>>()?.into();
        print_json(&text);
        return Ok(ExitStatus::from(&result.verdict()));
    }
    for finding in &result.findings {
        let (met, last) = repeat(&target, &finding.failure, options.times)?;
        let shown = last.and_then(|last| last.outcome).map(Shown::from).unwrap_or_default();
        print_finding_with(finding, &shown, |file| replay_line(&options.bin, &options.arguments, file));
        print_rate(met, options.times);
        print_line!("");
    }
    print(&summary(&campaign, &result));
    Ok(ExitStatus::from(&result.verdict()))
}

fn replay(options: &Maelstrom, command: NodeCommand, file: &Path) -> Result<ExitStatus, CommandError> {
    let kept = Failure::read(file)?;
    if kept.target != NAME {
        return Err(CommandError(format!(
            "this is a failure of the target `{}`: replay it with `{} replay`",
            kept.target,
            program()
        )));
    }
    let workload =
        kept.config.options.get(WORKLOAD_OPTION).map_err(|error| CommandError(error.to_string()))?;
    let target = MaelstromTarget::new(command, workload);
    if !options.json {
        warn_of_versions(&target, &kept);
    }
    let (met, shown) = repeat(&target, &kept, options.times)?;
    let verdict = shown.as_ref().map_or(Verdict::Pass, |shown| shown.verdict.clone());
    if options.json {
        print_json(&json!({
            "times": options.times,
            "repeated": met,
            "verdict": verdict.to_string(),
            "expected": kept.violation,
        }));
    } else {
        let style = DiagramStyle { width: width(), ..DiagramStyle::default() };
        let trace = shown.as_ref().and_then(|shown| shown.outcome.as_ref()).map(|outcome| &outcome.trace);
        print(&replayed_failure(&as_replayed(&kept, &verdict), Reproduction::of(&verdict), trace, style));
        print_line!("");
        print_rate(met, options.times);
    }
    Ok(ExitStatus::from(&verdict))
}
