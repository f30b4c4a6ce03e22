//! The programs that hold the nodes, and the targets that they make.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use shakedown_campaign::{AnyTarget, Target};
use shakedown_raft::target_of;
use shakedown_remote::{Encoding, HostCommand, HostPool, RemoteNode};

use crate::EtcdRaft;

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
pub const HOSTS: &[HostInfo] = &[HostInfo {
    name: "etcd-raft",
    version: "go.etcd.io/raft/v3 v3.6.0",
    about: "etcd's Raft library, in Go, replicating a key-value map",
}];

/// Where the programs are: `SHAKEDOWN_HOSTS`, or the folder `hosts` beside the folder of this program, or `target/hosts`.
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

/// Whether the program of a target has been built.
pub fn is_built(name: &str) -> bool {
    folder().join(name).exists()
}

/// The target of a host, with an encoding.
pub fn target(info: &HostInfo, encoding: Encoding) -> Target<RemoteNode<EtcdRaft>> {
    let command = HostCommand::new(folder().join(info.name)).encoding(encoding);
    target_of(info.name, info.version).about(info.about).environment(Arc::new(HostPool::new(command)))
}

/// All targets. Nothing is started by this.
pub fn targets() -> Vec<Box<dyn AnyTarget>> {
    HOSTS.iter().map(|info| Box::new(target(info, Encoding::MsgPack)) as Box<dyn AnyTarget>).collect()
}
