//! `shakedown space`: how many executions the strategy `closure` samples from.

use clap::Args;
use shakedown_campaign::{AnyTarget, Campaign};
use shakedown_report::space;

use crate::command_error::CommandError;
use crate::command_line::find;
use crate::exit_status::ExitStatus;
use crate::strategy_parameters::Closure;
use crate::terminal::print;

#[derive(Args)]
pub(crate) struct Space {
    /// The target; `shakedown targets` lists them
    target: String,
    #[command(flatten)]
    closure: Closure,
    /// How many nodes [default: the target's]
    #[arg(long, value_name = "N")]
    nodes: Option<usize>,
    /// The confidence with which a given execution is sampled
    #[arg(long, default_value_t = 0.95, value_name = "P")]
    confidence: f64,
}

pub(crate) fn print_space(
    targets: &[Box<dyn AnyTarget>],
    options: &Space,
) -> Result<ExitStatus, CommandError> {
    if !(0.0..1.0).contains(&options.confidence) {
        return Err(CommandError(format!("a confidence is from 0 to below 1, not {}", options.confidence)));
    }
    let mut campaign = Campaign::new(find(targets, &options.target)?);
    campaign.plan.strategy = options.closure.of("closure".parse()?)?;
    campaign.plan.config.nodes = options.nodes.unwrap_or(campaign.plan.config.nodes);
    let lock_step = campaign.lock_step()?.ok_or_else(|| CommandError("there is no such space".to_owned()))?;
    print(&space(&lock_step, options.confidence));
    Ok(ExitStatus::Pass)
}
