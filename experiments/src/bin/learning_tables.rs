//! The tables of docs/results/learning.md: what strategies that learn cover and find, beside the thesis'
//! figures.
//!
//! ```text
//! cargo run --release -p shakedown-experiments --bin learning_tables -- coverage raft 10000 10
//! cargo run --release -p shakedown-experiments --bin learning_tables -- biased rsl 10000 10
//! cargo run --release -p shakedown-experiments --bin learning_tables -- sequences rsl 10000 10
//! cargo run --release -p shakedown-experiments --bin learning_tables -- bugs rsl 10000 10
//! cargo run --release -p shakedown-experiments --bin learning_tables -- curves raft 10000 10
//! cargo run --release -p shakedown-experiments --bin learning_tables -- biased planted-raft 10000 10 horizon=50
//! ```
//!
//! `curves` is what agents have covered after every tenth of the episodes (figures 4.4 and 4.5), and what
//! sequences of waypoints have covered of their targets (figure 4.6). On `planted-raft`, `biased` has the
//! predicates of RedisRaft.
//!
//! The first two take `etcd-raft` as well, whose hosts `targets/etcd-raft/build.sh` builds.
//!
//! After the numbers, `biased` takes the target predicates to be measured, instead of all, and `sequences`
//! and `bugs` take sequences of waypoints of one's own. Words like `grace_tick=15` are options of the target,
//! but for `horizon`.
//!
//! The numbers are episodes and trials; trials have the seeds 1, 2, … (with `10@11` the seeds 11 to 20) and
//! run two at a time. Horizon 25, ticks 4, 5 requests, 3 nodes, at most 3 crashes and one node down. Target
//! `raft` runs with election_tick=10, heartbeat_tick=3 and without compaction, so that, as in the thesis'
//! Etcd benchmark, an election takes some actions and a heartbeat about one. Target `rsl` runs with the
//! timing of the thesis' RSL: heartbeat_tick=3, election_tick=10, retry_tick=5 as by default, and
//! grace_tick=15.

use std::collections::HashSet;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use shakedown_campaign::{AnyTarget, Campaign, Silent};
use shakedown_cluster::StepKind;
use shakedown_explore::learning::{
    Agent, BonusMax, Episode, Learner, NegVisits, Novelty, Partitions, UcbZero, Uniform, Waypoint, Waypoints,
};
use shakedown_explore::{Execution, Experience, Explorer, Lesson, Strategy};
use shakedown_remote::Encoding;
use shakedown_statistics::{Sample, mann_whitney};

const JOBS: usize = 2;
/// How many points a curve has.
const TENTHS: u64 = 10;

/// Target predicates, each with the sequence that leads to it. Those of raft are the Etcd part of table 4.4,
/// in our names.
const RAFT: &[(&str, &str)] = &[
    ("LogCommitDiff(3)", "LogDiff(1), LogDiff(2), LogDiff(3), LogCommitDiff(3)"),
    ("OneInTerm(4)", "OneInTerm(1), OneInTerm(2), OneInTerm(3), OneInTerm(4)"),
    ("MinCommit(2)", "MinCommit(1), MinCommit(1) and ProcessInRole(leader), MinCommit(2)"),
    ("TermDiff(2)", "TermDiff(1), TermDiff(2)"),
    ("LeaderInTerm(4)", "OneInTerm(3), LeaderInTerm(3), LeaderInTerm(4)"),
    ("EntryInTerm(2)", "OneInTerm(2), LeaderInTerm(2), EntryInTerm(2)"),
    ("OneLeaderOneCandidate", "OneLeaderOneCandidate"),
    ("LogDiff(2)", "LogDiff(1), LogDiff(2)"),
    ("AllInTerm(5)", "OneInTerm(3), OneInTerm(5), AllInTerm(5)"),
];

/// The RedisRaft part of table 4.4, on a Raft of ours; its horizon is 50. The thesis does not say which two
/// predicates lead to the last one, so it stands alone.
const REDIS: &[(&str, &str)] = &[
    ("OneInTerm(3)", "OneInTerm(3)"),
    ("AllInTerm(2)", "AllInTerm(2)"),
    ("TermDiff(2)", "TermDiff(2)"),
    ("CommitEntries(2)", "CommitEntries(2)"),
    ("EntryInTerm(2)", "OneInTerm(2), LeaderInTerm(2), EntryInTerm(2)"),
    ("LeaderInTerm(2)", "LeaderInTerm(2)"),
    ("LogDiff(1)", "LogDiff(1)"),
    ("LogCommitDiff(3)", "LogDiff(1), LogCommitDiff(3)"),
    ("OneLeaderOneCandidate", "OneLeaderOneCandidate"),
];

