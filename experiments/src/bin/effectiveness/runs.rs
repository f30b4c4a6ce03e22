//! The runs of the bench, and their file.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use shakedown_campaign::{CampaignError, Silent};

use crate::bugs::{BUGS, Bug, Home, is_for_tuning};

/// More executions than any run has: its limit is that of the steps.
const EXECUTIONS: u64 = 1_000_000_000_000;

/// How a program begins the line that says why a strategy cannot be run on its target.
const CANNOT_RUN: &str = "error: strategy `";

/// What is to be run or shown.
pub struct Wanted {
    /// The half of the bugs, or all.
    half: Option<bool>,
    /// Parts of the names of bugs; all if there are none.
    bugs: Vec<String>,
    pub seeds: u64,
    pub limit: u64,
    pub strategies: Vec<String>,
}

/// One campaign: what it was, and how many steps it took to find the bug, if it did within the limit.
#[derive(Clone, Debug)]
pub struct Run {
    pub bug: String,
    pub strategy: String,
    pub seed: u64,
    pub limit: u64,
    pub steps: Option<u64>,
    pub executions: Option<u64>,
    /// The strategy cannot be run on this target.
    pub is_ruled_out: bool,
    /// What each arm spent and brought, if there were several.
    pub arms: Value,
}

impl Wanted {
    pub fn read(mut arguments: impl Iterator<Item = String>) -> Result<Wanted, String> {
        let mut wanted =
            Wanted { half: None, bugs: Vec::new(), seeds: 10, limit: 300_000, strategies: Vec::new() };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("`{argument}` wants a value"));
            let number = |text: String| text.parse::<u64>().map_err(|_| format!("`{text}` is not a number"));
            match argument.as_str() {
                "--half" => wanted.half = Some(value()? == "tuning"),
                "--seeds" => wanted.seeds = number(value()?)?,
                "--limit" => wanted.limit = number(value()?)?,
                "--bugs" => wanted.bugs = value()?.split(',').map(str::to_owned).collect(),
                _ => wanted.strategies.push(argument),
            }
        }
        Ok(wanted)
    }

    /// The bugs that are wanted.
    pub fn bugs(&self) -> impl Iterator<Item = &'static Bug> + '_ {
        let of_half = |place: usize| self.half.is_none_or(|half| half == is_for_tuning(place));
        let named = |bug: &Bug| self.bugs.is_empty() || self.bugs.iter().any(|part| bug.name.contains(part));
        BUGS.iter().enumerate().filter(move |(place, bug)| of_half(*place) && named(bug)).map(|(_, bug)| bug)
    }
}

/// Runs what the file does not have yet.
pub fn run(file: &str, wanted: &Wanted) -> Result<(), String> {
    let mut known = match read(file) {
        Err(error) if fs::metadata(file).is_err_and(|error| error.kind() == ErrorKind::NotFound) => {
            drop(error);
            Vec::new()
        }
        known => known?,
    };
    let mut out = OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)
        .map_err(|error| format!("{file}: {error}"))?;
    for seed in 1..=wanted.seeds {
        for strategy in &wanted.strategies {
            for bug in wanted.bugs() {
                let is_it =
                    |run: &Run| (run.bug.as_str(), &run.strategy, run.seed) == (bug.name, strategy, seed);
                if known.iter().any(|run| is_it(run) && run.limit >= wanted.limit) {
                    continue;
                }
                let run = one(bug, strategy, seed, wanted.limit)?;
                writeln!(out, "{}", run.to_json()).map_err(|error| format!("{file}: {error}"))?;
                known.push(run);
            }
        }
    }
    Ok(())
}

/// One campaign, until it finds something or the limit is reached.
fn one(bug: &Bug, strategy: &str, seed: u64, limit: u64) -> Result<Run, String> {
    let mut run = Run {
        bug: bug.name.to_owned(),
        strategy: strategy.to_owned(),
        seed,
        limit,
        steps: None,
        executions: None,
        is_ruled_out: false,
        arms: Value::Null,
    };
    let came_to = match bug.target {
        Home::Here(_) => here(bug, &run)?,
        Home::Program { .. } => in_program(bug, &run)?,
    };
    let Some(came_to) = came_to else { return Ok(Run { is_ruled_out: true, ..run }) };
    if came_to.has_failed && came_to.steps <= limit {
        (run.steps, run.executions) = (Some(came_to.steps), Some(came_to.executions));
    }
    run.arms = came_to.arms;
    Ok(run)
}

