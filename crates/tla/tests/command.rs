//! The command line: its exit codes are TLC's, and what it prints can be read by people and by programs.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used)] // Everything here is a test; what fails should panic.

use std::io::Write;
use std::process::{Command, Output, Stdio};

const CLOCK: &str = "---- MODULE Clock ----
EXTENDS Naturals, TLC
CONSTANT Limit
VARIABLE hour
ASSUME Limit > 0
Init == hour = 0
Tick == hour < Limit /\\ hour' = hour + 1
Set(n) ==
  /\\ n # hour
  /\\ hour' = n
Sets == Set(0) \\/ Set(1)
Small == hour < 3
Comes == <>(hour = 7)
Seen == [now |-> hour, doubled |-> hour * 2]
Many == \\A n \\in 0..1000000 : n >= hour - 1
Never == hour \\in {}
Late == hour > 7 /\\ hour' = 0
Either == Tick \\/ Sets \\/ Late
====
";

/// Runs the program in a folder with the module and a configuration.
fn run(config: &str, arguments: &[&str], input: &str) -> Output {
    let folder = std::env::temp_dir().join(format!(
        "shakedown-tla-{}-{:x}",
        std::process::id(),
        config.bytes().chain(arguments.concat().bytes()).fold(7u64, |h, b| h.wrapping_mul(31) + u64::from(b))
    ));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("Clock.tla"), CLOCK).unwrap();
    std::fs::write(folder.join("Clock.cfg"), config).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_shakedown-tla"))
        .args(arguments)
        .current_dir(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that does not read its input may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    output
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

const TICKS: &str = "CONSTANT Limit = 5\nINIT Init\nNEXT Tick\n";
const SETS: &str = "CONSTANT Limit = 5\nINIT Init\nNEXT Sets\n";

#[test]
fn exit_codes_are_tlcs() {
    let cases: &[(&str, &[&str], i32, &str)] = &[
        (TICKS, &["check", "Clock.tla", "--no-deadlock"], 0, "No error has been found"),
        (&format!("{SETS}INVARIANT Small\n"), &["check", "Clock.tla", "--workers", "2"], 0, "2 distinct"),
        (&TICKS.replace('5', "0"), &["check", "Clock.tla"], 10, "Assumption is false"),
        (TICKS, &["check", "Clock.tla"], 11, "Deadlock reached"),
        (&format!("{TICKS}INVARIANT Small\n"), &["check", "Clock.tla"], 12, "Invariant Small is violated"),
        (&format!("{SETS}PROPERTY Comes\n"), &["check", "Clock.tla"], 13, "property Comes is violated"),
        (&TICKS.replace("5", "\"five\""), &["check", "Clock.tla"], 10, "Clock:5:8"),
        (&TICKS.replace("Tick", "Nothing"), &["check", "Clock.tla"], 151, "Nothing"),
        ("SPECIFICATION", &["check", "Clock.tla"], 151, "Clock.cfg:1:1: a name is missing at the end"),
        (TICKS, &["check", "Clock.tla", "--depth", "2"], 152, "limit of 2 levels"),
        (TICKS, &["check", "Clock.tla", "--memory", "0"], 152, "memory reached its limit of 0 MiB"),
        (SETS, &["check", "Clock.tla", "--states", "1"], 152, "limit of 1 distinct states"),
        (SETS, &["check", "Clock.tla", "--states", "1"], 152, "unfinished state graph"),
        (
            &format!("{SETS}INVARIANT Many\n"),
            &["check", "Clock.tla", "--steps", "1000"],
            152,
            "Clock:15:18: evaluation reached its limit of 1000 steps",
        ),
        (TICKS, &["check", "Nowhere.tla"], 153, "there is no file Nowhere.tla"),
        (TICKS, &["check", "Clock.tla", "--config", "Nowhere.cfg"], 153, "Nowhere.cfg cannot be read"),
        (TICKS, &["simulate", "Clock.tla", "-n", "3"], 11, "Deadlock reached"),
        (TICKS, &["simulate", "Clock.tla", "-n", "3", "--no-deadlock"], 0, "Simulation completed. No error"),
        (
            TICKS,
            &["simulate", "Clock.tla", "-n", "3", "--no-deadlock"],
            0,
            "3 behaviours simulated, 16 states generated; the longest behaviour has 6 states.",
        ),
        (TICKS, &["simulate", "Clock.tla", "-n", "0"], 153, "0 is not in 1.."),
        (&TICKS.replace("INIT Init", "INIT Never"), &["simulate", "Clock.tla"], 75, "no initial state"),
    ];
    for (config, arguments, code, words) in cases {
        let output = run(config, arguments, "");
        assert_eq!(output.status.code(), Some(*code), "{arguments:?} {config}: {}", text(&output));
        assert!(text(&output).contains(words), "{arguments:?}: {}", text(&output));
    }
}

#[test]
fn only_actions_that_could_be_taken_are_never_taken() {
    let config = TICKS.replace("NEXT Tick", "NEXT Either");
    let printed = text(&run(&config, &["check", "Clock.tla"], ""));
    assert!(printed.contains("  never taken: Late\n"), "{printed}");
    let json = run(&config, &["simulate", "Clock.tla", "-n", "2", "--json"], "");
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&json["behaviours"], &json["distinct"]), (&2.into(), &serde_json::Value::Null));
}

