//! etcd's raft compared with a specification of its grain: it conforms on every path of the small models, and
//! changed rules are found to differ.

use shakedown::remote::Encoding;
use shakedown_campaign::{ConformRun, ConformSummary, Silent};
use shakedown_conform::compare::SPEC_MODULES_OPTION;
use shakedown_etcd_raft::spec::MODELS;
use shakedown_etcd_raft::{HOSTS, are_built, target};

fn conform(host: &str, model: &str, change: impl FnOnce(&mut ConformRun<'_>)) -> ConformSummary {
    let info = HOSTS.iter().find(|info| info.name == host).expect("the host is listed");
    let target = target(info, Encoding::MsgPack);
    let mut run = ConformRun::new(&target).expect("there are models");
    run.beside(model);
    change(&mut run);
    run.with_its_nodes().expect("the model can be read");
    run.shrink = None;
    run.run(&Silent).expect("the model can be walked")
}

#[test]
fn the_library_conforms_on_every_path_of_the_small_models() {
    if !are_built() {
        return;
    }
    let cases = [
        ("etcd-raft", "pair", 8_684),
        ("etcd-raft", "reorder", 11_926),
        ("etcd-raft-3.6", "reorder", 11_926),
        ("etcd-raft-3.5", "reorder-3.5", 12_838),
    ];
    for (host, model, edges) in cases {
        let summary = conform(host, model, |_| ());
        assert_eq!(
            (summary.failed, summary.unknown.0, &summary.unplayed.1),
            (0, 0, &None),
            "{host}, {model}: {summary:?}"
        );
        assert_eq!((summary.nodes, summary.graph.edges), (2, edges), "{host}, {model}");
        assert_eq!(summary.graph.covered, summary.graph.edges, "{host}, {model}: every edge is covered");
    }
}

#[test]
fn a_late_rejection_takes_the_next_index_back_in_release_3_5() {
    if !are_built() {
        return;
    }
    let summary = conform("etcd-raft-3.5", "reorder", |_| ());
    let [finding] = &summary.findings[..] else { panic!("{summary:?}") };
    let violation = &finding.failure.violation;
    assert_eq!(violation.property, "inconsistent state: nextIndex", "{}", violation.reason);
    assert!(violation.reason.contains("after HandleAppendResponse"), "{}", violation.reason);
}

/// The specification with one rule changed, and in what it then differs from the library.
const OTHER_RULES: [(&str, &str, &str, &str, &str); 6] = [
    (
        "vote requests and refusals carry a commit index, as those of the crate raft",
        "pair",
        "NothingShown(s) == [commit |-> 0, commitTerm |-> 0]",
        "NothingShown(s) == [commit |-> s.commit, commitTerm |-> TermIn(s, s.commit)]",
        "inconsistent state: net",
    ),
    (
        "a leader that probes goes on sending",
        "pair",
        "!.paused = p.state = \"probe\" /\\ p.next <= End(s)]",
        "!.paused = FALSE]",
        "inconsistent state: flow",
    ),
    (
        "a late rejection takes the next index back to what is matched, as in release 3.5",
        "reorder",
        "Max(Min(m.index, hint + 1), p.match + 1)",
        "Max(Min(m.index, hint + 1), 1)",
        "inconsistent state: nextIndex",
    ),
    (
        "an acknowledgement is never answered with the commit index alone",
        "snapshot",
        "CanBumpCommit(s, p) == s.commit > p.sent",
        "CanBumpCommit(s, p) == FALSE /\\ s.commit > p.sent",
        "inconsistent state: net",
    ),
    (
        "a snapshot under way leaves the next index as it is, as in release 3.5",
        "snapshot",
        "                            !.next = s.snapshot + 1, !.sent = s.snapshot]",
        "                            !.sent = s.snapshot]",
        "inconsistent state: nextIndex",
    ),
    (
        "an acknowledged snapshot is followed by a probe, as in the crate raft",
        "snapshot",
        "[p EXCEPT !.state = \"replicate\", !.pending = 0, !.next = p.match + 1,",
        "[p EXCEPT !.state = \"probe\", !.pending = 0, !.next = p.match + 1,",
        "inconsistent state: flow",
    ),
];

#[test]
fn a_specification_with_another_rule_differs() {
    let (name, text) = MODELS[0].modules[0];
    assert_eq!(name, "RaftEtcd");
    for (what, model, rule, other, property) in OTHER_RULES {
        assert_eq!(text.matches(rule).count(), 1, "{what}");
        if !are_built() {
            continue;
        }
        let changed = text.replace(rule, other);
        let summary =
            conform("etcd-raft", model, |run| run.config.options.set(SPEC_MODULES_OPTION, &changed));
        let [finding] = &summary.findings[..] else { panic!("{what}: {summary:?}") };
        let violation = &finding.failure.violation;
        assert_eq!(violation.property, property, "{what}: {}", violation.reason);
    }
}
