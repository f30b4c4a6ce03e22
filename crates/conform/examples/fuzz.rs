//! Measures fuzzing: the tables of docs/fuzz.md.
//!
//! ```text
//! cargo run --release -p shakedown-conform --example fuzz -- micro [seeds] [executions] [PARAMETER=VALUE …]
//!                                                           coverage [seeds] [executions]
//!                                                           states STRATEGY [seeds] [executions]
//!                                                           planted [seeds] [executions]
//!                                                           speed [executions]
//!                                                           conformance [executions]
//! ```

use std::error::Error;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use shakedown_campaign::{AnyTarget, Campaign, Silent, Summary};
use shakedown_conform::{Account, ModelGuide};
use shakedown_planted_raft::Fault;

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> Outcome {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_default();
    let strategy = if what == "states" { arguments.next().unwrap_or_default() } else { String::new() };
    let (texts, numbers): (Vec<_>, Vec<_>) = arguments.partition(|text| text.contains('='));
    let numbers = numbers.iter().map(|text| text.parse::<u64>()).collect::<Result<Vec<_>, _>>()?;
    let more = texts.iter().map(|text| format!(",{text}")).collect::<String>();
    let number = |place: usize, default: u64| numbers.get(place).copied().unwrap_or(default);
    match what.as_str() {
        "micro" => micro(number(0, 10), number(1, 10_000), &more),
        "coverage" => coverage(number(0, 10), number(1, 10_000)),
        "states" => {
            let (mean, sd, traces) = states(&strategy, number(0, 10), number(1, 10_000))?;
            println!("{strategy}: {mean:.0} ± {sd:.0} states of the model, {traces:.0} traces");
            Ok(())
        }
        "planted" => planted(number(0, 20), number(1, 20_000)),
        "speed" => speed(number(0, 2_000)),
        "conformance" => conformance(number(0, 10_000)),
        _ => Err("say what to measure: micro, coverage, planted, speed or conformance".into()),
    }
}

/// What is compared with what, in the published mode and in our own.
fn strategies(mode: &str, rest: &str) -> Vec<(String, String)> {
    ["model", "trace", "state", "none"]
        .map(|guide| (guide.to_owned(), format!("fuzz:guide={guide},mode={mode}{rest}")))
        .into()
}

/// The executions until something was found; nothing if nothing was.
fn executions_to_find(campaign: &Campaign<'_>) -> Result<Option<u64>, Box<dyn Error>> {
    let summary = campaign.run(&Silent)?;
    Ok((summary.failed > 0).then_some(summary.executions))
}

/// The executions to the bug of the microbenchmark (paper, figure 4 and table 1).
fn micro(seeds: u64, executions: u64, more: &str) -> Outcome {
    let target = shakedown_appmaster::target();
    println!(
        "executions to the bug, median of {seeds} seeds (found), at most {executions}; Â₁₂ against model"
    );
    // A mode that is given last is the one that counts.
    let modes: &[&str] = if more.is_empty() { &["published", "own"] } else { &["published"] };
    for mode in modes {
        println!(
            "\n| {mode}{more} | m | n | model | trace | state | none | Â₁₂ trace | Â₁₂ state | Â₁₂ none |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|");
        for workers in [5, 6, 7] {
            for tasks in [10, 20, 30, 40] {
                let mut rows: Vec<Vec<Option<u64>>> = Vec::new();
                for (_, strategy) in strategies(mode, &format!(",horizon=100,messages=1,ticks=0{more}")) {
                    let mut finds = Vec::new();
                    for seed in 1..=seeds {
                        let mut campaign =
                            Campaign { executions, seed, shrink: None, ..Campaign::new(&target) };
                        campaign.strategy = strategy.clone();
                        campaign.config.nodes = workers + 3;
                        campaign.config.options.set("tasks", tasks);
                        campaign.config.options.set("careless", true);
                        finds.push(executions_to_find(&campaign)?);
                    }
                    rows.push(finds);
                }
                let cells: Vec<_> = rows.iter().map(|finds| told(finds, executions)).collect();
                let sizes: Vec<_> = rows[1..]
                    .iter()
                    .map(|finds| format!("{:.2}", a12(finds, &rows[0], executions)))
                    .collect();
                println!("| | {workers} | {tasks} | {} | {} |", cells.join(" | "), sizes.join(" | "));
            }
        }
    }
    Ok(())
}

