//! What holds of the protocol.

use shakedown::Test;
use shakedown_campaign::{AnyTarget, Campaign};
use shakedown_check::liveness::calibrate;
use shakedown_check::{FirstHeld, RegisterAnswer, RegisterOp, RegisterValues};
use shakedown_cluster::{Cluster, InProcess, NodeId, Recording, RequestId, Setup, derive_seed};
use shakedown_explore::{Execution, Sight};

use shakedown_zab::{
    Answer, CALM_ROUNDS, Durable, History, Message, Patience, Peer, Role, Server, Snapshot, Transaction,
    Zxid, target,
};

const PATIENCE: Patience = Patience { election: 2, silence: 4 };

fn node(number: usize) -> NodeId {
    NodeId::new(number)
}

fn zxid(epoch: u64, counter: u64) -> Zxid {
    Zxid { epoch, counter }
}

fn transaction(zxid: Zxid, key: u8, value: u64) -> Transaction {
    let write = Some((key, value));
    Transaction { zxid, request: RequestId(0), write, answer: RegisterAnswer::Done }
}

fn values(pairs: &[(u8, u64)]) -> RegisterValues {
    pairs.iter().copied().collect()
}

fn durable(current: u64, log: &[Transaction]) -> Durable {
    Durable { accepted: current, current, log: log.to_vec().into(), ..Durable::default() }
}

fn peer(number: usize, durable: Durable) -> Peer {
    Peer::boot(node(number), 3, PATIENCE, true, durable)
}

fn sent(peer: &mut Peer) -> Vec<(usize, Message)> {
    peer.messages().map(|(to, message)| (to.number(), message)).collect()
}

/// The third server, leading epoch 1 with the second one.
fn leader() -> Peer {
    let mut third = peer(3, Durable::default());
    third.receive(node(2), Message::Notify { current: 0, last: zxid(0, 0) });
    (0..2).for_each(|_| third.tick());
    assert_eq!(third.role(), Role::Preparing);
    third.receive(node(2), Message::FollowerInfo { accepted: 0 });
    let (current, last) = (0, zxid(0, 0));
    third.receive(node(2), Message::AckEpoch { epoch: 1, current, last, is_fresh: true, needs_all: false });
    third.receive(node(2), Message::AckSync { epoch: 1, last });
    assert_eq!(third.role(), Role::Leading);
    sent(&mut third);
    third
}

#[test]
fn a_transaction_is_committed_and_answered_when_a_majority_has_logged_it() {
    let mut third = leader();
    third.request(RequestId(0), RegisterOp::Write(0, 7));
    let proposed = Transaction { request: RequestId(0), ..transaction(zxid(1, 1), 0, 7) };
    assert_eq!(sent(&mut third), [(2, Message::Propose { transaction: proposed })]);
    assert_eq!(third.answers().count(), 0);
    third.receive(node(2), Message::Ack { zxid: zxid(1, 1) });
    assert_eq!(sent(&mut third), [(2, Message::Commit { zxid: zxid(1, 1) })]);
    let answers: Vec<_> = third.answers().collect();
    assert_eq!(answers, [(RequestId(0), Answer::Register(RegisterAnswer::Done))]);
    assert_eq!(*third.state().0, values(&[(0, 7)]));
}

#[test]
fn a_condition_is_decided_by_the_leader_on_what_is_proposed_before_it() {
    let mut third = leader();
    third.request(RequestId(0), RegisterOp::Write(0, 7));
    third.request(RequestId(1), RegisterOp::When { key: 0, is: 7, write: (1, 8) });
    third.request(RequestId(2), RegisterOp::When { key: 0, is: 0, write: (1, 9) });
    let writes: Vec<_> = third.durable().log.iter().map(|transaction| transaction.write).collect();
    assert_eq!(writes, [Some((0, 7)), Some((1, 8)), None]);
}

#[test]
fn a_leader_gives_up_if_a_follower_knows_more() {
    let mut third = peer(3, Durable::default());
    third.receive(node(2), Message::Notify { current: 0, last: zxid(0, 0) });
    (0..2).for_each(|_| third.tick());
    third.receive(node(1), Message::FollowerInfo { accepted: 4 });
    let last = zxid(4, 2);
    third
        .receive(node(1), Message::AckEpoch { epoch: 5, current: 4, last, is_fresh: true, needs_all: false });
    assert_eq!(third.role(), Role::Looking);
}

