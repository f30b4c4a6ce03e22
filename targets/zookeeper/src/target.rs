//! ZooKeeper as a target: how servers are started, what is asked, what must hold.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use shakedown_check::Linearizable;
use shakedown_cluster::{Contract, Crashes, Random};
use shakedown_live::{
    Deployment, FileTemplate, LiveNode, LiveSettings, Ready, SETTLE_OPTION, ServerLimits, live,
};
use shakedown_remote::Value;
use shakedown_target::Target;
use shakedown_wire::Protocol;

use crate::client::ZooKeeperClients;
use crate::registers::{VersionedRegisters, linearizable};
use crate::sessions::Sessions;
use crate::vocabulary::Ask;

/// How long a session lives without its client: longer than an execution.
pub(crate) const SESSION_TIME: Duration = Duration::from_secs(60);
/// What is written in the end, as often as it takes. All other values are written once.
pub(crate) const LAST_VALUE: u64 = 1_000_000;
/// How many registers there are.
const KEYS: u64 = 2;

/// A release that `setup.sh` fetches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Release {
    /// The name of the target.
    pub name: &'static str,
    /// The release, as Maven has it.
    pub text: &'static str,
    /// What the log of a server says when it serves clients.
    ready: &'static str,
}

/// The releases that are targets, the newest first.
pub const RELEASES: &[Release] = &[
    Release { name: "zookeeper", text: "3.9.5", ready: "- broadcast" },
    Release { name: "zookeeper-3.5.8", text: "3.5.8", ready: "LEADER ELECTION TOOK" },
    Release { name: "zookeeper-3.4.9", text: "3.4.9", ready: "LEADER ELECTION TOOK" },
    Release { name: "zookeeper-3.4.5", text: "3.4.5", ready: "LEADER ELECTION TOOK" },
    Release { name: "zookeeper-3.4.3", text: "3.4.3", ready: "LEADER ELECTION TOOK" },
];

/// What a server reads. Ticks are short, so that a lost leader is noticed after 2 s and not after ten.
const CONFIG: &str = "tickTime=500
initLimit=10
syncLimit=4
maxSessionTimeout=60000
dataDir={data}
clientPort={port:client}
clientPortAddress=127.0.0.1
admin.enableServer=false
preAllocSize=1024
fastleader.maxNotificationInterval=1000
{peers}
";

fn deployment(release: &Release) -> Deployment {
    let jars = format!("{{here}}/../../target/systems/zookeeper-{}", release.text);
    let command = ["./server.sh", &jars, "{id}", "{data}", "{folder}/zoo.cfg"];
    let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    Deployment {
        ports: own(&["client", "quorum", "election"]),
        proxied: own(&["quorum", "election"]),
        client_port: Some("client".to_owned()),
        peer: "server.{id}={address:quorum}:{proxy:election}".to_owned(),
        peer_separator: "\n".to_owned(),
        decoders: [
            ("quorum".to_owned(), Protocol::ZookeeperQuorum),
            ("election".to_owned(), Protocol::ZookeeperElection),
        ]
        .into(),
        files: vec![FileTemplate { path: "zoo.cfg".to_owned(), text: CONFIG.to_owned() }],
        ready: Ready { log: Some(release.ready.to_owned()), seconds: Some(60), ..Ready::default() },
        final_requests: (0..KEYS).flat_map(last_requests).collect(),
        limits: ServerLimits { memory_mib: 1024, disk_mib: 256, seconds: 300 },
        ..Deployment::new(command)
    }
}

/// What has to be answered once the network is healed: a write and a read of the register.
fn last_requests(key: u64) -> [String; 2] {
    [format!(r#"{{"set":[{key},{LAST_VALUE}]}}"#), format!(r#"{{"sync":{key}}}"#)]
}

/// A request: the values that are written are all different.
fn request(number: usize, random: &mut Random) -> Value {
    let (key, value) = (random.below(KEYS) as u8, number as u64 + 1);
    let ask = match random.below(8) {
        0 | 1 => Ask::Read(key),
        2 | 3 => Ask::Sync(key),
        4 | 5 => Ask::Set(key, value),
        _ => Ask::Swap(key, value),
    };
    let text = serde_json::to_string(&ask).expect("requests are plain");
    serde_json::from_str(&text).expect("what was written is read")
}

/// How servers of a release are started and asked.
pub fn settings(release: &Release) -> LiveSettings {
    LiveSettings {
        deployment: deployment(release),
        here: Path::new(env!("CARGO_MANIFEST_DIR")).to_owned(),
        clients: Some(Arc::new(ZooKeeperClients::default())),
    }
}

/// What may happen to servers: logs are durable before they are acknowledged, so all of them may be down at
/// once.
pub fn contract() -> Contract {
    Contract { crashes: Crashes::All, ..Contract::sessions() }
}

/// ZooKeeper of a release.
pub fn target(release: &Release) -> Target<LiveNode> {
    let settings = settings(release);
    let target = Target::<LiveNode>::new(release.name)
        .version(release.text)
        .steps(300)
        .requests(30, request)
        .oracles(|_| {
            vec![Box::new(Linearizable::new(VersionedRegisters, linearizable)), Box::new(Sessions::default())]
        });
    // Servers that share two cores take seconds to elect a leader, and some more if a message comes too late
    // for it.
    live(target, settings, contract()).default_of(SETTLE_OPTION, 25_000)
}