const RSL: &[(&str, &str)] = &[
    ("AnyBallot(3)", "AnyBallot(2), AnyBallot(3)"),
    ("AllBallot(3)", "AnyBallot(2), AllBallot(2), AnyBallot(3), AllBallot(3)"),
    ("EntryBallot(2)", "EntryBallot(2)"),
    ("AnyDecree(2)", "PrimaryInBallot(1), AnyDecree(2)"),
    ("BallotDiff(2)", "BallotDiff(2)"),
    ("AnyDecided(3)", "AnyDecided(3)"),
    ("PrimaryInBallot(2)", "AnyBallot(2), PrimaryInBallot(2)"),
    ("DecidedDiff(3)", "AnyDecided(1), DecidedDiff(2), DecidedDiff(3)"),
    // These two are not in the thesis: they are harder.
    ("AllBallot(4)", "AnyBallot(2), AnyBallot(3), AnyBallot(4), AllBallot(4)"),
    ("DecidedDiff(5)", "AnyDecided(1), DecidedDiff(2), DecidedDiff(3), DecidedDiff(4), DecidedDiff(5)"),
];

/// Sequences of different lengths to the same target (table 4.6).
const RAFT_SEQUENCES: &[&str] = &[
    "LogCommitDiff(3)",
    "LogDiff(1), LogCommitDiff(3)",
    "LogDiff(1), LogDiff(2), LogDiff(3), LogCommitDiff(3)",
    "EntryInTerm(2)",
    "OneInTerm(2), LeaderInTerm(2), EntryInTerm(2)",
];
const RSL_SEQUENCES: &[&str] =
    &["DecidedDiff(3)", "DecidedDiff(2), DecidedDiff(3)", "DecidedDiff(1), DecidedDiff(2), DecidedDiff(3)"];

/// Faults of planted-raft that three nodes can show, and sequences to look for them with.
const FAULTS: &[&str] =
    &["vote-not-persisted", "term-not-persisted", "commit-older-term", "no-truncation", "noop-in-comparison"];
const FAULT_SEQUENCES: &[&str] =
    &["OneInTerm(2), LeaderInTerm(2), EntryInTerm(2)", "LogDiff(1), LogDiff(2)", "OneLeaderOneCandidate"];
const RSL_BUG_SEQUENCES: &[&str] = &[
    "BallotDiff(1)",
    "AnyBallot(1), BallotDiff(1), BallotDiff(1) and DecidedDiff(1)",
    "AnyBallot(2), PrimaryInBallot(2)",
];

/// What a trial came to.
#[derive(Clone, Debug, Default)]
struct Trial {
    /// How many abstract states were covered.
    states: usize,
    /// How many of them after the last waypoint was reached.
    in_target: usize,
    /// How many after each of the predicates held that were only looked at.
    watched: Vec<usize>,
    /// How many states were covered after each tenth of the episodes, and how many of them in the target.
    curve: Vec<(usize, usize)>,
    /// How many episodes failed.
    failed: u64,
    /// How many actions there were: fewer than episodes times horizon where episodes failed.
    actions: usize,
    /// How long it took.
    elapsed: Duration,
}

/// An agent, by the name that tables have for it.
#[derive(Clone, Debug, PartialEq)]
enum Who {
    Random,
    BonusMax,
    NegVisits,
    UcbZero,
    Novelty,
    Waypoint(String),
}

impl Who {
    fn name(&self) -> String {
        match self {
            Who::Random => "Random".to_owned(),
            Who::BonusMax => "BonusMaxRL".to_owned(),
            Who::NegVisits => "NegRLVisits".to_owned(),
            Who::UcbZero => "UCBZero".to_owned(),
            Who::Novelty => "novelty (ours)".to_owned(),
            Who::Waypoint(sequence) => format!("WaypointRL: {sequence}"),
        }
    }
}

