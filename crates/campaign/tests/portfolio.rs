//! Portfolios, swarms and returns: the same with any number of jobs and however often they are interrupted,
//! with what each strategy spent and brought, and with failures that replay.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use shakedown_campaign::{
    AnyTarget, Campaign, CampaignError, Checkpoint, Failure, Ledger, LedgerError, Room, Sameness, Silent,
    Standing, Summary,
};
use shakedown_cluster::{Recording, Step, Trace};
use shakedown_explore::{
    Execution, Experience, Explorer, Lesson, Mix, Portfolio, PortfolioArm, PortfolioSettings, Sight, Strategy,
};
use shakedown_toys::teller;

const STRATEGIES: [&str; 6] = [
    "portfolio",
    "portfolio:swarm=false,shares=equal",
    "portfolio:arms=[random, return, fuzz, novelty]",
    "return",
    "swarm",
    "swarm:[pctcp:depth=3,messages=50]",
];

fn campaign<'a>(target: &'a dyn AnyTarget, strategy: &str) -> Campaign<'a> {
    let mut campaign = Campaign::new(target);
    campaign.plan.strategy = strategy.parse().expect("this is a strategy");
    (campaign.plan.executions, campaign.plan.keep_going) = (400, true);
    campaign.plan.shrink = None;
    campaign.plan.config.options.set("bound", 14);
    campaign
}

/// What must not depend on jobs and interruptions.
fn what_counts(summary: &Summary) -> String {
    let findings: Vec<_> = summary.findings.iter().map(|finding| (&finding.failure, finding.hits)).collect();
    format!(
        "{} {} {} {:?} {:?} {findings:?}",
        summary.executions, summary.failed, summary.fingerprint, summary.tally, summary.arms
    )
}

#[test]
fn the_number_of_jobs_changes_nothing() {
    let target = teller();
    for strategy in STRATEGIES {
        let outcomes = [1, 2, 4].map(|jobs| {
            let mut campaign = campaign(&target, strategy);
            campaign.jobs = jobs;
            what_counts(&campaign.run(&Silent).expect("the campaign runs"))
        });
        assert_eq!(outcomes[0], outcomes[1], "{strategy} with 2 jobs");
        assert_eq!(outcomes[0], outcomes[2], "{strategy} with 4 jobs");
    }
}

/// Keeps the standing and what was learned, and fails after so many times.
#[derive(Default)]
struct Shaky {
    kept: Option<(String, Vec<u8>)>,
    keeps_left: usize,
}

impl Ledger for Shaky {
    fn keep(&mut self, checkpoint: &Checkpoint<'_>) -> Result<Room, LedgerError> {
        self.keeps_left = self.keeps_left.checked_sub(1).ok_or("the machine has lost its power")?;
        self.kept = Some((serde_json::to_string(checkpoint.standing)?, checkpoint.learned.to_vec()));
        Ok(Room::Enough)
    }
}

fn go_on(strategy: &str, ledger: &mut Shaky) -> Result<Summary, CampaignError> {
    let target = teller();
    let mut campaign = campaign(&target, strategy);
    (campaign.keep_every, campaign.jobs) = (Duration::ZERO, 2);
    let mut explorer = campaign.explorer()?;
    let standing = match &ledger.kept {
        None => Standing::new(&campaign.guides(explorer.as_ref())),
        Some((standing, learned)) => {
            explorer.load(learned).expect("it was kept whole");
            serde_json::from_str(standing).expect("it was kept whole")
        }
    };
    campaign.go_on(standing, explorer.as_mut(), ledger, &Silent)
}

#[test]
fn a_campaign_that_is_interrupted_again_and_again_comes_to_the_same() {
    for strategy in STRATEGIES {
        let whole = go_on(strategy, &mut Shaky { keeps_left: usize::MAX, ..Shaky::default() });
        let whole = what_counts(&whole.expect("nothing keeps it from its end"));
        let mut ledger = Shaky::default();
        let mut interruptions = 0;
        let summary = loop {
            ledger.keeps_left = 1;
            match go_on(strategy, &mut ledger) {
                Ok(summary) => break summary,
                Err(CampaignError::Ledger(_)) => interruptions += 1,
                Err(other) => panic!("{other}"),
            }
        };
        assert!(interruptions > 0, "{strategy}");
        assert_eq!(what_counts(&summary), whole, "{strategy}");
    }
}

#[test]
fn what_was_learned_is_refused_if_it_is_damaged() {
    for strategy in ["portfolio", "return"] {
        let mut ledger = Shaky { keeps_left: usize::MAX, ..Shaky::default() };
        go_on(strategy, &mut ledger).expect("nothing keeps it from its end");
        let (_, learned) = ledger.kept.expect("it was kept");
        let target = teller();
        let mut explorer = campaign(&target, strategy).explorer().expect("it can be had");
        explorer.load(&learned).expect("it is whole");
        for length in (0..learned.len()).step_by(learned.len() / 97) {
            assert!(explorer.load(&learned[..length]).is_err(), "{strategy}, cut after {length} bytes");
        }
    }
}

