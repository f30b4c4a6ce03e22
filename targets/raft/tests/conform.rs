//! The crate `raft` beside a specification of its grain: it conforms on every path of the small models. And a
//! specification that says something else is found to differ, so that conforming means something.

use std::sync::LazyLock;

use shakedown_campaign::{ConformRun, ConformSummary, Silent, Target};
use shakedown_conform::compare::SPEC_MODULES_OPTION;
use shakedown_raft::spec::MODELS;
use shakedown_raft::{RaftNode, target};

/// One for all tests.
static TARGET: LazyLock<Target<RaftNode>> = LazyLock::new(target);

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
    for (model, edges) in [("pair", 8_594), ("reorder", 12_838)] {
        let summary = conform(model, |_| ());
        assert_eq!(
            (summary.failed, summary.unknown.0, &summary.unplayed.1),
            (0, 0, &None),
            "{model}: {summary:?}"
        );
        assert_eq!((summary.nodes, summary.graph.edges), (2, edges), "{model}");
        assert_eq!(summary.graph.covered, summary.graph.edges, "{model}: every edge is covered");
    }
}

/// The specification with one rule changed, and in what it then differs from the library.
const OTHER_RULES: [(&str, &str, &str, &str, &str); 6] = [
    (
        "nobody believes what others say of commit indexes in elections",
        "pair",
        "IF s.role # \"leader\" /\\ m.commit > s.commit",
        "IF FALSE /\\ m.commit > s.commit",
        "inconsistent state: commitIndex",
    ),
    (
        "a leader that probes goes on sending",
        "pair",
        "ELSE [s EXCEPT !.peers[j].paused = TRUE],",
        "ELSE s,",
        "inconsistent state: flow",
    ),
    (
        "messages of older terms are answered",
        "pair",
        "r == IF m.term < s.term THEN Quiet(s)",
        "r == IF m.term < s.term THEN Says(s, [kind |-> \"HeartbeatResponse\", from |-> i, to |-> m.from, term |-> s.term])",
        "inconsistent state: net",
    ),
    (
        "a follower that is up to date is not sent the rest at once",
        "reorder",
        "IN  IF IsPaused(p) \\/ p.next <= s.snapshot \\/ p.next > End(s) THEN r\n",
        "IN  IF TRUE THEN r\n",
        "inconsistent state: nextIndex",
    ),
    (
        "a late rejection does not take the next index back: how it should be, see upstream issue 555",
        "reorder",
        "!.peers[j].next = Max(1, Min(m.index, hint + 1))",
        "!.peers[j].next = Max(p.match, Min(m.index - 1, hint)) + 1",
        "inconsistent state: nextIndex",
    ),
    (
        "a new leader has no entry of its own",
        "pair",
        "                        !.log = Append(@, entry)])",
        "                        !.log = @])",
        "inconsistent state: log",
    ),
];

#[test]
fn a_specification_with_another_rule_differs() {
    let (name, text) = MODELS[0].modules[0];
    assert_eq!(name, "RaftCrate");
    for (what, model, rule, other, property) in OTHER_RULES {
        assert_eq!(text.matches(rule).count(), 1, "{what}");
        let changed = text.replace(rule, other);
        let summary = conform(model, |run| run.config.options.set(SPEC_MODULES_OPTION, &changed));
        let [finding] = &summary.findings[..] else { panic!("{what}: {summary:?}") };
        let violation = &finding.failure.violation;
        assert_eq!(violation.property, property, "{what}: {}", violation.reason);
    }
}
