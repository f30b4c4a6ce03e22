//! What campaigns find in CometBFT 0.38.17, and what they do not.

use shakedown::Test;
use shakedown_cometbft::{are_built, target};

#[test]
fn executions_are_deterministic() {
    if !are_built() {
        return;
    }
    for strategy in ["random", "pctcp"] {
        Test::new(target()).strategy(strategy).executions(10).check_determinism().run();
    }
}