/// Counts what an agent covers.
struct Counted<A> {
    learner: Learner<A>,
    states: HashSet<u64>,
    in_target: HashSet<u64>,
    watched: Vec<HashSet<u64>>,
    curve: Vec<(usize, usize)>,
    /// How many episodes there will be.
    episodes: u64,
    actions: usize,
}

impl<A: Agent> Explorer for Counted<A> {
    fn strategy(&self, execution: &Execution) -> Box<dyn Strategy> {
        self.learner.strategy(execution)
    }

    fn generation(&self) -> Option<u64> {
        Some(self.learner.generation().unwrap_or(1))
    }

    fn wants(&self, kind: StepKind) -> bool {
        self.learner.wants(kind)
    }

    fn learn(&mut self, execution: &Execution, experience: Experience, lesson: &Lesson<'_>) {
        if let Some(episode) = experience.downcast_ref::<Episode>() {
            self.actions += episode.len();
            let mut held = 0;
            for place in episode.places() {
                self.states.insert(place.covered);
                if episode.waypoints() > 0 && place.level == episode.waypoints() {
                    self.in_target.insert(place.covered);
                }
                held |= place.watched;
                for (number, covered) in self.watched.iter_mut().enumerate() {
                    if held >> number & 1 == 1 {
                        covered.insert(place.covered);
                    }
                }
            }
        }
        self.learner.learn(execution, experience, lesson);
        let done = execution.number + 1;
        if done * TENTHS / self.episodes > execution.number * TENTHS / self.episodes {
            self.curve.push((self.states.len(), self.in_target.len()));
        }
    }
}

/// What is measured.
struct Bench<'a> {
    target: &'a dyn AnyTarget,
    options: Vec<(String, String)>,
    episodes: u64,
    trials: u64,
    /// The seed of the first trial.
    first: u64,
    watched: String,
    horizon: usize,
}

impl Bench<'_> {
    fn campaign(&self, seed: u64) -> Result<Campaign<'_>, String> {
        let mut campaign = Campaign::new(self.target);
        let strategy = format!("partitions:horizon={}", self.horizon);
        campaign.plan.strategy = strategy.parse().expect("this is a strategy");
        (campaign.plan.seed, campaign.plan.executions, campaign.plan.keep_going) =
            (seed, self.episodes, true);
        campaign.plan.shrink = None;
        campaign.keep_every = Duration::from_secs(3_600);
        (campaign.plan.config.nodes, campaign.plan.config.requests, campaign.plan.config.crashes) = (3, 5, 3);
        for (name, value) in &self.options {
            campaign.plan.config.options.set(name, value);
        }
        let steps = campaign.steps_wanted().map_err(|error| error.to_string())?;
        campaign.plan.config.steps = steps.ok_or("the strategy goes in episodes")?;
        Ok(campaign)
    }

    fn read(&self, sequence: &str) -> Result<Waypoints, String> {
        if sequence.is_empty() {
            return Ok(Waypoints::default());
        }
        Waypoints::read(sequence, &self.target.info().waypoints).map_err(|error| error.to_string())
    }

    fn trial(&self, who: &Who, seed: u64) -> Result<Trial, String> {
        let (watched, horizon) = (self.read(&self.watched)?, self.horizon);
        let mut space = Partitions { watched, horizon, ..Partitions::default() };
        let (alpha, gamma, epsilon) = BonusMax::THESIS;
        match who {
            Who::Random => self.run(space, Uniform, seed),
            Who::BonusMax => self.run(space, BonusMax::new(alpha, gamma, epsilon), seed),
            Who::NegVisits => self.run(space, NegVisits::new(0.3, 0.7, 1.0), seed),
            Who::UcbZero => {
                let agent = UcbZero::new(space.horizon, self.episodes as usize, 0.5);
                self.run(space, agent, seed)
            }
            Who::Novelty => self.run(space, Novelty::new(alpha, gamma, epsilon), seed),
            Who::Waypoint(sequence) => {
                space.waypoints = self.read(sequence)?;
                let agent = Waypoint::new(alpha, gamma, epsilon, space.waypoints.len());
                self.run(space, agent, seed)
            }
        }
    }

    fn run<A: Agent>(&self, space: Partitions, agent: A, seed: u64) -> Result<Trial, String> {
        let watched = vec![HashSet::new(); space.watched.len()];
        let learner = Learner::new(space, agent, 1);
        let (states, in_target) = (HashSet::new(), HashSet::new());
        let (curve, episodes) = (Vec::new(), self.episodes);
        let mut counted = Counted { learner, states, in_target, watched, curve, episodes, actions: 0 };
        let summary =
            self.campaign(seed)?.run_with(&mut counted, &Silent).map_err(|error| error.to_string())?;
        Ok(Trial {
            states: counted.states.len(),
            in_target: counted.in_target.len(),
            watched: counted.watched.iter().map(HashSet::len).collect(),
            curve: counted.curve,
            failed: summary.failed,
            actions: counted.actions,
            elapsed: summary.elapsed,
        })
    }

    /// The trials of each, in the order of seeds.
    fn all(&self, who: &[Who]) -> Result<Vec<Vec<Trial>>, String> {
        let trials = self.trials as usize;
        let next = AtomicUsize::new(0);
        let results = Mutex::new(vec![vec![Trial::default(); trials]; who.len()]);
        let trouble = Mutex::new(None);
        std::thread::scope(|scope| {
            for _ in 0..JOBS {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let (agent, seed) = (number / trials, number % trials);
                        let Some(agent_is) = who.get(agent) else { break };
                        match self.trial(agent_is, self.first + seed as u64) {
                            Ok(trial) => {
                                results.lock().unwrap_or_else(PoisonError::into_inner)[agent][seed] = trial;
                            }
                            Err(error) => {
                                *trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(error)
                            }
                        }
                    }
                });
            }
        });
        let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (agent, trials) in who.iter().zip(&results) {
            let actions: usize = trials.iter().map(|trial| trial.actions).sum();
            let failed: u64 = trials.iter().map(|trial| trial.failed).sum();
            let seconds: f64 = trials.iter().map(|trial| trial.elapsed.as_secs_f64()).sum();
            let rate = actions as f64 / seconds;
            eprintln!("{}: {actions} actions, {rate:.0} a second, {failed} episodes failed", agent.name());
        }
        match trouble.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(results),
        }
    }
}

