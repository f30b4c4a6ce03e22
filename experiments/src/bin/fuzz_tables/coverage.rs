//! What each guide comes to on `raft` (paper, figure 5): states of the model, and as cross-measures parts of
//! the code and traces.

use std::error::Error;
use std::time::Instant;

use shakedown_campaign::{AnyTarget, Silent, Summary};
use shakedown_counters::Counters;
use shakedown_statistics::{Comparison, Sample};

use crate::{Asked, Outcome, raft_campaign};

/// What is compared: a mode and a guide. Random inputs are the same in both modes.
const STRATEGIES: [(&str, &str); 9] = [
    ("own", "none"),
    ("own", "model"),
    ("published", "model"),
    ("published", "trace"),
    ("published", "code"),
    ("own", "trace"),
    ("own", "code"),
    ("own", "state"),
    ("published", "state"),
];

/// What is measured under every guide. The last two need counters.
const MEASURES: [&str; 4] = ["model", "trace", "code", "blocks"];

/// One campaign: who ran with which seed, and what of each measure was covered.
struct Run {
    seed: u64,
    mode: String,
    guide: String,
    covered: Vec<Option<f64>>,
}

impl Run {
    /// A line that says all of it, so that a part of the runs can be kept.
    fn line(&self, seconds: f64) -> String {
        let covered: Vec<_> = self
            .covered
            .iter()
            .map(|count| count.map_or("-".to_owned(), |count| count.to_string()))
            .collect();
        format!("run\t{}\t{}\t{}\t{}\t{seconds:.0}", self.seed, self.mode, self.guide, covered.join("\t"))
    }

    /// Reads such a line; nothing if it is another one.
    fn read(line: &str) -> Option<Run> {
        let fields: Vec<_> = line.strip_prefix("run\t")?.split('\t').collect();
        let [seed, mode, guide, covered @ .., _] = fields.as_slice() else { return None };
        let covered: Vec<_> = covered.iter().map(|count| count.parse().ok()).collect();
        let (mode, guide) = ((*mode).to_owned(), (*guide).to_owned());
        (covered.len() == MEASURES.len()).then_some(Run { seed: seed.parse().ok()?, mode, guide, covered })
    }
}

/// Runs everything with so many seeds, from this one on, and tells each run as soon as it is done.
pub fn coverage(first: u64, seeds: u64, executions: u64, asked: &Asked) -> Outcome {
    let counted = Counters::get();
    println!("{}, {executions} executions each; seeds {first} to {}", asked.target.name(), first + seeds - 1);
    match counted {
        Some(counters) => println!("{} counters", counters.count()),
        None => println!(
            "without counters: build it with RUSTC_WRAPPER=$PWD/scripts/instrument.sh (docs/fuzz.md)"
        ),
    }
    println!("run\tseed\tmode\tguide\t{}\tseconds", MEASURES.join("\t"));
    let mut runs = Vec::new();
    for seed in first..first + seeds {
        for (mode, guide) in STRATEGIES.into_iter().filter(|(mode, guide)| asked.wants(mode, guide)) {
            let began = Instant::now();
            let strategy = asked.strategy(mode, guide, "");
            let covered = covered(asked.target.as_ref(), &strategy, seed, executions, counted.is_some())?;
            let run = Run { seed, mode: mode.to_owned(), guide: guide.to_owned(), covered };
            println!("{}", run.line(began.elapsed().as_secs_f64()));
            runs.push(run);
        }
    }
    report(&runs)
}

/// Whether the code as a guide gives the same twice, and with any number of jobs. What differs is an error.
pub fn repeatable(executions: u64) -> Outcome {
    let target = shakedown_raft::target();
    let mut told = Vec::new();
    for jobs in [1, 3] {
        let mut campaign = raft_campaign(&target, "fuzz:code", 1, executions);
        (campaign.jobs, campaign.plan.check_determinism) = (jobs, true);
        let summary = campaign.run(&Silent)?;
        if let Some(finding) = summary.findings.first() {
            return Err(finding.failure.violation.reason.clone().into());
        }
        let covered = summary.coverage[0].whole_curve(executions);
        println!(
            "{jobs} jobs: fingerprint {}, {} covered",
            summary.fingerprint,
            summary.coverage[0].covered()
        );
        told.push((summary.fingerprint, covered));
    }
    if told[0] == told[1] { Ok(()) } else { Err("the number of jobs changes the result".into()) }
}