/// Runs the program with a standard output that takes nothing.
fn run_into(out: Stdio, config: &str, arguments: &[&str]) -> Output {
    let name = format!("shakedown-tla-out-{}-{}", std::process::id(), arguments.concat().len());
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("Clock.tla"), CLOCK).unwrap();
    std::fs::write(folder.join("Clock.cfg"), config).unwrap();
    std::fs::write(folder.join("actions.json"), "[]").unwrap();
    std::fs::write(folder.join("state.json"), "{}").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_shakedown-tla"));
    command.args(arguments).current_dir(&folder).stdin(Stdio::null()).stdout(out).stderr(Stdio::piped());
    let output = command.spawn().unwrap().wait_with_output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    output
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_nobody_takes_changes_no_exit_code_but_that_of_a_full_device() {
    let violated = format!("{TICKS}INVARIANT Small\n");
    let cases: &[(&str, &[&str], i32)] = &[
        (SETS, &["check", "Clock.tla"], 0),
        (SETS, &["check", "Clock.tla", "--json"], 0),
        (&violated, &["check", "Clock.tla"], 12),
        (SETS, &["simulate", "Clock.tla", "-n", "2"], 0),
        (TICKS, &["simulate", "Clock.tla", "-n", "2"], 11),
        (SETS, &["graph", "Clock.tla"], 0),
        (SETS, &["run", "Clock.tla", "actions.json"], 0),
        (SETS, &["fmt", "state.json"], 0),
        (SETS, &["--help"], 0),
    ];
    for (config, arguments, code) in cases {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let closed = run_into(writer.into(), config, arguments);
        assert_eq!(closed.status.code(), Some(*code), "{arguments:?}: {}", text(&closed));
        assert_eq!(text(&closed), "", "{arguments:?}");
        let device = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let full = run_into(device.into(), config, arguments);
        let (wanted, lines) = if arguments == &["fmt", "state.json"] { (0, 0) } else { (2.max(*code), 1) };
        assert_eq!(full.status.code(), Some(wanted), "{arguments:?}: {}", text(&full));
        assert_eq!(text(&full).lines().count(), lines, "{arguments:?}: {}", text(&full));
    }
}

#[test]
fn a_run_counts_stutters_and_says_which_conjunct_blocked() {
    let actions = r#"[{"action": "Set", "arguments": [1]}, {"action": "Set", "arguments": [1]}, "Tick"]"#;
    let output = run(SETS, &["run", "Clock.tla", "-"], actions);
    let printed = text(&output);
    assert!(printed.contains("Stutter: <Set(1)> is blocked at Clock:9:6: /\\ n # hour"), "{printed}");
    assert!(printed.contains("State 4: <Tick>\n/\\ hour = 2"), "{printed}");
    assert!(printed.contains("3 actions, 2 taken, 1 stutters"), "{printed}");

    let output = run(SETS, &["run", "Clock.tla", "-", "--json"], actions);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["states"][3]["hour"], 2);
    assert_eq!(json["stutters"][0]["position"], 1);
    assert_eq!(json["stutters"][0]["conjunct"], "/\\ n # hour");

    for wrong in ["{}", "[7]", r#"[{"arguments": []}]"#, r#"["Nobody"]"#, r#"["Set"]"#, "[", ""] {
        let output = run(SETS, &["run", "Clock.tla", "-"], wrong);
        assert!(matches!(output.status.code(), Some(150 | 153)), "{wrong}: {}", text(&output));
    }
}