#[test]
fn every_execution_belongs_to_an_arm_and_arms_say_what_they_brought() {
    let target = teller();
    let summary = campaign(&target, "portfolio").run(&Silent).expect("the campaign runs");
    let names: Vec<_> = summary.arms.iter().map(|arm| arm.strategy.as_str()).collect();
    assert_eq!(names, ["random", "pctcp:depth=any", "pos", "fuzz", "novelty", "return"]);
    let sum = |of: fn(&shakedown_campaign::ArmTally) -> u64| summary.arms.iter().map(of).sum::<u64>();
    assert_eq!(sum(|arm| arm.executions), summary.executions);
    assert_eq!(sum(|arm| arm.steps), summary.tally.all_steps());
    assert_eq!(sum(|arm| arm.failed), summary.failed);
    assert!(summary.arms.iter().all(|arm| arm.executions >= 6), "none starves: {:?}", summary.arms);
    assert!(sum(|arm| arm.new) > 100);
}

/// Random walks of a certain length that know their own executions again.
struct Marked {
    mark: u64,
    walks: Box<dyn Explorer>,
    length: usize,
    own: Arc<AtomicU64>,
}

struct MarkedWalk {
    mark: u64,
    walk: Box<dyn Strategy>,
    length: usize,
}

impl Strategy for MarkedWalk {
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step> {
        if sight.board().steps().len() < self.length { self.walk.next(sight) } else { None }
    }

    fn experience(self: Box<Self>, _trace: &Trace) -> Experience {
        Box::new(self.mark)
    }
}

impl Explorer for Marked {
    fn strategy(&self, execution: &Execution) -> Box<dyn Strategy> {
        let walk = self.walks.strategy(execution);
        Box::new(MarkedWalk { mark: self.mark, walk, length: self.length })
    }

    fn learn(&mut self, _execution: &Execution, experience: Experience, _lesson: &Lesson<'_>) {
        let is_own = experience.downcast_ref() == Some(&self.mark);
        self.own.fetch_add(u64::from(is_own), Ordering::Relaxed);
    }
}

#[test]
fn what_an_execution_came_to_is_learned_by_the_arm_that_ran_it() {
    let target = teller();
    let campaign = campaign(&target, "random");
    let counts = [(); 3].map(|()| Arc::new(AtomicU64::new(0)));
    let arm = |(mark, length): (u64, usize)| {
        let own = Arc::clone(&counts[mark as usize]);
        let walks = campaign.explorer().expect("it can be had");
        let explorer = Box::new(Marked { mark, walks, length, own });
        PortfolioArm { name: format!("arm {mark}"), explorer, weight: 1, steps: None }
    };
    // What an arm is given follows from what was learned, so it differs from one generation to the next.
    let arms = (0..).zip([5, 20, 80]).map(arm).collect();
    let settings = PortfolioSettings { is_bandit: true, shares: true };
    let mut portfolio = Portfolio::new(arms, Vec::new(), settings);
    let summary = campaign.run_with(&mut portfolio, &Silent).expect("the campaign runs");
    let learned: Vec<u64> = counts.iter().map(|count| count.load(Ordering::Relaxed)).collect();
    let ran: Vec<u64> = summary.arms.iter().map(|arm| arm.executions).collect();
    assert_eq!(learned, ran);
    assert_eq!(ran.iter().sum::<u64>(), summary.executions);
}

#[test]
fn failures_name_the_arm_and_the_mix_and_replay() {
    let target = teller();
    let mut arms = Vec::new();
    for seed in 1..=12 {
        let mut campaign = campaign(&target, "portfolio");
        (campaign.plan.seed, campaign.plan.keep_going) = (seed, false);
        let summary = campaign.run(&Silent).expect("the campaign runs");
        let failure = &summary.findings.first().expect("something is found").failure;
        assert_eq!(failure.found.of.as_deref(), Some("portfolio"));
        let strategy = failure.found.strategy.as_str();
        let is_mixed = failure.found.mix.as_deref().map(str::parse::<Mix>);
        assert_eq!(is_mixed.is_some(), !["fuzz", "novelty"].contains(&strategy), "{strategy}");
        assert!(is_mixed.is_none_or(|mix| mix.is_ok()));
        for _ in 0..100 {
            let replayed = failure.replay(&target, Recording::Brief).expect("it can be done again");
            assert_eq!(replayed.same, Sameness::Exact);
        }
        let text = serde_json::to_string(failure).expect("it has a JSON form");
        assert_eq!(&serde_json::from_str::<Failure>(&text).expect("it was written"), failure);
        arms.push(strategy.to_owned());
    }
    arms.sort_unstable();
    arms.dedup();
    assert!(arms.len() > 1, "only {arms:?} found anything");
}
