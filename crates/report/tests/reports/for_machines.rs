//! JUnit XML and SARIF: well formed, with everything that their formats demand, whatever foreign text there
//! is.

use crate::sarif_rules::check_sarif;
use crate::speaker::{finding, play};
use crate::xml::check_junit;
use expect_test::expect;
use shakedown_campaign::{PropertyTally, Verdict};
use shakedown_report::{JUnitSuite, junit, sarif};

const LINES: [&str; 2] = ["request n1 \"hi\"", "deliver n1>n2#1 Word"];
const HOSTILE: &str = "]]></failure><a b=\"c\">&\u{1}\u{fffe}'";

fn tally(name: &str, [premise, held, violated, inconclusive]: [u64; 4]) -> PropertyTally {
    PropertyTally { name: name.to_owned(), evaluations: premise, premise, held, violated, inconclusive }
}

fn suite(unknown: Option<&str>, held: &[&str]) -> JUnitSuite {
    JUnitSuite {
        name: "speakers".to_owned(),
        seconds: 1.5,
        properties: held.iter().map(|name| tally(name, [3, 3, 0, 0])).collect(),
        unknown: unknown.map(str::to_owned),
    }
}

#[test]
fn a_junit_report_has_a_test_case_for_every_property() {
    let mut found = finding("says-nothing", "it said \"hi\"", play(2, &LINES));
    found.text = "the diagram".to_owned();
    expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="shakedown" tests="3" failures="1" errors="1" skipped="0" time="1.500">
          <testsuite name="speakers" tests="3" failures="1" errors="1" skipped="0" time="1.500">
            <testcase name="says-nothing" classname="speakers">
              <failure type="violation" message="it said &quot;hi&quot;">the diagram
        replay: shakedown replay shakedown-out/speakers.json
        </failure>
            </testcase>
            <testcase name="hears-all" classname="speakers"/>
            <testcase name="the campaign is conclusive" classname="speakers">
              <error type="unknown" message="too many executions"/>
            </testcase>
          </testsuite>
        </testsuites>
    "#]]
    .assert_eq(&junit(&suite(Some("too many executions"), &["hears-all"]), &[found]));
}

#[test]
fn a_property_that_was_never_tested_or_is_inconclusive_does_not_pass() {
    let mut suite = suite(None, &["held"]);
    suite.properties.push(tally("never-tested", [0, 0, 0, 0]));
    suite.properties.push(tally("half-known", [5, 3, 0, 2]));
    suite.properties.push(tally("violated", [5, 3, 2, 0]));
    let xml = junit(&suite, &[finding("violated", "r", play(2, &LINES))]);
    check_junit(&xml);
    assert!(xml.contains("tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\""), "{xml}");
    let cases: Vec<&str> = xml.lines().filter(|line| line.contains("message=")).map(str::trim).collect();
    let never = "<skipped type=\"untested\" message=\"its premise held in no execution\"/>";
    let half = "<error type=\"unknown\" message=\"inconclusive in 2 of 5 executions\"/>";
    assert_eq!(cases[1..], [never, half], "{xml}");
}

#[test]
fn a_campaign_without_findings_is_one_test_that_passed() {
    expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="shakedown" tests="1" failures="0" errors="0" skipped="0" time="1.500">
          <testsuite name="speakers" tests="1" failures="0" errors="0" skipped="0" time="1.500">
            <testcase name="no property is violated" classname="speakers"/>
          </testsuite>
        </testsuites>
    "#]]
    .assert_eq(&junit(&suite(None, &[]), &[]));
}

#[test]
fn foreign_text_does_not_break_xml() {
    let hostile = finding(HOSTILE, HOSTILE, play(2, &LINES));
    let xml = junit(&JUnitSuite { name: HOSTILE.to_owned(), ..suite(Some(HOSTILE), &[HOSTILE]) }, &[hostile]);
    assert_eq!(xml.matches("</failure>").count(), 1, "{xml}");
    assert!(!xml.contains("<a "), "{xml}");
    assert!(!xml.contains(['\u{1}', '\u{fffe}']), "{xml}");
    let suite = &check_junit(&xml).children[0];
    let shown = HOSTILE.replace(['\u{1}', '\u{fffe}'], "\u{fffd}");
    assert_eq!(suite.get("name"), Some(shown.as_str()), "it is shown as what it is");
    assert_eq!(suite.children[0].children[0].get("message"), Some(shown.as_str()));
}