#[test]
fn a_follower_gets_what_it_lacks_and_loses_what_is_too_much() {
    let log = [transaction(zxid(1, 1), 0, 7), transaction(zxid(1, 2), 0, 8), transaction(zxid(3, 1), 0, 9)];
    let leader = durable(3, &log);
    assert_eq!(leader.history_after(zxid(1, 2)), History::Log { after: zxid(1, 2), rest: vec![log[2]] });
    // Of epoch 2 the leader knows nothing.
    let ahead = leader.history_after(zxid(2, 5));
    assert_eq!(ahead, History::Log { after: zxid(1, 2), rest: vec![log[2]] });
    let mut follower = durable(2, &[log[0], log[1], transaction(zxid(2, 5), 1, 1)]);
    assert!(follower.can_take(&ahead));
    follower.take(&ahead, true);
    assert_eq!(*follower.log, log);
    // Nor can it compare anything once it has made a snapshot of all that it has.
    let mut later = leader.clone();
    later.take_snapshot(zxid(3, 1), &leader.values_at(zxid(3, 1)));
    assert!(matches!(later.history_after(zxid(2, 5)), History::Snapshot { .. }));
}

/// What the report of ZOOKEEPER-2832 is about.
#[test]
fn with_the_bug_a_log_outlives_the_snapshot_that_replaces_it() {
    let common = transaction(zxid(1, 1), 0, 10);
    let alone = transaction(zxid(1, 2), 0, 1000);
    let snapshot = Snapshot { zxid: zxid(1, 1), values: values(&[(0, 10)]).into() };
    for (truncate, after_restart) in [(true, 10), (false, 1000)] {
        let mut second = Peer::boot(node(2), 3, PATIENCE, truncate, durable(1, &[common, alone]));
        second.receive(node(3), Message::Ping { epoch: Some(3), committed: zxid(1, 1) });
        second.receive(node(3), Message::LeaderInfo { epoch: 3 });
        let history = History::Snapshot { snapshot: snapshot.clone(), rest: Vec::new() };
        second.receive(node(3), Message::Sync { epoch: 3, history, committed: zxid(1, 1) });
        assert_eq!(second.state().0.get(0), 10, "in memory it is forgotten");
        let again = Peer::boot(node(2), 3, PATIENCE, truncate, second.durable().clone());
        assert_eq!(again.state().0.get(0), after_restart);
    }
}

/// After how many calm rounds of a fault-free execution a server leads that all others follow.
fn first_rounds(seed: u64) -> u64 {
    let target = target();
    let mut campaign = Campaign::new(&target);
    campaign.plan.strategy = "closure:isolations=0,rounds=200,warm-up=0".parse().expect("this is a strategy");
    let explorer = campaign.explorer().expect("the strategy exists");
    let options = campaign.plan.config.options.clone();
    let setup = Setup {
        nodes: 3,
        contract: AnyTarget::contract(&target, &options).expect("the defaults are right"),
        options: options.into(),
        workload: Vec::new(),
        steps: 2_000,
        seed: derive_seed(seed, 2),
        recording: Recording::Brief,
    };
    let mut cluster = InProcess::<Server>::boot(&setup).expect("nodes boot");
    let execution = Execution { number: seed, seed: derive_seed(seed, 1), steps_max: 2_000 };
    let mut strategy = explorer.strategy(&execution);
    let mut held = FirstHeld::default();
    while let Some(step) = strategy.next(&Sight::of(cluster.board())) {
        cluster.perform(&step).expect("lock step chooses possible steps");
        let serving =
            cluster.states().iter().all(|view| matches!(view.role, Role::Leading | Role::Following));
        held.observe(cluster.board(), serving);
    }
    held.rounds().expect("it comes about without faults")
}

#[test]
fn the_calm_before_the_judgement_is_what_fault_free_executions_say() {
    let rounds: Vec<u64> = (0..100).map(first_rounds).collect();
    assert_eq!(CALM_ROUNDS, calibrate(&rounds), "the slowest takes {:?}", rounds.iter().max());
}

#[test]
fn nothing_is_wrong_whatever_the_strategy() {
    for strategy in ["random", "pctcp", "bonusmax", "closure", "closure:level=c,by=crash"] {
        Test::new(target()).executions(300).strategy(strategy).run();
        Test::new(target().nodes(5)).executions(100).strategy(strategy).run();
    }
}

/// The paper's harnesses, in steps of two stages, with clients that ask when servers have been stopped.
fn in_steps(harness: &str, steps: usize, isolations: usize, truncate: bool) -> Test {
    let strategy = format!(
        "closure:rounds={},isolations={isolations},level=c,stages=2,by=crash,asked=work,harness={harness},recovery={}",
        2 * steps,
        2 * CALM_ROUNDS
    );
    Test::new(target()).steps(4_000).strategy(strategy).set("truncate", truncate).set("agreement", false)
}

#[test]
fn servers_diverge_in_the_papers_harness_with_the_bug_only() {
    in_steps("h-div", 3, 4, false)
        .executions(2_000)
        .expect_violation("sequential-consistency-of-the-final-state");
    in_steps("h-div", 3, 4, true).executions(1_000).run();
    in_steps("h-sc", 5, 6, true).executions(1_000).run();
}