fn mean_and_deviation(numbers: &[f64]) -> String {
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    let deviation = (squares / (numbers.len().max(2) - 1) as f64).sqrt();
    if mean < 100.0 { format!("{mean:.1} ± {deviation:.1}") } else { format!("{mean:.0} ± {deviation:.0}") }
}

/// p of Mann–Whitney's U, and which way it points.
fn compare(ours: &[f64], other: &[f64]) -> String {
    let (Ok(first), Ok(second)) = (Sample::new(ours.to_vec()), Sample::new(other.to_vec())) else {
        return "–".to_owned();
    };
    let test = mann_whitney(&first, &second);
    let half = (ours.len() * other.len()) as f64 / 2.0;
    let way = if test.u > half {
        "more"
    } else if test.u < half {
        "fewer"
    } else {
        "same"
    };
    format!("{way}, p = {:.2e}", test.p)
}

fn column(trials: &[Trial], number: impl Fn(&Trial) -> usize) -> Vec<f64> {
    trials.iter().map(|trial| number(trial) as f64).collect()
}

fn coverage(bench: &Bench<'_>) -> Result<(), String> {
    let who = [Who::Random, Who::BonusMax, Who::NegVisits, Who::UcbZero, Who::Novelty];
    let trials = bench.all(&who)?;
    println!("| agent | abstract states | against Random | against BonusMaxRL |\n|---|---|---|---|");
    let columns: Vec<_> = trials.iter().map(|trials| column(trials, |trial| trial.states)).collect();
    for (agent, states) in who.iter().zip(&columns) {
        let against = [&columns[0], &columns[1]].map(|other| compare(states, other));
        println!("| {} | {} | {} | {} |", agent.name(), mean_and_deviation(states), against[0], against[1]);
    }
    Ok(())
}

