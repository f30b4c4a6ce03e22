//! What a user's plain `#[test]` does: the report of a failure, and the settings that are read at run time.
//!
//! The test program starts itself again with settings in its environment, and runs one of the tests below
//! that are not listed as cases: on a thread of its name, as the harness of the compiler does.

use std::process::{Command, ExitCode};

use shakedown::CheckScenario;
use shakedown::prelude::*;
use shakedown::scenario::{Scenario, is_receive, is_send, machine, to, when};
use shakedown_cases::cases;
use shakedown_toys::Forgetful;

/// Holds the name of the test that the second process runs.
const TEST: &str = "PLAIN_TEST";

fn test() -> Test {
    let target =
        Target::<Forgetful>::new("forgetful").requests(3, |number, _| number as u64 + 1).oracles(|_| {
            vec![invariant("never-99", |seen: &Seen<'_, u64>| {
                if seen.states().contains(&99) { Err("somebody holds 99".to_owned()) } else { Ok(()) }
            })]
        });
    Test::new(target).executions(100)
}

fn it_fails() {
    test().run();
}

/// Whether the test `it_fails` passes with these settings, and what it prints.
fn run(settings: &[(&str, &str)], out: &std::path::Path) -> (bool, String) {
    run_test("it_fails", settings, out)
}

/// Whether this test passes with these settings, and what it prints.
fn run_test(name: &str, settings: &[(&str, &str)], out: &std::path::Path) -> (bool, String) {
    let this = std::env::current_exe().expect("a test knows its own program");
    let mut command = Command::new(this);
    command.env_remove("SHAKEDOWN_REGRESSIONS");
    command.env(TEST, name).env("SHAKEDOWN_OUT", out).envs(settings.iter().copied());
    let output = command.output().expect("the program starts");
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout) + &text(&output.stderr))
}

fn a_failing_test_prints_the_shrunk_schedule_and_ends_with_the_line_that_replays_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let (passed, printed) = run(&[], folder.path());
    assert!(!passed);
    let report: Vec<&str> = printed.lines().skip_while(|line| !line.contains("is violated")).collect();
    let report: Vec<&str> =
        report.iter().copied().take_while(|line| !line.starts_with("failures:")).collect();
    let drawing = report.iter().take(9).map(|line| format!("{}\n", line.trim_end())).collect::<String>();
    expect_test::expect![[r#"
        never-99 is violated
          somebody holds 99
          3 nodes, 4 steps, shrunk from 15; found by random in execution 0 of seed 1
          4 messages sent, 2 of them never received, 0 overtaken by a later one

                 n1                n2                n3                 @N: sent at step N
              1  ● request         │                 │                  1
              2  ○──Tell @1─────────────────────────▶●                  Tell(1)
              3  │                 ● request         │                  2
    "#]]
    .assert_eq(&drawing);
    let last = report.iter().rev().find(|line| !line.trim().is_empty()).expect("there is a report");
    assert!(last.contains("SHAKEDOWN_REPLAY=") && last.ends_with("cargo test it_fails -- --exact"), "{last}");
    assert!(report.len() < 60, "{} lines", report.len());

    let file =
        last.split_once("SHAKEDOWN_REPLAY=").and_then(|(_, rest)| rest.split_once(' ')).expect("a file").0;
    let (passed, printed) = run(&[("SHAKEDOWN_REPLAY", file)], folder.path());
    assert!(!passed);
    assert!(printed.contains("the same trace as when it was found, bit for bit"), "{printed}");

    let page = folder.path().join("page.html");
    let (passed, printed) =
        run(&[("SHAKEDOWN_REPLAY", file), ("SHAKEDOWN_HTML", &page.to_string_lossy())], folder.path());
    assert!(!passed);
    assert!(printed.contains(&format!("page          {}", page.display())), "{printed}");
    let page = std::fs::read_to_string(page).expect("a page was written");
    assert!(page.contains("never-99") && page.contains("cargo test it_fails -- --exact"));
}

fn it_expects_another() {
    test().expect_violation("never-98");
}

fn a_violation_other_than_the_expected_one_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let (passed, printed) = run_test("it_expects_another", &[], folder.path());
    assert!(!passed);
    let what = "never-98 was not violated in 1 execution, but never-99 is violated";
    assert!(printed.contains(what) && printed.contains("2  ○──Tell @1─"), "{printed}");
    assert!(printed.contains("plain_tests.rs"), "the place is that of the test: {printed}");
}

fn a_passing_test_tells_what_happened() {
    let folder = tempfile::tempdir().expect("a folder");
    let (passed, printed) = run_test("it_passes", &[], folder.path());
    assert!(passed);
    assert!(
        printed.contains("10 executions") && printed.contains("warning: there was no deliver step"),
        "{printed}"
    );
}

fn its_scenario_fails() {
    let n3 = NodeId::new(3);
    Scenario::new("n3 hears of nothing, and is wanted to")
        .filter(when(is_send().and(to(n3))).then(shakedown::scenario::drop_message()))
        .property(machine().on(is_receive().and(to(n3))).goto_success())
        .check(Target::<Forgetful>::new("forgetful").requests(3, |_, _| 1), 10)
        .at_least(0.5);
}

