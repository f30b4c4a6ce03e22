//! The target: its options, its contract and its oracles.

use shakedown_campaign::{AnyTarget, Target};
use shakedown_check::{Agreement, DecidedNeverGoesBack, Oracle};
use shakedown_cluster::StepKind;
use shakedown_explore::Weights;

use crate::scenarios::{clauses, scenarios};
use crate::settings::Settings;
use crate::{Choice, Replica, TimerModel, Value, View};

/// The most that a colour tells apart in a number.
const COLOUR_MAX: u64 = 7;

/// The protocol on an asynchronous network that reorders, loses and doubles messages, with one node that may
/// lie.
pub fn target() -> Target<Replica> {
    let target = Target::new("pbft")
        .version(concat!("shakedown-pbft ", env!("CARGO_PKG_VERSION")))
        .about("PBFT with the message names of BFT-SMaRt, replicating a log; new_view_* has bugs")
        .nodes(4)
        .nodes_min(4)
        .steps(400)
        // A request takes 30 deliveries. What is lost and who gives up decides what is tested: mostly a new
        // epoch or two.
        .weights(Weights::default().with(StepKind::Drop, 5).with(StepKind::Fire, 3))
        .option("timeout", 6, "ticks before a replica gives up on a leader; doubles with every epoch")
        .option("timers", TimerModel::WhenDue, "when time-outs happen: when-due or anytime")
        .option("liars", 1_usize, "how many nodes may lie; PBFT tolerates (n-1)/3, which is not checked")
        .option("new_view_check", true, "whether replicas check a new leader's choice; false is a bug")
        .option(
            "new_view_choice",
            Choice::All,
            "what a new leader proposes again: all that was prepared, or own, which is a bug",
        )
        .contract_by(|options| Ok(Settings::read(options)?.contract()))
        .requests(3, |number, _| 10 * (number as u64 + 1))
        .colour(colour)
        .tolerates(|nodes| nodes.saturating_sub(1) / 3)
        .kinds(&["Request", "Propose", "Write", "Accept", "Stop", "StopData", "Sync", "Decision"])
        .clauses(clauses())
        .oracles(|_| oracles());
    scenarios().into_iter().fold(target, Target::scenario)
}

/// The same, for a list of targets. The loop of a campaign on it is compiled here, with the settings of this
/// package.
pub fn any_target() -> Box<dyn AnyTarget> {
    Box::new(target())
}

/// Where the replica is: how its epochs, instances and waits lie to each other.
fn colour(view: &View) -> u64 {
    let prepared_now = view.prepared.iter().filter(|it| it.epoch == view.epoch).count();
    let numbers = [
        view.epoch,
        view.asked.saturating_sub(view.epoch),
        view.executed,
        view.decided.len() as u64,
        prepared_now as u64,
        view.prepared.len() as u64,
        view.pending as u64,
    ];
    let colour = u64::from(view.is_active);
    numbers.iter().fold(colour, |colour, number| colour * (COLOUR_MAX + 1) + number.min(&COLOUR_MAX))
}

pub(crate) fn oracles() -> Vec<Box<dyn Oracle<View>>> {
    vec![Box::new(Agreement::<Value>::default()), Box::new(DecidedNeverGoesBack::default())]
}
