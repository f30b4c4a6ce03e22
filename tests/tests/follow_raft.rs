//! Implementations of Raft on the TLA+ model: the right ones conform, the wrong ones do not, and a wrong
//! mapping shows.

use std::any::Any;
use std::sync::{Arc, Mutex};

use shakedown_campaign::{AnyTarget, Campaign, Silent, Summary};
use shakedown_cluster::RequestId;
use shakedown_conform::follow::{Account, EventMapping, ModelGuide};
use shakedown_raft::RaftView;
use shakedown_raft::model::LibraryDialect;
use shakedown_rafts::model::{Dialect, RaftMapping, RaftMessage, SPEC, model};

/// Runs executions of the library and gives what came of them on the model, by this mapping.
fn account<M>(executions: u64, strategy: &str, mapping: fn() -> M) -> Account
where
    M: EventMapping<RaftView> + 'static,
{
    let account = Arc::new(Mutex::new(Account::default()));
    let shared = Arc::clone(&account);
    let target = shakedown_raft::target().guide("counted", "with an account", move |config| {
        let guide = ModelGuide::new(&model(config.nodes), mapping()).map_err(|error| error.to_string())?;
        Ok(Box::new(guide.with_account(Arc::clone(&shared))))
    });
    let mut campaign = Campaign::new(&target);
    campaign.plan.executions = executions;
    campaign.plan.keep_going = true;
    campaign.plan.shrink = None;
    campaign.plan.config.options.set("library_invariants", false);
    campaign.plan.strategy = strategy.parse().expect("this is a strategy");
    campaign.plan.measures = vec!["counted".to_owned()];
    campaign.run(&Silent).expect("the campaign runs");
    let account = account.lock().expect("no thread panicked");
    account.clone()
}

#[test]
fn the_model_follows_the_library_without_a_stutter_and_knows_every_event() {
    for strategy in ["random", "fuzz:none", "pctcp"] {
        let account = account(200, strategy, RaftMapping::<RaftView, LibraryDialect>::default);
        assert_eq!(account.executions, 200);
        assert!(account.mapped > 2_000, "{account:?}");
        assert_eq!((account.stutter_count(), account.unknown.len()), (0, 0), "{strategy}: {account:?}");
    }
}

/// A mapping that is wrong on purpose: it takes refused votes for granted ones, and the other way round.
struct Inverted;

impl Dialect for Inverted {
    const PASSES_OVER_COMMITTED: bool = LibraryDialect::PASSES_OVER_COMMITTED;

    fn message(contents: &dyn Any) -> RaftMessage {
        match LibraryDialect::message(contents) {
            RaftMessage::Vote { term, granted } => RaftMessage::Vote { term, granted: !granted },
            other => other,
        }
    }

    fn proposal(op: &str) -> Option<i64> {
        LibraryDialect::proposal(op)
    }

    fn entry(id: RequestId, op: &str) -> Option<u64> {
        LibraryDialect::entry(id, op)
    }

    fn first_entry() -> u64 {
        LibraryDialect::first_entry()
    }
}

#[test]
fn a_mapping_that_is_wrong_on_purpose_is_caught() {
    let account = account(50, "random", RaftMapping::<RaftView, Inverted>::default);
    assert!(account.stutters.contains_key("Wins"), "{account:?}");
    let stutter = account.first_stutter.expect("there was one");
    assert!(stutter.action.starts_with("Wins(") && stutter.reason.contains("IsQuorum(S)"), "{stutter}");
}

fn find(fault: &str, nodes: usize, executions: u64) -> Summary {
    let target = shakedown_planted_raft::target();
    let mut campaign = Campaign::new(&target);
    campaign.plan.executions = executions;
    campaign.plan.shrink = None;
    campaign.plan.config.nodes = nodes;
    campaign.plan.config.options.set("spec", SPEC);
    campaign.plan.config.options.set("fault", fault);
    campaign.run(&Silent).expect("the campaign runs")
}

#[test]
fn what_the_model_forbids_is_found_where_it_happens() {
    let summary = find("none", 3, 500);
    assert_eq!(summary.failed, 0, "{:?}", summary.findings.first().map(|finding| &finding.failure.violation));
    for (fault, nodes) in [("quorum-third", 4), ("duplicate-vote-counted", 4), ("commit-older-term", 3)] {
        let summary = find(fault, nodes, 5_000);
        let finding = summary.findings.first().unwrap_or_else(|| panic!("{fault} is not found"));
        assert_eq!(finding.failure.violation.property, "conforms-to-the-model", "{fault}");
    }
}

#[test]
fn jobs_do_not_change_what_a_fuzzer_finds() {
    let target = shakedown_planted_raft::target();
    for strategy in ["fuzz:model,mode=published", "fuzz:model,mode=own", "fuzz:state", "fuzz:trace"] {
        let run = |jobs| {
            let mut campaign = Campaign { jobs, ..Campaign::new(&target) };
            campaign.plan.executions = 300;
            campaign.plan.strategy = strategy.parse().expect("this is a strategy");
            let summary = campaign.run(&Silent).expect("the campaign runs");
            (summary.fingerprint, summary.coverage[0].covered())
        };
        let alone = run(1);
        assert!(alone.1 > 100, "{strategy}: {}", alone.1);
        assert_eq!(run(3), alone, "{strategy}");
    }
}

#[test]
fn a_configuration_that_the_model_does_not_know_has_no_such_guide() {
    let target = shakedown_raft::target();
    let mut config = target.defaults().clone();
    config.options.set("disk", "buffered");
    let guides = ["model".to_owned()];
    let begun = target.begin_guided(&config, 1, shakedown_cluster::Recording::Brief, &guides);
    let error = begun.err().expect("it cannot begin").to_string();
    assert!(error.contains("durable at once"), "{error}");
}

#[test]
fn the_switch_of_earlier_versions_still_names_the_specification() {
    let target = shakedown_planted_raft::target();
    let run = |option: &str, value: &str| {
        let mut campaign = Campaign::new(&target);
        (campaign.plan.executions, campaign.plan.shrink) = (100, None);
        campaign.plan.config.nodes = 4;
        campaign.plan.config.options.set("fault", "quorum-third");
        campaign.plan.config.options.set(option, value);
        let summary = campaign.run(&Silent).expect("the campaign runs");
        let properties: Vec<_> =
            summary.findings.iter().map(|finding| finding.failure.violation.property.clone()).collect();
        (summary.fingerprint, properties)
    };
    assert_eq!(run("conformance", "true"), run("spec", SPEC));
    assert_eq!(run("conformance", "true").1, ["conforms-to-the-model"]);
    assert_eq!(run("conformance", "false").1, run("spec", "none").1);
}

#[test]
fn a_specification_that_there_is_not_is_refused_with_those_there_are() {
    let target = shakedown_planted_raft::target();
    let mut config = target.defaults().clone();
    config.options.set("spec", "no-such");
    let error = target.begin_guided(&config, 1, shakedown_cluster::Recording::Brief, &[]).err();
    let error = error.expect("it cannot begin").to_string();
    assert!(error.contains("no-such") && error.contains("replication"), "{error}");
}
