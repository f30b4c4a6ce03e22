//! What holds of failures: they shrink, they replay, and their files are read with care.

use std::path::{Path, PathBuf};

use shakedown_campaign::{
    AnyTarget, Beat, Campaign, CannotReplay, Failure, Found, Sameness, ShrinkLimits, Silent, Verdict,
    Violation, shrink,
};
use shakedown_cluster::Recording;
use shakedown_toys::teller;

/// A failure as it was found, not shrunk.
fn found(target: &dyn AnyTarget, bound: u64) -> Failure {
    let mut campaign = Campaign::new(target);
    campaign.plan.shrink = None;
    campaign.plan.config.options.set("bound", bound);
    let mut summary = campaign.run(&Silent).expect("the campaign runs");
    summary.findings.remove(0).failure
}

#[test]
fn a_failure_replays_bit_for_bit_a_hundred_times() {
    let target = teller();
    let failure = found(&target, 10);
    for _ in 0..100 {
        let replayed = failure.replay(&target, Recording::Brief).expect("it replays");
        assert_eq!(replayed.same, Sameness::Exact);
    }
}

#[test]
fn a_shrunk_failure_is_shorter_violates_the_same_property_and_cannot_lose_a_step() {
    let target = teller();
    let failure = found(&target, 10);
    let shrunk = shrink(&target, &failure, ShrinkLimits::default(), &Beat::default());
    assert_eq!(shrunk.cut_short, None);
    let small = &shrunk.failure;
    assert_eq!(small.violation.property, failure.violation.property);
    assert!(small.schedule.steps.len() < failure.schedule.steps.len());
    assert_eq!(small.replay(&target, Recording::Brief).expect("it replays").same, Sameness::Exact);
    for left_out in 0..small.schedule.steps.len() {
        let mut shorter = small.clone();
        shorter.schedule.steps.remove(left_out);
        let again = shorter.replay(&target, Recording::Brief);
        assert!(
            again.is_err() || again.is_ok_and(|r| r.verdict == Verdict::Pass),
            "step {left_out} was not needed"
        );
    }
}

#[test]
fn shrinking_is_deterministic_and_says_when_a_limit_cut_it_short() {
    let target = teller();
    let failure = found(&target, 10);
    let (first, second) = (
        shrink(&target, &failure, ShrinkLimits::default(), &Beat::default()),
        shrink(&target, &failure, ShrinkLimits::default(), &Beat::default()),
    );
    assert_eq!(first.failure, second.failure);
    assert_eq!(first.executions, second.executions);
    let limits = ShrinkLimits { executions: 5, time: None };
    let short = shrink(&target, &failure, limits, &Beat::default());
    assert_eq!((short.executions, short.cut_short), (5, Some("the limit of executions")));
    assert_eq!(short.failure.violation.property, failure.violation.property);
}

#[test]
fn a_schedule_that_no_longer_fits_says_at_which_step_and_why() {
    let target = teller();
    let mut failure = found(&target, 10);
    let foreign = "deliver n1>n2#77 Tell".parse().expect("a step");
    failure.schedule.steps.insert(3, foreign);
    match failure.replay(&target, Recording::Brief) {
        Err(CannotReplay::Diverged(divergence)) => assert_eq!(
            divergence.to_string(),
            "the replay diverged at step 4, `deliver n1>n2#77 Tell`: no Tell n1>n2#77 was sent"
        ),
        _ => panic!("it must diverge"),
    }
}

#[test]
fn a_failure_that_was_mended_passes() {
    let target = teller();
    let mut failure = found(&target, 10);
    failure.config.options.set("bound", 1_000);
    let replayed = failure.replay(&target, Recording::Brief).expect("it replays");
    assert_eq!((replayed.verdict, replayed.same), (Verdict::Pass, Sameness::OtherVerdict));
}

fn boot_failure(target: &dyn AnyTarget) -> Failure {
    let mut config = target.defaults().clone();
    config.options.set("trouble", "boot");
    let violation = Violation { property: "p".to_owned(), reason: "r".to_owned() };
    let found = Found {
        strategy: "random".to_owned(),
        of: None,
        mix: None,
        campaign_seed: 1,
        execution: 0,
        steps: 0,
        shrunk: false,
    };
    Failure::new(target, &config, u64::MAX, violation, found, None)
}

#[test]
fn a_file_gives_back_what_was_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = teller();
    for failure in [found(&target, 10), boot_failure(&target)] {
        let path = folder.path().join("a/b").join(failure.file_name());
        failure.write(&path).expect("it can be written");
        assert_eq!(Failure::read(&path).expect("it can be read"), failure);
    }
}

#[test]
fn a_failure_may_be_written_by_several_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let (failure, path) = (found(&teller(), 10), folder.path().join("failure.json"));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..50).for_each(|_| failure.write(&path).expect("it can be written")));
        }
    });
    assert_eq!(Failure::read(&path).expect("it can be read"), failure);
    let files = std::fs::read_dir(folder.path()).expect("the folder can be read");
    assert_eq!(files.count(), 1, "no draft is left");
}

