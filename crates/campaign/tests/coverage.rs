//! What guides see, and that a campaign goes on from wherever it was kept.

use std::time::Duration;

use shakedown_campaign::{
    AnyTarget, Campaign, CampaignError, Checkpoint, Coverage, Ledger, LedgerError, Room, ShrinkLimits,
    Silent, Standing, Summary,
};
use shakedown_cluster::{Recording, Step};
use shakedown_explore::{Environment, Execution, Experience, Explorer, Lesson, RandomWalk, Sight, Strategy};
use shakedown_toys::teller;

const GUIDES: [&str; 2] = ["state", "trace"];

/// What the two guides see when these steps are done.
fn seen(steps: &[&str]) -> Vec<Vec<u64>> {
    let target = teller();
    let guides = GUIDES.map(str::to_owned);
    let mut live =
        target.begin_guided(target.defaults(), 1, Recording::Brief, &guides).expect("the target boots");
    live.inspect().expect("nothing is wrong yet");
    for step in steps {
        let step: Step = step.parse().expect("a step");
        live.perform(&step).expect("the step is possible").expect("and violates nothing");
    }
    live.covered()
}

#[test]
fn the_order_of_what_does_not_depend_on_each_other_is_no_other_trace() {
    let ask = r#"request n1 null"#;
    let one = seen(&[ask, "deliver n1>n2#1 Tell", "deliver n1>n3#1 Tell"]);
    let other = seen(&[ask, "deliver n1>n3#1 Tell", "deliver n1>n2#1 Tell"]);
    assert_eq!(one, other);
    assert_eq!(one.iter().map(Vec::len).collect::<Vec<_>>(), [3, 1], "(0,0,0), (0,0,1), (0,1,1); one trace");
    let later = [ask, "deliver n1>n2#1 Tell", "deliver n1>n3#1 Tell"];
    let one = seen(&[&later[..], &["deliver n2>n1#1 Tell", "deliver n3>n1#1 Tell"]].concat());
    let other = seen(&[&later[..], &["deliver n3>n1#1 Tell", "deliver n2>n1#1 Tell"]].concat());
    assert_eq!(one[0], other[0], "the states are the same");
    assert_ne!(one[1], other[1], "what n1 received first matters");
}

#[test]
fn coverage_does_not_depend_on_the_number_of_jobs() {
    let curves = [1, 2, 5].map(|jobs| {
        let target = teller();
        let mut campaign = Campaign::new(&target);
        (campaign.plan.executions, campaign.jobs) = (600, jobs);
        campaign.plan.config.options.set("bound", 1_000);
        campaign.plan.measures = GUIDES.map(str::to_owned).to_vec();
        let summary = campaign.run(&Silent).expect("the campaign runs");
        summary.coverage.iter().map(|coverage| coverage.whole_curve(600)).collect::<Vec<_>>()
    });
    assert_eq!(curves[0], curves[1]);
    assert_eq!(curves[0], curves[2]);
    assert!(curves[0][0].last().expect("a curve has points").covered > 100);
}

#[test]
fn a_guide_that_there_is_not_is_told_what_there_is() {
    let target = teller();
    let mut campaign = Campaign::new(&target);
    campaign.plan.measures = vec!["bogus".to_owned()];
    let error = campaign.run(&Silent).expect_err("there is no such guide").to_string();
    assert_eq!(error, "teller has no guide `bogus`: choose one of state, trace, code, blocks");
}

#[test]
fn a_build_without_counters_says_how_to_get_them() {
    let target = teller();
    for guide in ["code", "blocks"] {
        let strategy = format!("fuzz:{guide}").parse().expect("this is a strategy");
        let mut campaign = Campaign::new(&target);
        campaign.plan.strategy = strategy;
        let error = campaign.run(&Silent).expect_err("tests are not instrumented").to_string();
        assert!(
            error.starts_with(&format!("teller has no guide `{guide}`: this program was built without")),
            "{error}"
        );
        assert!(error.contains("RUSTC_WRAPPER=$PWD/scripts/instrument.sh cargo run"), "{error}");
    }
}

/// Learns from coverage: the more was new, the longer the next executions are.
struct Curious {
    walk: RandomWalk,
    steps: u64,
}

struct Walk {
    walk: Box<dyn Strategy>,
    steps: u64,
}

impl Explorer for Curious {
    fn strategy(&self, execution: &Execution) -> Box<dyn Strategy> {
        Box::new(Walk { walk: self.walk.strategy(execution), steps: self.steps })
    }

    fn generation(&self) -> Option<u64> {
        Some(8)
    }

