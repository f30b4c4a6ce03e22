//! Clusters of servers under schedules that are written out or fair.

use std::sync::Arc;

use shakedown_check::LogState;
use shakedown_cluster::{Cluster, Contract, InProcess, NodeId, Options, Recording, Setup, Step};

use crate::{OmniNode, View};

const N1: NodeId = NodeId::new(1);
const N2: NodeId = NodeId::new(2);
const N3: NodeId = NodeId::new(3);

fn cluster() -> InProcess<OmniNode> {
    let setup = Setup {
        nodes: 3,
        contract: Contract::sessions(),
        options: Arc::new(Options::default()),
        workload: Vec::new(),
        seed: 1,
        recording: Recording::Brief,
        steps: 100,
    };
    InProcess::boot(&setup).expect("servers boot on empty disks")
}

fn perform(cluster: &mut InProcess<OmniNode>, step: Step) {
    cluster.perform(&step).unwrap_or_else(|refusal| panic!("{step}: {refusal}"));
    assert_eq!(cluster.board().stopped(), None, "{step}");
}

fn append(cluster: &mut InProcess<OmniNode>, node: NodeId, number: u64) {
    perform(cluster, Step::Request(node, format!("{{\"append\":{number}}}").into()));
}

/// Everybody's clock goes on by one, then everything under way arrives; so many times over.
fn run_fairly(cluster: &mut InProcess<OmniNode>, rounds: usize) {
    for _ in 0..rounds {
        for node in [N1, N2, N3] {
            if cluster.board().is_up(node) {
                perform(cluster, Step::Tick(node));
            }
        }
        while let Some(&oldest) = cluster.board().deliverable().iter().min() {
            let step = cluster.board().deliver(oldest);
            perform(cluster, step);
        }
    }
}

fn view(cluster: &InProcess<OmniNode>, node: NodeId) -> &View {
    &cluster.states()[node.index()]
}

fn decided(cluster: &InProcess<OmniNode>, node: NodeId) -> Vec<u64> {
    let view = view(cluster, node);
    (1..=view.decided()).map(|number| view.decided_entry(number).expect("nothing is trimmed")).collect()
}

fn leader(cluster: &InProcess<OmniNode>) -> NodeId {
    NodeId::new(view(cluster, N1).leader as usize)
}

#[test]
fn a_leader_is_elected_and_appended_entries_are_decided_everywhere() {
    let mut cluster = cluster();
    run_fairly(&mut cluster, 10);
    let leader = leader(&cluster);
    for node in [N1, N2, N3] {
        assert_eq!(view(&cluster, node).leader, leader.number() as u64, "{node}");
    }
    append(&mut cluster, N1, 10);
    append(&mut cluster, N2, 20);
    append(&mut cluster, N3, 30);
    run_fairly(&mut cluster, 10);
    let log = decided(&cluster, N1);
    assert_eq!(log.len(), 3);
    assert_eq!(decided(&cluster, N2), log);
    assert_eq!(decided(&cluster, N3), log);
    assert!(cluster.board().requests().iter().all(|request| request.answered.is_some()));
}

#[test]
fn a_restarted_server_has_what_it_had_decided() {
    let mut cluster = cluster();
    run_fairly(&mut cluster, 10);
    let leader = leader(&cluster);
    append(&mut cluster, leader, 10);
    run_fairly(&mut cluster, 5);
    let before = view(&cluster, leader).clone();
    assert_eq!(decided(&cluster, leader), [10]);
    perform(&mut cluster, Step::Crash { node: leader, keep: 0 });
    perform(&mut cluster, Step::Restart(leader));
    let after = view(&cluster, leader).clone();
    assert_eq!(after.promise, before.promise);
    assert_eq!(after.accepted_round, before.accepted_round);
    assert_eq!(decided(&cluster, leader), [10]);
    append(&mut cluster, leader, 20);
    run_fairly(&mut cluster, 20);
    assert_eq!(decided(&cluster, N1), [10, 20]);
    assert_eq!(decided(&cluster, N2), [10, 20]);
    assert_eq!(decided(&cluster, N3), [10, 20]);
}

#[test]
fn a_server_that_was_cut_off_catches_up_when_it_is_connected_again() {
    let mut cluster = cluster();
    run_fairly(&mut cluster, 10);
    let leader = leader(&cluster);
    let others: Vec<_> = [N1, N2, N3].into_iter().filter(|&node| node != leader).collect();
    let (near, far) = (others[0], others[1]);
    perform(&mut cluster, Step::Cut(leader, far));
    perform(&mut cluster, Step::Cut(near, far));
    append(&mut cluster, leader, 10);
    run_fairly(&mut cluster, 5);
    assert_eq!(decided(&cluster, near), [10]);
    assert_eq!(decided(&cluster, far), [0; 0]);
    perform(&mut cluster, Step::Heal(leader, far));
    perform(&mut cluster, Step::Heal(near, far));
    run_fairly(&mut cluster, 20);
    assert_eq!(decided(&cluster, far), [10]);
}

#[test]
fn the_same_schedule_gives_the_same_fingerprint() {
    let fingerprint = || {
        let mut cluster = cluster();
        run_fairly(&mut cluster, 10);
        append(&mut cluster, N2, 10);
        run_fairly(&mut cluster, 10);
        cluster.board().fingerprint()
    };
    assert_eq!(fingerprint(), fingerprint());
}
