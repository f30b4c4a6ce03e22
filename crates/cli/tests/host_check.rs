//! `host check`: the host of docs/node-protocol.md passes, and what is wrong with others is named. It needs
//! Python 3: without it, it is left out, or fails if `SHAKEDOWN_REQUIRE_HOSTS` is set.

use std::fs;
use std::process::{Command, Output};

const PAGE: &str = include_str!("../../../docs/node-protocol.md");

fn has_python() -> bool {
    let is_there =
        Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    assert!(is_there || std::env::var_os("SHAKEDOWN_REQUIRE_HOSTS").is_none(), "Python is missing");
    if !is_there {
        eprintln!("left out: this test needs Python 3 (command: python3)");
    }
    is_there
}

/// The host of the page, with one line changed.
fn host(change: (&str, &str)) -> String {
    let (_, rest) = PAGE.split_once("```python counter.py\n").expect("the page has a host");
    let (host, _) = rest.split_once("```").expect("it has an end");
    assert!(host.contains(change.0), "the host has no `{}`", change.0);
    host.replacen(change.0, change.1, 1)
}

fn check(host: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("counter.py"), host).expect("it can be written");
    let command =
        PAGE.lines().find_map(|line| line.strip_prefix("$ shakedown host check ")).expect("the page has it");
    let words = command.split_whitespace().map(|word| word.trim_matches('\''));
    let Output { status, stdout, .. } = Command::new(env!("CARGO_BIN_EXE_shakedown"))
        .args(["host", "check"])
        .args(words)
        .current_dir(folder.path())
        .output()
        .expect("it starts");
    (status.code(), String::from_utf8_lossy(&stdout).into_owned())
}

#[test]
fn the_host_of_the_page_speaks_the_protocol() {
    if !has_python() {
        return;
    }
    let (code, printed) = check(&host(("import json", "import json")));
    assert_eq!(code, Some(0), "{printed}");
    assert!(printed.contains("PASS  the program speaks the node protocol"), "{printed}");
    assert!(printed.contains("counter, version 1.0; hears request"), "{printed}");
}

#[test]
fn a_detail_of_several_lines_is_printed_as_lines() {
    if !has_python() {
        return;
    }
    let (code, printed) = check("raise RuntimeError('no nodes')\n");
    assert_eq!(code, Some(1), "{printed}");
    assert!(printed.contains("\n                   │ RuntimeError: no nodes\n"), "{printed}");
    assert!(!printed.contains("\\n"), "{printed}");
}

#[test]
fn what_is_wrong_with_a_host_is_named() {
    if !has_python() {
        return;
    }
    for (change, row) in [
        // Random numbers of its own.
        (
            ("node[2] += call", "import random; node[2] += random.randrange(1 << 30) + call"),
            "fail    same in another process",
        ),
        // All nodes share one total.
        (
            (
                "node[2] = max(node[2], call[\"message\"])",
                "shared = nodes.setdefault(0, [0, 0, 0]); shared[2] += 1; node[2] = shared[2]",
            ),
            "fail    clusters apart",
        ),
        // It reports something else at boot than what it shows.
        (("reply[\"state\"] = {", "reply[\"state\"] = {\"calls\": call[\"call\"], "), "fail    observe"),
        // It goes on after nonsense.
        (
            (
                "    reply = handle(json.loads(line))",
                "    try:\n        call = json.loads(line)\n        reply = handle(call)\n    except Exception:\n        reply = {\"seq\": 0}",
            ),
            "fail    malformed frames",
        ),
        // It does not end with its input.
        (
            ("        write(reply)", "        write(reply)\nimport time\ntime.sleep(30)"),
            "fail    end of input",
        ),
        (("\"protocol\": 1", "\"protocol\": 2"), "fail    handshake"),
    ] {
        let (code, printed) = check(&host(change));
        assert_eq!(code, Some(1), "{printed}");
        assert!(printed.contains(row), "{change:?}: {printed}");
    }
}