    fn guide(&self) -> Option<&str> {
        Some("state")
    }

    fn learn(&mut self, _execution: &Execution, _experience: Experience, lesson: &Lesson<'_>) {
        assert!(lesson.new.iter().all(|item| lesson.covered.contains(item)));
        let reward = 3 * lesson.new.len() + lesson.covered.len() + usize::from(lesson.failed);
        self.steps = (self.steps * 5 + reward as u64) % 80 + 10;
    }

    fn save(&self) -> Vec<u8> {
        self.steps.to_le_bytes().to_vec()
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), String> {
        self.steps = u64::from_le_bytes(saved.try_into().map_err(|_| "eight bytes are wanted")?);
        Ok(())
    }
}

impl Strategy for Walk {
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step> {
        if sight.board().steps().len() as u64 >= self.steps { None } else { self.walk.next(sight) }
    }
}

/// Keeps everything as text and bytes, and fails after so many times.
#[derive(Default)]
struct Shaky {
    standing: Option<String>,
    covered: Vec<Vec<u64>>,
    learned: Vec<u8>,
    keeps_left: usize,
}

impl Ledger for Shaky {
    fn keep(&mut self, checkpoint: &Checkpoint<'_>) -> Result<Room, LedgerError> {
        self.keeps_left = self.keeps_left.checked_sub(1).ok_or("the machine has lost its power")?;
        self.standing = Some(serde_json::to_string(checkpoint.standing)?);
        self.covered.resize(checkpoint.fresh.len(), Vec::new());
        for (all, fresh) in self.covered.iter_mut().zip(checkpoint.fresh) {
            all.extend(fresh);
        }
        self.learned = checkpoint.learned.to_vec();
        Ok(Room::Enough)
    }
}

/// Goes on from what the ledger has.
fn go_on(ledger: &mut Shaky, keep_going: bool) -> Result<Summary, CampaignError> {
    let target = teller();
    let mut campaign = Campaign::new(&target);
    (campaign.plan.executions, campaign.plan.keep_going) = (400, keep_going);
    (campaign.keep_every, campaign.jobs) = (Duration::ZERO, 2);
    campaign.plan.shrink = Some(ShrinkLimits { executions: 500, time: None });
    campaign.plan.config.options.set("bound", 14);
    campaign.plan.measures = GUIDES.map(str::to_owned).to_vec();
    let walk = RandomWalk::new(Environment::new(campaign.plan.weights.clone(), 3));
    let mut curious = Curious { walk, steps: 30 };
    let standing = match &ledger.standing {
        None => Standing::new(&campaign.guides(&curious)),
        Some(text) => {
            let mut standing: Standing = serde_json::from_str(text).expect("it was kept whole");
            for (coverage, covered) in standing.coverage.iter_mut().zip(&ledger.covered) {
                Coverage::take_up(coverage, covered.iter().copied());
            }
            curious.load(&ledger.learned).expect("it was kept whole");
            standing
        }
    };
    campaign.go_on(standing, &mut curious, ledger, &Silent)
}

/// What must not depend on how often a campaign was interrupted.
fn what_counts(summary: &Summary) -> String {
    let coverage: Vec<_> =
        summary.coverage.iter().map(|coverage| coverage.whole_curve(summary.executions)).collect();
    let findings: Vec<_> = summary.findings.iter().map(|finding| (&finding.failure, finding.hits)).collect();
    format!(
        "{} {} {} {:?} {coverage:?} {findings:?}",
        summary.executions, summary.failed, summary.fingerprint, summary.tally
    )
}

#[test]
fn a_campaign_that_is_interrupted_again_and_again_comes_to_the_same() {
    for keep_going in [false, true] {
        let whole = go_on(&mut Shaky { keeps_left: usize::MAX, ..Shaky::default() }, keep_going);
        let whole = whole.expect("nothing keeps it from its end");
        assert!(whole.failed > 0, "something is found");
        for patience in [1, 2, 7] {
            let mut ledger = Shaky::default();
            let mut interruptions = 0;
            let summary = loop {
                ledger.keeps_left = patience;
                match go_on(&mut ledger, keep_going) {
                    Ok(summary) => break summary,
                    Err(CampaignError::Ledger(_)) => interruptions += 1,
                    Err(other) => panic!("{other}"),
                }
            };
            assert!(interruptions > 0 || whole.executions < 8 * patience as u64, "{interruptions}");
            assert_eq!(what_counts(&summary), what_counts(&whole), "{patience} times kept at a time");
        }
    }
}
