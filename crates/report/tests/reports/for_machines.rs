//! JUnit XML and SARIF: well formed, with everything that their formats demand, whatever foreign text there is.

use crate::speaker::{finding, play};
use expect_test::expect;
use serde_json::Value;
use shakedown_report::{JUnitSuite, junit, sarif};

const LINES: [&str; 2] = ["request n1 \"hi\"", "deliver n1>n2#1 Word"];
const HOSTILE: &str = "]]></failure><a b=\"c\">&\u{1}\u{fffe}'";

fn suite(unknown: Option<&str>, held: &[&str]) -> JUnitSuite {
    JUnitSuite {
        name: "speakers".to_owned(),
        seconds: 1.5,
        held: held.iter().map(|name| (*name).to_owned()).collect(),
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
            <testcase name="something can be said of every execution" classname="speakers">
              <error type="unknown" message="too many executions"/>
            </testcase>
          </testsuite>
        </testsuites>
    "#]]
    .assert_eq(&junit(&suite(Some("too many executions"), &["hears-all"]), &[found]));
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
    let opened = xml.matches("<testcase").count();
    let closed = xml.matches("</testcase>").count()
        + xml.lines().filter(|l| l.contains("<testcase") && l.ends_with("/>")).count();
    assert_eq!(opened, closed);
}

/// What section 3 of the SARIF 2.1.0 specification requires of the objects that we write.
fn check_sarif(log: &Value) {
    let text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    assert_eq!(log["version"], "2.1.0", "3.13.2");
    assert!(text(&log["$schema"]), "3.13.3");
    for run in log["runs"].as_array().expect("3.13.4: runs is an array") {
        let driver = &run["tool"]["driver"];
        assert!(
            text(&driver["name"]),
            "3.14.6, 3.18.2, 3.19.8: a run has a tool, with a driver, with a name"
        );
        let rules = driver["rules"].as_array().expect("3.19.23");
        let ids: std::collections::BTreeSet<_> =
            rules.iter().map(|rule| rule["id"].as_str().expect("3.49.3")).collect();
        assert_eq!(ids.len(), rules.len(), "rules are told apart by their ids");
        for rule in rules {
            assert!(text(&rule["shortDescription"]["text"]), "3.12.3: a message has a text");
        }
        for result in run["results"].as_array().expect("3.14.23") {
            assert!(text(&result["message"]["text"]), "3.27.11");
            assert_eq!(result["level"], "error", "3.27.10");
            let index = result["ruleIndex"].as_u64().expect("3.27.6") as usize;
            assert_eq!(rules[index]["id"], result["ruleId"], "3.27.5");
            let prints = result["partialFingerprints"].as_object().expect("3.27.17");
            assert!(!prints.is_empty() && prints.values().all(text));
            for location in result["locations"].as_array().expect("3.27.12") {
                check_location(location);
            }
            for flow in result["codeFlows"].as_array().into_iter().flatten() {
                for thread in flow["threadFlows"].as_array().expect("3.36.3") {
                    let steps = thread["locations"].as_array().expect("3.37.6");
                    assert!(!steps.is_empty(), "3.37.6");
                    assert!(steps.iter().all(|step| text(&step["location"]["message"]["text"])), "3.38.3");
                }
            }
        }
    }
}

fn check_location(location: &Value) {
    if let Some(physical) = location.get("physicalLocation") {
        let uri = physical["artifactLocation"]["uri"].as_str().expect("3.29.3");
        assert!(uri.is_ascii() && !uri.contains([' ', '\\', '<', '"']), "3.4.3: {uri}");
        assert!(physical["region"]["startLine"].as_u64().is_some_and(|line| line >= 1), "3.30.5");
    }
    for logical in location["logicalLocations"].as_array().into_iter().flatten() {
        assert!(logical["name"].is_string(), "3.33.4");
    }
}

#[test]
fn a_sarif_log_has_what_the_specification_demands() {
    let mut first = finding("says-nothing", "it said hi", play(2, &LINES));
    first.file = Some("shakedown out\\é<.json".to_owned());
    let again = finding("says-nothing", "it said hi again", play(2, &LINES));
    let other = finding(HOSTILE, HOSTILE, play(2, &[]));
    let log = sarif(&[first, again, other]);
    check_sarif(&log);
    check_sarif(&sarif(&[]));
    let run = &log["runs"][0];
    assert_eq!(
        run["tool"]["driver"]["rules"].as_array().map(Vec::len),
        Some(2),
        "one rule for each property"
    );
    assert_eq!(run["results"].as_array().map(Vec::len), Some(3), "one result for each finding");
    let uri = &run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, "shakedown%20out/%C3%A9%3C.json");
    let steps = &run["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(steps[1]["location"]["message"]["text"], LINES[1]);
    let prints = |place: usize| &run["results"][place]["partialFingerprints"]["shakedownTrace/v1"];
    assert_eq!(prints(0), prints(1), "the same trace is the same finding");
    assert_ne!(prints(0), prints(2));
}