/// The tables of runs that were told before.
pub fn table(files: &[String]) -> Outcome {
    let mut runs: Vec<Run> = Vec::new();
    for file in files {
        runs.extend(std::fs::read_to_string(file)?.lines().filter_map(Run::read));
    }
    report(&runs)
}

/// What a strategy comes to on this target.
fn covered(
    target: &dyn AnyTarget,
    strategy: &str,
    seed: u64,
    executions: u64,
    counted: bool,
) -> Result<Vec<Option<f64>>, Box<dyn Error>> {
    let mut campaign = raft_campaign(target, strategy, seed, executions);
    let measures = if counted { &MEASURES[..] } else { &MEASURES[..2] };
    campaign.plan.measures = measures.iter().map(|&measure| measure.to_owned()).collect();
    let summary = campaign.run(&Silent)?;
    Ok(MEASURES.iter().map(|measure| seen(&summary, measure)).collect())
}

fn seen(summary: &Summary, guide: &str) -> Option<f64> {
    let coverage = summary.coverage.iter().find(|coverage| coverage.guide == guide)?;
    Some(coverage.covered() as f64)
}

/// Means and standard deviations, and how the model compares with the others.
fn report(runs: &[Run]) -> Outcome {
    if runs.is_empty() {
        return Ok(());
    }
    let ran: Vec<_> =
        STRATEGIES.iter().filter(|(mode, guide)| find(runs, mode, guide).next().is_some()).collect();
    let of = |mode: &str, guide: &str, measure: usize| {
        Sample::new(find(runs, mode, guide).filter_map(|run| run.covered[measure])).ok()
    };
    println!("\n| mode | guide | seeds | {} |", MEASURES.join(" | "));
    println!("|---|---|---|{}", "---|".repeat(MEASURES.len()));
    for (mode, guide) in &ran {
        let cells: Vec<_> = (0..MEASURES.len())
            .map(|measure| {
                let Some(sample) = of(mode, guide, measure) else { return "–".to_owned() };
                let sd = sample.standard_deviation().unwrap_or_default();
                let over = of("own", "none", measure).map(|none| sample.mean() / none.mean());
                let over = over.map_or_else(String::new, |over| format!(" ({over:.2})"));
                format!("{:.0} ± {sd:.0}{over}", sample.mean())
            })
            .collect();
        let seeds = of(mode, guide, 0).map_or(0, |sample| sample.count());
        println!("| {mode} | {guide} | {seeds} | {} |", cells.join(" | "));
    }
    println!(
        "\nstates of the model: guided by the model against the others (ratio of means; Mann–Whitney U, p; Â₁₂)"
    );
    println!("\n| | against | ratio | U | p | Â₁₂ |\n|---|---|---|---|---|---|");
    for mode in ["published", "own"] {
        let Some(model) = of(mode, "model", 0) else { continue };
        for (other_mode, guide) in [("own", "none"), (mode, "code"), (mode, "trace"), (mode, "state")] {
            let Some(other) = of(other_mode, guide, 0) else { continue };
            let comparison = Comparison::of(&model, &other);
            println!(
                "| {mode} | {guide} | {:.2} | {} | {:.1e} | {:.2} |",
                model.mean() / other.mean(),
                comparison.test().u,
                comparison.p(),
                comparison.effect().a12()
            );
        }
    }
    Ok(())
}

fn find<'r>(runs: &'r [Run], mode: &'r str, guide: &'r str) -> impl Iterator<Item = &'r Run> {
    runs.iter().filter(move |run| run.mode == mode && run.guide == guide)
}
