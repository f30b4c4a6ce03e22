//! The bug is where the paper has it, and the model knows every event.

use std::sync::{Arc, Mutex};

use shakedown_campaign::{AnyTarget, Beat, Campaign, Silent, Target, execute};
use shakedown_cluster::{Recording, Step};
use shakedown_conform::follow::{Account, ModelGuide};
use shakedown_explore::{Sight, Strategy};

use shakedown_appmaster::{AppMasterMapping, Process, View, model, target};

/// Delivers the oldest message that the next word of a plan names.
struct Plan(Vec<&'static str>);

impl Strategy for Plan {
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step> {
        let word = if self.0.is_empty() { return None } else { self.0.remove(0) };
        let board = sight.board();
        let mut messages = sight.deliverable().to_vec();
        messages.sort();
        let named = messages.into_iter().find(|&message| board.message(message).kind.as_str() == word);
        Some(board.deliver(named.unwrap_or_else(|| panic!("no {word} is under way"))))
    }
}

fn fails(careless: bool, plan: &[&'static str]) -> bool {
    let target = target();
    let mut config = target.defaults().clone();
    config.nodes = 4;
    config.options.set("tasks", 3);
    config.options.set("careless", careless);
    let live = target.begin(&config, 1, Recording::Brief).expect("it begins");
    let outcome = execute(live, &mut Plan(plan.to_vec()), 100, &Beat::default());
    outcome.trace.board.stopped().is_some()
}

#[test]
fn a_careless_worker_fails_only_if_the_flush_comes_exactly_before_the_last_task() {
    let begin = ["Register", "Register", "Request", "Terminate"];
    let with = |rest: &[&'static str]| [&begin[..], rest].concat();
    let exactly = with(&["Execute", "Execute", "Flush", "Execute"]);
    assert!(fails(true, &exactly));
    assert!(!fails(false, &exactly), "a careful worker does not mind");
    assert!(!fails(true, &with(&["Execute", "Flush", "Execute"])), "too early");
    assert!(!fails(true, &with(&["Execute", "Execute", "Execute", "Flush"])), "too late");
    assert!(!fails(true, &["Register", "Request", "Register"]), "not everybody has registered");
}

#[test]
fn the_model_takes_every_step_of_random_executions() {
    let account = Arc::new(Mutex::new(Account::default()));
    let shared = Arc::clone(&account);
    let target: Target<Process> = target().guide("counted", "with an account", move |config| {
        let guide = ModelGuide::<View, _>::new(&model(config.nodes, 10), AppMasterMapping::default());
        Ok(Box::new(guide.map_err(|error| error.to_string())?.with_account(Arc::clone(&shared))))
    });
    let mut campaign = Campaign::new(&target);
    campaign.plan.executions = 300;
    campaign.plan.measures = vec!["counted".to_owned()];
    let summary = campaign.run(&Silent).expect("the campaign runs");
    assert_eq!(summary.failed, 0);
    assert!(summary.coverage[0].covered() > 100, "{}", summary.coverage[0].covered());
    let account = account.lock().expect("nobody panicked").clone();
    assert!(account.mapped > 2_000, "{account:?}");
    assert_eq!((account.stutter_count(), account.unknown.len()), (0, 0), "{account:?}");
}

/// After how many executions the bug of six workers and so many tasks is found, if it is within 3 000.
fn found(tasks: u32, strategy: &str, seed: u64) -> Option<u64> {
    let target = target();
    let mut campaign = Campaign::new(&target);
    campaign.plan.executions = 3_000;
    campaign.plan.seed = seed;
    campaign.plan.shrink = None;
    campaign.plan.strategy =
        format!("fuzz:model,horizon=100,messages=1,ticks=0,{strategy}").parse().expect("this is a strategy");
    campaign.plan.config.nodes = 9;
    campaign.plan.config.options.set("tasks", tasks);
    campaign.plan.config.options.set("careless", true);
    let summary = campaign.run(&Silent).expect("the campaign runs");
    (summary.failed > 0).then_some(summary.executions)
}

#[test]
fn the_model_leads_to_a_bug_behind_forty_tasks() {
    for seed in 1..=3 {
        assert!(found(40, "mode=own", seed).is_some(), "seed {seed}");
    }
}

/// The paper's figure is flat for what its program does with what an execution leaves, not for what the paper
/// says.
#[test]
fn the_published_mode_comes_that_far_if_deliveries_wait_and_count_twice() {
    let paper = "mode=published,buffers=process,crash-swaps=0,swaps=1,bound-swaps=0";
    for seed in 1..=3 {
        assert_eq!(found(30, paper, seed), None, "seed {seed}");
        assert_eq!(found(30, &format!("{paper},empty=wait"), seed), None, "seed {seed}");
        assert!(found(30, &format!("{paper},empty=wait,echo=2"), seed).is_some(), "seed {seed}");
    }
}

#[test]
fn an_action_that_is_never_taken_is_told() {
    let target = target();
    let mut campaign = Campaign::new(&target);
    campaign.plan.executions = 1;
    campaign.plan.measures = vec!["model".to_owned()];
    campaign.plan.config.steps = 1;
    let one = campaign.run(&Silent).expect("the campaign runs");
    assert_eq!(one.coverage[0].never().len(), 5, "one action was taken: {:?}", one.coverage[0].never());
    (campaign.plan.executions, campaign.plan.config.steps) = (300, 300);
    let many = campaign.run(&Silent).expect("the campaign runs");
    assert!(many.coverage[0].never().is_empty(), "{:?}", many.coverage[0].never());
}
