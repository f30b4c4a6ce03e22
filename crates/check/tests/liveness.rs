//! Calm rounds and the bounded-liveness oracles, on a small protocol that is live whenever it is calm.
//!
//! `n1` is leader once it has heard everybody. Every node tells it, beat by beat, which requests it was sent;
//! `n1` puts them into its log, which is on its disk, and tells everybody its log, beat by beat. A node
//! answers a request that it finds in the log.

use std::sync::Arc;

use expect_test::expect;
use proptest::prelude::*;
use shakedown_check::{
    Calm, Doubt, EveryRequestAnswered, FirstHeld, LeaderElected, LogsEqual, Oracle, Seen, calibrate,
    calm_rounds,
};
use shakedown_cluster::{
    Cluster, Context, Contract, Crashes, Disk, DiskModel, InProcess, Message, Name, Node, NodeId, Options,
    Recording, Refusal, RequestId, Setup, Step, adapt,
};

/// What the log of `n1` leaves on its disk.
#[derive(Clone, Default)]
struct LogOnDisk(Vec<u32>);

impl Disk for LogOnDisk {
    type Write = Vec<u32>;

    fn apply(&mut self, log: Vec<u32>) {
        self.0 = log;
    }
}

struct Clerk {
    heard: u64,
    log: Vec<u32>,
    waiting: Vec<u32>,
    /// Whether beats come from a timer, not from ticks.
    has_timer: bool,
    /// What is wrong with it.
    fault: String,
}

#[derive(Clone, Debug)]
enum Word {
    Asked(Vec<u32>),
    Log(Vec<u32>),
}

impl Message for Word {
    fn kind(&self) -> &'static str {
        match self {
            Word::Asked(_) => "Asked",
            Word::Log(_) => "Log",
        }
    }
}

#[derive(Clone, Debug, Hash, serde::Serialize)]
struct Shown {
    is_leader: bool,
    log: Vec<u32>,
}

impl Clerk {
    fn beat(&mut self, ctx: &mut Context<'_, Self>) {
        let first = NodeId::new(1);
        if ctx.id() != first {
            ctx.send(first, Word::Asked(self.waiting.clone()));
            return;
        }
        self.put(&self.waiting.clone(), ctx);
        if self.fault != "log" {
            ctx.broadcast(&Word::Log(self.log.clone()));
        }
    }

    fn put(&mut self, asked: &[u32], ctx: &mut Context<'_, Self>) {
        let new: Vec<u32> = asked.iter().copied().filter(|id| !self.log.contains(id)).collect();
        if !new.is_empty() {
            self.log.extend(new);
            ctx.write(self.log.clone());
        }
        self.answer(ctx);
    }

    fn answer(&mut self, ctx: &mut Context<'_, Self>) {
        let log = &self.log;
        self.waiting.retain(|id| {
            let is_done = log.contains(id);
            if is_done && self.fault != "answer" {
                ctx.answer(RequestId(*id), &());
            }
            !is_done
        });
    }
}

impl Node for Clerk {
    type Message = Word;
    type Request = ();
    type Answer = ();
    type State = Shown;
    type Disk = LogOnDisk;

    fn boot(disk: &LogOnDisk, ctx: &mut Context<'_, Self>) -> Self {
        let option = |name: &str| ctx.options().text(name).unwrap_or_default().to_owned();
        let (has_timer, fault) = (option("beats") == "timer", option("fault"));
        if has_timer {
            ctx.set_timer("beat", 1);
        }
        Clerk { heard: 0, log: disk.0.clone(), waiting: Vec::new(), has_timer, fault }
    }

    fn tick(&mut self, ctx: &mut Context<'_, Self>) {
        if !self.has_timer {
            self.beat(ctx);
        }
    }

    fn fire(&mut self, _timer: Name, ctx: &mut Context<'_, Self>) {
        ctx.set_timer("beat", 1);
        self.beat(ctx);
    }

    fn request(&mut self, id: RequestId, (): (), _ctx: &mut Context<'_, Self>) {
        self.waiting.push(id.0);
    }

    fn receive(&mut self, from: NodeId, word: Word, ctx: &mut Context<'_, Self>) {
        match word {
            Word::Asked(asked) => {
                self.heard |= 1 << from.index();
                self.put(&asked, ctx);
            }
            Word::Log(log) => {
                self.log = log;
                self.answer(ctx);
            }
        }
    }

