//! This Raft compared with `specs/PlantedRaft.tla`, with its whole state.
//!
//! | specification | implementation |
//! |---|---|
//! | `active` | the nodes that run |
//! | `currentTerm`, `role`, `votedFor`, `commitIndex` | `term`, `role`, `vote`, `commit` |
//! | `log`, `snapshotIndex` | the entries after the snapshot; the snapshot, with its term, its voters and its state machine |
//! | `votesResponded`, `votesGranted` | the same |
//! | `nextIndex`, `matchIndex` | `progress`; of who does not lead, 1 and 0 |
//! | `net` | the messages under way, also those that wait for a node that is down |
//! | Server = 1..n, Nil = 0 | nodes n1, n2, …; no vote |
//! | a value 1000·k + v | a put of v at key k |
//!
//! Also compared, though the specification has no variables of them, because they follow from its log: the
//! voters, and the state machine. Not mapped: `leader`, `elapsed` and `patience`, which no decision that is
//! in the specification depends on (with `election_tick=1` every tick of a node that does not lead is a
//! time-out). Of a node that is down nothing can be seen but that it is; what was on its disk is compared
//! when it is back.

mod dialect;
mod values;
mod view;

use shakedown_cluster::Options;
use shakedown_conform::compare::{Comparison, SpecModel};
use shakedown_rafts::model::RAFT_MODULE;
use shakedown_rafts::spec::SpecMapping;
use shakedown_tla::config::ConfigValue;

use crate::View;

pub use dialect::PlantedSpec;
pub use view::ServerView;

macro_rules! model {
    ($name:literal, $about:literal, $root:literal $(, $module:literal)*; $config:literal) => {
        SpecModel {
            name: $name,
            about: $about,
            modules: &[
                ($root, include_str!(concat!("../../../specs/", $root, ".tla"))),
                $(($module, include_str!(concat!("../../../specs/", $module, ".tla"))),)*
                RAFT_MODULE,
            ],
            config: include_str!(concat!("../../../specs/", $config, ".cfg")),
        }
    };
}

/// The models that this Raft can be compared with.
pub const MODELS: &[SpecModel] = &[
    model!("election", "elections of three servers", "PlantedRaft"; "PlantedRaft"),
    model!("replication", "elections and replication, three servers, messages lost", "PlantedRaft"; "PlantedRaft-replication"),
    model!("crash", "three servers that crash and come back", "PlantedRaft"; "PlantedRaft-crash"),
    model!("four", "an election of four servers", "PlantedRaft"; "PlantedRaft-four"),
    model!("five", "an election of five servers, messages repeated", "PlantedRaft"; "PlantedRaft-five"),
    model!("snapshot", "snapshots are taken, sent and installed", "PlantedRaft"; "PlantedRaft-snapshot"),
    model!("change", "three servers, one of which is removed", "PlantedRaft"; "PlantedRaft-change"),
    model!(
        "update-term", "wrong on purpose: a newer term is taken over by an action of its own",
        "PlantedRaftUpdateTerm", "PlantedRaft"; "PlantedRaftUpdateTerm"
    ),
    model!(
        "no-reply", "wrong on purpose: a candidate becomes a follower and does not answer",
        "PlantedRaftNoReply", "PlantedRaft"; "PlantedRaftNoReply"
    ),
];

/// The comparison with these models.
pub(crate) fn comparison() -> Comparison<View> {
    let comparison = Comparison::by::<SpecMapping<PlantedSpec>>()
        .needs("election_tick", 1)
        .needs("heartbeat_tick", 1)
        .constants(|nodes, options: &Options| {
            let servers = (1..=nodes as i64).map(ConfigValue::Int).collect();
            let append_max: i64 = options.get("append_max")?;
            Ok(vec![("Server", ConfigValue::Set(servers)), ("AppendMax", ConfigValue::Int(append_max))])
        });
    MODELS.iter().fold(comparison, |comparison, model| comparison.model(*model))
}
