//! Raft in lock step: how many calm rounds it needs, and that it comes back whatever processes were isolated
//! before.

use shakedown::Test;
use shakedown::campaign::{AnyTarget, Campaign};
use shakedown::check::FirstHeld;
use shakedown::check::liveness::calibrate;
use shakedown::explore::{Execution, Sight};
use shakedown::rafts::{RaftState, Role, end_of_log};
use shakedown_cluster::{Clients, Cluster, InProcess, Recording, Setup, derive_seed};
use shakedown_raft::{CALM_ROUNDS, RaftNode, RaftView, target};

/// In how many fault-free executions it is measured how long raft needs.
const EXECUTIONS: u64 = 1_000;

/// After how many calm rounds a fault-free execution first has a leader, and first has equal logs with
/// something in them.
fn first_rounds(seed: u64) -> [u64; 2] {
    let target = target();
    let mut campaign = Campaign::new(&target);
    campaign.plan.strategy = "closure:isolations=0,rounds=80,warm-up=0".parse().expect("this is a strategy");
    let explorer = campaign.explorer().expect("the strategy exists");
    let setup = Setup {
        nodes: 3,
        contract: AnyTarget::contract(&target, &campaign.plan.config.options)
            .expect("the defaults are right"),
        options: campaign.plan.config.options.clone().into(),
        workload: Vec::new(),
        steps: 2_000,
        seed: derive_seed(seed, 2),
        recording: Recording::Brief,
    };
    let mut cluster = InProcess::<RaftNode>::boot(&setup).expect("nodes boot");
    let mut strategy =
        explorer.strategy(&Execution { number: seed, seed: derive_seed(seed, 1), steps_max: 2_000 });
    let mut held = [FirstHeld::default(), FirstHeld::default()];
    while let Some(step) = strategy.next(&Sight::of(cluster.board())) {
        cluster.perform(&step).expect("lock step chooses possible steps");
        let states = cluster.states();
        let is_led = states.iter().any(|view| view.role() == Role::Leader);
        let end = end_of_log::<RaftView>(&states[0]);
        let are_equal = end.0 > 0 && states.iter().all(|view| end_of_log(view) == end);
        held[0].observe(cluster.board(), is_led);
        held[1].observe(cluster.board(), are_equal);
    }
    held.map(|held| held.rounds().expect("it comes about without faults"))
}

#[test]
fn the_bound_of_liveness_is_what_fault_free_executions_say() {
    let rounds: Vec<u64> = (0..EXECUTIONS).flat_map(first_rounds).collect();
    assert_eq!(CALM_ROUNDS, calibrate(&rounds), "the slowest takes {:?}", rounds.iter().max());
}

/// The paper's harness for Ratis: n = 3, four requests, r = 8, k = 2.
#[test]
fn whatever_was_isolated_a_leader_equal_logs_and_answers_come_back() {
    for level in ["a", "b", "c", "c,by=crash"] {
        for isolations in [1, 4, 7] {
            let recovery = 2 * CALM_ROUNDS + 10;
            let strategy = format!(
                "closure:rounds=8,period=2,isolations={isolations},level={level},harness=ratis,recovery={recovery}"
            );
            let test = Test::new(target()).executions(100).steps(4_000).strategy(strategy);
            test.set("liveness", true).set("library_invariants", false).run();
        }
    }
}

/// The paper's harness for Ratis with its P3, where isolations outlast an election.
fn p3(level: &str, isolations: usize, clients: Clients) -> Test {
    let recovery = CALM_ROUNDS + 10;
    let shape = match level.contains("stages=2") {
        true => "rounds=8,harness=ratis-p3",
        false => "rounds=80,period=20,harness=ratis-slow",
    };
    let strategy = format!("closure:{shape},isolations={isolations},level={level},recovery={recovery}");
    let test = Test::new(target()).executions(100).steps(4_000).strategy(strategy);
    test.set("liveness", true).set("library_invariants", false).set("clients", clients)
}

#[test]
fn a_client_that_asks_again_gets_an_answer_to_every_request() {
    for level in ["a", "b", "c", "c,by=crash", "c,stages=2", "c,stages=2,by=crash"] {
        for isolations in [4, 7] {
            p3(level, isolations, Clients::Retrying).run();
        }
    }
}

/// What the paper found in Ratis with Netty: the leader is cut off after it took a request, and its client
/// waits for it.
#[test]
fn a_client_that_only_follows_redirects_may_wait_for_ever() {
    p3("a", 4, Clients::Redirected).expect_violation("every-request-answered");
}

/// Requests that are in the log twice take effect once: otherwise a conditional write could fail because of
/// itself.
#[test]
fn registers_are_linearizable_for_clients_that_ask_again() {
    for strategy in ["random", "pctcp", "closure:rounds=10,period=2,isolations=4,harness=sampled,patience=2"]
    {
        let test = Test::new(target()).executions(500).strategy(strategy).steps(1_000);
        test.set("registers", true).set("library_invariants", false).set("clients", Clients::Retrying).run();
    }
}

#[test]
fn registers_on_raft_are_linearizable_and_end_alike() {
    for harness in ["h-div", "h-sc", "sampled", "workload"] {
        for level in ["a", "b", "c,by=crash"] {
            let recovery = CALM_ROUNDS + 10;
            let strategy = format!(
                "closure:rounds=10,period=2,isolations=4,level={level},harness={harness},recovery={recovery}"
            );
            let test = Test::new(target()).executions(100).steps(4_000).strategy(strategy);
            test.set("registers", true).set("library_invariants", false).run();
        }
    }
    for strategy in ["random", "pctcp"] {
        let test = Test::new(target()).executions(500).strategy(strategy);
        test.set("registers", true).set("library_invariants", false).run();
    }
}