    fn observe(&self) -> Shown {
        let is_leader = self.heard.count_ones() == 2 && self.fault != "leader";
        Shown { is_leader, log: self.log.clone() }
    }
}

/// What a cluster of clerks is like.
#[derive(Clone, Copy, Debug, Default)]
struct Kind {
    has_timer: bool,
    is_buffered: bool,
    fault: &'static str,
}

fn clerks(kind: Kind) -> InProcess<Clerk> {
    let disk = if kind.is_buffered { DiskModel::Buffered } else { DiskModel::Synchronous };
    let mut options = Options::default();
    options.set("beats", if kind.has_timer { "timer" } else { "tick" });
    options.set("fault", kind.fault);
    let setup = Setup {
        nodes: 3,
        contract: Contract { crashes: Crashes::All, disk, byzantine_max: 1, ..Contract::asynchronous() },
        options: Arc::new(options),
        workload: Vec::new(),
        steps: 100,
        seed: 1,
        recording: Recording::Brief,
    };
    InProcess::boot(&setup).expect("clerks boot")
}

/// An execution under way, with the oracles of these bounds; all of it is looked at after every step.
struct Run {
    cluster: InProcess<Clerk>,
    calm: Calm,
    oracles: Vec<Box<dyn Oracle<Shown>>>,
    first_leader: FirstHeld,
    steps: Vec<Step>,
}

impl Run {
    fn new(kind: Kind, bound: u64) -> Run {
        Run {
            cluster: clerks(kind),
            calm: Calm::default(),
            oracles: vec![
                Box::new(LeaderElected::new(bound, |shown: &Shown| shown.is_leader)),
                Box::new(LogsEqual::new(bound, |shown: &Shown| shown.log.clone())),
                Box::new(EveryRequestAnswered::new(bound)),
            ],
            first_leader: FirstHeld::default(),
            steps: Vec::new(),
        }
    }

    fn step(&mut self, step: Step) {
        self.attempt(step).unwrap_or_else(|refusal| panic!("{refusal}"));
    }

    fn attempt(&mut self, step: Step) -> Result<(), Refusal> {
        let fresh = self.cluster.board().moments().len();
        self.cluster.perform(&step)?;
        self.steps.push(step);
        self.calm.observe(self.cluster.board());
        let seen = Seen::new(&self.cluster, fresh);
        for oracle in &mut self.oracles {
            oracle.after_step(&seen).expect("these judge at the end only");
        }
        let has_leader = seen.up().any(|(_, shown)| shown.is_leader);
        self.first_leader.observe(self.cluster.board(), has_leader);
        Ok(())
    }

    /// Everybody who runs ticks, timers go off, writes are flushed, and what is under way is delivered.
    fn round(&mut self) {
        self.ticks();
        for node in NodeId::first(3) {
            if self.cluster.board().node(node).unflushed > 0 {
                self.step(Step::Flush(node));
            }
        }
        self.deliveries();
    }

    fn ticks(&mut self) {
        for node in NodeId::first(3).filter(|&node| self.cluster.board().is_up(node)).collect::<Vec<_>>() {
            self.step(Step::Tick(node));
        }
        for (node, timer) in self.cluster.board().ripe_timers().collect::<Vec<_>>() {
            self.step(Step::Fire(node, timer));
        }
    }

    fn deliveries(&mut self) {
        let mut under_way = self.cluster.board().deliverable().to_vec();
        under_way.sort_unstable();
        for message in under_way {
            self.step(self.cluster.board().deliver(message));
        }
    }

    /// Does what a line of a script says.
    fn play(&mut self, line: &str) {
        match line.split_once(" x ") {
            Some((line, times)) => (0..times.parse().expect("a number")).for_each(|_: u32| self.play(line)),
            None => match line {
                "round" => self.round(),
                "ticks" => self.ticks(),
                "deliveries" => self.deliveries(),
                step => self.step(step.parse().unwrap_or_else(|error| panic!("{error}"))),
            },
        }
    }

