//! Whether the models take what `raft` and `omnipaxos` do.

use std::sync::{Arc, Mutex};

use shakedown_campaign::{Campaign, Silent, Summary};
use shakedown_conform::follow::{Account, ModelGuide};
use shakedown_raft::RaftView;
use shakedown_raft::model::LibraryDialect;
use shakedown_rafts::model::RaftMapping;

use crate::{Outcome, raft_campaign};

/// The mapping of the library.
type Mapping = RaftMapping<RaftView, LibraryDialect>;

/// Random executions of `raft` on the model: what is mapped, what is not, what the model does not allow.
pub fn conformance(executions: u64) -> Outcome {
    for strategy in ["random", "fuzz:none"] {
        let account = Arc::new(Mutex::new(Account::default()));
        let shared = Arc::clone(&account);
        let target = shakedown_raft::target().guide("counted", "the model, with an account", move |config| {
            let source = shakedown_rafts::model::model(config.nodes);
            let guide = ModelGuide::new(&source, Mapping::default());
            let guide = guide.map_err(|error| error.to_string())?;
            Ok(Box::new(guide.with_account(Arc::clone(&shared))))
        });
        let mut campaign = raft_campaign(&target, strategy, 1, executions);
        campaign.plan.config.steps = 400;
        campaign.plan.config.requests = 8;
        account_of(campaign, &account)?;
    }
    Ok(())
}

/// The same for `omnipaxos`.
pub fn omnipaxos(executions: u64) -> Outcome {
    for strategy in ["random", "pctcp", "fuzz:none"] {
        let account = Arc::new(Mutex::new(Account::default()));
        let shared = Arc::clone(&account);
        let target =
            shakedown_omnipaxos::target().guide("counted", "the model, with an account", move |config| {
                let source = shakedown_omnipaxos::model::source(config.nodes);
                let guide = ModelGuide::new(&source, shakedown_omnipaxos::model::Mapping::default());
                let guide = guide.map_err(|error| error.to_string())?;
                Ok(Box::new(guide.with_account(Arc::clone(&shared))))
            });
        let mut campaign = Campaign::new(&target);
        campaign.plan.executions = executions;
        campaign.plan.seed = 1;
        campaign.plan.shrink = None;
        campaign.plan.keep_going = true;
        campaign.plan.strategy = strategy.parse().expect("this is a strategy");
        account_of(campaign, &account)?;
    }
    Ok(())
}

/// Runs a campaign, and tells what came of executions that were followed on a model.
fn account_of(mut campaign: Campaign<'_>, account: &Mutex<Account>) -> Outcome {
    campaign.plan.measures = vec!["counted".to_owned()];
    let summary = campaign.run(&Silent)?;
    let account = account.lock().map_err(|_| "a guide panicked")?;
    report(&campaign.plan.strategy.to_string(), &summary, &account);
    Ok(())
}

fn report(strategy: &str, summary: &Summary, account: &Account) {
    let states = summary.coverage[0].covered();
    println!("{strategy}: {} executions, {} failed, {states} states", summary.executions, summary.failed);
    println!("  {} events mapped, {} stutters", account.mapped, account.stutter_count());
    for (name, counts) in
        [("stutter", &account.stutters), ("ignored", &account.ignored), ("unknown", &account.unknown)]
    {
        counts.iter().for_each(|(sort, count)| println!("  {name}: {sort}: {count}"));
    }
    if let Some(stutter) = &account.first_stutter {
        println!("  the first stutter: {stutter}");
    }
}
