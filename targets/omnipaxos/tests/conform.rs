//! The crate omnipaxos beside a specification of its grain: it conforms on every path of the small models.
//! And a specification that says something else is found to differ, so that conforming means something.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use shakedown_campaign::{
    AnyTarget, Campaign, ConformRun, ConformSummary, Progress, ShrinkLimits, Silent, Target,
};
use shakedown_conform::SPEC_OPTION;
use shakedown_conform::compare::{SPEC_CONFIG_OPTION, SPEC_MODULES_OPTION, SpecModel};
use shakedown_omnipaxos::spec::MODELS;
use shakedown_omnipaxos::{OmniNode, target};

/// One for all tests.
static TARGET: LazyLock<Target<OmniNode>> = LazyLock::new(target);

fn conform(model: &str, change: impl FnOnce(&mut ConformRun<'_>)) -> ConformSummary {
    let mut run = ConformRun::new(&*TARGET).expect("there are models");
    run.beside(model);
    change(&mut run);
    run.with_its_nodes().expect("the model can be read");
    run.shrink = None;
    run.run(&Silent).expect("the model can be walked")
}

#[test]
fn the_library_conforms_on_every_path_of_the_small_models() {
    for (model, edges) in [("accept", 1_628), ("election", 8_362), ("leader-crash", 18_919)] {
        let summary = conform(model, |_| ());
        assert_eq!(
            (summary.failed, summary.unknown.0, &summary.unplayed.1),
            (0, 0, &None),
            "{model}: {summary:?}"
        );
        assert_eq!((summary.nodes, summary.graph.edges), (3, edges), "{model}");
        assert_eq!(summary.edges, edges, "{model}: every edge is played");
    }
}

/// The specification with one rule changed, and in what it then differs from the library.
const OTHER_RULES: [(&str, &str, &str, &str, &str); 9] = [
    ("a tick sends nothing again", "accept", "Send(Repeated(i))", "Send(<<>>)", "inconsistent state: net"),
    (
        "a leader waits for the promises of all",
        "accept",
        "IsQuorum(Promisers(best))",
        "Promisers(best) = Server",
        "inconsistent state: accepted",
    ),
    (
        "a leader takes its own log for accepted by nobody",
        "accept",
        "!.lens[i] = Len(log[i]) + Len(vs)",
        "!.lens[i] = 0",
        "inconsistent state: leading",
    ),
    (
        "a Decide that arrives is not handled",
        "accept",
        "ReceiveDecide(m) == HandleDecide(m)",
        "ReceiveDecide(m) == FALSE /\\ HandleDecide(m)",
        "unexpected action: ReceiveDecide",
    ),
    (
        "the clock of a server that is down goes on",
        "leader-crash",
        "  IN  /\\ i \\in up\n      /\\ ble' = [ble EXCEPT ![i] = b]",
        "  IN  /\\ ble' = [ble EXCEPT ![i] = b]",
        "missing action: Tick",
    ),
    (
        "a server that has promised takes itself for the leader again when it boots",
        "leader-crash",
        "IF promised[i] = 0 THEN AtFirst(i) ELSE Again(i)",
        "AtFirst(i)",
        "inconsistent state: ble",
    ),
    (
        "a server that boots asks each once to be prepared",
        "leader-crash",
        "THEN <<PrepareReqTo(i, l[2]), PrepareReqTo(i, l[2])>>",
        "THEN <<PrepareReqTo(i, l[2])>>",
        "inconsistent state: net",
    ),
    (
        "a follower does not catch up when its link to the leader is back",
        "reconnect",
        "back == IF both THEN Recovering({<<i, j>>, <<j, i>>}) ELSE {}",
        "back == {}",
        "inconsistent state: net",
    ),
    (
        "what is sent on a link that is cut arrives when it is back",
        "reconnect",
        "arrives == m.to \\in up /\\ {m.from, m.to} \\notin cuts",
        "arrives == m.to \\in up",
        "inconsistent state: net",
    ),
];

/// The model of this name.
fn model(name: &str) -> &'static SpecModel {
    MODELS.iter().find(|model| model.name == name).expect("there is such a model")
}

#[test]
fn a_specification_with_another_rule_differs() {
    for (what, name, rule, other, property) in OTHER_RULES {
        let text: String = model(name).modules.iter().map(|(_, text)| *text).collect();
        assert_eq!(text.matches(rule).count(), 1, "{what}");
        let changed = text.replace(rule, other);
        let summary = conform(name, |run| run.config.options.set(SPEC_MODULES_OPTION, &changed));
        let [finding] = &summary.findings[..] else { panic!("{what}: {summary:?}") };
        let violation = &finding.failure.violation;
        assert_eq!(violation.property, property, "{what}: {}", violation.reason);
    }
}

#[test]
fn a_specification_of_a_release_whose_decided_index_goes_back_differs() {
    let changed = model("takeover").config.replace("KeepsDecided = TRUE", "KeepsDecided = FALSE");
    let summary = conform("takeover", |run| run.config.options.set(SPEC_CONFIG_OPTION, &changed));
    let [finding] = &summary.findings[..] else { panic!("{summary:?}") };
    let violation = &finding.failure.violation;
    assert_eq!(violation.property, "inconsistent state: decided", "{}", violation.reason);
    assert!(violation.reason.contains("ReceiveAcceptSync"), "{}", violation.reason);
}

#[test]
fn executions_beyond_the_bounds_of_the_models_conform_too() {
    let mut campaign = Campaign::new(&*TARGET);
    let config = &mut campaign.plan.config;
    for (option, value) in &TARGET.info().spec_settings {
        config.options.set(*option, value);
    }
    config.options.set(SPEC_OPTION, "accept");
    config.options.set("lead", 30);
    (config.requests, config.steps, campaign.plan.executions) = (12, 150, 40);
    campaign.plan.keep_going = true;
    let summary = campaign.run(&Silent).expect("the campaign runs");
    let violations: Vec<_> = summary.findings.iter().map(|finding| &finding.failure.violation).collect();
    assert_eq!((summary.failed, summary.unknown), (0, 0), "{violations:?} {:?}", summary.unknown_reason);
    assert!(summary.inert.is_empty(), "{:?}", summary.inert);
}

/// Makes shrinking take at least this long.
struct Slow(Duration);

impl Progress for Slow {
    fn shrinking(&self, _property: &str, _steps: usize) {
        std::thread::sleep(self.0);
    }
}

#[test]
fn shrinking_is_no_part_of_the_time_that_paths_take() {
    let mut run = ConformRun::new(&*TARGET).expect("there are models");
    let changed = model("accept").modules.iter().map(|(_, text)| *text).collect::<String>();
    run.config.options.set(SPEC_MODULES_OPTION, changed.replace("Send(Repeated(i))", "Send(<<>>)"));
    run.shrink = Some(ShrinkLimits { executions: 50, time: None });
    let (slow, began) = (Slow(Duration::from_secs(1)), Instant::now());
    let summary = run.run(&slow).expect("the model can be walked");
    assert_eq!(summary.findings.len(), 1, "{summary:?}");
    let apart = summary.building + summary.running + slow.0;
    assert!(apart <= began.elapsed(), "{:?}, {:?}", summary.building, summary.running);
}
