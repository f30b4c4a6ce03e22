//! One openraft node.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use openraft::raft::AppendEntriesResponse as Appended;
use openraft::storage::Snapshot;
use openraft::{Config, Raft, RaftMetrics, ServerState, SnapshotPolicy};
use serde::{Deserialize, Serialize};
use shakedown::async_node::{AsyncNode, Env, Settings};
use shakedown::cluster::{Fact, NodeId, Options, RequestId};
use shakedown::rafts::{RaftDisk, Role};
use tokio::sync::watch;

use crate::{Ballot, Reply, Rpc, Store, Types, View, ballot, place_of};

/// What a client asks.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// Write a number: `{"put":5}`.
    Put(u64),
    /// Make these nodes the voters, and learners of those that were: `{"members":["n1","n3"]}`.
    Members(Vec<NodeId>),
    /// Take a snapshot: `"snapshot"`.
    Snapshot,
}

/// The ballot of a node that has never voted.
const NO_BALLOT: Ballot = (0, NodeId::new(1));

/// See the module's text.
pub struct OpenRaft {
    raft: Raft<Types>,
    metrics: watch::Receiver<RaftMetrics<u64, ()>>,
    store: Store,
}

fn role(state: ServerState) -> Role {
    match state {
        ServerState::Leader => Role::Leader,
        ServerState::Candidate => Role::Candidate,
        _ => Role::Follower,
    }
}

impl AsyncNode for OpenRaft {
    type Message = Rpc;
    type Reply = Reply;
    type Request = Request;
    /// The number of the entry that was applied; none if the request was refused, or makes no entry.
    type Answer = Option<u64>;
    type State = View;
    type Disk = RaftDisk<Types>;

    fn settings(options: &Options) -> Settings {
        Settings::of(options)
    }

    async fn boot(disk: RaftDisk<Types>, env: Env<OpenRaft>) -> OpenRaft {
        let is_fresh = disk.vote.is_none() && disk.last() == 0;
        let store = Store::new(disk, env.clone());
        let config = Config {
            heartbeat_interval: env.option("heartbeat"),
            election_timeout_min: env.option("election_min"),
            election_timeout_max: env.option("election_max"),
            max_payload_entries: env.option("payload"),
            replication_lag_threshold: env.option("lag"),
            snapshot_policy: SnapshotPolicy::Never,
            max_in_snapshot_log_to_keep: 0,
            ..Config::default()
        };
        let config = Arc::new(config.validate().expect("the options fit together"));
        let (id, network) = (env.id().number() as u64, env.peer(env.id()));
        let raft = Raft::new(id, config, network, store.clone(), store.clone()).await.expect("it starts");
        if is_fresh {
            let members: BTreeMap<_, _> = env.nodes().map(|node| (node.number() as u64, ())).collect();
            let raft = raft.clone();
            env.spawn(async move { raft.initialize(members).await });
        }
        let mut server = raft.server_metrics();
        env.clone().spawn(async move {
            while server.changed().await.is_ok() {
                let server = server.borrow_and_update();
                let fact = Fact::new("role").with("role", role(server.state).name());
                env.emit(fact.with("term", server.vote.leader_id.term));
            }
        });
        OpenRaft { metrics: raft.metrics(), raft, store }
    }

    async fn serve(self: Rc<Self>, _from: NodeId, call: Rpc) -> Reply {
        match call {
            Rpc::Append(append) => match self.raft.append_entries(append).await {
                Ok(Appended::Success) => Reply::Success,
                Ok(Appended::PartialSuccess(id)) => Reply::PartialSuccess(id),
                Ok(Appended::Conflict) => Reply::Conflict,
                Ok(Appended::HigherVote(vote)) => Reply::HigherVote(vote),
                Err(_) => Reply::Stopped,
            },
            Rpc::Vote(vote) => self.raft.vote(vote).await.map_or(Reply::Stopped, Reply::Vote),
            Rpc::Snapshot(vote, meta, data) => {
                let snapshot = Snapshot { meta, snapshot: Box::new(data) };
                let taken = self.raft.install_full_snapshot(vote, snapshot).await;
                taken.map_or(Reply::Stopped, |taken| Reply::Snapshot(taken.vote))
            }
        }
    }

    async fn request(self: Rc<Self>, _id: RequestId, request: Request) -> Option<Option<u64>> {
        let done = match request {
            Request::Put(value) => self.raft.client_write(value).await.ok(),
            Request::Members(nodes) => {
                let voters: Vec<_> = nodes.iter().map(|node| node.number() as u64).collect();
                self.raft.change_membership(voters, true).await.ok()
            }
            Request::Snapshot => self.raft.trigger().snapshot().await.ok().and(None),
        };
        Some(done.map(|done| done.log_id.index + 1))
    }

    fn observe(&self) -> View {
        let metrics = self.metrics.borrow();
        let (applied, digest) = &*self.store.machine.borrow();
        View {
            term: ballot(&metrics.vote.leader_id),
            role: role(metrics.state),
            applied: applied.last_log_id.map_or(0, |id| id.index + 1),
            digest: *digest,
            durable: self.store.disk.durable(),
            made_by: metrics.membership_config.log_id().as_ref().map(place_of),
            stopped: metrics.running_state.as_ref().err().map(ToString::to_string),
            ..self.store.disk.get().view(NO_BALLOT)
        }
    }

    fn starting(disk: &RaftDisk<Types>) -> Option<View> {
        Some(disk.view(NO_BALLOT))
    }
}
