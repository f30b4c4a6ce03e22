//! What campaigns find in a Raft without a planted fault: nothing.

use shakedown::Test;
use shakedown_planted_raft::target;

#[test]
fn without_a_fault_rafts_invariants_hold() {
    for strategy in ["random", "pctcp", "closure:rounds=40,isolations=12", "crashing:rounds=40"] {
        for (nodes, membership) in [(3, false), (4, true), (5, true)] {
            let test = Test::new(target()).strategy(strategy).nodes(nodes).set("membership", membership);
            test.steps(600).requests(24).executions(300).run();
        }
    }
}

#[test]
fn an_execution_follows_from_its_seed() {
    for strategy in ["random", "pctcp", "closure"] {
        let test = Test::new(target()).strategy(strategy).set("membership", true).nodes(4);
        test.executions(100).check_determinism().run();
    }
}
