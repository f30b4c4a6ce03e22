//! The library compared with `specs/RaftCrate.tla`, with its whole state.
//!
//! | specification | implementation |
//! |---|---|
//! | `active` | the nodes that run |
//! | `currentTerm`, `role`, `votedFor`, `leaderId`, `commitIndex` | `term`, `state`, `vote`, `leader_id`, `committed` |
//! | `log`, `snapshotIndex` | the entries after the snapshot, by term and value; the snapshot, with its term and its state machine |
//! | `votesResponded`, `votesGranted` | how many votes were given and refused: the library does not show whose |
//! | `flow`, `nextIndex`, `matchIndex` | a leader's `Progress` of its peers: state, paused, pending snapshot, recently active, next, matched |
//! | `waited` | the ticks for which the node has waited for a snapshot to be acknowledged |
//! | `net` | the messages under way, also those that wait for a node that is down |
//! | Server = 1..n, Nil = 0, Noop = 0 | nodes n1, n2, …; no vote, no leader; the empty entry of a new leader |
//! | a value v | a put of v at key 0 |
//!
//! Also compared, though the specification has no variable of it, because it follows from its log: the state
//! machine. Not mapped: the commit index in answers to appends and heartbeats, for it goes into a figure of
//! the library that nothing here depends on; clocks, for with `fixed_timeout=true` it takes `election_tick`
//! ticks to campaign, and ticks before that change nothing; the window of messages in flight, which holds 256
//! and is never full. Of a node that is down nothing can be seen but that it is; what was on its disk is
//! compared when it is back.

mod dialect;
mod values;
mod view;

use shakedown_cluster::Options;
use shakedown_conform::compare::{Comparison, SpecModel};
use shakedown_rafts::model::RAFT_MODULE;
use shakedown_rafts::spec::SpecMapping;
use shakedown_tla::config::ConfigValue;

use crate::RaftView;

pub use dialect::CrateSpec;
pub use view::{Body, Contents, PeerView, ServerView, Standing};

/// The rules of the crate; a specification of a similar library may extend them.
pub const CRATE_MODULE: (&str, &str) = ("RaftCrate", include_str!("../../../specs/RaftCrate.tla"));

macro_rules! model {
    ($name:literal, $about:literal, $config:literal) => {
        SpecModel {
            name: $name,
            about: $about,
            modules: &[CRATE_MODULE, RAFT_MODULE],
            config: include_str!(concat!("../../../specs/", $config, ".cfg")),
        }
    };
}

/// The models that the library can be compared with.
pub const MODELS: &[SpecModel] = &[
    model!(
        "snapshot",
        "three servers, one of which runs: replication, heartbeats, snapshots sent, installed and given up",
        "RaftCrate-snapshot"
    ),
    model!("election", "three servers that all may run: elections and replication", "RaftCrate-election"),
    model!("crash", "three servers, one of which runs, that crash and come back", "RaftCrate-crash"),
    model!("pair", "two servers, two terms, messages repeated", "RaftCrate-pair"),
    model!("replication", "two servers, two entries, three messages under way", "RaftCrate-replication"),
    model!("reorder", "two servers, three entries, messages that overtake each other", "RaftCrate-reorder"),
];

/// How many ticks it takes to campaign.
pub(crate) const ELECTION_TICK: usize = 2;

/// The comparison of a library with the vocabulary of this one with models that have the variables of
/// `RaftCrate.tla`.
pub fn comparison(models: &[SpecModel]) -> Comparison<RaftView> {
    let comparison = Comparison::by::<SpecMapping<CrateSpec>>()
        .needs("election_tick", ELECTION_TICK)
        .needs("heartbeat_tick", 1)
        .needs("fixed_timeout", true)
        .needs("pre_vote", false)
        .needs("check_quorum", false)
        .needs("disk", "synchronous")
        .needs("membership", false)
        .constants(|nodes, _: &Options| {
            let servers = (1..=nodes as i64).map(ConfigValue::Int).collect();
            Ok(vec![
                ("Server", ConfigValue::Set(servers)),
                ("GivesUpAfter", ConfigValue::Int(ELECTION_TICK as i64)),
            ])
        });
    models.iter().fold(comparison, |comparison, model| comparison.model(*model))
}
