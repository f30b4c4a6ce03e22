//! What holds of campaigns, whatever the target.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use shakedown_campaign::{
    Campaign, CampaignError, Checkpoint, Forgetful, Ledger, LedgerError, Now, Progress, PropertyTally, Room,
    ShrinkLimits, Silent, Standing, Summary, Violation,
};
use shakedown_cluster::{Random, Step, StepKind, Trace};
use shakedown_explore::{
    Environment, Execution, Experience, Explorer, Lesson, RandomWalk, STRATEGIES, Sight, Strategy,
    StrategyChoice, StrategyInfo, Weights,
};
use shakedown_toys::teller;

fn run(change: impl FnOnce(&mut Campaign<'_>)) -> Result<Summary, CampaignError> {
    let target = teller();
    let mut campaign = Campaign::new(&target);
    campaign.plan.executions = 600;
    change(&mut campaign);
    campaign.run(&Silent)
}

fn violation(trouble: &str) -> Violation {
    let summary =
        run(|campaign| campaign.plan.config.options.set("trouble", trouble)).expect("the campaign runs");
    assert_eq!((summary.failed, summary.findings.len()), (1, 1));
    summary.findings[0].failure.violation.clone()
}

/// The strategies that run on a target without waypoints; `learning.rs` runs the other one.
fn without_waypoints() -> impl Iterator<Item = &'static StrategyInfo> {
    STRATEGIES.iter().filter(|strategy| strategy.name != "waypoint")
}

#[test]
fn jobs_never_change_a_result() {
    for strategy in without_waypoints() {
        // With a failure on the way and without one. In lock step there is time for fewer tellings.
        let low = if matches!(strategy.name, "random" | "pctcp" | "pos") { 14 } else { 4 };
        for bound in [low, 1_000] {
            let results: Vec<_> = [1, 2, 5]
                .map(|jobs| {
                    let summary = run(|campaign| {
                        campaign.plan.strategy = strategy.name.parse().expect("this is a strategy");
                        campaign.jobs = jobs;
                        // Without a limit of time: on a slow machine it would end shrinking elsewhere.
                        campaign.plan.shrink = Some(ShrinkLimits { executions: 500, time: None });
                        campaign.plan.config.options.set("bound", bound);
                    })
                    .expect("the campaign runs");
                    let schedules: Vec<_> = summary.findings.iter().map(|f| f.failure.clone()).collect();
                    (summary.executions, summary.fingerprint, summary.tally, schedules)
                })
                .into_iter()
                .collect();
            assert_eq!(results[0], results[1], "{} with bound {bound}", strategy.name);
            assert_eq!(results[0], results[2], "{} with bound {bound}", strategy.name);
            // Its bonus outweighs everything: it does hundreds of times what it happened to do first, and
            // gets nowhere here.
            let finds = bound == low && strategy.name != "ucbzero";
            assert_eq!(results[0].3.len(), usize::from(finds), "{} with bound {bound}", strategy.name);
        }
    }
}

#[test]
fn as_many_jobs_as_can_be_asked_for_are_no_trouble() {
    let [one, most] = [1, usize::MAX].map(|jobs| run(|campaign| campaign.jobs = jobs));
    assert_eq!(most.expect("it runs").fingerprint, one.expect("it runs").fingerprint);
}

/// Learns how long executions were, and lets the next ones be about as long: every generation depends on the
/// last, and every choice on the colours of nodes.
struct Learner {
    walk: RandomWalk,
    longest: u64,
    learned: Vec<u64>,
}

struct Pupil {
    walk: Box<dyn Strategy>,
    most: u64,
    random: Random,
}

impl Explorer for Learner {
    fn strategy(&self, execution: &Execution) -> Box<dyn Strategy> {
        let random = Random::new(execution.seed);
        Box::new(Pupil { walk: self.walk.strategy(execution), most: self.longest, random })
    }

    fn generation(&self) -> Option<u64> {
        Some(7)
    }

    fn learn(&mut self, execution: &Execution, experience: Experience, _lesson: &Lesson<'_>) {
        let steps = *experience.downcast::<u64>().expect("a pupil's experience is a number of steps");
        self.learned.push(execution.number);
        self.longest = (self.longest * 3 + steps * 2 + execution.number) % 61 + 1;
    }
}

