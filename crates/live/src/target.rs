//! Targets of servers: the options that all of them have, and how they boot.

use std::sync::Arc;

use shakedown_check::Oracle;
use shakedown_cluster::{Cluster, Contract, Crashes, RequestInfo, Setup, StepKind};
use shakedown_explore::Weights;
use shakedown_explore::closure::Phase;
use shakedown_remote::PlainState;
use shakedown_target::Target;

use crate::cluster::FAILED;
use crate::deployment::TransportKind;
use crate::network::CutStyle;
use crate::settings::{
    ACKNOWLEDGE_OPTION, CUTS_OPTION, Cuts, DATA_OPTION, DELAY_OPTION, Data, GRAIN_OPTION, Grain,
    LiveSettings, PAUSES_OPTION, QUIET_OPTION, REQUEST_OPTION, SETTLE_OPTION, STILL_OPTION, TICK_OPTION,
    contract,
};
use crate::{Available, LiveCluster, LiveNode};

/// How many slices of time a phase has, for strategies that go in rounds: clients ask in the first of them.
const SLICES: usize = 2;

/// Makes a target of servers of one whose servers are not said yet. What the network may do is the base of
/// its contract: order and doubling follow from connections, and losses too if `base` has none.
pub fn live(target: Target<LiveNode>, settings: LiveSettings, base: Contract) -> Target<LiveNode> {
    let transport = settings.deployment.transport;
    let asks_in_the_end = settings.deployment.asks_in_the_end();
    let are_ours = settings.deployment.listen.is_none();
    // Nothing can be done to processes of others.
    let base = if are_ours { base } else { Contract { crashes: Crashes::Never, ..base } };
    let target = if are_ours { with_processes(target) } else { target };
    let target = match transport {
        TransportKind::Proxies => with_proxies(target, !settings.deployment.decoders.is_empty()),
        TransportKind::Library => with_library(target),
    };
    let settings = Arc::new(settings);
    target
        .not_deterministic()
        .phase(Phase::of_slices(SLICES))
        .option(
            QUIET_OPTION,
            20u64,
            "how long a step waits for servers to be quiet, at most, in milliseconds",
        )
        .option(REQUEST_OPTION, 3_000u64, "how long clients wait for an answer, in milliseconds")
        .option(SETTLE_OPTION, 15_000u64, "how long servers have to answer after healing, in milliseconds")
        .more_oracles(move |_| {
            let available = || Box::new(Available::new()) as Box<dyn Oracle<PlainState>>;
            asks_in_the_end.then(available).into_iter().collect()
        })
        .weights(weights(transport))
        .contract_by(move |options| contract(&base, options, transport))
        .boots(Arc::new(move |setup: &Setup| {
            let booted = LiveCluster::boot(Arc::clone(&settings), setup);
            let cluster = booted.map_err(|error| error.to_string())?;
            Ok(Box::new(cluster) as Box<dyn Cluster<State = PlainState>>)
        }))
}

/// The options of servers that this program starts.
fn with_processes(target: Target<LiveNode>) -> Target<LiveNode> {
    target
        .option(
            DATA_OPTION,
            Data::Kept,
            "what a restarted server finds: kept, lost, or snapshot (what the last flush copied)",
        )
        .option(
            PAUSES_OPTION,
            false,
            "whether servers are stopped and go on (`fire n1 pause`, `fire n1 resume`)",
        )
}

/// The options of servers with proxies between them.
fn with_proxies(target: Target<LiveNode>, has_decoders: bool) -> Target<LiveNode> {
    let grain = if has_decoders { Grain::Message } else { Grain::Link };
    target
        .option(
            GRAIN_OPTION,
            grain,
            "what steps control: message (each waits for its step) or link (cut and healed)",
        )
        .option(
            CUTS_OPTION,
            Cuts(CutStyle::Reset),
            "what a cut does to connections: reset, silent (they stay, mute), or lossy (they stay, messages are lost)",
        )
        .option(DELAY_OPTION, 0u64, "with grain=link: how long bytes take between servers, in milliseconds")
        .option(TICK_OPTION, 10u64, "how much real time a tick gives, in milliseconds")
}

/// The options of servers that speak to this program.
fn with_library(target: Target<LiveNode>) -> Target<LiveNode> {
    target
        .option(TICK_OPTION, 10u64, "how much of the time of the servers' timers a tick is, in milliseconds")
        .option(
            ACKNOWLEDGE_OPTION,
            1_000u64,
            "how long a step waits until servers have dealt with what they were given, at most, in milliseconds",
        )
        .option(
            STILL_OPTION,
            0u64,
            "how long a step waits for what servers do by their own clocks: until all sleep and nothing has come for so many milliseconds, at most acknowledge_ms",
        )
}

/// Behind proxies, real time passes with every step, so ticks are few, and clients ask often.
fn weights(transport: TransportKind) -> Weights {
    let weights = Weights::default()
        .with(StepKind::Flush, 4)
        .with(StepKind::Request, 8)
        .with(StepKind::Drop, 1)
        .with(StepKind::Crash, 1)
        .with(StepKind::Restart, 3)
        .with(StepKind::Cut, 1)
        .with(StepKind::Heal, 3);
    match transport {
        TransportKind::Proxies => weights.with(StepKind::Tick, 10).with(StepKind::Fire, 2),
        TransportKind::Library => weights,
    }
}

/// Whether the request is known not to have happened, by what its client says.
pub fn has_failed(request: &RequestInfo) -> bool {
    let answer =
        request.answer.as_deref().and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok());
    answer.is_some_and(|answer| answer.get(FAILED).is_some())
}
