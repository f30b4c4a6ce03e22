//! The target: how OmniPaxos is run and what must hold.

use shakedown_campaign::{AnyTarget, Config, Target};
use shakedown_check::{Agreement, DecidedNeverGoesBack, Oracle};
use shakedown_cluster::{BadOption, Contract, Options, Random, StepKind};
use shakedown_conform::follow::Following;
use shakedown_explore::Weights;
use shakedown_explore::closure::{Pace, Phase};

use crate::model::{self, Mapping};
use crate::{OmniNode, Properties, Request, Settings, View, interface, spec};

/// The version of the library that this package is built against: each package pins one exactly.
pub const VERSION: &str = match env!("CARGO_PKG_NAME").as_bytes() {
    b"shakedown-omnipaxos-0-2-2" => "0.2.2",
    b"shakedown-omnipaxos-0-2-3" => "0.2.3",
    _ => "0.2.4",
};

/// The largest number that a colour tells apart.
const COLOUR_MAX: u64 = 15;

/// The name of the target: the newest version has the plain one.
pub const NAME: &str = match env!("CARGO_PKG_NAME").as_bytes() {
    b"shakedown-omnipaxos-0-2-2" => "omnipaxos-0.2.2",
    b"shakedown-omnipaxos-0-2-3" => "omnipaxos-0.2.3",
    _ => "omnipaxos",
};

/// OmniPaxos on sessions that break and come back, with crashes of a minority and disks that forget nothing.
pub fn target() -> Target<OmniNode> {
    let defaults = Settings::DEFAULT;
    let target = Target::new(NAME)
        .about("OmniPaxos, a replicated log: Sequence Paxos with ballot leader election")
        .version(format!("omnipaxos {VERSION}"))
        .nodes(3)
        .nodes_min(2)
        .steps(400)
        .crashes(3)
        .contract_by(contract)
        .weights(weights())
        .workload(8, workload)
        .phase(phase())
        .colour(colour)
        .paxos_waypoints()
        .oracles(oracles)
        .option("election_tick", defaults.election_tick, "ticks until a server looks for a leader")
        .option("resend_tick", defaults.resend_tick, "ticks until a server sends again what seems lost")
        .option("batch_size", defaults.batch_size, "entries that are sent and stored together")
        .option("trim", 0u8, "per cent of the requests that trim the log")
        .option(
            "heartbeats",
            defaults.heartbeats,
            "servers send heartbeats; without, one leads that is asked to",
        )
        .option("oracles", Properties::default(), "properties to check: all, agreement or decided");
    let target = if interface::FLUSHES_BATCHES {
        target.option("flush_batch_tick", defaults.flush_batch_tick, "ticks until a batch is flushed")
    } else {
        target
    };
    let target = if interface::CAN_LEAD {
        target.option("lead", 0u8, "per cent of the requests that ask a server to take the lead")
    } else {
        target
    };
    if interface::HAS_MODEL { with_model(target) } else { target }
}

/// The same, for a list of targets. The loop of a campaign on it is compiled here, with the settings of this
/// package.
pub fn any_target() -> Box<dyn AnyTarget> {
    Box::new(target())
}

/// What may happen to it, if the options can be what they are.
fn contract(options: &Options) -> Result<Contract, BadOption> {
    Settings::read(options)?;
    let (lead, trim) = (share(options, "lead"), share(options, "trim"));
    if lead + trim > 100 {
        let reason = format!("with lead, {lead}, it is at most 100");
        return Err(BadOption { name: "trim".to_owned(), value: trim.to_string(), reason });
    }
    Ok(Contract::sessions())
}

/// How many of a hundred requests are of a kind.
fn share(options: &Options, name: &str) -> u64 {
    options.get(name).unwrap_or(0)
}

/// The target, followed on the TLA+ model of Sequence Paxos, and compared with one of the library's grain.
fn with_model(target: Target<OmniNode>) -> Target<OmniNode> {
    let about = "states of the TLA+ model of Sequence Paxos (specs/SequencePaxos.tla)";
    let following = Following::by::<Mapping, _>(model::FOLLOWED, about, |nodes, options| {
        model::check(options)?;
        Ok(model::source(nodes))
    });
    target.follow(following).compare(spec::comparison())
}

/// Ballots, whether there is a leader, and how long the log is, as far as they are small, and without naming
/// servers.
fn colour(view: &View) -> u64 {
    let numbers = [
        u64::from(view.promise.n),
        u64::from(view.accepted_round.n),
        u64::from(view.leader != 0),
        view.decided,
        view.trimmed,
        view.trimmed + view.log.len() as u64,
    ];
    numbers.into_iter().fold(1, |colour, number| colour * (COLOUR_MAX + 1) + number.min(COLOUR_MAX))
}

/// One tick, and the five rounds in which a new leader has an entry decided. Heartbeats take the first two of
/// them.
fn phase() -> Phase {
    Phase::new(Pace::EveryPhase(1))
        .round(
            "prepare",
            &["HeartbeatRequest", "PrepareReq", "Prepare", "ProposalForward", "ForwardStopSign"],
        )
        .round("promise", &["HeartbeatReply", "Promise"])
        .round("accept", &["AcceptSync", "AcceptDecide", "AcceptStopSign", "Compaction"])
        .round("accepted", &["Accepted", "NotAccepted"])
        .round("decide", &["Decide"])
        .warm_up(6)
}

fn weights() -> Weights {
    Weights::default()
        .with(StepKind::Deliver, 100)
        .with(StepKind::Tick, 10)
        .with(StepKind::Request, 5)
        .with(StepKind::Crash, 1)
        .with(StepKind::Restart, 5)
        .with(StepKind::Cut, 3)
        .with(StepKind::Heal, 4)
}

/// Each request appends a number of its own, but for the shares that options give to other requests.
fn workload(config: &Config, random: &mut Random) -> Vec<Request> {
    let (lead, trim) = (share(&config.options, "lead"), share(&config.options, "trim"));
    let request = |number: usize| match random.below(100) {
        drawn if drawn < lead => Request::Lead,
        drawn if drawn < lead + trim => Request::Trim,
        _ => Request::Append(number as u64 + 1),
    };
    (0..config.requests).map(request).collect()
}

fn oracles(config: &Config) -> Vec<Box<dyn Oracle<View>>> {
    let properties = config.options.get::<Properties>("oracles").unwrap_or_default();
    let mut oracles: Vec<Box<dyn Oracle<View>>> = Vec::new();
    if properties != Properties::Decided {
        oracles.push(Box::new(Agreement::default()));
    }
    if properties != Properties::Agreement {
        oracles.push(Box::new(DecidedNeverGoesBack::default()));
    }
    oracles
}
