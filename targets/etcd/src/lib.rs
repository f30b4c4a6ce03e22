//! The etcd server, unmodified, as a target of Shakedown.
//!
//! Three servers from etcd's own module, which `targets/etcd/build.sh` builds, talk to each other through
//! proxies that read their raft messages. Clients ask for registers: reads, writes and compare-and-set.
//!
//! - [`gateway`] is the client;
//! - [`http`] is as much of HTTP as it needs;
//! - this file is the target.

pub mod gateway;
pub mod http;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use shakedown_check::{Doubt, Linearizable, RegisterOp, Registers, Understood, understand_registers};
use shakedown_cluster::{Contract, Loss, Random, RequestInfo};
use shakedown_live::{Deployment, Links, LiveNode, LiveSettings, Ready, ServerLimits, has_failed, live};
use shakedown_remote::Value;
use shakedown_target::Target;
use shakedown_wire::Protocol;

use crate::gateway::Gateways;

/// The version of the module that `server/go.mod` pins.
pub const VERSION: &str = "go.etcd.io/etcd/server/v3 v3.6.16";
/// The name of the target and of its program.
const NAME: &str = "etcd";
/// How many registers there are.
const KEYS: u64 = 3;
/// How far back a compare-and-set looks for the value that it expects.
const GUESSES: u64 = 6;
/// Set where a missing program is a failure of a test, and not a reason to leave the test out.
const REQUIRED: &str = "SHAKEDOWN_REQUIRE_HOSTS";

/// Where the program is: `SHAKEDOWN_HOSTS`, or the folder `hosts` beside the folder of this program, or
/// `target/hosts`.
pub fn program() -> PathBuf {
    let beside = |program: PathBuf| {
        let folders = program.ancestors().skip(1).map(|folder| folder.join("hosts"));
        folders.take(4).find(|folder| folder.join(NAME).is_file())
    };
    let found = || std::env::current_exe().ok().and_then(beside);
    let folder = std::env::var_os("SHAKEDOWN_HOSTS").map(PathBuf::from).or_else(found);
    folder.unwrap_or_else(|| Path::new("target").join("hosts")).join(NAME)
}

/// Whether the program has been built. For tests: where it is missing, they print that they are left out, or
/// fail if `SHAKEDOWN_REQUIRE_HOSTS` is set.
///
/// # Panics
/// If it is missing and required.
pub fn is_built() -> bool {
    if program().is_file() {
        return true;
    }
    let message = "etcd is not built: targets/etcd/build.sh, which needs Go, builds it";
    assert!(std::env::var_os(REQUIRED).is_none(), "{message}");
    eprintln!("left out: {message}");
    false
}

/// How the servers are started. Etcd makes the identities of its servers from the addresses in its list, so
/// all servers have the same list, and there is one proxy for each server.
pub fn deployment() -> Deployment {
    let program = program().to_string_lossy().into_owned();
    let words = [
        program.as_str(),
        "--name={name}",
        "--data-dir={data}",
        "--listen-peer-urls=http://127.0.0.1:{port:peer}",
        "--initial-advertise-peer-urls=http://{address:peer}",
        "--listen-client-urls=http://127.0.0.1:{port:client}",
        "--advertise-client-urls=http://127.0.0.1:{port:client}",
        "--initial-cluster={peers}",
        "--initial-cluster-token=shakedown",
        "--initial-cluster-state=new",
        "--heartbeat-interval=100",
        "--election-timeout=1000",
        // Snapshots of the log are taken often, so that a server that was away may need one.
        "--snapshot-count=50",
        "--log-level=warn",
    ];
    Deployment {
        ports: ["peer", "client"].map(str::to_owned).to_vec(),
        proxied: vec!["peer".to_owned()],
        client_port: Some("client".to_owned()),
        links: Links::Node,
        peer: "{name}=http://{address:peer}".to_owned(),
        final_requests: final_requests(),
        decoders: [("peer".to_owned(), Protocol::EtcdPeer)].into(),
        ready: Ready {
            http: Some("/health".to_owned()),
            contains: Some("\"health\":\"true\"".to_owned()),
            seconds: Some(25),
            ..Ready::default()
        },
        limits: ServerLimits { disk_mib: 2048, ..ServerLimits::default() },
        ..Deployment::new(words)
    }
}

/// What clients ask: reads, writes of values that are written once, and compare-and-set with a value of late.
pub fn request(number: u64, random: &mut Random) -> RegisterOp {
    let key = random.below(KEYS) as u8;
    match random.below(10) {
        0..=3 => RegisterOp::Read(key),
        4..=6 => RegisterOp::Write(key, number + 1),
        _ => {
            let is = (number + 1).saturating_sub(random.below(GUESSES) + 1);
            RegisterOp::When { key, is, write: (key, number + 1) }
        }
    }
}

fn understand(request: &RequestInfo) -> Result<Understood<Registers>, Doubt> {
    if has_failed(request) { Ok(None) } else { understand_registers(request) }
}

fn json(op: &RegisterOp) -> String {
    serde_json::to_string(op).expect("a request has a JSON form")
}

/// What is asked when the network is healed: every register is read, and one is written.
fn final_requests() -> Vec<String> {
    let reads = (0..KEYS).map(|key| RegisterOp::Read(key as u8));
    reads.chain([RegisterOp::Write(0, u64::from(u32::MAX))]).map(|op| json(&op)).collect()
}

/// The target.
pub fn target() -> Target<LiveNode> {
    let settings = LiveSettings {
        deployment: deployment(),
        here: PathBuf::from("."),
        clients: Some(Arc::new(Gateways)),
    };
    let target = Target::<LiveNode>::new(NAME)
        .about("the etcd server, unmodified: three processes behind proxies")
        .version(VERSION)
        .steps(600)
        .crashes(4)
        .workload(60, |config, random| {
            let ops = (0..config.requests as u64).map(|number| json(&request(number, random)));
            ops.map(|op| serde_json::from_str::<Value>(&op).expect("it is JSON")).collect()
        })
        .oracles(|_| vec![Box::new(Linearizable::new(Registers, understand))]);
    // A message of raft may be lost alone: etcd's transport makes no other promise.
    live(target, settings, Contract { loss: Loss::Message, ..Contract::sessions() })
}