#[test]
fn a_file_that_is_not_a_failure_file_says_what_is_wrong_with_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = teller();
    let path = folder.path().join("failure.json");
    found(&target, 10).write(&path).expect("it can be written");
    let good = std::fs::read_to_string(&path).expect("it can be read");
    let check = |name: &str, text: &[u8], expected: &str| {
        let path: PathBuf = folder.path().join(name);
        std::fs::write(&path, text).expect("it can be written");
        let error = Failure::read(&path).expect_err(name).to_string();
        assert!(error.contains(expected), "{name}: {error}");
        assert!(error.contains(name), "{name}: the error names the file: {error}");
    };
    for length in [0, 1, 20, 200, good.len() - 3] {
        check("truncated", &good.as_bytes()[..length], "is not a failure file, or it is damaged: EOF");
    }
    check("foreign", b"{\"name\": \"package\", \"version\": 1}", "missing field `format`");
    check("list", b"[]", "it does not begin with a JSON object");
    check("text", b"hello", "it does not begin with a JSON object");
    check("another", b"{\"format\": \"something\", \"version\": 1}", "its format is `something`");
    check("newer", good.replacen("\"version\": 1", "\"version\": 2", 1).as_bytes(), "format version 2");
    check("binary", &[0xff, 0xfe, 0, 1], "valid UTF-8");
    check("step", good.replacen("request n", "require n", 1).as_bytes(), "`require` is not a kind of step");
    let missing = Failure::read(Path::new("nowhere/failure.json")).expect_err("it is not there").to_string();
    assert!(missing.starts_with("nowhere/failure.json: "), "{missing}");
}

/// A target whose property does not hold even of an execution without steps.
fn hopeless() -> shakedown_campaign::Target<shakedown_toys::Teller> {
    teller().oracles(|config| {
        let requests = config.requests;
        let holds = move |_: &shakedown_check::Seen<'_, u64>| {
            if requests > 2 { Err(format!("{requests} requests are too many")) } else { Ok(()) }
        };
        vec![shakedown_check::finally("few-requests", holds)]
    })
}

#[test]
fn what_fails_without_any_step_shrinks_to_no_step() {
    let target = hopeless();
    let failure = Campaign::new(&target).run(&Silent).expect("the campaign runs").findings.remove(0).failure;
    assert_eq!(failure.schedule.steps, []);
    assert_eq!(failure.config.requests, 4, "fewer requests would not fail");
    assert_eq!(failure.replay(&target, Recording::Brief).expect("it replays").same, Sameness::Exact);
}

#[test]
fn a_violation_of_determinism_replays_as_one() {
    let target = teller();
    let mut campaign = Campaign::new(&target);
    campaign.plan.check_determinism = true;
    campaign.plan.config.options.set("trouble", "leak");
    let failure = campaign.run(&Silent).expect("the campaign runs").findings.remove(0).failure;
    match failure.replay(&target, Recording::Brief).expect("it replays").verdict {
        Verdict::Fail(violation) => assert_eq!(violation.property, "determinism"),
        other => panic!("{other}"),
    }
}

#[test]
fn a_file_from_before_an_option_was_there_has_its_default() {
    let target = teller();
    let mut failure = found(&target, 10);
    let text = serde_json::to_string(&failure).expect("plain data").replacen(r#","trouble":"none""#, "", 1);
    failure = serde_json::from_str(&text).expect("a failure");
    assert!(failure.config.options.text("trouble").is_none());
    assert_eq!(failure.replay(&target, Recording::Brief).expect("it replays").same, Sameness::Exact);
}

#[test]
fn a_file_that_asks_for_too_much_is_refused() {
    let target = teller();
    let mut failure = found(&target, 10);
    for (requests, steps) in [(usize::MAX, 10), (3_000_000_000, 10), (1, usize::MAX)] {
        (failure.config.requests, failure.config.steps) = (requests, steps);
        let error = failure.replay(&target, Recording::Brief).err().expect("it is refused").to_string();
        assert!(error.contains("at most"), "{error}");
    }
}

#[test]
fn a_failure_whose_file_cannot_be_written_is_told_all_the_same() {
    let target = teller();
    let folder = tempfile::tempdir().expect("a folder");
    let blocked = folder.path().join("a file");
    std::fs::write(&blocked, "in the way").expect("it can be written");
    let mut campaign = Campaign::new(&target);
    campaign.plan.config.options.set("bound", 10);
    campaign.out = Some(blocked);
    let summary = campaign.run(&Silent).expect("the campaign runs");
    assert_eq!(summary.findings.len(), 1);
    assert!(summary.findings[0].path.is_none() && summary.findings[0].file_error.is_some());
}