impl Strategy for Pupil {
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step> {
        let colours = sight.board().up().map(|node| sight.colour(node)).sum::<u64>();
        let most = self.most + self.random.below(5) + colours % 2;
        if sight.board().steps().len() as u64 >= most { None } else { self.walk.next(sight) }
    }

    fn experience(self: Box<Self>, trace: &Trace) -> Experience {
        Box::new(trace.board.steps().len() as u64)
    }
}

#[test]
fn what_learns_across_executions_learns_the_same_with_any_number_of_jobs() {
    let results = [1, 2, 4].map(|jobs| {
        let target = teller().colour(|count| *count);
        let mut campaign = Campaign::new(&target);
        (campaign.plan.executions, campaign.jobs) = (200, jobs);
        let walk = RandomWalk::new(Environment::new(campaign.plan.weights.clone(), 3));
        let mut learner = Learner { walk, longest: 20, learned: Vec::new() };
        let summary = campaign.run_with(&mut learner, &Silent).expect("the campaign runs");
        assert_eq!(learner.learned, (0..200).collect::<Vec<_>>(), "experiences come in order");
        (summary.fingerprint, learner.longest)
    });
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0], results[2]);
}

#[test]
fn every_strategy_gives_one_execution_for_one_seed() {
    for strategy in without_waypoints() {
        let summary = run(|campaign| {
            campaign.plan.strategy = strategy.name.parse().expect("this is a strategy");
            campaign.plan.check_determinism = true;
        });
        assert_eq!(summary.expect("the campaign runs").failed, 0, "{}", strategy.name);
    }
}

#[test]
fn a_node_that_is_not_deterministic_is_found_out() {
    let summary = run(|campaign| {
        campaign.plan.check_determinism = true;
        campaign.plan.config.options.set("trouble", "leak");
    })
    .expect("the campaign runs");
    let violation = &summary.findings[0].failure.violation;
    assert_eq!(violation.property, "determinism");
    assert!(violation.reason.contains("two runs of one seed"), "{}", violation.reason);
}

#[test]
fn a_panic_anywhere_in_a_node_is_a_finding_with_its_message_and_place() {
    let check = |trouble: &str, doing: &str, message: &str| {
        let violation = violation(trouble);
        assert!(violation.property.starts_with("panic at "), "{violation}");
        assert!(violation.property.contains("src/teller.rs:"), "{violation}");
        assert!(violation.reason.contains(doing) && violation.reason.contains(message), "{violation}");
    };
    check("boot", "n2 panicked in boot", "no boots today");
    check("receive", "panicked in receive", "too much to hear");
    check("observe", "panicked in observe", "too much to see");
    check("kind", "panicked in the hash, kind or text of a message", "this has no name");
}

#[test]
fn a_node_that_never_goes_quiet_ends_in_a_verdict() {
    let flood =
        run(|campaign| campaign.plan.config.options.set("trouble", "flood")).expect("the campaign runs");
    assert_eq!(flood.failed, 0);
    assert!(flood.unknown > 0);
    assert!(
        flood.unknown_reason.expect("there is a reason").contains("more than 10000 messages in one step")
    );
    let restless =
        run(|campaign| campaign.plan.config.options.set("trouble", "restless")).expect("the campaign runs");
    assert_eq!((restless.failed, restless.unknown), (0, 0), "the limit of steps ends it");
    let crowd = run(|campaign| {
        campaign.plan.config.options.set("trouble", "restless");
        campaign.plan.config.options.set("bound", u64::MAX);
        campaign.plan.config.steps = 200_000;
        campaign.plan.executions = 1;
        campaign.plan.weights = campaign.plan.weights.clone().with(StepKind::Cut, 0);
    });
    let reason = crowd.expect("the campaign runs").unknown_reason.expect("there is a reason");
    assert!(reason.contains("more than 100000 messages were under way"), "{reason}");
}

