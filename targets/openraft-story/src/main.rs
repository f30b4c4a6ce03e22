//! openraft 0.9.25 on tokio's own runtime, in real time: a leader with a slow disk stops for good.
//!
//! Shakedown found this schedule (docs/findings.md, "a leader stops for good"). Here it is without Shakedown:
//! three nodes in one process, a network from which one can be cut off, and a log whose flush can be slow. It
//! ends with 0 if the leader has stopped, and with 1 if it has not.

mod store;

use std::collections::BTreeMap;
use std::io::Cursor;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use openraft::error::{InstallSnapshotError, NetworkError, RPCError, RaftError};
use openraft::network::{RPCOption, RaftNetwork, RaftNetworkFactory};
use openraft::raft::{
    AppendEntriesRequest, AppendEntriesResponse, InstallSnapshotRequest, InstallSnapshotResponse,
    VoteRequest, VoteResponse,
};
use openraft::{Config, Raft, RaftMetrics, SnapshotPolicy};
use tokio::time::{sleep, timeout};

use crate::store::Store;

openraft::declare_raft_types!(
    /// Entries are numbers; the state machine does nothing with them.
    pub Types: D = u64, R = (), NodeId = u64, Node = ()
);
type Entry = openraft::Entry<Types>;
type LogId = openraft::LogId<u64>;
type Vote = openraft::Vote<u64>;
type Failed<E> = RPCError<u64, (), RaftError<u64, E>>;

/// How one node reaches the others. Whatever goes to or comes from node 3 is lost while that is cut off.
#[derive(Clone)]
struct Network {
    from: u64,
    nodes: Arc<Mutex<BTreeMap<u64, Raft<Types>>>>,
    is_cut: Arc<AtomicBool>,
}

/// The connection to one node.
struct Connection(Network, u64);

impl Connection {
    /// The node, once a message has reached it. A message that is lost gets there never.
    async fn reach<E: std::error::Error>(&self) -> Result<Raft<Types>, Failed<E>> {
        let Connection(network, to) = self;
        if [network.from, *to].contains(&3) && network.is_cut.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        let node = network.nodes.lock().unwrap_or_else(PoisonError::into_inner).get(to).cloned();
        node.ok_or_else(|| RPCError::Network(NetworkError::new(&std::fmt::Error)))
    }
}

impl RaftNetworkFactory<Types> for Network {
    type Network = Connection;

    async fn new_client(&mut self, target: u64, _: &()) -> Connection {
        Connection(self.clone(), target)
    }
}

fn remote<E: std::error::Error>(peer: u64) -> impl Fn(RaftError<u64, E>) -> Failed<E> {
    move |error| RPCError::RemoteError(openraft::error::RemoteError::new(peer, error))
}

impl RaftNetwork<Types> for Connection {
    async fn append_entries(
        &mut self,
        rpc: AppendEntriesRequest<Types>,
        _: RPCOption,
    ) -> Result<AppendEntriesResponse<u64>, Failed<openraft::error::Infallible>> {
        self.reach().await?.append_entries(rpc).await.map_err(remote(self.1))
    }

    async fn install_snapshot(
        &mut self,
        rpc: InstallSnapshotRequest<Types>,
        _: RPCOption,
    ) -> Result<InstallSnapshotResponse<u64>, Failed<InstallSnapshotError>> {
        self.reach().await?.install_snapshot(rpc).await.map_err(remote(self.1))
    }

    async fn vote(
        &mut self,
        rpc: VoteRequest<u64>,
        _: RPCOption,
    ) -> Result<VoteResponse<u64>, Failed<openraft::error::Infallible>> {
        self.reach().await?.vote(rpc).await.map_err(remote(self.1))
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let config = Config {
        // A call that gets no answer is given up after this time too.
        heartbeat_interval: 2_000,
        election_timeout_min: 20_000,
        election_timeout_max: 30_000,
        max_in_snapshot_log_to_keep: 0,
        snapshot_policy: SnapshotPolicy::Never,
        ..Config::default()
    };
    let config = Arc::new(config.validate().expect("the times fit together"));
    let (nodes, is_cut) = (Arc::default(), Arc::new(AtomicBool::new(true)));
    let stores = [(); 3].map(|()| Store::default());
    let mut rafts = Vec::new();
    for (from, store) in (1..).zip(&stores) {
        let network = Network { from, nodes: Arc::clone(&nodes), is_cut: Arc::clone(&is_cut) };
        let raft =
            Raft::new(from, config.clone(), network, store.clone(), store.clone()).await.expect("it starts");
        nodes.lock().unwrap_or_else(PoisonError::into_inner).insert(from, raft.clone());
        rafts.push(raft);
    }
    let (leader, third) = (&rafts[0], &rafts[2]);

    println!("node 1 leads; node 3 is cut off, and the first entries for it are lost");
    let members: BTreeMap<u64, ()> = (1..=3).map(|id| (id, ())).collect();
    leader.initialize(members.clone()).await.expect("nothing is there yet");
    leader.client_write(1).await.expect("nodes 1 and 2 are a quorum");

    println!("node 1 takes a snapshot: its log will be purged when no call needs it any more");
    leader.trigger().snapshot().await.expect("it runs");
    let taken = |metrics: &RaftMetrics<u64, ()>| metrics.snapshot.is_some();
    leader.wait(Some(Duration::from_secs(1))).metrics(taken, "a snapshot").await.expect("it is taken");

    println!("node 3 stands for election, and no node hears of it: its vote is higher now");
    third.initialize(members).await.expect("nothing is there yet");
    third.trigger().elect().await.expect("it runs");
    sleep(Duration::from_millis(100)).await;

    println!("a client writes, and the disk of node 1 takes four seconds");
    println!("  meanwhile node 3 is back: the lost call is given up, and the next one meets the higher vote");
    is_cut.store(false, Ordering::SeqCst);
    stores[0].flush_takes(Duration::from_secs(4));
    let written = timeout(Duration::from_secs(8), leader.client_write(2)).await;
    println!("  the client gets: {written:?}");

    sleep(Duration::from_secs(1)).await;
    let state = leader.metrics().borrow().running_state.clone();
    println!("node 1: {state:?}");
    if state.is_ok() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
