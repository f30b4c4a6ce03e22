//! Three etcd servers, as CI runs them: a few executions at the grain of messages, and a bug of ours that is
//! found.

use shakedown_cluster::{Fate, Recording, Step, StepKind};
use shakedown_etcd::{is_built, target};
use shakedown_explore::{Environment, Execution, Explorer, RandomWalk};
use shakedown_live::LiveNode;
use shakedown_target::{AnyTarget, Beat, Config, Outcome, Target, Verdict, execute};

fn walk(target: &Target<LiveNode>, config: &Config, seed: u64) -> Outcome {
    let live = target.begin(config, seed, Recording::Full).expect("the servers become ready");
    let environment = Environment::new(target.info().weights.clone(), config.crashes);
    let execution = Execution { number: 0, seed, steps_max: config.steps };
    let mut strategy = RandomWalk::new(environment).strategy(&execution);
    execute(live, strategy.as_mut(), config.steps, &Beat::default())
}

#[test]
fn etcd_is_linearizable_and_available_under_cuts_kills_and_pauses() {
    if !is_built() {
        return;
    }
    let target = target();
    let mut config = target.defaults().clone();
    config.options.set("pauses", "true");
    let (mut kinds, mut steps, mut answered) = (Vec::new(), Vec::new(), 0);
    for seed in 1..=2 {
        let Outcome { verdict, trace, .. } = walk(&target, &Config { steps: 300, ..config.clone() }, seed);
        assert_eq!(verdict, Verdict::Pass, "seed {seed}");
        let received =
            trace.board.messages().iter().filter(|message| matches!(message.fate, Fate::Received(_)));
        kinds.extend(received.map(|message| message.kind.as_str()));
        steps.extend(trace.board.steps().iter().map(Step::kind));
        answered += trace.board.requests().iter().filter(|request| request.answer.is_some()).count();
    }
    for kind in ["MsgApp", "MsgAppResp", "MsgHeartbeat", "MsgHeartbeatResp"] {
        assert!(kinds.contains(&kind), "no {kind} was delivered");
    }
    for kind in [StepKind::Crash, StepKind::Restart, StepKind::Cut, StepKind::Heal, StepKind::Fire] {
        assert!(steps.contains(&kind), "no step `{}` was done", kind.word());
    }
    assert!(answered > 10, "{answered} requests were answered");
}