#[test]
fn a_graph_has_an_edge_for_every_action() {
    let output = run(SETS, &["graph", "Clock.tla", "--format", "json"], "");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["states"].as_array().unwrap().len(), 2);
    assert_eq!(json["edges"][0]["action"], "Set");
    assert_eq!(json["edges"][0]["arguments"][0], 1);
    let dot = text(&run(SETS, &["graph", "Clock.tla"], ""));
    assert!(dot.starts_with("digraph") && dot.contains("s0 -> s1 [label=\"Set(1)\"]"), "{dot}");
    let output = run(TICKS, &["graph", "Clock.tla", "--states", "3"], "");
    assert_eq!(output.status.code(), Some(152), "{}", text(&output));
}

#[test]
fn a_state_is_echoed_as_tla_writes_it() {
    let states =
        r##"{"states": [{"x": {"#set": [3, 1]}, "y": ["a", {"b": true}]}, {"x": {"#model": "m"}}]}"##;
    let printed = text(&run(TICKS, &["fmt", "-"], states));
    assert_eq!(printed, "/\\ x = {1, 3}\n/\\ y = <<\"a\", [b |-> TRUE]>>\n\n/\\ x = m\n");
}

#[test]
fn an_alias_is_shown_instead_of_the_variables() {
    let output = run(&format!("{TICKS}INVARIANT Small\nALIAS Seen\n"), &["check", "Clock.tla", "--json"], "");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["exit_code"], 12);
    let steps = json["trace"]["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 4);
    assert_eq!(steps[3]["state"], serde_json::json!({ "now": 3, "doubled": 6 }));
}

const COUNTERS: &str = "---- MODULE Counters ----
EXTENDS Naturals
VARIABLES a, b, c
Init == a = 0 /\\ b = 0 /\\ c = <<\"zero\", 0>>
Next == \\/ a < 30 /\\ a' = a + 1 /\\ UNCHANGED <<b, c>>
        \\/ b < 30 /\\ b' = b + 1 /\\ UNCHANGED <<a, c>>
        \\/ c[2] < 30 /\\ c' = <<\"more\", c[2] + 1>> /\\ UNCHANGED <<a, b>>
Small == a + b + c[2] < 85
====
";

/// A check that is killed three times, each time after one more checkpoint, and continued, gives what it
/// gives undisturbed.
#[test]
fn a_check_goes_on_after_it_was_killed() {
    let folder = std::env::temp_dir().join(format!("shakedown-tla-killed-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("Counters.tla"), COUNTERS).unwrap();
    std::fs::write(folder.join("Counters.cfg"), "INIT Init\nNEXT Next\nINVARIANT Small\n").unwrap();
    let check = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_shakedown-tla"));
        let common = ["check", "Counters.tla", "--no-deadlock", "--json", "--memory", "48"];
        command.args(common).args(arguments).current_dir(&folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    let expected = check(&[]).output().unwrap();
    let manifest = folder.join("states/checkpoint.json");
    let mut last = None;
    for _ in 0..3 {
        let mut arguments = vec!["--checkpoint", "states", "--checkpoint-every", "0"];
        arguments.extend(last.as_ref().map(|_: &Vec<u8>| "--recover"));
        let mut child = check(&arguments).spawn().unwrap();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while std::fs::read(&manifest).ok() == last {
            assert!(std::time::Instant::now() < deadline, "no checkpoint");
            assert!(child.try_wait().unwrap().is_none(), "it ended before it wrote a checkpoint");
            std::thread::yield_now();
        }
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().code(), None, "it was killed");
        last = std::fs::read(&manifest).ok();
    }
    let refused = check(&["--checkpoint", "states"]).output().unwrap();
    assert!(refused.status.code() == Some(153) && text(&refused).contains("--recover"), "{}", text(&refused));
    let continued = check(&["--checkpoint", "states", "--recover"]).output().unwrap();
    assert_eq!((continued.status.code(), text(&continued)), (Some(12), text(&expected)));
    assert!(!manifest.exists(), "a finished check leaves no checkpoint");
    std::fs::remove_dir_all(&folder).unwrap();
}
