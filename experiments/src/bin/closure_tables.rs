//! Prints the tables of docs/results/closure.md anew: how many of 10 000 executions violate a property, by
//! period and number of isolations, beside the baselines and PCTCP. `cargo run --release -p
//! shakedown-experiments --bin closure_tables [TABLE …]`.

use std::time::Instant;

use shakedown_campaign::{AnyTarget, Campaign, Silent, Summary};

const EXECUTIONS: u64 = 10_000;
const JOBS: usize = 2;
/// How many executions tell how many messages an execution of a strategy receives.
const SAMPLE: u64 = 500;
const PERIODS: [usize; 5] = [1, 2, 4, 6, 8];

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let is_wanted = |table: &str| wanted.is_empty() || wanted.iter().any(|name| name == table);
    if is_wanted("figure1") {
        let target = shakedown_figure1::target();
        planted(&target, "figure1 with its bug, n = 3, r = 24", &[("last", "prepare")], "", 24);
    }
    if is_wanted("lwt") {
        let target = shakedown_lwt::target();
        let harness = ",harness=cassandra";
        planted(&target, "lwt with its bug, n = 3, r = 24", &[("distinguish", "false")], harness, 24);
    }
}

/// What one campaign comes to.
struct Row {
    strategy: String,
    summary: Summary,
}

impl Row {
    fn averages(&self) -> String {
        let per_execution = |count: u64| count as f64 / self.summary.executions as f64;
        let rounds = self.summary.tally.rounds;
        let counts = [rounds.rounds, rounds.rounds_with_quorum, rounds.phases, rounds.phases_with_quorum];
        let messages =
            [self.summary.tally.sent, self.summary.tally.of_kind(shakedown_cluster::StepKind::Deliver)];
        let counts =
            counts.map(Some).into_iter().chain([rounds.phases_with_effect]).chain(messages.map(Some));
        let cell = |count: Option<u64>| {
            count.map_or("–".to_owned(), |count| format!("{:.2}", per_execution(count)))
        };
        let cells: Vec<_> = counts.map(cell).collect();
        cells.join(" | ")
    }
}

fn run(target: &dyn AnyTarget, options: &[(&str, &str)], strategy: &str, executions: u64) -> Option<Row> {
    let mut campaign = Campaign::new(target);
    for (name, value) in options {
        campaign.plan.config.options.set(*name, value);
    }
    if strategy.contains("rounds=") {
        campaign.plan.config.steps = 2_000;
    }
    campaign.plan.strategy = strategy.parse().expect("this is a strategy");
    campaign.plan.executions = executions;
    campaign.jobs = JOBS;
    campaign.plan.keep_going = true;
    campaign.plan.shrink = None;
    // A period that leaves no room for so many isolations is no campaign.
    campaign.explorer().ok()?;
    let summary = campaign.run(&Silent).unwrap_or_else(|error| panic!("{strategy}: {error}"));
    Some(Row { strategy: strategy.to_owned(), summary })
}

/// Tables for a target with a planted bug: hits by d and k, the averages of a row and a column of it, and the
/// baselines.
fn planted(target: &dyn AnyTarget, title: &str, options: &[(&str, &str)], harness: &str, rounds: usize) {
    let began = Instant::now();
    println!("\n### {title}: violations in {EXECUTIONS} executions\n");
    let heads: Vec<_> = PERIODS.iter().map(|k| format!("k = {k}")).collect();
    println!("| | {} |\n|---|{}", heads.join(" | "), "---:|".repeat(PERIODS.len()));
    let mut rows = Vec::new();
    for d in 1..=10 {
        let mut cells = Vec::new();
        for k in PERIODS {
            let strategy = format!("closure:rounds={rounds},period={k},isolations={d}{harness}");
            let row = run(target, options, &strategy, EXECUTIONS);
            cells.push(row.as_ref().map_or("–".to_owned(), |row| row.summary.failed.to_string()));
            rows.extend(row.map(|row| (d, k, row)));
        }
        println!("| d = {d} | {} |", cells.join(" | "));
    }
    println!(
        "\n| | rounds | with quorum | phases | with quorum | with effect | messages | received | violations |"
    );
    println!("|---|{}", "---:|".repeat(8));
    let tell = |row: &Row| println!("| {} | {} | {} |", row.strategy, row.averages(), row.summary.failed);
    let phase = target.info().phase.as_ref().map_or(4, |phase| phase.rounds().len());
    let shown = |d: usize, k: usize| d == 8 || k == phase;
    rows.iter().filter(|(d, k, _)| shown(*d, *k)).for_each(|(_, _, row)| tell(row));
    for loss in ["0.125", "0.25", "0.5"] {
        let strategy = format!("lossy:rounds={rounds},loss={loss}{harness}");
        run(target, options, &strategy, EXECUTIONS).iter().for_each(tell);
    }
    let budget = rows.iter().find(|(d, k, _)| (*d, *k) == (8, phase)).map_or(0, |(_, _, row)| received(row));
    for strategy in ["pctcp", "random"] {
        // As many executions as receive as many messages as those of closure with d = 8.
        let Some(sample) = run(target, options, strategy, SAMPLE) else { continue };
        let executions = (budget * SAMPLE).div_ceil(received(&sample).max(1));
        run(target, options, strategy, executions).iter().for_each(tell);
        println!(
            "| ({strategy}: {executions} executions, the same number of messages received as d = 8) | | | | | | | | |"
        );
    }
    println!("\n({:.0} s)", began.elapsed().as_secs_f64());
}

fn received(row: &Row) -> u64 {
    row.summary.tally.of_kind(shakedown_cluster::StepKind::Deliver)
}
