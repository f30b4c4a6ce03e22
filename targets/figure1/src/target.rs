//! The target: its option, its contract and its oracle.

use shakedown_campaign::{AnyTarget, Target};
use shakedown_cluster::{Contract, Crashes};

use shakedown_explore::closure::{Pace, Phase};

use crate::{Last, OutputsComparable, Process, View};

/// The most that a colour tells apart in a length or a distance.
const COLOUR_MAX: u64 = 7;

/// The protocol on an asynchronous network that reorders and loses messages but doubles none. Processes do
/// not crash: they keep nothing on a disk, and one that does not answer is the same to the others.
pub fn target() -> Target<Process> {
    Target::new("figure1")
        .version(concat!("shakedown-figure1 ", env!("CARGO_PKG_VERSION")))
        .about("the Paxos-like replication of Drăgoi et al. 2020, figure 1; last=prepare has the bug")
        .nodes(3)
        .nodes_min(1)
        .steps(300)
        .option(
            "last",
            Last::Propose,
            "when a process dates its log: prepare (joining a phase, the bug) or propose (taking a log over)",
        )
        .contract(Contract { duplication: false, crashes: Crashes::Never, ..Contract::asynchronous() })
        .phase(phase())
        .colour(colour)
        .oracles(|_| vec![Box::new(OutputsComparable::default())])
}

/// The same, for a list of targets. The loop of a campaign on it is compiled here, with the settings of this
/// package.
pub fn any_target() -> Box<dyn AnyTarget> {
    Box::new(target())
}

/// The four rounds of figure 1, each begun by a tick.
fn phase() -> Phase {
    Phase::new(Pace::EveryRound(1))
        .round("prepare", &["Prepare"])
        .round("ack", &["Ack"])
        .round("propose", &["Propose"])
        .round("promise", &["Promise"])
}

/// Where the process is in its phase, and how its log, its date and its output lie to each other.
fn colour(view: &View) -> u64 {
    let place = u64::from(view.round % crate::ROUNDS_PER_PHASE);
    let distances = [
        u64::from(view.clock_phase() - view.phase),
        u64::from(view.phase - view.last),
        view.log.length() as u64,
        view.output.map_or(0, |output| output.log.length() as u64),
    ];
    let colour = place * 4 + view.step as u64;
    distances.iter().fold(colour, |colour, distance| colour * (COLOUR_MAX + 1) + distance.min(&COLOUR_MAX))
}
