//! Limits of the machine and of time: they may only cut work short, and the result reports that they did.

use std::process::Command;
use std::time::Duration;

use shakedown_campaign::{Campaign, Silent, Target, Verdict};
use shakedown_toys::Ticker;

#[test]
fn an_execution_that_the_limit_of_time_cuts_short_does_not_count() {
    let target = Target::<Ticker>::new("ticker").steps(10_000_000);
    for jobs in [1, 2] {
        let mut campaign = Campaign::new(&target);
        (campaign.plan.executions, campaign.jobs) = (3, jobs);
        campaign.time = Some(Duration::from_millis(1));
        let summary = campaign.run(&Silent).expect("the campaign runs");
        assert_eq!((summary.executions, summary.cut_short), (0, Some("the limit of time")));
        assert_eq!(summary.verdict(), Verdict::Unknown("no execution was run".to_owned()));
    }
}

/// Set in the process that has little memory.
const CHILD: &str = "SHAKEDOWN_TEST_OF_FEW_THREADS";

#[test]
#[cfg(target_os = "linux")]
fn a_campaign_goes_on_with_the_workers_that_could_be_started() {
    let target = Target::<Ticker>::new("ticker").steps(50);
    let run = |jobs| {
        let mut campaign = Campaign::new(&target);
        (campaign.plan.executions, campaign.jobs) = (600, jobs);
        let summary = campaign.run(&Silent).expect("the campaign runs");
        (summary.executions, summary.fingerprint)
    };
    if std::env::var_os(CHILD).is_some() {
        assert_eq!(run(200), run(1));
        return;
    }
    // Two hundred stacks of 64 MiB do not fit into 1.5 GiB.
    let test = std::env::current_exe().expect("this program has a path");
    let limited = Command::new("sh")
        .args(["-c", "ulimit -v 1500000 && exec \"$0\" --exact \"$1\" --nocapture"])
        .arg(test)
        .arg("limits::a_campaign_goes_on_with_the_workers_that_could_be_started")
        .envs([(CHILD, "1"), ("RUST_MIN_STACK", "67108864")])
        .output()
        .expect("a shell starts");
    let errors = String::from_utf8_lossy(&limited.stderr);
    assert!(limited.status.success(), "{errors}");
    assert!(errors.contains(" of 200 jobs run, no more threads can be started: "), "{errors}");
}
