//! Oracles by name find what is wrong with a program, and nothing where nothing is wrong. The program is
//! `store.py`: without Python the test is left out, or fails if `SHAKEDOWN_REQUIRE_HOSTS` is set.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use shakedown_campaign::{Campaign, Silent};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");

/// The first property that is violated in 60 executions.
fn found(oracles: &str, order: &str, options: &str) -> Option<String> {
    let text = format!(
        "version = 1\n[target]\nname = \"store\"\ncommand = [\"python3\", \"store.py\"]\nencoding = \"json\"\nsteps = 60\n\
         requests = 8\nweights = \"tick=0\"\n[contract]\nbase = \"reliable\"\norder = \"{order}\"\n\
         [options.anywhere]\ndefault = \"false\"\n[options.two_leaders]\ndefault = \"false\"\n{oracles}\n"
    );
    let target = shakedown_target_file::read(&text, Path::new(FOLDER), Arc::new(|_| {}));
    let target = target.unwrap_or_else(|error| panic!("{oracles}: {error}"));
    let mut campaign = Campaign::new(target.as_ref());
    (campaign.plan.executions, campaign.plan.shrink) = (60, None);
    if !options.is_empty() {
        campaign.plan.config.options.set(options, "true");
    }
    let summary = campaign.run(&Silent).unwrap_or_else(|error| panic!("{oracles}: {error}"));
    assert!(summary.executions > 0, "{oracles}");
    summary.findings.first().map(|finding| finding.failure.violation.property.clone())
}

#[test]
fn oracles_by_name_find_what_is_wrong_and_nothing_else() {
    let has_python =
        Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    assert!(has_python || std::env::var_os("SHAKEDOWN_REQUIRE_HOSTS").is_none(), "Python is missing");
    if !has_python {
        eprintln!("left out: this test needs Python (command: python3)");
        return;
    }
    let registers = "[workload]\nname = \"register\"\n";
    let linearizable =
        format!("{registers}[oracles]\nlinearizability = {{ object = \"register\", initial = \"0\" }}");
    let own_requests = "[oracles]\nlinearizability = { initial = \"0\" }\n\
        [[request]]\njson = '{\"write\":[$below(2),$number]}'\noperation = \"write\"\nkey = \"write.0\"\nvalue = \"write.1\"\n\
        [[request]]\njson = '{\"read\":$below(2)}'\noperation = \"read\"\nkey = \"read\"\nanswer = \"value\"\n";
    let agreement = format!("{registers}[oracles]\nagreement = {{ log = \"log\", decided = \"commit\" }}");
    let raft = format!("{registers}[oracles]\nraft = true");
    let transactions =
        "[workload]\nname = \"list-append\"\n[oracles]\ntransactions = \"strict-serializable\"";
    for (oracles, order, option, expected) in [
        (linearizable.as_str(), "any", "", None),
        (linearizable.as_str(), "any", "anywhere", Some("linearizability")),
        (own_requests, "any", "", None),
        (own_requests, "any", "anywhere", Some("linearizability")),
        (agreement.as_str(), "fifo", "", None),
        (agreement.as_str(), "any", "", Some("agreement")),
        (raft.as_str(), "fifo", "", None),
        (raft.as_str(), "fifo", "two_leaders", Some("election-safety")),
        (raft.as_str(), "any", "", Some("log-matching")),
        (transactions, "any", "", None),
        (transactions, "any", "anywhere", Some("strict-serializable")),
    ] {
        let found = found(oracles, order, option);
        assert_eq!(found.as_deref(), expected, "{oracles}\n{order} {option}");
    }
}
