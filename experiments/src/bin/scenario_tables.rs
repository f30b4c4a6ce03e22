//! Prints the tables of docs/results/scenarios.md anew: what comes of the 34 scenarios beside the authors'
//! outcomes and beside their controls, how long an iteration takes, and what PCTCP does without filters.
//! `cargo run --release -p shakedown-experiments --bin scenario_tables`. With the argument `etcd-raft`: the
//! eleven of Raft on etcd's library, in a program of its own, which `targets/etcd-raft/build.sh` builds.

use shakedown_campaign::{AnyTarget, Reach, ScenarioRun, ScenarioSummary, Silent, Target};
use shakedown_remote::Encoding;

const ITERATIONS: u64 = 100;
/// As many as in the thesis' table 3.5.
const ITERATIONS_ALONE: u64 = 1_000;
/// How often a scenario is run again to see how long an iteration takes.
const REPEATS: usize = 4;
/// The most that an iteration may take, in milliseconds: with nodes in this process, and in another.
const MILLISECONDS_MAX: f64 = 5.0;
const MILLISECONDS_REMOTE_MAX: f64 = 20.0;

/// What is left out or changed to see a scenario come out otherwise.
enum Control {
    Without(&'static [usize]),
    Set(&'static str, &'static str),
    Instead(&'static str),
    /// On another target, with this outcome.
    Elsewhere(&'static str, u64),
}
use Control::{Elsewhere, Instead, Set, Without};

struct Row {
    scenario: &'static str,
    /// Successes of 100 in the thesis' table 3.3.
    thesis: u64,
    control: Control,
}

const fn row(scenario: &'static str, thesis: u64, control: Control) -> Row {
    Row { scenario, thesis, control }
}

const RAFT: [Row; 10] = [
    row("Liveness", 15, Without(&[1])),
    row("LivenessNoCQ", 100, Set("check_quorum", "true")),
    row("NoLiveness", 100, Set("check_quorum", "false")),
    row("DropHeartbeat", 100, Without(&[2])),
    row("DropVotes", 80, Without(&[1])),
    row("DropFVotes", 100, Instead("DropTooManyVotes")),
    row("DropAppend", 100, Without(&[1])),
    row("ReVote", 74, Without(&[1, 2])),
    row("ManyReVote", 92, Without(&[1, 2])),
    row("MultiReVote", 81, Without(&[1])),
];
const CONF_CHANGE: Row = row("ConfChangeBug", 55, Set("fault", "none"));
const TENDERMINT: [Row; 15] = [
    row("ExpectUnlock", 41, Without(&[1])),
    row("Relocked", 53, Without(&[3])),
    row("LockedCommit", 100, Without(&[2])),
    row("LaggingReplica", 100, Without(&[3])),
    row("ForeverLaggingReplica", 100, Without(&[3])),
    row("RoundSkip", 90, Without(&[3])),
    row("BlockVotes", 33, Without(&[2])),
    row("PrecommitInvariant", 100, Without(&[1])),
    row("CommitAfterRoundSkip", 36, Without(&[3])),
    row("DifferentDecisions", 20, Without(&[3])),
    row("NilPrevotes", 99, Without(&[1])),
    row("ProposalNilPrevote", 56, Without(&[1])),
    row("NotNilDecide", 100, Without(&[2])),
    row("GarbledMessage", 30, Without(&[1])),
    row("HigherRound", 37, Without(&[1])),
];
const PBFT: [Row; 8] = [
    row("DPropForP", 81, Without(&[1])),
    row("DPropSame", 100, Without(&[2])),
    row("DropWrite", 100, Without(&[1])),
    row("DropWriteForP", 89, Instead("DropWriteForTwo")),
    row("ExpectNewEpoch", 94, Without(&[1])),
    row("ExpectStop", 100, Without(&[1])),
    row("ByzLeaderChange", 89, Without(&[3])),
    row("PrevEpochProposal", 99, Without(&[2])),
];

/// A row of the thesis' table 3.5: the scenario, the filters that are left out, the thesis' distance and its
/// successes of 1 000. The cuts of Liveness are one filter here and three there; its loyal follower has no
/// counterpart there.
const ALONE: [(&str, &[usize], &str, &str); 9] = [
    ("Liveness", &[1], "∞, n², n", "0, 0, 19"),
    ("Liveness", &[2], "–", "–"),
    ("LivenessNoCQ", &[1], "∞, n², n", "0, 0, 19"),
    ("LivenessNoCQ", &[2], "–", "–"),
    ("DropAppend", &[1], "n", "21"),
    ("ReVote", &[1, 2], "n", "409"),
    ("ManyReVote", &[1, 2], "2n", "14"),
    ("MultiReVote", &[1], "3n", "1"),
    ("RoundSkip", &[2, 3], "r × n", "6"),
];

fn main() {
    println!(
        "| target | scenario | filters | ours | thesis | control | ms |\n|---|---|---:|---:|---:|---|---:|"
    );
    let (slow, most) = match std::env::args().nth(1).as_deref() {
        Some("etcd-raft") => (etcd_raft(), MILLISECONDS_REMOTE_MAX),
        _ => (in_process(), MILLISECONDS_MAX),
    };
    let slow: Vec<_> = slow.iter().filter(|(_, took)| *took > most).map(|(name, _)| *name).collect();
    if !slow.is_empty() {
        eprintln!("slower than {most} ms an iteration: {}", slow.join(", "));
        std::process::exit(1);
    }
}

/// The scenarios of Raft on etcd's library, each with its name and the milliseconds of an iteration.
fn etcd_raft() -> Vec<(&'static str, f64)> {
    let target = shakedown_etcd_raft::target(&shakedown_etcd_raft::HOSTS[0], Encoding::MsgPack);
    let target = shakedown_raft::controls().into_iter().fold(target, Target::scenario);
    let elsewhere = Row { control: Elsewhere("planted-raft", planted_conf_change_bug()), ..CONF_CHANGE };
    RAFT.iter().chain([&elsewhere]).map(|row| report(&target, row, &[])).collect()
}

const UNFIXED: &[(&str, &str)] = &[("fault", "reconfiguration-unfixed")];

/// How often ConfChangeBug is found where it is planted.
fn planted_conf_change_bug() -> u64 {
    run(&shakedown_planted_raft::target(), CONF_CHANGE.scenario, ITERATIONS, &[], UNFIXED).successes
}

fn in_process() -> Vec<(&'static str, f64)> {
    let raft = shakedown_raft::controls().into_iter().fold(shakedown_raft::target(), Target::scenario);
    let planted = shakedown_planted_raft::target();
    let tendermint = shakedown_tendermint::target();
    let pbft = shakedown_pbft::controls().into_iter().fold(shakedown_pbft::target(), Target::scenario);
    let mut slow: Vec<_> = Vec::new();
    for (target, rows) in [(&raft as &dyn AnyTarget, &RAFT[..]), (&tendermint, &TENDERMINT), (&pbft, &PBFT)] {
        slow.extend(rows.iter().map(|row| report(target, row, &[])));
    }
    slow.push(report(&planted, &CONF_CHANGE, UNFIXED));
    let elsewhere = Row { control: Elsewhere("planted-raft", planted_conf_change_bug()), ..CONF_CHANGE };
    slow.push(report(&raft, &elsewhere, &[]));
    println!("\n| scenario | without | distance | distance, thesis | PCTCP alone, of 1 000 | thesis |");
    println!("|---|---|---|---|---:|---:|");
    for (scenario, without, distance, successes) in ALONE {
        let target: &dyn AnyTarget = if scenario == "RoundSkip" { &tendermint } else { &raft };
        alone(target, scenario, without, distance, successes);
    }
    slow
}

/// Prints one scenario beside its control; gives its name, and how long an iteration takes in milliseconds.
fn report(target: &dyn AnyTarget, row: &Row, options: &[(&str, &str)]) -> (&'static str, f64) {
    let summary = run(target, row.scenario, ITERATIONS, &[], options);
    let (what, control) = match row.control {
        Without(filters) => {
            (without(filters), run(target, row.scenario, ITERATIONS, filters, options).successes)
        }
        Set(option, value) => {
            let control = run(target, row.scenario, ITERATIONS, &[], &[(option, value)]);
            (format!("{option}={value}"), control.successes)
        }
        Instead(other) => (other.to_owned(), run(target, other, ITERATIONS, &[], options).successes),
        Elsewhere(target, successes) => (format!("on {target}"), successes),
    };
    let filters = summary.info.filters.len();
    // The shortest of several, since others use the machine too.
    let again = (0..REPEATS).map(|_| run(target, row.scenario, ITERATIONS, &[], options).elapsed);
    let elapsed = again.chain([summary.elapsed]).min().unwrap_or_default();
    let milliseconds = elapsed.as_secs_f64() * 1e3 / ITERATIONS as f64;
    println!(
        "| {} | {} | {filters} | {} | {} | {what}: {} | {milliseconds:.2} |",
        target.name(),
        row.scenario,
        summary.successes,
        row.thesis,
        control,
    );
    (row.scenario, milliseconds)
}

fn alone(target: &dyn AnyTarget, scenario: &str, left_out: &[usize], thesis_distance: &str, thesis: &str) {
    let summary = run(target, scenario, ITERATIONS_ALONE, left_out, &[]);
    let distances = ScenarioRun::new(target, scenario).distances().expect("the scenario can run");
    let of_filter = |number: &usize| {
        let distance = distances.iter().find(|distance| distance.filter == *number)?;
        Some(match distance.reach {
            Reach::Messages(messages) => messages.to_string(),
            Reach::Infinite => "∞".to_owned(),
            Reach::Unknown => "?".to_owned(),
        })
    };
    let reaches: Vec<_> = left_out.iter().filter_map(of_filter).collect();
    let (without, reaches) = (without(left_out), reaches.join(", "));
    println!("| {scenario} | {without} | {reaches} | {thesis_distance} | {} | {thesis} |", summary.successes);
}

fn without(filters: &[usize]) -> String {
    let numbers: Vec<_> = filters.iter().map(ToString::to_string).collect();
    format!("without {}", numbers.join(" and "))
}

fn run(
    target: &dyn AnyTarget,
    scenario: &str,
    iterations: u64,
    without: &[usize],
    options: &[(&str, &str)],
) -> ScenarioSummary {
    let mut run = ScenarioRun::new(target, scenario);
    (run.iterations, run.without) = (iterations, without.to_vec());
    for (option, value) in options {
        run.options.set(*option, value);
    }
    run.run(&Silent).expect("the scenario can run")
}
