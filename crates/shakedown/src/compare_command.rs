//! `shakedown compare`: strategies side by side.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use shakedown_campaign::{AnyTarget, Campaign, Plan, Verdict};
use shakedown_explore::StrategyChoice;
use shakedown_report::{Compared, Trial, comparison};
use shakedown_statistics::Comparison;
use shakedown_store::{Kept, Store, run_all};

use crate::campaign_options::CampaignOptions;
use crate::command_line::{CommandError, ExitStatus, find};
use crate::fleet_options::FleetArgs;
use crate::kept_command::verdict_on;
use crate::printing::{outcome, program};
use crate::terminal::{Display, paint, print, print_json, print_line};

#[derive(Args)]
pub(crate) struct Compare {
    #[command(flatten)]
    campaign: CampaignOptions,
    /// The strategies; the first one is the baseline
    #[arg(long, default_value = "random,pctcp,pos", value_name = "NAME,…")]
    strategies: String,
    /// How many seeds each strategy gets, from --seed on
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    trials: u64,
    /// Compare in several cases: an option of the target with each of these values
    #[arg(long, value_name = "OPTION=VALUE,…")]
    each: Option<String>,
    /// The folder in which the comparison is stored, so that it can be resumed and reported
    #[arg(long, default_value = "shakedown-compare", value_name = "DIR")]
    keep: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    fleet: FleetArgs,
}

pub(crate) fn compare(targets: &[Box<dyn AnyTarget>], options: &Compare) -> Result<ExitStatus, CommandError> {
    let target = find(targets, &options.campaign.target)?;
    let campaigns = all_trials(target, options)?;
    for campaign in &campaigns {
        // What cannot run leaves no folder behind.
        campaign.explorer()?;
    }
    let fleet = options.fleet.connect_for(target)?;
    let plans: Vec<Plan> = campaigns.iter().map(|campaign| campaign.plan.clone()).collect();
    let (store, ids) = Store::create(&options.keep, &plans)?;
    let campaigns: Vec<_> = ids.into_iter().zip(campaigns).collect();
    let total = campaigns.iter().map(|(_, campaign)| campaign.plan.executions).sum();
    let display = Display::new(total, None, options.json);
    let result = run_all(&store, &campaigns, options.campaign.jobs.or_cores(), fleet.as_ref(), &display);
    display.finish();
    result?;
    print_comparison(targets, &store, options.json)
}

/// Every trial: each strategy with each seed, in each case. Trials that take turns finish together, so the
/// comparison of what is there after an interruption is as even as it can be.
fn all_trials<'a>(target: &'a dyn AnyTarget, options: &Compare) -> Result<Vec<Campaign<'a>>, CommandError> {
    let strategies = StrategyChoice::list(&options.strategies)?;
    if strategies.is_empty() {
        return Err(CommandError("`--strategies` names no strategy".to_owned()));
    }
    let cases: Vec<Option<(&str, &str)>> = match &options.each {
        None => vec![None],
        Some(each) => {
            let (option, values) = each
                .split_once('=')
                .ok_or_else(|| CommandError(format!("`--each {each}` is not of the form OPTION=VALUE,…")))?;
            values.split(',').map(|value| Some((option, value.trim()))).collect()
        }
    };
    let mut campaigns = Vec::new();
    for case in cases {
        for trial in 0..options.trials {
            for strategy in &strategies {
                let mut campaign = options.campaign.campaign(target, strategy.clone())?;
                if let Some((option, value)) = case {
                    campaign.plan.config.options.set(option, value);
                }
                if campaign.plan.measures.is_empty() {
                    campaign.plan.measures = vec!["state".to_owned()];
                }
                campaign.plan.seed = options.campaign.seed.wrapping_add(trial);
                (campaign.plan.keep_going, campaign.plan.shrink) = (true, None);
                campaign.out = None;
                campaigns.push(campaign);
            }
        }
    }
    Ok(campaigns)
}