fn a_failing_scenario_tells_what_happened_in_the_first_iteration_without_success() {
    let folder = tempfile::tempdir().expect("a folder");
    let (passed, printed) = run_test("its_scenario_fails", &[], folder.path());
    assert!(!passed);
    assert!(
        printed.contains("iteration 0:\n") && printed.contains("[start] filter 1: sent and to n3 → drop"),
        "{printed}"
    );
    assert!(printed.contains("0 of 10 iterations succeeded"), "{printed}");
    assert!(printed.contains("plain_tests.rs"), "the place is that of the test: {printed}");
}

/// Nothing goes wrong where nothing is asked.
fn it_passes() {
    test().requests(0).crashes(0).executions(10).run();
}

fn an_episode_has_the_steps_that_it_takes() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, printed) = run_test("it_passes", &[("SHAKEDOWN_STRATEGY", "bonusmax")], folder.path());
    assert!(printed.contains("up to 4125 steps"), "{printed}");
}

fn settings_are_read_at_run_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let printed = |settings: &[(&str, &str)]| run(settings, folder.path()).1;
    assert!(printed(&[("SHAKEDOWN_SEED", "12")]).contains("of seed 12"));
    assert!(printed(&[("SHAKEDOWN_STRATEGY", "pos"), ("SHAKEDOWN_JOBS", "2")]).contains("found by pos"));
    assert!(printed(&[("SHAKEDOWN_STRATEGY", "luck")]).contains("there is no strategy `luck`"));
    assert!(printed(&[("SHAKEDOWN_EXECUTIONS", "0")]).contains("a campaign needs at least one execution"));
    assert!(printed(&[("SHAKEDOWN_SEED", "x")]).contains("SHAKEDOWN_SEED cannot be `x`"));
    assert!(printed(&[("SHAKEDOWN_REPLAY", "nowhere")]).contains("nowhere: "));
}

/// In the second process: whether the test of this name passes.
fn run_by_name(name: &str) -> ExitCode {
    let test = match name {
        "it_fails" => it_fails,
        "it_expects_another" => it_expects_another,
        "its_scenario_fails" => its_scenario_fails,
        "it_passes" => it_passes,
        other => panic!("there is no test {other}"),
    };
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(test).expect("a thread starts");
    if thread.join().is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn a_failure_of_the_past_is_tried_first_and_a_new_one_is_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let (out, past) = (folder.path().join("out"), folder.path().join("past"));
    let past_text = past.to_string_lossy().into_owned();
    let settings = [("SHAKEDOWN_REGRESSIONS", past_text.as_str()), ("SHAKEDOWN_SEED", "2")];
    let (passed, printed) = run(&settings, &out);
    assert!(!passed && !printed.contains("tried first"), "without the folder nothing is saved: {printed}");
    std::fs::create_dir(&past).expect("there is none yet");
    let (passed, printed) = run(&settings, &out);
    assert!(!passed && printed.contains("tried first from now on"), "{printed}");
    let [saved] = &std::fs::read_dir(&past).expect("it is there").flatten().collect::<Vec<_>>()[..] else {
        panic!("one file");
    };
    // One execution of seed 7 would find nothing: what fails is the failure of the past.
    let short = [settings[0], ("SHAKEDOWN_EXECUTIONS", "1"), ("SHAKEDOWN_SEED", "7")];
    let (passed, printed) = run(&short, &out);
    assert!(!passed && printed.contains("the same trace as when it was found, bit for bit"), "{printed}");
    let off = [("SHAKEDOWN_REGRESSIONS", "off"), short[1], short[2]];
    let (passed_without, printed) = run(&off, &out);
    assert!(!printed.contains("the same trace as when it was found"), "{passed_without}: {printed}");
    // Of other options, and of other targets, nothing is tried.
    let text = std::fs::read_to_string(saved.path()).expect("it can be read");
    std::fs::write(saved.path(), text.replace("\"target\": \"forgetful\"", "\"target\": \"another\""))
        .expect("it can be written");
    let (_, printed) = run(&short, &out);
    assert!(!printed.contains("the same trace as when it was found"), "{printed}");
    std::fs::write(saved.path(), "no failure file").expect("it can be written");
    let (passed, printed) = run(&short, &out);
    assert!(!passed && printed.contains("is not a failure file"), "{printed}");
}

fn main() -> ExitCode {
    if let Ok(name) = std::env::var(TEST) {
        return run_by_name(&name);
    }
    cases![
        a_failing_test_prints_the_shrunk_schedule_and_ends_with_the_line_that_replays_it,
        a_violation_other_than_the_expected_one_is_told,
        a_passing_test_tells_what_happened,
        a_failing_scenario_tells_what_happened_in_the_first_iteration_without_success,
        an_episode_has_the_steps_that_it_takes,
        settings_are_read_at_run_time,
        a_failure_of_the_past_is_tried_first_and_a_new_one_is_saved,
    ]
    .run()
}