/// The median and how often something was found.
fn told(finds: &[Option<u64>], executions: u64) -> String {
    let found = finds.iter().flatten().count();
    let mut sorted: Vec<u64> = finds.iter().map(|find| find.unwrap_or(executions + 1)).collect();
    sorted.sort_unstable();
    match sorted[sorted.len() / 2] {
        median if median > executions => format!("– ({found})"),
        median => format!("{median} ({found})"),
    }
}

/// How likely it is that the first needs more executions than the second (Vargha and Delaney): above a half, the second is
/// better. Who never finds anything needs more than who does.
fn a12(first: &[Option<u64>], second: &[Option<u64>], executions: u64) -> f64 {
    let needs = |find: &Option<u64>| find.unwrap_or(executions + 1);
    let mut wins = 0.0;
    for a in first {
        for b in second {
            wins += match needs(a).cmp(&needs(b)) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
        }
    }
    wins / (first.len() * second.len()) as f64
}

/// The library `raft` as in the paper: 3 nodes, 5 requests, at most 10 crashes.
fn raft_campaign<'a>(target: &'a dyn AnyTarget, strategy: &str, seed: u64, executions: u64) -> Campaign<'a> {
    let mut campaign = Campaign { executions, seed, shrink: None, keep_going: true, ..Campaign::new(target) };
    campaign.strategy = strategy.to_owned();
    campaign.config.requests = 5;
    campaign.config.crashes = 10;
    campaign.config.steps = 2_000;
    campaign.config.options.set("election_tick", 10);
    campaign.config.options.set("library_invariants", false);
    campaign
}

/// The states of the model that each guide comes to on `raft` (paper, figure 5). Random inputs that draw among all links, empty
/// or not, are those of the authors' code; the paper says that they draw among what is enabled.
fn coverage(seeds: u64, executions: u64) -> Outcome {
    println!("states of the model on raft, {seeds} seeds, {executions} executions each: mean ± sd");
    println!(
        "\n| mode | guide | model states | over none | over trace | traces | seconds |\n|---|---|---|---|---|---|---|"
    );
    for (mode, rest) in [("published", ",draw=any"), ("published", ""), ("own", "")] {
        let mut means: Vec<f64> = Vec::new();
        // First what the others are compared with.
        for (guide, strategy) in strategies(mode, rest).into_iter().rev() {
            let began = Instant::now();
            let (mean, sd, traces) = states(&strategy, seeds, executions)?;
            means.push(mean);
            let seconds = began.elapsed().as_secs_f64();
            let over = |place: usize| means.get(place).map_or(f64::NAN, |other| mean / other);
            println!(
                "| {mode}{rest} | {guide} | {mean:.0} ± {sd:.0} | {:.2} | {:.2} | {traces:.0} | {seconds:.0} |",
                over(0),
                over(2)
            );
        }
    }
    Ok(())
}

/// The states of the model that a strategy comes to on `raft`, mean and standard deviation, and the traces.
fn states(strategy: &str, seeds: u64, executions: u64) -> Result<(f64, f64, f64), Box<dyn Error>> {
    let target = shakedown_raft::target();
    let (mut states, mut traces) = (Vec::new(), Vec::new());
    for seed in 1..=seeds {
        let mut campaign = raft_campaign(&target, strategy, seed, executions);
        campaign.measures = vec!["model".to_owned(), "trace".to_owned()];
        let summary = campaign.run(&Silent)?;
        states.push(covered(&summary, "model"));
        traces.push(covered(&summary, "trace"));
    }
    let (mean, sd) = mean_and_sd(&states);
    Ok((mean, sd, mean_and_sd(&traces).0))
}

fn covered(summary: &Summary, guide: &str) -> f64 {
    let known = summary.coverage.iter().find(|coverage| coverage.guide == guide);
    known.map_or(0.0, |coverage| coverage.covered() as f64)
}

fn mean_and_sd(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0).max(1.0)).sqrt())
}