/// The trials that a store holds.
pub(crate) fn trials_of(store: &Store) -> Result<Vec<Trial>, CommandError> {
    let kept = store.joined_campaigns()?;
    let varying = varying_options(&kept);
    let trial = |kept: Kept| {
        let case: Vec<_> = varying
            .iter()
            .filter_map(|option| Some(format!("{option}={}", kept.plan.config.options.text(option)?)))
            .collect();
        let standing = kept.standing.filter(|_| kept.is_over)?;
        Some(Trial {
            case: case.join(" "),
            strategy: kept.plan.strategy.to_string(),
            first: kept.plan.first,
            budget: kept.plan.executions,
            standing,
        })
    };
    let all = kept.len();
    let trials: Vec<_> = kept.into_iter().filter_map(trial).collect();
    if trials.len() < all {
        return Err(CommandError(format!(
            "{} of {all} trials are not over: go on with `{} resume {}`",
            all - trials.len(),
            program(),
            store.folder().display()
        )));
    }
    Ok(trials)
}

/// The options of targets that are not the same in all campaigns.
fn varying_options(kept: &[Kept]) -> BTreeSet<String> {
    let Some(first) = kept.first() else { return BTreeSet::new() };
    let first = &first.plan.config.options;
    kept.iter()
        .flat_map(|kept| kept.plan.config.options.iter())
        .filter(|(option, value)| first.text(option) != Some(value))
        .map(|(option, _)| option.to_owned())
        .collect()
}

/// Prints the comparison that a store holds.
pub(crate) fn print_comparison(
    _targets: &[Box<dyn AnyTarget>],
    store: &Store,
    as_json: bool,
) -> Result<ExitStatus, CommandError> {
    let compared = Compared::of(&trials_of(store)?)?;
    let verdict = verdict_on(&store.campaigns()?);
    if as_json {
        print_json(&json_of(&compared, &verdict));
    } else {
        print(&comparison(&compared));
        print_line!("\n  {}", outcome(&verdict));
        print_line!("\n  {}  {} report {}", paint().faint("report"), program(), store.folder().display());
    }
    Ok(ExitStatus::from(&verdict))
}

fn json_of(compared: &Compared, verdict: &Verdict) -> serde_json::Value {
    let against = |comparisons: &[Comparison], number: usize| {
        number.checked_sub(1).map(|number| {
            let comparison = &comparisons[number];
            json!({ "u": comparison.test().u, "p": comparison.test().p, "p_corrected": comparison.p(), "a12": comparison.effect().a12(), "size": comparison.effect().size().to_string() })
        })
    };
    let coverage = compared.coverage.iter().map(|coverage| {
        let row = |(number, strategy): (usize, &String)| {
            let summary = coverage.reached[number].summary();
            json!({
                "strategy": strategy,
                "mean": summary.mean,
                "standard_deviation": summary.standard_deviation,
                "reached": coverage.reached[number].ascending(),
                "against_first": against(&coverage.against_first, number),
            })
        };
        json!({
            "case": coverage.case,
            "guide": coverage.guide,
            "strategies": compared.strategies.iter().enumerate().map(row).collect::<Vec<_>>(),
        })
    });
    let findings = compared.findings.iter().map(|finding| {
        let row = |(number, strategy): (usize, &String)| {
            let times = &finding.times[number];
            json!({
                "strategy": strategy,
                "found": times.share().found(),
                "mean_executions": times.found_mean(),
                "median_executions": times.median(),
                "restricted_mean_executions": times.restricted_mean(),
                "against_first": against(&finding.against_first, number),
            })
        };
        json!({
            "case": finding.case,
            "property": finding.property,
            "strategies": compared.strategies.iter().enumerate().map(row).collect::<Vec<_>>(),
        })
    });
    let over_all = compared.over_all.as_ref().map(|over_all| {
        let pair = |pair: &shakedown_statistics::Pair| json!({ "first": compared.strategies[pair.first], "second": compared.strategies[pair.second], "difference": pair.difference, "p": pair.p });
        json!({
            "findings": over_all.findings,
            "f": over_all.analysis.f,
            "p": over_all.analysis.p,
            "epsilon": over_all.analysis.epsilon,
            "p_corrected": over_all.analysis.corrected_p,
            "pairs": over_all.pairs.iter().map(pair).collect::<Vec<_>>(),
        })
    });
    json!({
        "verdict": verdict.word(),
        "verdict_reason": verdict.unknown_reason(),
        "strategies": compared.strategies,
        "trials": compared.trials,
        "executions": compared.budget,
        "coverage": coverage.collect::<Vec<_>>(),
        "findings": findings.collect::<Vec<_>>(),
        "over_all": over_all,
    })
}