    fn verdicts(&mut self) -> Vec<(String, Result<(), Doubt>)> {
        let seen = Seen::new(&self.cluster, self.cluster.board().moments().len());
        let judge = |oracle: &mut Box<dyn Oracle<Shown>>| (oracle.name().to_owned(), oracle.at_end(&seen));
        self.oracles.iter_mut().map(judge).collect()
    }

    fn violations(&mut self) -> Vec<String> {
        let doubts = self.verdicts().into_iter();
        doubts.filter_map(|(name, doubt)| doubt.err().map(|doubt| format!("{name}: {doubt}"))).collect()
    }
}

/// The calm rounds at the end of the script, asked after every step, and asked at the end only.
fn calm_of(kind: Kind, script: &[&str]) -> (u64, u64) {
    let mut run = Run::new(kind, 1);
    script.iter().for_each(|line| run.play(line));
    (run.calm.rounds(), calm_rounds(run.cluster.board()))
}

#[track_caller]
fn check(expected: u64, script: &[&str]) {
    assert_eq!(calm_of(Kind::default(), script), (expected, expected), "{script:#?}");
}

#[test]
fn rounds_in_which_all_goes_well_are_calm() {
    check(0, &[]);
    check(1, &["round"]);
    check(7, &["round x 7"]);
    check(2, &["round x 2", "tick n1"]);
    check(2, &["round x 2", "tick n3", "tick n1"]);
    check(3, &["round x 2", "tick n3", "tick n1", "tick n2"]);
    check(5, &["round x 2", "request n2 null", "round x 3"]);
}

#[test]
fn faults_and_their_ends_end_the_calm() {
    check(0, &["round x 5", "ticks", "drop n2>n1#6 Asked"]);
    check(2, &["round x 5", "ticks", "drop n2>n1#6 Asked", "round x 2"]);
    check(3, &["round x 5", "ticks", "duplicate n2>n1#6 Asked", "round x 3"]);
    check(0, &["round x 5", "crash n2", "round x 3"]);
    check(3, &["round x 5", "crash n2", "round x 3", "restart n2", "round x 3"]);
    check(0, &["round x 5", "cut n1-n2", "round x 3"]);
    check(0, &["cut n1-n2", "cut n1-n3", "round", "heal n1-n2", "round x 3"]);
    check(3, &["round x 5", "cut n1-n2", "round x 3", "heal n1-n2", "round x 3"]);
}

#[test]
fn clocks_out_of_step_end_the_calm() {
    check(0, &["round x 5", "tick n1", "tick n1"]);
    check(0, &["tick n1 x 9"]);
    // The second tick of n1 is the first one of another calm.
    check(1, &["round x 5", "tick n1", "tick n1", "tick n2", "tick n3"]);
    check(3, &["round x 5", "tick n1", "tick n1", "tick n2", "tick n3", "deliveries", "round x 2"]);
    // A node that never ticks.
    check(0, &["tick n1", "tick n2", "deliveries", "tick n1", "tick n2", "deliveries", "tick n1", "tick n2"]);
}

#[test]
fn a_message_has_until_the_end_of_the_round_after_the_one_it_was_sent_in() {
    // Everything is received one round late.
    check(
        4,
        &[
            "ticks",
            "ticks",
            "deliver n2>n1#1 Asked",
            "deliver n3>n1#1 Asked",
            "deliver n1>n2#1 Log",
            "deliver n1>n3#1 Log",
            "ticks",
            "deliveries",
            "ticks",
        ],
    );
    // Two rounds late: not received when the third round begins.
    check(2, &["ticks", "ticks"]);
    check(0, &["ticks", "ticks", "tick n1"]);
    check(0, &["ticks", "ticks", "ticks"]);
    // Calm again after it was received.
    check(3, &["ticks", "ticks", "ticks", "deliveries", "round x 3"]);
    // One message that lingers, and is received in the end; or is not.
    let late: Vec<String> = std::iter::once("ticks".to_owned())
        .chain(["n3>n1#1 Asked", "n1>n2#1 Log", "n1>n3#1 Log"].map(|message| format!("deliver {message}")))
        .collect();
    let mut script: Vec<&str> = late.iter().map(String::as_str).collect();
    let others = |number: u32| {
        ["n2>n1#N Asked", "n3>n1#N Asked", "n1>n2#N Log", "n1>n3#N Log"]
            .map(|message| format!("deliver {}", message.replace('N', &number.to_string())))
    };
    let rounds: Vec<String> =
        (2..6).flat_map(|number| std::iter::once("ticks".to_owned()).chain(others(number))).collect();
    script.extend(rounds.iter().map(String::as_str));
    check(0, &script);
    script.push("deliver n2>n1#1 Asked");
    check(0, &script);
    script.extend(["round", "round"]);
    check(2, &script);
}

