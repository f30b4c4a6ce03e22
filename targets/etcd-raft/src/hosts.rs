//! The programs that hold the nodes, and the targets that they make.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use shakedown_campaign::{AnyTarget, Target};
use shakedown_raft::{oracles, target_of};
use shakedown_remote::{Encoding, HostCommand, HostPool, RemoteNode};

use crate::EtcdRaft;
use crate::scenarios::stale_read;
use crate::spec::MODELS;

/// A program that holds nodes of one version of the library.
#[derive(Clone, Copy, Debug)]
pub struct HostInfo {
    /// The name of the target and of the program.
    pub name: &'static str,
    /// What is under test.
    pub version: &'static str,
    /// One line on it.
    pub about: &'static str,
}

/// The programs that `targets/etcd-raft/build.sh` builds.
pub const HOSTS: &[HostInfo] = &[
    HostInfo {
        name: "etcd-raft",
        version: "go.etcd.io/raft/v3 v3.7.0",
        about: "etcd's Raft library, in Go, replicating a key-value map",
    },
    HostInfo {
        name: "etcd-raft-3.6",
        version: "go.etcd.io/raft/v3 v3.6.0",
        about: "etcd's Raft library, release 3.6",
    },
    HostInfo {
        name: "etcd-raft-3.5",
        version: "go.etcd.io/etcd/raft/v3 v3.5.35",
        about: "etcd's Raft library as it was inside of etcd 3.5",
    },
    HostInfo {
        name: "etcd-raft-quorum-bug",
        version: "go.etcd.io/raft/v3 v3.7.0, quorum n/3+1",
        about: "release 3.7 with a planted bug, that of the ModelFuzz paper: a quorum is n/3+1 nodes",
    },
];

/// Where the programs are: `SHAKEDOWN_HOSTS`, or the folder `hosts` beside the folder of this program, or
/// `target/hosts`.
fn folder() -> PathBuf {
    if let Some(folder) = std::env::var_os("SHAKEDOWN_HOSTS") {
        return folder.into();
    }
    let beside = |program: PathBuf| {
        let folders = program.ancestors().skip(1).map(|folder| folder.join("hosts"));
        folders.take(4).find(|folder| folder.is_dir())
    };
    std::env::current_exe().ok().and_then(beside).unwrap_or_else(|| Path::new("target").join("hosts"))
}

/// Set where a missing program is a failure of a test, and not a reason to leave the test out.
const REQUIRED: &str = "SHAKEDOWN_REQUIRE_HOSTS";

/// Whether all programs have been built. For tests: where one is missing, they print that they are left out,
/// or fail if `SHAKEDOWN_REQUIRE_HOSTS` is set.
///
/// # Panics
/// If a program is missing that is required.
pub fn are_built() -> bool {
    let folder = folder();
    let Some(missing) = HOSTS.iter().find(|host| !folder.join(host.name).exists()) else { return true };
    let message =
        format!("{} is not built: targets/etcd-raft/build.sh, which needs Go, builds it", missing.name);
    assert!(std::env::var_os(REQUIRED).is_none(), "{message}");
    eprintln!("left out: {message}");
    false
}

/// How a host is started.
pub fn command(info: &HostInfo) -> HostCommand {
    HostCommand::new(folder().join(info.name))
}

/// The target of a host, with an encoding.
pub fn target(info: &HostInfo, encoding: Encoding) -> Target<RemoteNode<EtcdRaft>> {
    target_with(info, command(info).encoding(encoding))
}

/// The target of a host that is started in another way than usual.
pub fn target_with(info: &HostInfo, command: HostCommand) -> Target<RemoteNode<EtcdRaft>> {
    let command = command.hint("targets/etcd-raft/build.sh, which needs Go, builds it");
    target_of(info.name, info.version, MODELS)
        .about(info.about)
        .option(
            "reads",
            "log".to_owned(),
            "how a read is served: through the log, or by a read index (log or index)",
        )
        .option("invariants", true, "whether Raft's invariants are checked; a panic is a finding in any case")
        .oracles(|config| match config.options.get("invariants") {
            Ok(false) => Vec::new(),
            _ => oracles(config),
        })
        .option("forward_proposals", true, "whether a follower passes proposals on to its leader")
        .option("save_hard_state", true, "whether term and vote are saved, as the library asks for")
        .scenario(stale_read())
        .environment(Arc::new(HostPool::new(command)))
}

/// All targets. Nothing is started by this.
pub fn targets() -> Vec<Box<dyn AnyTarget>> {
    HOSTS.iter().map(|info| Box::new(target(info, Encoding::MsgPack)) as Box<dyn AnyTarget>).collect()
}
