//! The models that the library is compared with: `specs/RaftEtcd.tla`, which is `RaftCrate.tla` with other
//! rules.
//!
//! What is compared, and with what, is as in the target `raft`. One variable more is not compared: the commit
//! index that a leader has sent to a peer (`sent` in `flow`). The library keeps it in a private field. What
//! depends on it, whether an append without entries is sent, is compared.

use shakedown_conform::compare::SpecModel;
use shakedown_raft::spec::CRATE_MODULE;
use shakedown_rafts::model::RAFT_MODULE;

macro_rules! model {
    ($name:literal, $about:literal) => {
        SpecModel {
            name: $name,
            about: $about,
            modules: &[("RaftEtcd", include_str!("../../../specs/RaftEtcd.tla")), CRATE_MODULE, RAFT_MODULE],
            config: include_str!(concat!("../../../specs/RaftEtcd-", $name, ".cfg")),
        }
    };
}

/// The models that the library can be compared with: of releases 3.6 and 3.7, which behave alike, and of
/// release 3.5.
pub const MODELS: &[SpecModel] = &[
    model!("pair", "two servers, two terms, messages repeated"),
    model!("reorder", "two servers, three entries, messages that overtake each other"),
    model!("replication", "two servers, two entries, three messages under way"),
    model!("crash", "three servers, one of which runs, that crash and come back"),
    model!(
        "snapshot",
        "three servers, one of which runs: replication, heartbeats, snapshots sent, installed and given up"
    ),
    model!("election", "three servers that all may run: elections and replication"),
    model!("reorder-3.5", "release 3.5: two servers, three entries, messages that overtake each other"),
    model!("snapshot-3.5", "release 3.5: three servers, one of which runs, snapshots"),
];
