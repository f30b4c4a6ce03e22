//! The crate omnipaxos on the TLA+ model of Sequence Paxos: it conforms, and models and mappings that are
//! wrong show.

use std::sync::{Arc, Mutex};

use shakedown_campaign::{Campaign, Silent};
use shakedown_cluster::{Board, Cluster, Step};
use shakedown_conform::follow::{Account, EventMapping, Heard, ModelGuide};
use shakedown_conform::{ActionCall, ModelSource};
use shakedown_omnipaxos::View;
use shakedown_omnipaxos::model::{self, source};

/// Runs executions of the library and gives what came of them on this model, by this mapping.
fn account<M>(
    executions: u64,
    strategy: &str,
    source: fn(usize) -> ModelSource,
    mapping: fn() -> M,
) -> Account
where
    M: EventMapping<View> + 'static,
{
    let account = Arc::new(Mutex::new(Account::default()));
    let shared = Arc::clone(&account);
    let target = shakedown_omnipaxos::target().guide("counted", "with an account", move |config| {
        let guide = ModelGuide::new(&source(config.nodes), mapping()).map_err(|error| error.to_string())?;
        Ok(Box::new(guide.with_account(Arc::clone(&shared))))
    });
    let mut campaign = Campaign::new(&target);
    campaign.plan.executions = executions;
    campaign.plan.keep_going = true;
    campaign.plan.shrink = None;
    campaign.plan.strategy = strategy.parse().expect("this is a strategy");
    campaign.plan.measures = vec!["counted".to_owned()];
    campaign.run(&Silent).expect("the campaign runs");
    let account = account.lock().expect("nobody panicked");
    account.clone()
}

#[test]
fn the_model_follows_the_library_without_a_stutter_and_knows_every_event() {
    for strategy in ["random", "fuzz:none", "pctcp"] {
        let account = account(200, strategy, source, model::Mapping::default);
        assert_eq!(account.executions, 200);
        assert!(account.mapped > 2_000, "{account:?}");
        assert_eq!((account.stutter_count(), account.unknown.len()), (0, 0), "{strategy}: {account:?}");
    }
}

/// The model of a release in which the decided index goes back.
fn goes_back(servers: usize) -> ModelSource {
    let right = source(servers);
    let config = right.config.replace("KeepsDecided = TRUE", "KeepsDecided = FALSE");
    ModelSource { config, ..right }
}

#[test]
fn the_model_of_a_release_with_a_bug_does_not_follow_one_without() {
    let account = account(300, "random", goes_back, model::Mapping::default);
    let stutter =
        account.first_stutter.as_ref().expect("some server catches up from a leader that has decided less");
    assert!(stutter.action.starts_with("AcceptSyncHandled"), "{stutter}");
    assert!(stutter.reason.contains("decided'[i] = s.decided"), "{stutter}");
}

/// A mapping that is wrong on purpose: it does not tell that sessions are back.
#[derive(Default)]
struct Deaf(model::Mapping);

impl EventMapping<View> for Deaf {
    type Event = ActionCall;

    fn before_step(&mut self, step: &Step, cluster: &dyn Cluster<State = View>) {
        if !matches!(step, Step::Heal(..)) {
            self.0.before_step(step, cluster);
        }
    }

    fn after_step(&mut self, board: &Board, states: &[View], heard: &mut Heard<ActionCall>) {
        self.0.after_step(board, states, heard);
    }

    fn action(event: &ActionCall) -> ActionCall {
        model::Mapping::action(event)
    }
}

#[test]
fn a_mapping_that_leaves_something_out_stutters() {
    assert!(account(100, "random", source, Deaf::default).stutter_count() > 0);
}