#[test]
fn timers_and_writes_must_not_linger_either() {
    let timers = Kind { has_timer: true, ..Kind::default() };
    let calm = |script: &[&str]| calm_of(timers, script);
    assert_eq!(calm(&["round x 6"]), (6, 6));
    let ticks = "tick n1,tick n2,tick n3";
    let rounds = |count: usize| std::iter::repeat_n(ticks, count).flat_map(|line| line.split(','));
    let script: Vec<&str> = rounds(2).collect();
    assert_eq!(calm(&script), (2, 2), "the timers may still go off in time");
    let script: Vec<&str> = rounds(3).collect();
    assert_eq!(calm(&script), (0, 0), "due in the first round, and still there in the third");
    // Going off at last, all at once: seen by who has looked after every step.
    let fires = ["fire n1 beat", "fire n2 beat", "fire n3 beat"];
    let script: Vec<&str> = rounds(9).chain(fires).collect();
    assert_eq!(calm(&script).0, 0);
    let disks = Kind { is_buffered: true, ..Kind::default() };
    assert_eq!(calm_of(disks, &["request n1 null", "round x 6"]), (6, 6));
    let script = ["request n1 null", "ticks", "deliveries", "ticks", "deliveries"];
    assert_eq!(calm_of(disks, &script).0, 2);
    let script: Vec<&str> = script.into_iter().chain(["ticks", "deliveries"]).collect();
    assert_eq!(calm_of(disks, &script).0, 0, "written in the first round, and not flushed in the third");
    let script: Vec<&str> = script.into_iter().chain(["flush n1", "round x 3"]).collect();
    assert_eq!(calm_of(disks, &script).0, 3);
}

/// Faults, requests here and there, and then calm.
const STORY: [&str; 14] = [
    "round",
    "request n2 null",
    "ticks",
    "drop n2>n1#2 Asked",
    "deliveries",
    "crash n3",
    "round",
    "cut n1-n2",
    "round x 2",
    "heal n1-n2",
    "restart n3",
    "request n3 null",
    "request n1 null",
    "round x 9",
];

const BOUND: u64 = 9;

/// Every kind of cluster on which the story can be played.
fn kinds() -> [Kind; 3] {
    let plain = Kind::default();
    [plain, Kind { has_timer: true, ..plain }, Kind { is_buffered: true, ..plain }]
}

fn reported(kind: Kind, bound: u64) -> Run {
    let mut run = Run::new(kind, bound);
    STORY.iter().for_each(|line| run.play(line));
    run
}