#[test]
fn what_cannot_run_says_why() {
    let error = |change: fn(&mut Campaign<'_>)| run(change).expect_err("this cannot run").to_string();
    assert_eq!(error(|c| c.plan.config.nodes = 0), "teller cannot run with 0 nodes: it takes 2 to 64");
    assert_eq!(error(|c| c.plan.config.nodes = 65), "teller cannot run with 65 nodes: it takes 2 to 64");
    assert_eq!(error(|c| c.plan.executions = 0), "a campaign needs at least one execution");
    assert!(error(|c| c.plan.first = u64::MAX).starts_with("there are no 600 executions from number"));
    assert!(error(|c| c.plan.config.requests = 100_001).contains("100001 requests: at most 100000"));
    let luck = "luck".parse::<StrategyChoice>().expect_err("this is no strategy").to_string();
    assert!(luck.starts_with("there is no strategy `luck`"), "{luck}");
    let unknown = error(|c| c.plan.config.options.set("colour", "red"));
    assert_eq!(unknown, "teller has no option `colour`: it has trouble, bound");
    let bad = error(|c| c.plan.config.options.set("bound", "high"));
    assert_eq!(bad, "option `bound` cannot be `high`: expected a whole number");
}

#[test]
fn what_is_allowed_but_never_happens_is_in_the_summary() {
    let summary = run(|campaign| {
        campaign.plan.executions = 3;
        campaign.plan.config.steps = 6;
        campaign.plan.weights =
            campaign.plan.weights.clone().with(StepKind::Crash, 0).with(StepKind::Deliver, 100_000);
    })
    .expect("the campaign runs");
    assert!(summary.inert.contains(&StepKind::Duplicate), "{:?}", summary.inert);
    assert!(!summary.inert.contains(&StepKind::Crash), "a weight of 0 is no surprise");
    assert!(!summary.inert.contains(&StepKind::Restart), "what never crashes never restarts");
}

#[test]
fn a_strategy_that_plans_its_steps_is_not_excused_by_weights() {
    let inert = |strategy: &str| {
        let summary = run(|campaign| {
            campaign.plan.strategy = strategy.parse().expect("this is a strategy");
            (campaign.plan.executions, campaign.plan.weights) = (2, Weights::none());
            // Too short for anything to go wrong.
            campaign.plan.config.steps = 3;
        });
        let summary = summary.expect("the campaign runs");
        (summary.inert, summary.left_out)
    };
    let (never, left_out) = inert("bonusmax");
    assert!(never.contains(&StepKind::Crash) && never.contains(&StepKind::Request), "{never:?}");
    assert_eq!(left_out, [StepKind::Drop, StepKind::Duplicate]);
    let (never, left_out) = inert("closure:isolations=1");
    assert!(never.contains(&StepKind::Drop), "{never:?}");
    let others = [StepKind::Duplicate, StepKind::Crash, StepKind::Restart, StepKind::Cut, StepKind::Heal];
    assert_eq!(left_out, others);
}

#[test]
fn rounds_of_a_target_without_a_phase_are_no_phases() {
    let summary = run(|campaign| campaign.plan.strategy = "closure".parse().expect("this is a strategy"));
    let rounds = summary.expect("the campaign runs").tally.rounds;
    assert!(rounds.rounds > 0 && rounds.rounds_with_quorum > 0, "{rounds:?}");
    assert_eq!((rounds.phases, rounds.phases_with_quorum), (0, 0));
}

#[test]
fn every_property_is_counted_with_what_came_of_it() {
    let summary = run(|campaign| {
        (campaign.plan.keep_going, campaign.plan.executions, campaign.plan.check_determinism) =
            (true, 50, true);
        campaign.plan.config.options.set("bound", 14);
    });
    let summary = summary.expect("the campaign runs");
    assert!(summary.failed > 0 && summary.failed < 50, "{}", summary.failed);
    let rows: Vec<_> = summary.properties.tallies.iter().collect();
    let numbers = |row: &PropertyTally| (row.premise, row.held, row.violated, row.inconclusive);
    let names: Vec<_> = rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["count-below-bound", "no-panic", "determinism"]);
    assert_eq!(numbers(rows[0]), (50, 50 - summary.failed, summary.failed, 0));
    assert!(rows[0].evaluations > 50, "it is asked after every step");
    assert_eq!(numbers(rows[1]), (50, 50, 0, 0));
    assert_eq!(numbers(rows[2]), (50, 50, 0, 0));
}

