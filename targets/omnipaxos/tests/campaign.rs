//! omnipaxos 0.2.4 passes the campaign in which 0.2.3 and 0.2.2 fail.

use shakedown::Test;
use shakedown_omnipaxos::target;

#[test]
fn twenty_thousand_random_walks_find_nothing() {
    Test::new(target()).executions(20_000).jobs(2).run();
}

#[test]
fn two_thousand_executions_by_each_other_strategy_find_nothing() {
    for strategy in ["pctcp", "pos"] {
        Test::new(target()).strategy(strategy).executions(2_000).jobs(2).run();
    }
}