#[test]
fn a_live_protocol_passes_and_one_that_is_not_is_found_out() {
    for kind in kinds() {
        let mut run = reported(kind, BOUND);
        assert_eq!(run.calm.rounds(), 9, "{kind:?}");
        assert_eq!(run.violations(), Vec::<String>::new(), "{kind:?}");
    }
    let broken = |fault| reported(Kind { fault, ..Kind::default() }, BOUND).violations().join("\n");
    expect!["leader-elected: no node is leader after 9 calm rounds"].assert_eq(&broken("leader"));
    expect![[r#"
        logs-equal: n1 and n2 have different logs 9 calm rounds after the last request: [0, 2, 1], []
        every-request-answered: n2 has not answered `null` 9 calm rounds after the last request"#]]
    .assert_eq(&broken("log"));
    expect!["every-request-answered: n2 has not answered `null` 9 calm rounds after the last request"]
        .assert_eq(&broken("answer"));
    // One round less, and there is nothing to be said.
    let mut early = reported(Kind { fault: "leader", ..Kind::default() }, BOUND + 1);
    assert_eq!(early.violations(), Vec::<String>::new());
}

#[test]
fn a_request_is_excused_by_a_crash_of_its_node_and_late_requests_are_given_time() {
    let silent = Kind { fault: "answer", ..Kind::default() };
    let judge = |script: &[&str], oracle: EveryRequestAnswered| {
        let mut run = Run::new(silent, 3);
        run.oracles = vec![Box::new(oracle)];
        script.iter().for_each(|line| run.play(line));
        run.violations().is_empty()
    };
    let all = || EveryRequestAnswered::new(3);
    assert!(!judge(&["request n2 null", "round x 3"], all()));
    assert!(judge(&["request n2 null", "round", "crash n2", "restart n2", "round x 3"], all()));
    assert!(!judge(&["crash n2", "restart n2", "request n2 null", "round x 3"], all()));
    assert!(judge(&["round x 9", "request n2 null", "round x 2"], all()));
    assert!(!judge(&["round x 9", "request n2 null", "round x 3"], all()));
    let before = ["request n2 null", "cut n1-n2", "heal n1-n2", "round x 3"];
    assert!(!judge(&before, all()));
    assert!(judge(&before, all().asked_in_calm()));
    let after = ["cut n1-n2", "heal n1-n2", "round", "request n2 null", "round x 3"];
    assert!(!judge(&after, all().asked_in_calm()));
}

#[test]
fn bounds_come_from_runs_without_faults() {
    assert_eq!(calibrate(&[]), 10);
    assert_eq!(calibrate(&[1, 2, 1]), 10);
    assert_eq!(calibrate(&[3, 7, 5]), 28);
    assert_eq!(calibrate(&[u64::MAX]), u64::MAX);
    let mut run = Run::new(Kind::default(), 1);
    assert_eq!(run.first_leader.rounds(), None);
    run.play("ticks");
    assert_eq!(run.first_leader.rounds(), None);
    run.play("round x 4");
    assert_eq!(run.first_leader.rounds(), Some(2), "it hears everybody in the round after the second");
    // After a disturbance it is about the new calm.
    run.play("crash n1");
    run.play("restart n1");
    assert_eq!(run.first_leader.rounds(), None);
    run.play("round x 2");
    assert_eq!(run.first_leader.rounds(), Some(1));
}

/// The steps of the story but for some, as far as they can be done: what a shrinker tries.
fn without(kind: Kind, bound: u64, is_gone: impl Fn(usize) -> bool) -> Run {
    let steps = reported(kind, bound).steps;
    let mut run = Run::new(kind, bound);
    for (_, step) in steps.iter().enumerate().filter(|(number, _)| !is_gone(*number)) {
        if let Some(step) = adapt(step, run.cluster.board()) {
            // What cannot be done any more is left out.
            let _ = run.attempt(step);
        }
    }
    run
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        ..ProptestConfig::with_cases(2_000)
    })]

    #[test]
    fn no_steps_can_be_taken_out_so_that_a_live_protocol_fails(
        kind in 0usize..3,
        gone in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        range in (any::<prop::sample::Index>(), 0usize..12),
        bound in 6u64..=BOUND,
    ) {
        let count = reported(kinds()[kind], bound).steps.len();
        let gone: Vec<usize> = gone.iter().map(|index| index.index(count)).collect();
        let start = range.0.index(count);
        let is_gone = |number: usize| gone.contains(&number) || (start..start + range.1).contains(&number);
        let mut run = without(kinds()[kind], bound, is_gone);
        prop_assert_eq!(run.violations(), Vec::<String>::new());
        if kind == 0 {
            prop_assert_eq!(run.calm.rounds(), calm_rounds(run.cluster.board()), "asked at the end only");
        }
    }
}

#[test]
fn any_single_step_can_be_taken_out_without_a_failure() {
    let (mut judged, mut trivially_wrong) = (0, 0);
    for kind in kinds() {
        let count = reported(kind, 6).steps.len();
        for first in 0..count {
            let mut run = without(kind, 6, |number| number == first);
            assert_eq!(run.violations(), Vec::<String>::new(), "{kind:?} without step {first}");
            judged += usize::from(run.calm.rounds() >= 6);
            // Without the condition of calm, there would be failures that mean nothing.
            let mut run = without(kind, 0, |number| number >= first);
            trivially_wrong += usize::from(!run.violations().is_empty());
        }
    }
    assert!(judged > 20, "{judged} executions were judged");
    assert!(trivially_wrong > 20, "{trivially_wrong} would be wrong for want of steps");
}