/// What was covered after each tenth of the episodes, on average.
fn curves(bench: &Bench<'_>, sequences: &[&str]) -> Result<(), String> {
    let who: Vec<_> = [Who::Random, Who::BonusMax, Who::NegVisits, Who::UcbZero]
        .into_iter()
        .chain(sequences.iter().map(|sequence| Who::Waypoint((*sequence).to_owned())))
        .collect();
    let trials = bench.all(&who)?;
    let steps =
        (1..=TENTHS).map(|tenth| (tenth * bench.episodes / TENTHS * bench.horizon as u64).to_string());
    println!("| after so many time steps | {} |", steps.collect::<Vec<_>>().join(" | "));
    println!("|---|{}", "---:|".repeat(TENTHS as usize));
    for (agent, trials) in who.iter().zip(&trials) {
        let is_biased = matches!(agent, Who::Waypoint(_));
        let point = |place: usize| {
            let covered = trials.iter().filter_map(|trial| trial.curve.get(place));
            let sum: usize = covered.map(|(all, target)| if is_biased { *target } else { *all }).sum();
            format!("{:.0}", sum as f64 / trials.len() as f64)
        };
        let points: Vec<_> = (0..TENTHS as usize).map(point).collect();
        println!("| {} | {} |", agent.name(), points.join(" | "));
    }
    Ok(())
}

fn biased(bench: &Bench<'_>, targets: &[(&str, &str)]) -> Result<(), String> {
    let unbiased = [Who::BonusMax, Who::NegVisits, Who::Random];
    let who: Vec<_> = unbiased
        .iter()
        .cloned()
        .chain(targets.iter().map(|(_, sequence)| Who::Waypoint((*sequence).to_owned())))
        .collect();
    let trials = bench.all(&who)?;
    println!("| target | sequence | WaypointRL | BonusMaxRL | NegRLVisits | Random | p against these |");
    println!("|---|---|---|---|---|---|---|");
    for (number, (target, sequence)) in targets.iter().enumerate() {
        let ours = column(&trials[unbiased.len() + number], |trial| trial.in_target);
        let others: Vec<_> =
            (0..unbiased.len()).map(|agent| column(&trials[agent], |trial| trial.watched[number])).collect();
        let numbers: Vec<_> = others.iter().map(|other| mean_and_deviation(other)).collect();
        let tests: Vec<_> = others.iter().map(|other| compare(&ours, other)).collect();
        println!(
            "| {target} | {sequence} | {} | {} | {} |",
            mean_and_deviation(&ours),
            numbers.join(" | "),
            tests.join("; ")
        );
    }
    Ok(())
}

fn sequences(bench: &Bench<'_>, sequences: &[&str]) -> Result<(), String> {
    let who: Vec<_> = sequences.iter().map(|sequence| Who::Waypoint((*sequence).to_owned())).collect();
    let trials = bench.all(&who)?;
    println!("| sequence | states in the target |\n|---|---|");
    for (sequence, trials) in sequences.iter().zip(&trials) {
        println!("| {sequence} | {} |", mean_and_deviation(&column(trials, |trial| trial.in_target)));
    }
    Ok(())
}

fn bugs(bench: &Bench<'_>, name: &str, sequences: &[&str]) -> Result<(), String> {
    let who: Vec<_> = [Who::Random, Who::BonusMax, Who::NegVisits, Who::Novelty]
        .into_iter()
        .chain(sequences.iter().map(|sequence| Who::Waypoint((*sequence).to_owned())))
        .collect();
    let trials = bench.all(&who)?;
    println!("| bug | agent | failing episodes | against Random |\n|---|---|---|---|");
    let columns: Vec<_> = trials.iter().map(|trials| column(trials, |trial| trial.failed as usize)).collect();
    for (agent, failed) in who.iter().zip(&columns) {
        println!(
            "| {name} | {} | {} | {} |",
            agent.name(),
            mean_and_deviation(failed),
            compare(failed, &columns[0])
        );
    }
    Ok(())
}