#[test]
fn keep_going_reports_every_violated_property_once() {
    let summary = run(|campaign| {
        campaign.plan.keep_going = true;
        campaign.plan.config.options.set("bound", 3);
        campaign.plan.config.options.set("trouble", "receive");
    })
    .expect("the campaign runs");
    assert_eq!(summary.executions, 600);
    assert!(summary.failed > 100);
    let properties: Vec<_> = summary.findings.iter().map(|f| f.failure.violation.property.as_str()).collect();
    assert_eq!(properties, ["count-below-bound"], "the bound is reached before the panic, every time");
}

#[test]
fn a_time_limit_cuts_a_campaign_short_and_says_so() {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    struct Counted;
    impl Progress for Counted {
        fn executions(&self, _: u64, _: u64, _: usize) {
            CALLS.fetch_add(1, Ordering::Relaxed);
        }
    }
    let target = teller();
    let mut campaign = Campaign::new(&target);
    campaign.plan.executions = u64::MAX - 1;
    campaign.time = Some(Duration::ZERO);
    let summary = campaign.run(&Counted).expect("the campaign runs");
    assert_eq!(summary.cut_short, Some("the limit of time"));
    assert_eq!(
        (summary.executions, CALLS.load(Ordering::Relaxed)),
        (0, 0),
        "none was begun after the deadline"
    );
    campaign.time = Some(Duration::from_millis(50));
    let summary = campaign.run(&Counted).expect("the campaign runs");
    assert_eq!(summary.cut_short, Some("the limit of time"));
    assert_eq!(summary.executions, CALLS.load(Ordering::Relaxed), "what was taken in is counted");
}

#[test]
fn a_campaign_that_a_time_limit_cut_short_comes_to_the_same_findings_when_it_goes_on() {
    /// Waits for the time limit after so many executions.
    struct Waits(u64, Instant);
    impl Progress for Waits {
        fn standing(&self, now: &Now<'_>) {
            while now.standing.executions == self.0 && Instant::now() < self.1 {
                std::thread::yield_now();
            }
        }
    }
    struct Kept(Option<Standing>);
    impl Ledger for Kept {
        fn keep(&mut self, checkpoint: &Checkpoint<'_>) -> Result<Room, LedgerError> {
            self.0 = Some(checkpoint.standing.clone());
            Ok(Room::Enough)
        }
    }
    let target = teller();
    let mut campaign = Campaign::new(&target);
    (campaign.plan.executions, campaign.plan.keep_going, campaign.plan.variants) = (300, true, 2);
    campaign.plan.shrink = Some(ShrinkLimits { executions: 500, time: None });
    campaign.plan.config.options.set("bound", 1);
    let reported = |summary: &Summary| {
        let findings: Vec<_> = summary.findings.iter().map(|f| (f.failure.clone(), f.hits)).collect();
        (summary.executions, summary.fingerprint, findings)
    };
    let whole = reported(&campaign.run(&Silent).expect("the campaign runs"));
    for executions in [2, 6, 60, 260] {
        let mut explorer = campaign.explorer().expect("there is such a strategy");
        let (mut kept, time) = (Kept(None), Duration::from_millis(500));
        let short = Campaign { time: Some(time), ..campaign.clone() };
        let waits = Waits(executions, Instant::now() + 2 * time);
        let cut = short.go_on(Standing::default(), explorer.as_mut(), &mut kept, &waits);
        assert_eq!(cut.expect("the campaign runs").cut_short, Some("the limit of time"));
        let standing = kept.0.expect("where it stands was kept");
        let end = campaign.go_on(standing, explorer.as_mut(), &mut Forgetful, &Silent);
        assert_eq!(reported(&end.expect("the campaign runs")), whole, "cut short after {executions}");
    }
}

#[test]
fn a_kind_that_is_not_a_word_is_a_finding_and_not_an_unreadable_file() {
    let violation = violation("words");
    assert!(violation.reason.contains("`two words` is not a name"), "{violation}");
}

#[test]
fn what_the_target_itself_panics_of_is_told() {
    let target = teller().oracles(|_| panic!("no oracle today"));
    let error = Campaign::new(&target).run(&Silent).expect_err("it cannot begin").to_string();
    assert!(error.starts_with("teller cannot begin: no oracle today ("), "{error}");
}
