//! ConfChangeBug of Netrix: the bug is found where the correction of the membership changes is missing, and
//! never elsewhere.

use expect_test::expect;
use shakedown::AnyTarget;
use shakedown::campaign::{ScenarioRun, ScenarioSummary, Silent};
use shakedown::cluster::Options;
use shakedown_planted_raft::{Fault, target};

fn run(fault: Fault, without: &[usize]) -> ScenarioSummary {
    let target: &dyn AnyTarget = &target();
    let mut options = Options::default();
    options.set("fault", fault);
    let run = ScenarioRun::new(target, "ConfChangeBug");
    ScenarioRun { options, without: without.to_vec(), ..run }
        .run(&Silent)
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_bug_shows_where_the_correction_is_missing() {
    let summary = run(Fault::ReconfigurationUnfixed, &[]);
    summary.at_least(0.55).without_doubt();
    let [(_, violation)] = &summary.violations[..] else { panic!("{summary}") };
    assert_eq!(violation.property, "state-machine-safety");
    expect![[r#"
        scenario `ConfChangeBug`: 59 of 100 iterations succeeded, 0 failed
          the first without success is number 1 of seed 1, on pctcp
          filter 1 matched 100: for the first time role role=leader and at n1 → ask n1 {"remove":"n4"} (asked 100)
          filter 2 matched 100: for the first time role role=leader and (at n2 or at n4) → ask the leader to remove n3 (asked 100)
          filter 3 matched 1356: sent and (RequestVote and not (from n1) or Append and from n1) and in state start → drop (dropped 1356)
          filter 4 matched 3763: sent and ((from n1 or to n1) or Append and to n3) and in state 1 leads → drop (dropped 3763)
          filter 5 matched 100: for the first time commit change=remove n3 → split 1 and 3 | the others (split 100)
          states entered: start 100, 1 leads 100, 3 is removed 100, success 59
          in iteration 0: state-machine-safety: n1 commits LogEntry { term: 5, digest: 0 } as entry 1, but LogEntry { term: 6, digest: 0 } was committed before
    "#]].assert_eq(&summary.to_string());
}

#[test]
fn it_never_shows_in_the_right_form_nor_with_any_other_fault() {
    for fault in [Fault::None, Fault::CommitOlderTerm, Fault::NoopInComparison] {
        let summary = run(fault, &[]);
        assert_eq!(summary.successes, 0, "{fault}: {summary}");
    }
    assert!(run(Fault::None, &[]).violations.is_empty());
}

#[test]
fn it_does_not_show_without_the_filters_that_keep_the_leaders_apart() {
    for without in [4, 5] {
        run(Fault::ReconfigurationUnfixed, &[without]).at_most(0.1);
    }
}
