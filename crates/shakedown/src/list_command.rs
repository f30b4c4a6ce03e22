//! `targets` and `strategies`: what there is to choose from, as text and as JSON.

use clap::Args;
use serde_json::{Value, json};
use shakedown_campaign::AnyTarget;
use shakedown_explore::learning::{Parameter, WaypointInfo};
use shakedown_explore::{ParameterInfo, STRATEGIES, StrategyInfo, Takes};

use crate::command_line::{CommandError, ExitStatus, find};
use crate::terminal::{paint, print_line};

#[derive(Args)]
pub(crate) struct Targets {
    /// Only this target, with its options, guides, properties, scenarios and specifications
    name: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(crate) struct Strategies {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn list_targets(
    targets: &[Box<dyn AnyTarget>],
    options: &Targets,
) -> Result<ExitStatus, CommandError> {
    match &options.name {
        Some(name) => {
            let target = find(targets, name)?;
            if options.json {
                print_line!("{:#}", target_json(target)?);
            } else {
                print_target(target);
                print_offers(target)?;
            }
        }
        None if options.json => {
            let all =
                targets.iter().map(|target| target_json(target.as_ref())).collect::<Result<Vec<_>, _>>()?;
            print_line!("{:#}", json!(all));
        }
        None => {
            let widest = targets.iter().map(|target| target.name().chars().count()).max().unwrap_or(0);
            for target in targets {
                print_line!("{:<widest$}  {}", paint().strong(target.name()), target.info().about);
            }
            print_line!(
                "\n`targets NAME` lists the options, properties, scenarios and specifications of one"
            );
        }
    }
    Ok(ExitStatus::Pass)
}

fn print_target(target: &dyn AnyTarget) {
    let paint = paint();
    let defaults = target.defaults();
    print_line!("{}  {}", paint.strong(target.name()), target.info().about);
    print_line!(
        "    {} nodes, up to {} steps, {} requests",
        defaults.nodes,
        defaults.steps,
        defaults.requests
    );
    for guide in &target.info().guides {
        print_line!("    --guide {:<26} {}", guide.name, paint.faint(guide.about));
    }
    for harness in &target.info().harnesses {
        print_line!("    --harness {:<24} {}", harness.name, paint.faint(harness.about));
    }
    let waypoints: Vec<_> = target.info().waypoints.iter().map(ToString::to_string).collect();
    if !waypoints.is_empty() {
        print_line!("    --waypoints {}", paint.faint(waypoints.join(", ")));
    }
    for option in &target.info().options {
        let setting = format!("{}={}", option.name, option.default);
        print_line!("    --set {setting:<28} {}", paint.faint(option.about));
    }
}

/// What only the list of one target shows.
fn print_offers(target: &dyn AnyTarget) -> Result<(), CommandError> {
    let paint = paint();
    for oracle in target.oracles(target.defaults())? {
        print_line!("    property {:<25} {}", oracle.name, paint.faint(&oracle.about));
    }
    for scenario in &target.info().scenarios {
        print_line!("    scenario {:<25} {}", scenario.name, paint.faint(scenario.about));
    }
    for (name, about) in specs_of(target) {
        print_line!("    specification {name:<20} {}", paint.faint(about));
    }
    Ok(())
}

/// Names and descriptions of the specifications that a target can be compared with.
#[cfg(feature = "tla")]
fn specs_of(target: &dyn AnyTarget) -> Vec<(&str, &str)> {
    target.info().specs.iter().map(|spec| (spec.name, spec.about)).collect()
}

/// Without the feature `tla` there are none.
#[cfg(not(feature = "tla"))]
fn specs_of(_target: &dyn AnyTarget) -> Vec<(&str, &str)> {
    Vec::new()
}

fn target_json(target: &dyn AnyTarget) -> Result<Value, CommandError> {
    let named = |name: &str, about: &str| json!({ "name": name, "about": about });
    let options = target.info().options.iter();
    let options =
        options.map(|info| json!({ "name": info.name, "default": info.default, "about": info.about }));
    let oracles = target.oracles(target.defaults())?;
    Ok(json!({
        "name": target.name(),
        "version": target.version(),
        "about": target.info().about,
        "defaults": target.defaults(),
        "options": options.collect::<Vec<_>>(),
        "guides": target.info().guides.iter().map(|info| named(info.name, info.about)).collect::<Vec<_>>(),
        "properties": oracles.iter().map(|info| named(&info.name, &info.about)).collect::<Vec<_>>(),
        "harnesses": target.info().harnesses.iter().map(|info| named(info.name, info.about)).collect::<Vec<_>>(),
        "waypoints": target.info().waypoints.iter().map(waypoint_json).collect::<Vec<_>>(),
        "scenarios": target.info().scenarios.iter().map(|info| named(info.name, info.about)).collect::<Vec<_>>(),
        "specs": specs_of(target).into_iter().map(|(name, about)| named(name, about)).collect::<Vec<_>>(),
    }))
}

fn waypoint_json(info: &WaypointInfo) -> Value {
    let parameter = |parameter: &Parameter| match parameter {
        Parameter::Number(name) => json!({ "name": name, "takes": "a number" }),
        Parameter::Word(name, words) => json!({ "name": name, "words": words }),
    };
    let parameters: Vec<_> = info.parameters.iter().map(parameter).collect();
    json!({ "name": info.name, "about": info.about, "parameters": parameters })
}

pub(crate) fn list_strategies(options: &Strategies) -> ExitStatus {
    if options.json {
        print_line!("{:#}", json!(STRATEGIES.iter().map(strategy_json).collect::<Vec<_>>()));
        return ExitStatus::Pass;
    }
    let paint = paint();
    for strategy in STRATEGIES {
        print_line!("{}  {}", paint.strong(strategy.name), strategy.about);
        for ParameterInfo { name, default, about, .. } in strategy.parameters {
            print_line!("    {:<20} {}", format!("{name}={default}"), paint.faint(about));
        }
    }
    ExitStatus::Pass
}

fn strategy_json(info: &StrategyInfo) -> Value {
    let parameter = |info: &ParameterInfo| {
        let mut entry = json!({
            "name": info.name,
            "default": info.default.to_string(),
            "takes": info.takes.to_string(),
            "about": info.about,
        });
        if let Takes::Word(words) = info.takes {
            entry["words"] = json!(words);
        }
        entry
    };
    let parameters: Vec<_> = info.parameters.iter().map(parameter).collect();
    json!({ "name": info.name, "about": info.about, "parameters": parameters })
}
