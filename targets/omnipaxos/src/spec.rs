//! The library compared with `specs/OmniPaxosCrate.tla`, with all of its state that it shows.
//!
//! | specification | implementation |
//! |---|---|
//! | `up`, `cuts` | the nodes that run, the links that are cut |
//! | `promised`, `accepted`, `decided`, `log` | the ballot promised, the round of the log, the decided index, the entries |
//! | `phase` | whether it is the accept phase: that is what the library shows of it |
//! | `ble` | the ballot with which a server runs for leader; of the election's leader nothing is shown |
//! | `leading` | how far a leader knows the logs of all to be accepted; the rest of what it knows is not shown |
//! | `net` | the messages under way on each link, in order, with all that they hold |
//! | a number `round * (n + 1) + i` | the ballot of node i with this number |
//! | a value v | the entry v |
//!
//! The library does not show a server's role, what a leader knows of promises and message numbers
//! (`leading`), the number of the last message that a follower took (`seen`), proposals that wait (`waiting`)
//! and the promise that is sent again (`kept`). All of them are in messages sooner or later, and these are
//! compared whole.
//!
//! Servers exchange no heartbeats here (`heartbeats=false`): the specification would need all their rounds.
//! So a server leads because it is asked to (`OmniPaxos::try_become_leader`) or because its clock goes on
//! before it has met another. With `resend_tick=1` each tick sends again what seems lost.

mod action;
mod body;
mod mapping;
mod view;

use shakedown_conform::ConfigValue;
use shakedown_conform::compare::{Comparison, SpecModel};

use crate::View;

pub use action::Action;
pub use body::{Body, Suffix};
pub(crate) use body::{ballot_value, number, server};
pub use mapping::CrateMapping;
pub use view::{Sent, ServerView, SpecView, Standing};

/// The modules of the specification, the root first.
const MODULES: &[(&str, &str)] = &[
    ("OmniPaxosCrate", include_str!("../../../specs/OmniPaxosCrate.tla")),
    ("SequencePaxos", include_str!("../../../specs/SequencePaxos.tla")),
];

macro_rules! model {
    ($name:literal, $about:literal) => {
        SpecModel {
            name: $name,
            about: $about,
            modules: MODULES,
            config: include_str!(concat!("../../../specs/OmniPaxosCrate-", $name, ".cfg")),
        }
    };
}

/// The models that the library can be compared with.
pub const MODELS: &[SpecModel] = &[
    model!("accept", "three servers, one of which leads: its election, one entry that is decided"),
    model!("election", "three servers whose clocks go on: each may lead, no entries"),
    model!("takeover", "three servers, two of which lead one after the other, one entry"),
    model!("pair", "two servers that both lead, whose clocks go on, one entry"),
    model!("reconnect", "three servers, one of which leads; its link to another breaks and comes back"),
    model!("crash", "three servers, one of which leads; another crashes and comes back"),
    model!("leader-crash", "three servers; the leader crashes and comes back, and its clock goes on"),
];

/// The comparison with these models.
pub(crate) fn comparison() -> Comparison<View> {
    let comparison = Comparison::by::<CrateMapping>()
        .needs("election_tick", 1)
        .needs("resend_tick", 1)
        .needs("batch_size", 1)
        .needs("heartbeats", false)
        .constants(|nodes, _| {
            let servers = (1..=nodes as i64).map(ConfigValue::Int).collect();
            Ok(vec![("Server", ConfigValue::Set(servers))])
        });
    MODELS.iter().fold(comparison, |comparison, model| comparison.model(*model))
}
