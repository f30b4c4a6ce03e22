//! The runs of the bench, and their file.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};

use serde_json::{Value, json};
use shakedown_campaign::{CampaignError, Silent};

use crate::bugs::{BUGS, Bug, is_for_tuning};

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
    let target = (bug.target)();
    let mut campaign = bug.campaign(target.as_ref());
    campaign.plan.strategy = strategy.parse().map_err(|error| format!("{strategy}: {error}"))?;
    campaign.plan.seed = seed;
    campaign.plan.executions = u64::MAX / 2;
    campaign.steps = Some(limit);
    // Strategies that go in episodes take as many steps as an episode has.
    let wanted = campaign.steps_wanted().ok().flatten();
    campaign.plan.config.steps = wanted.unwrap_or_default().max(campaign.plan.config.steps);
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
    match campaign.run(&Silent) {
        Ok(summary) => {
            let steps = summary.tally.all_steps();
            if !summary.arms.is_empty() {
                run.arms = json!(summary.arms);
            }
            if summary.failed > 0 && steps <= limit {
                (run.steps, run.executions) = (Some(steps), Some(summary.executions));
            }
        }
        Err(CampaignError::Strategy(_)) => run.is_ruled_out = true,
        Err(error) => return Err(format!("{} with {strategy}: {error}", bug.name)),
    }
    Ok(run)
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