/// What a campaign came to.
struct CameTo {
    has_failed: bool,
    steps: u64,
    executions: u64,
    arms: Value,
}

/// A campaign in this process; nothing if the strategy cannot be run on the target.
fn here(bug: &Bug, run: &Run) -> Result<Option<CameTo>, String> {
    let Home::Here(target) = bug.target else { return Ok(None) };
    let target = target();
    let mut campaign = bug.campaign(target.as_ref());
    campaign.plan.strategy = run.strategy.parse().map_err(|error| format!("{}: {error}", run.strategy))?;
    campaign.plan.seed = run.seed;
    campaign.plan.executions = EXECUTIONS;
    campaign.steps = Some(run.limit);
    // Strategies that go in episodes take as many steps as an episode has.
    let wanted = campaign.steps_wanted().ok().flatten();
    campaign.plan.config.steps = wanted.unwrap_or_default().max(campaign.plan.config.steps);
    match campaign.run(&Silent) {
        Ok(summary) => Ok(Some(CameTo {
            has_failed: summary.failed > 0,
            steps: summary.tally.all_steps(),
            executions: summary.executions,
            arms: if summary.arms.is_empty() { Value::Null } else { json!(summary.arms) },
        })),
        Err(CampaignError::Strategy(_)) => Ok(None),
        Err(error) => Err(format!("{} with {}: {error}", bug.name, run.strategy)),
    }
}

/// The same in a program of its own.
fn in_program(bug: &Bug, run: &Run) -> Result<Option<CameTo>, String> {
    let Home::Program { program, target, .. } = bug.target else { return Ok(None) };
    let own = std::env::current_exe().map_err(|error| format!("the path of this program: {error}"))?;
    let path = own.with_file_name(program);
    let out = std::env::temp_dir().join(format!("effectiveness-{}", std::process::id()));
    let mut command = Command::new(&path);
    command.args(["run", target, "--json", "--no-shrink", "--no-regressions", "--no-ci", "--jobs", "1"]);
    command.args(["--strategy", &run.strategy, "--seed", &run.seed.to_string()]);
    command.args(["--executions", &EXECUTIONS.to_string(), "--total-steps", &run.limit.to_string()]);
    command.arg("--out").arg(&out);
    command.args(bug.arguments(&run.strategy));
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{}: {error}; scripts/effectiveness.sh builds it", path.display()))?;
    // A failing run may leave a failure file, and no other.
    let _ = fs::remove_dir_all(&out);
    let whole = || serde_json::from_slice::<Value>(&output.stdout).ok();
    let Some(summary) = whole().filter(|summary| summary["executions"].is_u64()) else {
        let reason = String::from_utf8_lossy(&output.stderr);
        return match reason.contains(CANNOT_RUN) {
            true => Ok(None),
            false => Err(format!("{} with {}: {}", bug.name, run.strategy, reason.trim())),
        };
    };
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    let kinds = summary["steps"].as_object().into_iter().flatten();
    Ok(Some(CameTo {
        has_failed: number(&summary["failed"]) > 0,
        steps: kinds.filter(|(kind, _)| *kind != "round").map(|(_, count)| number(count)).sum(),
        executions: number(&summary["executions"]),
        arms: summary["arms"].clone(),
    }))
}

impl Run {
    fn to_json(&self) -> Value {
        json!({
            "bug": self.bug, "strategy": self.strategy, "seed": self.seed, "limit": self.limit,
            "steps": self.steps, "executions": self.executions, "ruled_out": self.is_ruled_out,
            "arms": self.arms,
        })
    }

    fn of_json(value: &Value) -> Option<Run> {
        Some(Run {
            bug: value["bug"].as_str()?.to_owned(),
            strategy: value["strategy"].as_str()?.to_owned(),
            seed: value["seed"].as_u64()?,
            limit: value["limit"].as_u64()?,
            steps: value["steps"].as_u64(),
            executions: value["executions"].as_u64(),
            is_ruled_out: value["ruled_out"].as_bool()?,
            arms: value["arms"].clone(),
        })
    }
}

/// The runs of a file.
pub fn read(file: &str) -> Result<Vec<Run>, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let line = |(number, line): (usize, &str)| {
        let value = serde_json::from_str::<Value>(line).ok();
        value.as_ref().and_then(Run::of_json).ok_or_else(|| format!("{file}, line {number}: no run"))
    };
    (1..).zip(text.lines()).map(line).collect()
}
