//! Targets that do not do the same thing twice: what is reported of them is what differed, and never that the
//! code changed.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use shakedown_campaign::{Campaign, Failure, Finding, Sameness, ShrinkLimits, Silent, Target, Verdict};
use shakedown_check::invariant;
use shakedown_cluster::{Context, Contract, Message, Node, NodeId, Recording, Step};

thread_local! {
    /// What no two boots have in common. Runs have three of them, so that it is odd for a node in every other
    /// run.
    static BOOTS: Cell<u64> = const { Cell::new(0) };
}

/// What differs between two runs: an option of the target.
const STATE: u8 = 0;
const CONTENTS: u8 = 1;
const FACT: u8 = 2;
const ORDER: u8 = 3;
const BOOT: u8 = 4;

/// It is right up to its third tick.
struct Moody {
    what: u8,
    ticks: u64,
    mood: u64,
    is_moody: bool,
}

#[derive(Clone, Debug)]
struct Word(u64);

impl Message for Word {
    fn kind(&self) -> &'static str {
        "Word"
    }

    fn describe(&self) -> String {
        format!("Word({})", self.0)
    }
}

impl Node for Moody {
    type Message = Word;
    type Request = ();
    type Answer = ();
    type State = u64;
    type Disk = ();

    fn boot(_disk: &(), ctx: &mut Context<'_, Self>) -> Self {
        let is_moody = ctx.options().get("moody").expect("the option is there");
        let what = ctx.options().get("what").expect("the option is there");
        let mood = if is_moody { BOOTS.replace(BOOTS.get() + 1) } else { 7 };
        Moody { what, ticks: if what == BOOT { mood } else { 0 }, mood, is_moody }
    }

