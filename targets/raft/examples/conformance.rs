//! Runs random executions of the library on the TLA+ model of Raft, and says what came of it.
//!
//! `cargo run --release -p shakedown-raft --example conformance -- [executions] [strategy]`

use std::error::Error;
use std::sync::{Arc, Mutex};

use shakedown_campaign::{Campaign, Silent};
use shakedown_conform::{Account, ModelGuide};
use shakedown_raft::{model, target};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let executions = arguments.next().map_or(Ok(10_000), |text| text.parse())?;
    let strategy = arguments.next().unwrap_or_else(|| "random".to_owned());
    let account = Arc::new(Mutex::new(Account::default()));
    let shared = Arc::clone(&account);
    let target = target().guide("counted", "the model, with an account", move |config| {
        let source = shakedown_conform::raft::model(config.nodes);
        let guide = ModelGuide::new(&source, model::Mapping::default()).map_err(|error| error.to_string())?;
        Ok(Box::new(guide.with_account(Arc::clone(&shared))))
    });
    let mut campaign =
        Campaign { executions, strategy, keep_going: true, shrink: None, ..Campaign::new(&target) };
    campaign.config.options.set("library_invariants", false);
    campaign.measures = vec!["counted".to_owned()];
    let summary = campaign.run(&Silent)?;
    let account = account.lock().map_err(|_| "a guide panicked")?;
    println!(
        "{} executions, {} failed, {} states of the model",
        summary.executions,
        summary.failed,
        summary.coverage[0].covered()
    );
    println!("{} events mapped, {} stutters", account.mapped, account.stutter_count());
    for (sort, count) in &account.stutters {
        println!("  stutter {sort}: {count}");
    }
    for (sort, count) in &account.ignored {
        println!("  ignored on purpose: {sort}: {count}");
    }
    for (sort, count) in &account.unknown {
        println!("  UNKNOWN {sort}: {count}");
    }
    if let Some(stutter) = &account.first_stutter {
        println!("the first one: {stutter}");
    }
    Ok(())
}
