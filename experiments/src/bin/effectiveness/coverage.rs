//! States of the TLA+ model that strategies cover with the same number of steps, on raft and on planted-raft
//! without a fault.

use std::sync::atomic::{AtomicU64, Ordering};

use shakedown_campaign::{AnyTarget, Campaign, Coverage, Now, Progress};
use shakedown_statistics::{Better, Comparison, Sample};

use crate::runs::Wanted;

/// The guide that is measured.
const GUIDE: &str = "model";

/// A target by its name, and options that are not its defaults.
type Case<'a> = (&'a str, &'a dyn AnyTarget, &'a [(&'a str, &'a str)]);

/// Prints a table for each target. The first strategy is compared with each of the others.
pub fn print(wanted: &Wanted) -> Result<(), String> {
    let raft = shakedown_raft::target();
    let planted = shakedown_planted_raft::target();
    let targets: [Case<'_>; 2] =
        [("raft", &raft, &[("library_invariants", "false")]), ("planted-raft", &planted, &[])];
    for (name, target, options) in targets {
        println!("{name}, {} steps, {} seeds:\n", wanted.limit, wanted.seeds);
        println!("| strategy | states of the model | beside the first |\n|---|---|---|");
        let mut first: Option<(String, Sample)> = None;
        for strategy in &wanted.strategies {
            let covered =
                (1..=wanted.seeds).map(|seed| covered(target, options, strategy, seed, wanted.limit));
            let covered = covered.collect::<Result<Vec<f64>, _>>()?;
            let sample = Sample::new(covered).map_err(|error| error.to_string())?;
            let scatter = sample.standard_deviation().unwrap_or_default();
            let beside = first.as_ref().map_or_else(String::new, |(name, own)| {
                let names = [name.as_str(), strategy.as_str()];
                Comparison::of(own, &sample).words(names, Better::Greater("covers more"))
            });
            println!("| {strategy} | {:.0} ± {scatter:.0} | {beside} |", sample.mean());
            first.get_or_insert((strategy.clone(), sample));
        }
        println!();
    }
    Ok(())
}

/// How many states of the model one campaign covers.
fn covered(
    target: &dyn AnyTarget,
    options: &[(&str, &str)],
    strategy: &str,
    seed: u64,
    limit: u64,
) -> Result<f64, String> {
    let mut campaign = Campaign::new(target);
    for (name, value) in options {
        campaign.plan.config.options.set(*name, value);
    }
    campaign.plan.strategy = strategy.parse().map_err(|error| format!("{strategy}: {error}"))?;
    (campaign.plan.seed, campaign.plan.shrink, campaign.plan.keep_going) = (seed, None, true);
    campaign.plan.measures = vec![GUIDE.to_owned()];
    let steps = campaign.steps_wanted().map_err(|error| error.to_string())?;
    campaign.plan.config.steps = steps.unwrap_or_default().max(campaign.plan.config.steps);
    (campaign.plan.executions, campaign.steps) = (u64::MAX / 2, Some(limit));
    let watch = Watch { limit, covered: AtomicU64::new(0) };
    campaign.run(&watch).map_err(|error| error.to_string())?;
    Ok(watch.covered.into_inner() as f64)
}

/// Notes how much is covered until the steps reach the limit: a campaign ends with a generation, which may be
/// later.
struct Watch {
    limit: u64,
    covered: AtomicU64,
}

impl Progress for Watch {
    fn standing(&self, now: &Now<'_>) {
        if now.standing.tally.all_steps() <= self.limit {
            let coverage = now.standing.coverage.iter().find(|coverage| coverage.guide == GUIDE);
            self.covered.store(coverage.map_or(0, Coverage::covered), Ordering::Relaxed);
        }
    }
}