    fn receive(&mut self, _from: NodeId, _word: Word, _ctx: &mut Context<'_, Self>) {}

    fn tick(&mut self, ctx: &mut Context<'_, Self>) {
        self.ticks += 1;
        if self.ticks != 3 {
            return;
        }
        let mut peers: Vec<_> = ctx.peers().collect();
        match self.what {
            STATE => self.ticks = 100 + self.mood,
            CONTENTS => ctx.send(peers[0], Word(self.mood)),
            FACT => ctx.emit(shakedown_cluster::Fact::new("mood").with("is", self.mood)),
            ORDER if self.is_moody && self.mood % 2 == 1 => peers.reverse(),
            _ => {}
        }
        if self.what == ORDER {
            peers.into_iter().for_each(|peer| ctx.send(peer, Word(1)));
        }
    }

    fn observe(&self) -> u64 {
        self.ticks
    }
}

fn target(what: u8) -> Target<Moody> {
    Target::new("moody")
        .contract(Contract::reliable())
        .nodes(3)
        .steps(40)
        .option("moody", true, "whether runs differ")
        .option("what", what, "what differs")
}

fn finding(target: &Target<Moody>) -> Finding {
    let mut campaign = Campaign::new(target);
    (campaign.plan.executions, campaign.plan.check_determinism) = (5, true);
    campaign.run(&Silent).expect("the campaign runs").findings.remove(0)
}

/// The step that the reason names, as the schedule has it, and the rest of the reason.
fn named_step(failure: &Failure) -> (Step, String) {
    let reason =
        failure.violation.reason.strip_prefix("two runs of one seed differ at step ").expect("a step");
    let (number, rest) = reason.split_once(", `").expect("the step's text");
    let (text, rest) = rest.split_once("`, in ").expect("what differs");
    let step = failure.schedule.steps[number.parse::<usize>().expect("a number") - 1].clone();
    assert_eq!(step.to_string(), text);
    (step, rest.to_owned())
}

/// Two values that are not the same.
fn values(rest: &str) -> (&str, &str) {
    let (_, values) = rest.split_once(":\none: ").expect("one value");
    let (one, other) = values.split_once("\nthe other: ").expect("another value");
    assert_ne!(one, other);
    (one, other)
}

#[test]
fn the_first_step_at_which_states_differ_is_named_with_both_values() {
    let target = target(STATE);
    let failure = finding(&target).failure;
    let (step, rest) = named_step(&failure);
    let Step::Tick(node) = step else { panic!("only ticks change a state: {step}") };
    assert!(rest.starts_with(&format!("the state of {node}:")), "{rest}");
    let (one, other) = values(&rest);
    assert!(one.parse::<u64>().expect("a state") >= 100 && other.parse::<u64>().expect("a state") >= 100);
}

#[test]
fn contents_and_facts_that_differ_are_shown() {
    let (step, rest) = named_step(&finding(&target(CONTENTS)).failure);
    let Step::Tick(node) = step else { panic!("only ticks send: {step}") };
    assert!(rest.starts_with(&format!("the Word that {node} sends to n")), "{rest}");
    assert!(values(&rest).0.starts_with("Word("), "{rest}");
    let (_, rest) = named_step(&finding(&target(FACT)).failure);
    assert!(rest.starts_with("the fact `mood` of n"), "{rest}");
    assert!(values(&rest).0.starts_with("is="), "{rest}");
}

#[test]
fn messages_in_another_order_are_shown_with_their_receivers() {
    let (_, rest) = named_step(&finding(&target(ORDER)).failure);
    assert!(rest.starts_with("what happens next:"), "{rest}");
    let (one, other) = values(&rest);
    assert!(one.contains("sends to n") && other.contains("sends to n"), "{rest}");
}

#[test]
fn a_difference_at_boot_is_named_as_such() {
    let reason = finding(&target(BOOT)).failure.violation.reason;
    assert!(
        reason.starts_with("two runs of one seed differ when the cluster boots, in the state of n1:"),
        "{reason}"
    );
}

#[test]
fn the_replay_of_such_a_failure_shows_its_trace_and_blames_no_change_of_code() {
    let target = target(STATE);
    let failure = finding(&target).failure;
    let replayed = failure.replay(&target, Recording::Full).expect("it replays");
    assert_eq!(replayed.same, Sameness::Unrepeatable);
    let Verdict::Fail(violation) = &replayed.verdict else { panic!("{}", replayed.verdict) };
    assert_eq!(violation.property, "determinism");
    assert!(!replayed.outcome.expect("there is a trace to draw").trace.board.steps().is_empty());
}

#[test]
fn a_schedule_that_fits_no_more_because_runs_differ_is_a_failure_of_determinism() {
    let target = target(ORDER);
    let mut failure = finding(&target).failure;
    failure.violation.property = "another-property".to_owned();
    failure.config.options.set("moody", true);
    let replayed = failure.replay(&target, Recording::Brief).expect("two replays differ, so none diverges");
    assert_eq!(replayed.same, Sameness::Unrepeatable);
}

#[test]
fn a_target_that_became_deterministic_passes_the_replay() {
    let target = target(STATE);
    let mut failure = finding(&target).failure;
    failure.config.options.set("moody", false);
    let replayed = failure.replay(&target, Recording::Brief).expect("it replays");
    assert_eq!((replayed.verdict, replayed.same), (Verdict::Pass, Sameness::OtherVerdict));
}

#[test]
fn a_failure_that_does_not_repeat_is_reported_as_that() {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let target = target(STATE).oracles(|_| {
        // The first execution fails, and none after it.
        let is_first = MADE.fetch_add(1, Ordering::Relaxed) == 0;
        vec![invariant("is-calm", move |seen| {
            match seen.states().iter().any(|&ticks| is_first && ticks >= 100) {
                true => Err("it is not".to_owned()),
                false => Ok(()),
            }
        })]
    });
    let mut campaign = Campaign::new(&target);
    campaign.plan.shrink = Some(ShrinkLimits { executions: 100, time: None });
    let finding = campaign.run(&Silent).expect("the campaign runs").findings.remove(0);
    assert!(!finding.failure.repeats);
    let text = serde_json::to_string(&finding.failure).expect("it has a JSON form");
    let kept: Failure = serde_json::from_str(&text).expect("it can be read");
    assert!(!kept.repeats);
    let older: Failure =
        serde_json::from_str(&text.replace(",\"repeats\":false", "")).expect("as older files are");
    assert!(older.repeats);
}
