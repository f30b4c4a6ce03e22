//! Plans as stores hold them: text that was written before still loads, and is written again as it was.

use shakedown_campaign::Plan;

/// What `run planted-raft --strategy fuzz:model,horizon=30 --executions 20 --measure trace --keep DIR` wrote
/// while strategies were text. Stores look plans up by this text, so not even the order of its fields may
/// change.
const PLAN: &str = r#"{"target":"planted-raft","target_version":"shakedown-planted-raft 0.1.0","shakedown":"0.1.0","config":{"nodes":3,"steps":300,"requests":16,"crashes":3,"options":{"append_max":"1","compaction":"true","conformance":"false","election_tick":"4","fault":"commit-older-term","heartbeat_tick":"1","membership":"false","oracles":"all","spec":"none","spec_config":"","spec_modules":""}},"strategy":"fuzz:model,horizon=30","weights":"deliver=100,drop=2,duplicate=1,tick=25,fire=25,flush=25,request=8,crash=1,restart=5,cut=1,heal=4","seed":1,"first":0,"executions":20,"keep_going":false,"variants":1,"measures":["trace"],"check_determinism":false,"shrink":[1000000,60]}"#;

#[test]
fn a_plan_that_was_written_when_strategies_were_text_loads_and_is_written_as_it_was() {
    let with = |strategy: &str| PLAN.replace("fuzz:model,horizon=30", strategy);
    for strategy in [
        "fuzz:model,horizon=30",
        "fuzz:guide=model",
        "random",
        "pctcp:depth=10,messages=500",
        "closure:rounds=8,isolations=any,harness=workload",
        "waypoint:waypoints=[LogDiff(1), LogCommitDiff(3)],horizon=25",
    ] {
        let plan: Plan = serde_json::from_str(&with(strategy)).expect(strategy);
        assert_eq!(plan.strategy.to_string(), strategy);
        assert_eq!(serde_json::to_string(&plan).expect("a plan is JSON"), with(strategy));
    }
    let unshrunk = PLAN.replace("[1000000,60]", "null").replace("[\"trace\"]", "[]");
    let plan: Plan = serde_json::from_str(&unshrunk).expect("no shrinking, nothing measured");
    assert_eq!(serde_json::to_string(&plan).expect("a plan is JSON"), unshrunk);
    let error = serde_json::from_str::<Plan>(&with("luck")).expect_err("this is no strategy").to_string();
    assert!(error.starts_with("there is no strategy `luck`: choose one of random, "), "{error}");
}
