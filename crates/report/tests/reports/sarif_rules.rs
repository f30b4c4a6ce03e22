//! What section 3 of the SARIF 2.1.0 specification, and its schema, demand of the objects that we write.

use serde_json::Value;

/// Checks a log.
pub fn check_sarif(log: &Value) {
    let text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    assert_eq!(log["version"], "2.1.0", "3.13.2");
    assert!(text(&log["$schema"]), "3.13.3");
    for run in log["runs"].as_array().expect("3.13.4: runs is an array") {
        let driver = &run["tool"]["driver"];
        assert!(
            text(&driver["name"]),
            "3.14.6, 3.18.2, 3.19.8: a run has a tool, with a driver, with a name"
        );
        for invocation in run["invocations"].as_array().into_iter().flatten() {
            assert!(invocation["executionSuccessful"].is_boolean(), "3.20.14");
            for notification in invocation["toolExecutionNotifications"].as_array().into_iter().flatten() {
                assert!(text(&notification["message"]["text"]), "3.58.5");
                assert!(
                    ["none", "note", "warning", "error"].map(Value::from).contains(&notification["level"])
                );
            }
        }
        let rules = driver["rules"].as_array().expect("3.19.23");
        let ids: std::collections::BTreeSet<_> =
            rules.iter().map(|rule| rule["id"].as_str().expect("3.49.3")).collect();
        assert_eq!(ids.len(), rules.len(), "no two rules have one id");
        for rule in rules {
            assert!(text(&rule["shortDescription"]["text"]), "3.12.3: a message has a text");
        }
        for result in run["results"].as_array().expect("3.14.23") {
            check_result(result, rules);
        }
    }
}

fn check_result(result: &Value, rules: &[Value]) {
    let text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
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