fn measure(arguments: &[String]) -> Result<(), String> {
    let [table, target, episodes, trials, own @ ..] = arguments else {
        return Err(
            "what is wanted: coverage|biased|curves|sequences|bugs TARGET EPISODES TRIALS [PREDICATES…]"
                .to_owned(),
        );
    };
    let (given, own): (Vec<&str>, Vec<&str>) =
        own.iter().map(String::as_str).partition(|word| word.contains('='));
    let or_own = |known: &'static [&'static str]| if own.is_empty() { known.to_vec() } else { own.clone() };
    let number = |text: &str| {
        text.parse()
            .ok()
            .filter(|&number: &u64| number > 0)
            .ok_or(format!("`{text}` is not a number above 0"))
    };
    let (trials, first) = trials.split_once('@').unwrap_or((trials, "1"));
    let (episodes, trials, first) = (number(episodes)?, number(trials)?, number(first)?);
    let raft_options = || {
        let options = [("election_tick", "10"), ("heartbeat_tick", "3"), ("compaction", "false")];
        options.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
    };
    let rsl_options = || vec![("grace_tick".to_owned(), "15".to_owned())];
    let raft = shakedown_raft::target();
    let etcd_raft = shakedown_etcd_raft::target(&shakedown_etcd_raft::HOSTS[0], Encoding::MsgPack);
    let planted = shakedown_planted_raft::target();
    let rsl = shakedown_rsl::target();
    let given: Vec<(String, String)> = given
        .iter()
        .filter_map(|word| word.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let (horizons, given): (Vec<_>, Vec<_>) = given.into_iter().partition(|(name, _)| name == "horizon");
    let horizon = horizons.first().map_or(Ok(25), |(_, value)| number(value))? as usize;
    let bench = |target, mut options: Vec<(String, String)>, watched| {
        options.extend(given.iter().cloned());
        Bench { target, options, episodes, trials, first, watched, horizon }
    };
    let all =
        |targets: &[(&str, &str)]| targets.iter().map(|(target, _)| *target).collect::<Vec<_>>().join(",");
    let chosen = |known: &[(&'static str, &'static str)]| {
        let is_chosen = |(target, _): &&(&str, &str)| own.is_empty() || own.contains(target);
        known.iter().filter(is_chosen).copied().collect::<Vec<_>>()
    };
    match (table.as_str(), target.as_str()) {
        ("coverage", "raft") => coverage(&bench(&raft, raft_options(), String::new())),
        ("coverage", "etcd-raft") => coverage(&bench(&etcd_raft, raft_options(), String::new())),
        ("biased", "etcd-raft") => {
            biased(&bench(&etcd_raft, raft_options(), all(&chosen(RAFT))), &chosen(RAFT))
        }
        ("coverage", "rsl") => coverage(&bench(&rsl, rsl_options(), String::new())),
        ("biased", "raft") => biased(&bench(&raft, raft_options(), all(&chosen(RAFT))), &chosen(RAFT)),
        ("biased", "rsl") => biased(&bench(&rsl, rsl_options(), all(&chosen(RSL))), &chosen(RSL)),
        ("coverage", "planted-raft") => coverage(&bench(&planted, raft_options(), String::new())),
        ("biased", "planted-raft") => {
            biased(&bench(&planted, raft_options(), all(&chosen(REDIS))), &chosen(REDIS))
        }
        ("curves", "raft") => curves(&bench(&raft, raft_options(), String::new()), &or_own(RAFT_SEQUENCES)),
        ("curves", "planted-raft") => {
            curves(&bench(&planted, raft_options(), String::new()), &or_own(RAFT_SEQUENCES))
        }
        ("curves", "rsl") => curves(&bench(&rsl, rsl_options(), String::new()), &or_own(RSL_SEQUENCES)),
        ("sequences", "raft") => {
            sequences(&bench(&raft, raft_options(), String::new()), &or_own(RAFT_SEQUENCES))
        }
        ("sequences", "rsl") => sequences(&bench(&rsl, rsl_options(), String::new()), &or_own(RSL_SEQUENCES)),
        ("bugs", "planted-raft") => FAULTS.iter().try_for_each(|fault| {
            let mut options = raft_options();
            options.push(("fault".to_owned(), (*fault).to_owned()));
            bugs(&bench(&planted, options, String::new()), fault, &or_own(FAULT_SEQUENCES))
        }),
        ("bugs", "rsl") => {
            let mut options = rsl_options();
            options.push(("bug".to_owned(), "inconsistent-log".to_owned()));
            bugs(&bench(&rsl, options, String::new()), "inconsistent-log", &or_own(RSL_BUG_SEQUENCES))
        }
        _ => Err(format!("there is no table `{table}` for `{target}`")),
    }
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match measure(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