#[test]
fn junit_reports_keep_to_the_schema_whatever_the_verdict() {
    let found = || vec![finding("p", "r", play(2, &LINES))];
    for (unknown, held, findings) in [
        (None, &[][..], Vec::new()),
        (None, &["held"], found()),
        (Some("no execution was run"), &[], Vec::new()),
        (Some("some were inconclusive"), &["held"], found()),
    ] {
        check_junit(&junit(&suite(unknown, held), &findings));
    }
}

#[test]
fn a_sarif_log_of_an_inconclusive_campaign_is_no_pass() {
    let log = sarif(&Verdict::Unknown(format!("no execution was run {HOSTILE}")), &[]);
    check_sarif(&log);
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let reason = invocation["toolExecutionNotifications"][0]["message"]["text"].as_str().expect("a reason");
    assert!(reason.starts_with("inconclusive: no execution was run"), "{reason}");
    assert!(!reason.contains(['\u{1}', '\u{fffe}']), "{reason:?}");
    assert_eq!(sarif(&Verdict::Pass, &[])["runs"][0]["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn a_sarif_log_has_what_the_specification_demands() {
    let mut first = finding("says-nothing", "it said hi", play(2, &LINES));
    first.file = Some("shakedown out\\é<.json".to_owned());
    let again = finding("says-nothing", "it said hi", play(2, &LINES[..1]));
    let other = finding(HOSTILE, HOSTILE, play(2, &[]));
    let log = sarif(&Verdict::Fail(other.failure.violation.clone()), &[first, again, other]);
    check_sarif(&log);
    check_sarif(&sarif(&Verdict::Pass, &[]));
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["rules"].as_array().map(Vec::len), Some(2), "one rule for each cause");
    assert_eq!(run["results"].as_array().map(Vec::len), Some(3), "one result for each finding");
    let uri = &run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, "shakedown%20out/%C3%A9%3C.json");
    let steps = &run["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(steps[1]["location"]["message"]["text"], LINES[1]);
    let prints = |place: usize| &run["results"][place]["partialFingerprints"]["shakedownCause/v1"];
    assert_eq!(prints(0), prints(1), "the same cause is the same finding");
    assert_ne!(prints(0), prints(2));
}

#[test]
fn a_sarif_log_has_a_rule_for_each_cause_and_the_source_line_of_a_panic() {
    let forbidden = |action: &str, line: u32| {
        let reason = format!("the model does not allow {action} here: `Quorum(S)` (Raft:{line}:16)");
        finding("conforms-to-the-model", &reason, play(2, &LINES))
    };
    let panic = |node: &str| {
        let reason = format!("{node} panicked in receive: no entry");
        let mut found = finding("panic at raft-0.7.0/src/raft.rs:943:18", &reason, play(2, &LINES));
        found.file = Some("shakedown-out/raft.json".to_owned());
        found
    };
    let findings = [
        forbidden("Wins(1, 2)", 65),
        forbidden("Wins(3, 4)", 65),
        forbidden("Wins(1, 2)", 70),
        panic("n1"),
        panic("n2"),
    ];
    let log = sarif(&Verdict::Fail(findings[0].failure.violation.clone()), &findings);
    check_sarif(&log);
    let run = &log["runs"][0];
    let rules: Vec<_> =
        run["tool"]["driver"]["rules"].as_array().expect("rules").iter().map(|rule| &rule["id"]).collect();
    assert_eq!(
        rules,
        [
            "conforms-to-the-model: `Quorum(S)` (Raft:65:16)",
            "conforms-to-the-model: `Quorum(S)` (Raft:70:16)",
            "panic at raft-0.7.0/src/raft.rs:943:18"
        ]
    );
    let place = &run["results"][3]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "raft-0.7.0/src/raft.rs");
    assert_eq!((&place["region"]["startLine"], &place["region"]["startColumn"]), (&943.into(), &18.into()));
}
