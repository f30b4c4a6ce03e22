//! Executions whose membership changes.

use std::any::Any;
use std::sync::{Arc, Mutex};

use shakedown_campaign::{AnyTarget, Campaign, Silent, Summary};
use shakedown_cluster::RequestId;
use shakedown_conform::follow::{Account, EventMapping, ModelGuide};
use shakedown_raft::RaftView;
use shakedown_raft::model::LibraryDialect;
use shakedown_rafts::model::{ChangeCounts, Dialect, RaftMapping, RaftMessage, SPEC, model_with_changes};

fn campaign(target: &dyn AnyTarget, executions: u64) -> Campaign<'_> {
    let mut campaign = Campaign::new(target);
    (campaign.plan.executions, campaign.plan.shrink) = (executions, None);
    (campaign.plan.config.steps, campaign.plan.config.requests) = (600, 24);
    campaign.plan.config.options.set("membership", true);
    campaign
}

fn followed(target: &dyn AnyTarget, executions: u64, options: &[(&str, &str)]) -> Summary {
    let mut campaign = campaign(target, executions);
    campaign.plan.config.options.set("spec", SPEC);
    options.iter().for_each(|(name, value)| campaign.plan.config.options.set(*name, *value));
    campaign.run(&Silent).expect("the campaign runs")
}

/// What came of executions of the library on the model in which changes count from then on.
fn account<M>(counts: ChangeCounts, mapping: fn() -> M) -> Account
where
    M: EventMapping<RaftView> + 'static,
{
    let account = Arc::new(Mutex::new(Account::default()));
    let shared = Arc::clone(&account);
    let target = shakedown_raft::target().guide("counted", "with an account", move |config| {
        let model = model_with_changes(config.nodes, counts);
        let guide = ModelGuide::new(&model, mapping()).map_err(|error| error.to_string())?;
        Ok(Box::new(guide.with_account(Arc::clone(&shared))))
    });
    let mut campaign = campaign(&target, 200);
    campaign.plan.keep_going = true;
    campaign.plan.config.options.set("library_invariants", false);
    campaign.plan.measures = vec!["counted".to_owned()];
    campaign.run(&Silent).expect("the campaign runs");
    let account = account.lock().expect("no thread panicked");
    account.clone()
}

#[test]
fn the_model_follows_changes_that_count_once_they_are_applied() {
    let account = account(ChangeCounts::OnceApplied, RaftMapping::<RaftView, LibraryDialect, true>::default);
    assert_eq!((account.stutter_count(), account.unknown.len()), (0, 0), "{account:?}");
}

#[test]
fn the_model_follows_changes_that_count_from_when_they_are_in_the_log() {
    let summary = followed(&shakedown_planted_raft::target(), 500, &[]);
    assert_eq!(summary.failed, 0, "{:?}", summary.findings.first().map(|finding| &finding.failure.violation));
}

#[test]
fn a_model_in_which_changes_count_too_early_is_refuted() {
    let account = account(ChangeCounts::OnceInLog, RaftMapping::<RaftView, LibraryDialect, true>::default);
    assert!(account.stutters.contains_key("GoesBy"), "{account:?}");
}

/// A mapping that is wrong on purpose: a removal is said to remove the node after the one that it removes.
struct Displaced;

impl Dialect for Displaced {
    const PASSES_OVER_COMMITTED: bool = LibraryDialect::PASSES_OVER_COMMITTED;

    fn message(contents: &dyn Any) -> RaftMessage {
        LibraryDialect::message(contents)
    }

    fn proposal(op: &str) -> Option<i64> {
        LibraryDialect::proposal(op)
            .map(|value| if value < -1_000 { -1_001 + (value + 1_000) % 3 } else { value })
    }

    fn entry(id: RequestId, op: &str) -> Option<u64> {
        LibraryDialect::entry(id, op)
    }

    fn first_entry() -> u64 {
        LibraryDialect::first_entry()
    }
}

#[test]
fn an_event_that_removes_another_node_is_caught() {
    let account = account(ChangeCounts::OnceApplied, RaftMapping::<RaftView, Displaced, true>::default);
    assert!(account.stutters.contains_key("GoesBy"), "{account:?}");
}

#[test]
fn a_change_before_the_leaders_term_has_committed_anything_is_found_where_it_happens() {
    let target = shakedown_planted_raft::target();
    let summary = followed(&target, 2_000, &[("fault", "reconfiguration-unfixed")]);
    let finding = summary.findings.first().expect("it is found");
    let violation = &finding.failure.violation;
    assert_eq!(violation.property, "conforms-to-the-model");
    assert!(violation.reason.contains("AppendsChange("), "{}", violation.reason);
    assert!(violation.reason.contains("TermAt(i, k) = currentTerm[i]"), "{}", violation.reason);
}

#[test]
fn fuzzing_with_the_model_covers_states_with_other_voters() {
    let target = shakedown_planted_raft::target();
    let covered = |membership: bool| {
        let mut campaign = campaign(&target, 300);
        campaign.plan.config.options.set("membership", membership);
        campaign.plan.strategy = "fuzz:model".parse().expect("this is a strategy");
        let summary = campaign.run(&Silent).expect("the campaign runs");
        (summary.failed, summary.coverage[0].covered())
    };
    let (failed, states) = covered(true);
    assert!(failed == 0 && states > 100, "{states} states, {failed} failures");
    assert_ne!(states, covered(false).1);
}
