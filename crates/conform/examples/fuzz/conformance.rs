//! Whether the model takes what `raft` does.

use std::sync::{Arc, Mutex};

use shakedown_campaign::Silent;
use shakedown_conform::{Account, ModelGuide};

use crate::{Outcome, raft_campaign};

/// Random executions of `raft` on the model: what is mapped, what is not, what the model does not allow.
pub fn conformance(executions: u64) -> Outcome {
    for strategy in ["random", "fuzz:none"] {
        let account = Arc::new(Mutex::new(Account::default()));
        let shared = Arc::clone(&account);
        let target = shakedown_raft::target().guide("counted", "the model, with an account", move |config| {
            let source = shakedown_conform::raft::model(config.nodes);
            let guide = ModelGuide::new(&source, shakedown_raft::model::Mapping::default());
            let guide = guide.map_err(|error| error.to_string())?;
            Ok(Box::new(guide.with_account(Arc::clone(&shared))))
        });
        let mut campaign = raft_campaign(&target, strategy, 1, executions);
        campaign.config.steps = 400;
        campaign.config.requests = 8;
        campaign.measures = vec!["counted".to_owned()];
        let summary = campaign.run(&Silent)?;
        let account = account.lock().map_err(|_| "a guide panicked")?;
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
    Ok(())
}
