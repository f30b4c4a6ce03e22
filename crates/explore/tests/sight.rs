//! What is kept back from a strategy is not delivered by it, and everything else is.

use crate::scripts::{Line, Script, deliveries, run, run_without};
use shakedown_cluster::{Contract, MessageIndex};
use shakedown_explore::learning::WaypointInfo;
use shakedown_explore::{STRATEGIES, StrategyChoice, Surroundings};

/// Two chains: 0 and then 1, 2 and then 3.
const CHAINS: Script = &[
    Line { from: 1, to: 2, after: &[] },
    Line { from: 2, to: 1, after: &[0] },
    Line { from: 3, to: 4, after: &[] },
    Line { from: 4, to: 3, after: &[2] },
];

#[test]
fn a_message_that_is_withheld_is_not_delivered_and_the_others_are() {
    let surroundings = Surroundings {
        weights: &deliveries(),
        contract: &Contract::asynchronous(),
        nodes: 4,
        crashes: 0,
        steps: 10,
        requests: 0,
        phase: None,
        harnesses: &[],
        waypoints: &[WaypointInfo { name: "Any", about: "", parameters: &[] }],
        guides: &[],
    };
    for strategy in STRATEGIES {
        // Those that make faults, without.
        let text = match strategy.name {
            "closure" => "closure:isolations=0",
            "lossy" => "lossy:loss=0",
            "crashing" => "crashing:interval=1000000",
            // Of all partitions only the one in which nobody is cut off.
            "partitions" => "partitions:choices=1",
            "bonusmax" => "bonusmax:choices=1",
            "waypoint" => "waypoint:choices=1,waypoints=[Any]",
            "negvisits" => "negvisits:choices=1",
            "ucbzero" => "ucbzero:choices=1",
            "novelty" => "novelty:choices=1",
            other => other,
        };
        let explorer = text
            .parse::<StrategyChoice>()
            .and_then(|choice| choice.explorer(&surroundings))
            .expect("it is listed");
        for seed in 0..50 {
            let mut all = run(CHAINS, explorer.as_ref(), seed);
            all.sort_unstable();
            assert_eq!(all, [0, 1, 2, 3], "{}", strategy.name);
            let rest = run_without(CHAINS, explorer.as_ref(), seed, Some(MessageIndex(0)));
            assert_eq!(rest, [2, 3], "{}", strategy.name);
        }
    }
}
