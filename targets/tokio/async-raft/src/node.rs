//! One node of async-raft.

use std::sync::Arc;
use std::time::Duration;

use async_raft::raft::ClientWriteRequest;
use async_raft::{Config, Raft, RaftMetrics, SnapshotPolicy, State};
use serde::{Deserialize, Serialize};
use shakedown::cluster::{NodeId, Options, RequestId};
use shakedown::rafts::{RaftDisk, Role};
use shakedown::tokio_node::{Env, Settings, TokioNode};
use tokio::sync::watch;

use crate::network::{Network, copy_of_append, copy_of_vote};
use crate::{Applied, Put, Reply, Rpc, Store, Types, View};

/// What a client asks: write a number.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Request(pub u64);

/// See the module's text.
pub struct AsyncRaft {
    raft: Raft<Put, Applied, Network, Store>,
    metrics: watch::Receiver<RaftMetrics>,
    store: Arc<Store>,
}

/// A number among the target's options, all of which have been read before.
fn number(options: &Options, name: &str) -> u64 {
    options.get(name).expect("the target has checked its options")
}

fn role(state: State) -> Role {
    match state {
        State::Leader => Role::Leader,
        State::Candidate => Role::Candidate,
        _ => Role::Follower,
    }
}

impl TokioNode for AsyncRaft {
    type Message = Rpc;
    type Reply = Reply;
    type Request = Request;
    /// The number of the entry that was applied; none if the request was refused.
    type Answer = Option<u64>;
    type State = View;
    type Disk = RaftDisk<Types>;

    fn settings(options: &Options) -> Settings {
        Settings { tick: Duration::from_millis(number(options, "tick")), ..Settings::default() }
    }

    async fn boot(disk: RaftDisk<Types>, env: Env<AsyncRaft>) -> AsyncRaft {
        let is_fresh = disk.vote.is_none() && disk.last() == 0;
        let store = Arc::new(Store::new(disk, env.clone()));
        let option = |name| number(env.options(), name);
        let config = Config::build("shakedown".to_owned())
            .heartbeat_interval(option("heartbeat"))
            .election_timeout_min(option("election_min"))
            .election_timeout_max(option("election_max"))
            .snapshot_policy(SnapshotPolicy::LogsSinceLast(u64::MAX))
            .replication_lag_threshold(u64::MAX);
        let config = Arc::new(config.validate().expect("the options fit together"));
        let id = env.id().number() as u64;
        let network = Arc::new(Network(env.clone()));
        let raft = Raft::new(id, config, network, Arc::clone(&store));
        if is_fresh {
            let members = env.nodes().map(|node| node.number() as u64).collect();
            // Another node may have been first: then there is nothing to initialize.
            let _ = raft.initialize(members).await;
        }
        AsyncRaft { metrics: raft.metrics(), raft, store }
    }

    async fn serve(self: Arc<Self>, _from: NodeId, call: Rpc) -> Reply {
        match call {
            Rpc::Append(append) => {
                let reply = self.raft.append_entries(copy_of_append(&append)).await;
                reply.map_or(Reply::Stopped, |reply| Reply::Append(Arc::new(reply)))
            }
            Rpc::Vote(vote) => {
                let reply = self.raft.vote(copy_of_vote(&vote)).await;
                reply.map_or(Reply::Stopped, |reply| Reply::Vote(Arc::new(reply)))
            }
        }
    }

    async fn request(self: Arc<Self>, _id: RequestId, request: Request) -> Option<Option<u64>> {
        let written = self.raft.client_write(ClientWriteRequest::new(Put(request.0))).await;
        Some(written.ok().map(|written| written.index))
    }

    fn observe(&self) -> View {
        let metrics = self.metrics.borrow();
        let held = self.store.held();
        let (applied, digest) = held.applied;
        let stopped = held.applied_again.clone();
        View {
            term: metrics.current_term,
            role: role(metrics.state),
            applied,
            digest,
            stopped,
            ..held.disk.view(0)
        }
    }

    fn starting(disk: &RaftDisk<Types>) -> Option<View> {
        Some(disk.view(0))
    }
}
