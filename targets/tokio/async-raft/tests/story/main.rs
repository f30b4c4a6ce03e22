//! What async-raft 0.6.1 does wrong by itself: one node on tokio, a plain storage, messages by hand. Nothing
//! of Shakedown runs here.
//!
//! Each of the two is enough to violate what the campaigns find violated: state-machine-safety and
//! leader-completeness. Whether every failure of the campaigns comes of one of them has not been shown.

mod plain;

use std::future::pending;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Result, bail};
use async_raft::raft::{
    AppendEntriesRequest, AppendEntriesResponse, ConflictOpt, InstallSnapshotRequest,
    InstallSnapshotResponse, VoteRequest, VoteResponse,
};
use async_raft::{Config, Raft, RaftNetwork};
use async_trait::async_trait;
use plain::{Done, Plain, Put};

/// Both peers vote for every candidate. Node 2 replies to the first append that it has one entry only, and is
/// silent then; node 3 is silent.
#[derive(Default)]
struct Peers {
    /// The commit indices of all appends that were sent.
    commits: Mutex<Vec<u64>>,
    has_replied: Mutex<bool>,
}

#[async_trait]
impl RaftNetwork<Put> for Peers {
    async fn append_entries(
        &self,
        target: u64,
        rpc: AppendEntriesRequest<Put>,
    ) -> Result<AppendEntriesResponse> {
        self.commits.lock().expect("no panic").push(rpc.leader_commit);
        let is_first = !rpc.entries.is_empty()
            && target == 2
            && !std::mem::replace(&mut *self.has_replied.lock().expect("no panic"), true);
        if !is_first {
            return pending().await;
        }
        let conflict_opt = Some(ConflictOpt { term: 1, index: 1 });
        Ok(AppendEntriesResponse { term: rpc.term, success: false, conflict_opt })
    }

    async fn install_snapshot(&self, _: u64, _: InstallSnapshotRequest) -> Result<InstallSnapshotResponse> {
        bail!("no snapshot is ever taken")
    }

    async fn vote(&self, _target: u64, rpc: VoteRequest) -> Result<VoteResponse> {
        Ok(VoteResponse { term: rpc.term, vote_granted: true })
    }
}

fn start(id: u64, peers: &Arc<Peers>, store: &Arc<Plain>) -> Raft<Put, Done, Peers, Plain> {
    let config = Config::build("story".to_owned()).validate().expect("the defaults fit together");
    Raft::new(id, Arc::new(config), Arc::clone(peers), Arc::clone(store))
}

/// Entry 2 of node 2 is of term 1. The leader of term 2 has another entry there, which is committed, and
/// sends a heartbeat. Node 2 lacks the entry that the heartbeat names, so it must refuse. It does not
/// compare, takes over the commit index, and applies its own entry.
#[tokio::test(start_paused = true)]
async fn a_heartbeat_makes_a_follower_apply_an_entry_that_its_leader_does_not_have() {
    let (peers, store) = (Arc::default(), Arc::new(Plain::with_two_entries()));
    let raft = start(2, &peers, &store);
    let heartbeat = AppendEntriesRequest {
        term: 2,
        leader_id: 3,
        prev_log_index: 2,
        prev_log_term: 2,
        entries: Vec::new(),
        leader_commit: 2,
    };
    let reply = raft.append_entries(heartbeat).await.expect("it replies");
    assert!(reply.success, "it does not look at the entry before");
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(store.applied(), [(2, 7)], "an entry of term 1, which no quorum ever had");
}

/// Node 1 has two entries and is elected. It takes both followers for nodes that have the two, in its own
/// term. When node 2 reports that it has one only, node 3 counts for the second entry still, though nothing
/// was ever heard of it.
#[tokio::test(start_paused = true)]
async fn a_new_leader_commits_an_entry_that_no_follower_has() {
    let (peers, store) = (Arc::new(Peers::default()), Arc::new(Plain::with_two_entries()));
    let _raft = start(1, &peers, &store);
    // A node that has a log waits for half a minute before it stands for election.
    tokio::time::sleep(Duration::from_secs(60)).await;
    let commits = peers.commits.lock().expect("no panic").clone();
    assert_eq!(commits.first(), Some(&0));
    assert_eq!(commits.iter().max(), Some(&2), "no reply has ever acknowledged an entry");
}
