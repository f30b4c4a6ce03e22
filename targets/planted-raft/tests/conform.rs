//! This Raft beside its specification: the right one conforms on every path, each fault is found, and so are
//! specifications that are wrong on purpose.

use std::sync::LazyLock;

use shakedown_campaign::{
    Campaign, CannotBegin, ConformError, ConformRun, ConformSummary, Sameness, ShrinkLimits, Silent, Target,
};
use shakedown_cluster::Recording;
use shakedown_conform::SPEC_OPTION;
use shakedown_conform::compare::{FindingKind, SPEC_CONFIG_OPTION, SPEC_MODULES_OPTION, SpecModel};
use shakedown_explore::Weights;
use shakedown_planted_raft::spec::MODELS;
use shakedown_planted_raft::{Fault, RaftNode, target};

/// One for all tests: it keeps the state graphs of its models.
static TARGET: LazyLock<Target<RaftNode>> = LazyLock::new(target);

/// What comes of the paths of a model, unshrunk.
fn conform(model: &str, fault: Fault, change: impl Fn(&mut ConformRun<'_>)) -> ConformSummary {
    let mut run = ConformRun::new(&*TARGET).expect("there are models");
    run.beside(model).config.options.set("fault", fault);
    run.with_its_nodes().expect("the model can be read");
    run.shrink = None;
    change(&mut run);
    run.run(&Silent).expect("the model can be walked")
}

#[test]
fn the_right_raft_conforms_on_every_path_of_the_small_models() {
    for (model, nodes, paths) in
        [("election", 3, 3_333), ("four", 4, 528), ("crash", 3, 4_455), ("change", 3, 806)]
    {
        let summary = conform(model, Fault::None, |_| ());
        assert_eq!(
            (summary.failed, summary.unknown.0, &summary.unplayed.1),
            (0, 0, &None),
            "{model}: {summary:?}"
        );
        assert_eq!((summary.nodes, summary.paths), (nodes, paths), "{model}");
        assert_eq!(summary.edges, summary.graph.edges, "{model}: every edge is covered");
        assert_eq!(summary.steps, summary.graph.steps, "{model}: a step is an action");
    }
}

/// Beside this model, the fault is found as one of these: which variable is the first to differ depends on
/// the path. Reduced paths find it too.
fn is_found(model: &str, fault: Fault, properties: &str, after: &str) {
    for reduce in [false, true] {
        let summary = conform(model, fault, |run| run.cover.reduce = reduce);
        let [finding] = &summary.findings[..] else { panic!("{fault}: {summary:?}") };
        let violation = &finding.failure.violation;
        let is_one = properties
            .split(" or ")
            .any(|variable| violation.property == format!("inconsistent state: {variable}"));
        assert!(is_one, "{fault}: {}: {}", violation.property, violation.reason);
        assert!(violation.reason.starts_with(after), "{fault}: {}", violation.reason);
        assert!(violation.reason.contains("either side may be wrong"), "{}", violation.reason);
        let replayed = finding.failure.replay(&*TARGET, Recording::Brief).expect("it can be replayed");
        assert_eq!(replayed.same, Sameness::Exact, "{fault}");
    }
}

#[test]
fn a_fault_of_elections_shows_as_an_inconsistent_state() {
    is_found("four", Fault::QuorumThird, "role", "after HandleVote(");
    is_found("crash", Fault::VoteNotPersisted, "votedFor", "after Restart(");
    is_found("crash", Fault::TermNotPersisted, "currentTerm", "after Restart(");
    is_found("five", Fault::DuplicateVoteCounted, "role", "after HandleVote(");
    is_found("election", Fault::NoopInComparison, "net", "after Campaign(");
    is_found("change", Fault::ReconfigurationUnfixed, "log", "after Change(");
}

#[test]
fn a_vote_that_counts_twice_shows_in_the_votes() {
    let summary = conform("five", Fault::DuplicateVoteCounted, |_| ());
    let reason = &summary.findings[0].failure.violation.reason;
    assert!(reason.contains("votesGranted[1]: expected {1, "), "{reason}");
}

#[test]
fn a_fault_of_snapshots_shows_as_an_inconsistent_state() {
    is_found("snapshot", Fault::SnapshotOverNewer, "log", "after HandleSnapshot(");
}

#[test]
fn a_fault_of_replication_shows_as_an_inconsistent_state() {
    is_found("replication", Fault::CommitOlderTerm, "commitIndex", "after HandleAppendResponse(");
    is_found("replication", Fault::NoTruncation, "log", "after HandleAppend(");
    is_found("replication", Fault::StaleAppend, "role or log", "after HandleAppend(");
}

/// The fault is found beside this model as an action of this kind, on all paths and on reduced ones.
fn is_found_as_an_action(model: &str, fault: Fault, kind: FindingKind, action: &str) {
    for reduce in [false, true] {
        let summary = conform(model, fault, |run| run.cover.reduce = reduce);
        assert_eq!(summary.of_kind(kind), 1, "{fault}: {summary:?}");
        let failure = &summary.findings[0].failure;
        let (property, reason) = (&failure.violation.property, &failure.violation.reason);
        assert!(property.ends_with(&format!(" action: {action}")), "{fault}: {property}: {reason}");
        let replayed = failure.replay(&*TARGET, Recording::Brief).expect("it can be replayed");
        assert_eq!(replayed.same, Sameness::Exact, "{fault}");
    }
}

#[test]
fn a_fault_that_loses_an_action_shows_as_a_missing_one() {
    is_found_as_an_action("crash", Fault::TimerLostAtRestart, FindingKind::MissingAction, "Campaign");
}

#[test]
fn a_fault_that_does_too_much_shows_as_an_unexpected_action() {
    is_found_as_an_action("change", Fault::RemovedCampaigns, FindingKind::UnexpectedAction, "Campaign");
}

#[test]
fn a_finding_shrinks() {
    let summary = conform("four", Fault::QuorumThird, |run| {
        let limits = ShrinkLimits { executions: 2_000, time: None };
        run.shrink = Some(limits);
    });
    let [finding] = &summary.findings[..] else { panic!("{summary:?}") };
    let steps: Vec<_> = finding.failure.schedule.steps.iter().map(ToString::to_string).collect();
    assert_eq!(steps.len(), 3, "{steps:?}");
    assert!(finding.failure.found.steps > 3 && finding.failure.found.shrunk);
}

#[test]
fn a_specification_that_takes_terms_over_on_its_own_has_an_action_that_is_missing() {
    let summary = conform("update-term", Fault::None, |_| ());
    assert_eq!(summary.of_kind(FindingKind::MissingAction), 1, "{summary:?}");
    let violation = &summary.findings[0].failure.violation;
    assert_eq!(violation.property, "missing action: UpdateTerm");
    // What is offered instead, and why the specification does not enable that.
    for reported in
        ["it offers\n", "the implementation offers HandleRequestVote(", "m.term <= currentTerm[m.to]"]
    {
        assert!(violation.reason.contains(reported), "{reported}: {}", violation.reason);
    }
    assert!(violation.reason.contains("PlantedRaftUpdateTerm:"), "{}", violation.reason);
}

#[test]
fn a_specification_that_does_not_answer_differs_in_the_messages() {
    let summary = conform("no-reply", Fault::None, |_| ());
    let violation = &summary.findings[0].failure.violation;
    assert_eq!(violation.property, "inconsistent state: log", "{}", violation.reason);
    assert!(violation.reason.starts_with("after HandleAppend("), "{}", violation.reason);
    assert!(violation.reason.contains("net[AppendResponse "), "{}", violation.reason);
}

#[test]
fn the_number_of_jobs_changes_nothing_and_limits_are_told() {
    let reported = |jobs: usize| {
        let summary = conform("crash", Fault::VoteNotPersisted, |run| {
            (run.jobs, run.keep_going, run.paths) = (jobs, true, Some(300));
        });
        let findings: Vec<_> =
            summary.findings.iter().map(|finding| (finding.failure.clone(), finding.hits)).collect();
        assert_eq!(summary.cut_short, Some("the limit of paths"));
        (summary.paths, summary.steps, summary.failed, findings)
    };
    let one = reported(1);
    assert_eq!(one.0, 300);
    assert_eq!(one, reported(3));
}

#[test]
fn what_was_run_beyond_the_finding_that_ends_a_run_does_not_count() {
    let reported = |jobs: usize| {
        let summary = conform("crash", Fault::VoteNotPersisted, |run| {
            let model =
                run.target.info().specs.iter().find(|model| model.name == "crash").expect("it is there");
            // The contract lets one of three nodes be down at once, so paths on which two are cannot be
            // played.
            run.config.options.set(SPEC_CONFIG_OPTION, model.config.replace("MaxDown = 1", "MaxDown = 2"));
            run.jobs = jobs;
        });
        (summary.paths, summary.failed, summary.unplayed)
    };
    let one = reported(1);
    assert!(one.1 == 1 && one.2.0 > 0, "{one:?}");
    assert_eq!(one, reported(4));
}

#[test]
fn paths_end_after_the_actions_that_end_them() {
    let summary = conform("crash", Fault::None, |run| run.cover.ends.actions = vec!["Restart".to_owned()]);
    assert_eq!(summary.failed, 0);
    assert_eq!(summary.graph.covered, summary.graph.targets);
    assert!(summary.graph.targets < 8_544 && summary.paths > 0, "{:?}", summary.graph);
}

/// A campaign of random executions beside a specification.
fn random(fault: Fault, executions: u64) -> shakedown_campaign::Summary {
    let mut campaign = Campaign::new(&*TARGET);
    campaign.plan.executions = executions;
    campaign.plan.shrink = None;
    campaign.plan.config.steps = 60;
    campaign.plan.weights =
        Weights::changed_by(campaign.plan.weights.clone(), "cut=0,heal=0").expect("these are weights");
    for (option, value) in
        [("fault", fault.to_string().as_str()), ("election_tick", "1"), (SPEC_OPTION, "replication")]
    {
        campaign.plan.config.options.set(option, value);
    }
    campaign.run(&Silent).expect("the campaign runs")
}

#[test]
fn the_oracle_follows_executions_of_any_strategy_beyond_the_bounds_of_the_model() {
    let right = random(Fault::None, 30);
    assert_eq!((right.executions, right.failed, right.unknown), (30, 0, 0), "{right:?}");
    let wrong = random(Fault::StaleAppend, 30);
    assert!(wrong.findings[0].failure.violation.property.starts_with("inconsistent state"), "{wrong:?}");
}

#[test]
fn what_the_specification_does_not_know_is_not_judged() {
    let mut campaign = Campaign::new(&*TARGET);
    campaign.plan.executions = 5;
    campaign.plan.shrink = None;
    campaign.plan.config.steps = 30;
    campaign.plan.weights = Weights::none().changed_by("cut=1,heal=1").expect("these are weights");
    campaign.plan.config.options.set("election_tick", 1);
    campaign.plan.config.options.set(SPEC_OPTION, "election");
    let summary = campaign.run(&Silent).expect("the campaign runs");
    assert_eq!((summary.failed, summary.unknown), (0, 5));
    assert!(summary.unknown_reason.is_some_and(|reason| reason.contains("links are cut")));
}

#[test]
fn a_specification_of_ones_own_is_in_the_failure_file() {
    let module = "---- MODULE Mine ----\nEXTENDS PlantedRaft\n\
                  Deaf(m, kind) ==\n  /\\ m.kind = kind\n  /\\ InFlight(m)\n  /\\ m.to # 2\n====\n";
    let summary = conform("election", Fault::None, |run| {
        let model: &SpecModel =
            run.target.info().specs.iter().find(|model| model.name == "election").expect("it is there");
        let config = model.config.replace("AppendMax = 1", "AppendMax = 1\n  IsReceived <- Deaf");
        run.config.options.set(SPEC_MODULES_OPTION, module);
        run.config.options.set(SPEC_CONFIG_OPTION, config);
    });
    let failure = &summary.findings[0].failure;
    assert_eq!(
        failure.violation.property, "unexpected action: HandleRequestVote",
        "{}",
        failure.violation.reason
    );
    assert!(failure.violation.reason.contains("`/\\ m.to # 2` (Mine:6"), "{}", failure.violation.reason);
    assert_eq!(failure.config.options.text(SPEC_MODULES_OPTION), Some(module));
    let text = serde_json::to_string(failure).expect("a failure is plain data");
    let read: shakedown_campaign::Failure = serde_json::from_str(&text).expect("and reads back");
    let replayed = read.replay(&*TARGET, Recording::Brief).expect("it can be replayed");
    assert_eq!(replayed.same, Sameness::Exact);
}

#[test]
fn what_cannot_be_laid_beside_each_other_says_why() {
    let trouble = |options: &[(&str, &str)]| {
        let mut run = ConformRun::new(&*TARGET).expect("there are models");
        options.iter().for_each(|(name, value)| run.config.options.set(*name, value));
        run.run(&Silent).expect_err("something is wrong").to_string()
    };
    let config = MODELS[0].config.replace("SPECIFICATION SpecPlanted", "INIT Init NEXT Somewhere");
    let cases: [(&[(&str, &str)], &str); 6] = [
        (&[(SPEC_OPTION, "zab")], "it is none or one of election, replication"),
        (&[(SPEC_OPTION, "none")], "its option `spec` names none"),
        (&[("election_tick", "4")], "beside a specification it has to be 1"),
        (&[(SPEC_MODULES_OPTION, "x == 1")], "it holds no module"),
        (&[(SPEC_MODULES_OPTION, "---- MODULE Mine ----\nEXTENDS Nowhere\n====\n")], "Nowhere"),
        (&[(SPEC_CONFIG_OPTION, &config)], "Somewhere"),
    ];
    for (options, expected) in cases {
        let printed = trouble(options);
        assert!(printed.contains(expected), "{options:?}: {printed}");
    }
    // A module that has none of the variables that the mapping reads.
    let foreign = "---- MODULE Mine ----\nVARIABLE x\nInit == x = 0\nNext == x' = x\n====\n";
    let printed = trouble(&[(SPEC_MODULES_OPTION, foreign), (SPEC_CONFIG_OPTION, "INIT Init NEXT Next")]);
    assert!(printed.contains("the mapping and the specification do not belong together"), "{printed}");
    let mut run = ConformRun::new(&*TARGET).expect("there are models");
    run.states_max = 10;
    let error = run.run(&Silent).expect_err("the model has more states");
    assert!(
        matches!(&error, ConformError::Begin(CannotBegin::Spec { .. })) && error.to_string().contains("10"),
        "{error}"
    );
}