/// Executions to each planted bug.
fn planted(seeds: u64, executions: u64) -> Outcome {
    let target = shakedown_planted_raft::target();
    println!("executions to the planted bug, median of {seeds} seeds (found), at most {executions}");
    for mode in ["published", "own"] {
        println!("\n| {mode} | nodes | model | trace | state | none | Â₁₂ trace | Â₁₂ state | Â₁₂ none |");
        println!("|---|---|---|---|---|---|---|---|---|");
        for fault in Fault::ALL {
            // The model knows no changes of membership.
            if matches!(fault, Fault::None | Fault::ReconfigurationUnfixed) {
                continue;
            }
            let nodes = if matches!(fault, Fault::QuorumThird | Fault::DuplicateVoteCounted) { 4 } else { 3 };
            let mut rows: Vec<Vec<Option<u64>>> = Vec::new();
            for (_, strategy) in strategies(mode, ",horizon=100") {
                let mut finds = Vec::new();
                for seed in 1..=seeds {
                    let mut campaign = Campaign { executions, seed, shrink: None, ..Campaign::new(&target) };
                    campaign.strategy = strategy.clone();
                    campaign.config.nodes = nodes;
                    campaign.config.steps = 3_000;
                    campaign.config.crashes = 10;
                    campaign.config.options.set("fault", fault);
                    finds.push(executions_to_find(&campaign)?);
                }
                rows.push(finds);
            }
            let cells: Vec<_> = rows.iter().map(|finds| told(finds, executions)).collect();
            let sizes: Vec<_> =
                rows[1..].iter().map(|finds| format!("{:.2}", a12(finds, &rows[0], executions))).collect();
            println!("| {fault} | {nodes} | {} | {} |", cells.join(" | "), sizes.join(" | "));
        }
    }
    Ok(())
}

/// Measures the time that this process has had on a processor, where the system says so, for others may use the machine too;
/// otherwise the time that has gone by.
struct Timer {
    began: Instant,
    had: Option<f64>,
}

impl Timer {
    fn start() -> Timer {
        Timer { began: Instant::now(), had: processor_seconds() }
    }

    fn seconds(&self) -> f64 {
        match (self.had, processor_seconds()) {
            (Some(before), Some(now)) => now - before,
            _ => self.began.elapsed().as_secs_f64(),
        }
    }
}

/// User and system time of this process, in hundredths of a second, from Linux.
fn processor_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks: Vec<f64> =
        fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    Some(ticks.iter().sum::<f64>() / 100.0)
}

/// Executions of `raft` a second with the model and without, the same ones, interleaved.
fn speed(executions: u64) -> Outcome {
    let target = shakedown_raft::target();
    let run = |strategy: &str, measures: &[&str], seed: u64| -> Result<(f64, f64), Box<dyn Error>> {
        let mut campaign = raft_campaign(&target, strategy, seed, executions);
        campaign.measures = measures.iter().map(|&guide| guide.to_owned()).collect();
        let began = Timer::start();
        let summary = campaign.run(&Silent)?;
        let steps = summary.tally.all_steps() as f64 / executions as f64;
        Ok((executions as f64 / began.seconds(), steps))
    };
    println!("raft, horizon 50, {executions} executions on one core, five times");
    for seed in 1..=5 {
        let (bare, steps) = run("fuzz:none", &[], seed)?;
        let (with, _) = run("fuzz:none", &["model"], seed)?;
        let (guided, guided_steps) = run("fuzz:model", &[], seed)?;
        println!(
            "random inputs {bare:.0} a second ({steps:.0} steps), with the model {with:.0}: {:.0} % of the time in it; \
             guided by it {guided:.0} a second ({guided_steps:.0} steps)",
            100.0 * (1.0 - with / bare)
        );
    }
    Ok(())
}

/// Random executions of `raft` on the model: what is mapped, what is not, what the model does not allow.
fn conformance(executions: u64) -> Outcome {
    for strategy in ["random", "fuzz:none"] {
        let account = Arc::new(Mutex::new(Account::default()));
        let shared = Arc::clone(&account);
        let target = shakedown_raft::target().guide("counted", "the model, with an account", move |config| {
            let source = shakedown_conform::raft::model(config.nodes);
            let guide = ModelGuide::new(&source, shakedown_raft::model::Mapping::default());
            let guide = guide.map_err(|error| error.to_string())?;
            Ok(Box::new(guide.with_account(Arc::clone(&shared))))
        });
        let mut campaign = raft_campaign(&target, strategy, 1, executions);
        campaign.config.steps = 400;
        campaign.config.requests = 8;
        campaign.measures = vec!["counted".to_owned()];
        let summary = campaign.run(&Silent)?;
        let account = account.lock().map_err(|_| "a guide panicked")?;
        let states = summary.coverage[0].covered();
        println!("{strategy}: {} executions, {} failed, {states} states", summary.executions, summary.failed);
        println!("  {} events mapped, {} stutters", account.mapped, account.stutter_count());
        for (name, counts) in
            [("stutter", &account.stutters), ("ignored", &account.ignored), ("unknown", &account.unknown)]
        {
            counts.iter().for_each(|(sort, count)| println!("  {name}: {sort}: {count}"));
        }
        if let Some(stutter) = &account.first_stutter {
            println!("  the first stutter: {stutter}");
        }
    }
    Ok(())
}
