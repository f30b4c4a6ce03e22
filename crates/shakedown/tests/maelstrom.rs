//! `shakedown maelstrom` on nodes of our own in three languages (`tests/maelstrom-nodes`): for each workload
//! the right node passes, and the flaw of the other one is caught, shrunk and shown.
//!
//! The test program starts itself again; then it is the command line.

mod second_process;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};
use std::time::{Duration, Instant};

use shakedown::prelude::*;
use shakedown_cases::cases;
use shakedown_toys::Pinger;

/// If set to 1, a toolchain that is missing is a failure.
const REQUIRE_HOSTS: &str = "SHAKEDOWN_REQUIRE_HOSTS";
/// The longest wait for a process to come or to go.
const WAIT_MAX: Duration = Duration::from_secs(60);

fn nodes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/maelstrom-nodes")
}

/// The command that starts a node of our own, if its language is there.
fn node(program: &str) -> Option<String> {
    let path = nodes().join(program).display().to_string();
    match program {
        "node.py" => has("python3").then(|| format!("{} {path}", python())),
        "node.js" => has("node").then(|| format!("node {path}")),
        _ => go_node(),
    }
}

/// The interpreter itself: what is called `python3` may be a script that takes long to find it.
fn python() -> String {
    let asked = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    String::from_utf8_lossy(&asked.expect("python3 starts").stdout).trim().to_owned()
}

fn has(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_there = found.is_ok_and(|status| status.success()) || tool == "go" && has_go();
    if !is_there {
        let is_required = std::env::var(REQUIRE_HOSTS).is_ok_and(|text| text == "1");
        assert!(!is_required, "`{tool}` is required and missing");
        eprintln!("skipped: there is no `{tool}`");
    }
    is_there
}

fn has_go() -> bool {
    Command::new("go").arg("version").stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Builds the node in Go; what was built before is used again.
fn go_node() -> Option<String> {
    if !has("go") {
        return None;
    }
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("maelstrom-node-go");
    let mut build = Command::new("go");
    build.args(["build", "-o"]).arg(&program).arg(".").current_dir(nodes().join("go"));
    let built = build.env("GOTOOLCHAIN", "local").output().expect("go starts");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    Some(program.display().to_string())
}

/// What the command prints for these arguments, and its exit code.
fn maelstrom(arguments: &[&str]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display().to_string();
    let arguments: Vec<&str> =
        ["maelstrom", "--out", &out].into_iter().chain(arguments.iter().copied()).collect();
    let Output { status, stdout, stderr } = second_process::run(&arguments);
    (status.code(), format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr)))
}

/// The right node passes under these options; with its flaw, this property is violated.
fn check(program: &str, mode: &str, workload: &str, options: &str, property: &str) {
    let Some(bin) = node(program) else { return };
    let options: Vec<&str> = options.split_whitespace().collect();
    let base = ["--bin", &bin, "--workload", workload];
    let right: Vec<&str> =
        base.into_iter().chain(["-n", "3"]).chain(options.iter().copied()).chain(["--", mode]).collect();
    let (code, printed) = maelstrom(&right);
    assert_eq!(code, Some(0), "the right node of {workload}: {printed}");

    let limits = ["-n", "60", "--settle-ms", "300", "--shrink-time", "3", "--times", "2"];
    let flawed: Vec<&str> =
        base.into_iter().chain(limits).chain(options.iter().copied()).chain(["--", mode, "flaw"]).collect();
    let (code, printed) = maelstrom(&flawed);
    assert_eq!(code, Some(1), "the flaw of {workload}: {printed}");
    for words in [property, "failure file", "replays of this schedule violate the same property", "n1"] {
        assert!(printed.contains(words), "{workload}: `{words}` is missing in {printed}");
    }
}

fn echo() {
    check("node.py", "echo", "echo", "", "echo");
}

fn a_node_may_ask_a_service_before_it_answers_init() {
    let Some(bin) = node("node.py") else { return };
    let (code, printed) =
        maelstrom(&["--bin", &bin, "--workload", "echo", "--nodes", "2", "-n", "2", "--", "asks-first"]);
    assert_eq!(code, Some(0), "{printed}");
    assert!(printed.contains("24 sent · 24 answered"), "{printed}");
}

fn unique_ids() {
    check("node.py", "unique-ids", "unique-ids", "", "unique-ids");
}

fn broadcast() {
    check("node.py", "broadcast", "broadcast", "--nemesis partition,loss", "convergence");
}

fn g_set() {
    check("node.py", "g-set", "g-set", "", "convergence");
}

fn g_counter() {
    check("node.js", "g-counter", "g-counter", "", "counter");
}

fn pn_counter() {
    check("node.js", "pn", "pn-counter", "", "counter");
}

fn kafka() {
    check("node.js", "kafka", "kafka", "", "log");
}

fn lin_kv() {
    check("go", "", "lin-kv", "", "linearizability");
}

fn txn_list_append() {
    check("go", "", "txn-list-append", "", "strict-serializable");
}

fn txn_rw_register() {
    check("go", "", "txn-rw-register", "", "strict-serializable");
}

fn a_failure_file_is_replayed_with_a_named_program_and_the_rate_is_printed() {
    let Some(bin) = node("node.py") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display().to_string();
    let limits = ["--shrink-time", "3", "--times", "1", "--", "flaw"];
    let run: Vec<&str> =
        ["maelstrom", "--bin", &bin, "-w", "unique-ids", "--out", &out].into_iter().chain(limits).collect();
    assert_eq!(second_process::run(&run).status.code(), Some(1));
    let file = std::fs::read_dir(&out).expect("it was made").next().expect("a file").expect("it").path();
    let file = file.display().to_string();
    let replayed = |bin: &str, flaw: &[&str]| {
        let base = ["maelstrom", "--bin", bin, "--replay", &file, "--times", "3", "--"];
        let arguments: Vec<&str> = base.into_iter().chain(flaw.iter().copied()).collect();
        let Output { status, stdout, .. } = second_process::run(&arguments);
        (status.code(), String::from_utf8_lossy(&stdout).into_owned())
    };
    let (code, printed) = replayed(&bin, &["flaw"]);
    assert_eq!(code, Some(1), "{printed}");
    assert!(printed.contains("3 of 3 replays of this schedule violate the same property"), "{printed}");
    let (code, printed) = replayed(&bin, &[]);
    assert_eq!(code, Some(0), "{printed}");
    assert!(printed.contains("0 of 3 replays"), "{printed}");
    // A file cannot start a program.
    let Output { status, stderr, .. } = second_process::run(&["replay", &file]);
    assert_eq!(status.code(), Some(2));
    assert!(String::from_utf8_lossy(&stderr).contains("no program is started because a file names it"));
}

fn the_node_of_the_page_fails_and_its_correction_passes() {
    if !has("python3") {
        return;
    }
    let page = std::fs::read_to_string(nodes().join("../../docs/maelstrom.md")).expect("there is a page");
    let code =
        page.split("```python\n").nth(1).and_then(|rest| rest.split("```").next()).expect("it has code");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ids.py");
    let bin = format!("{} {}", python(), file.display());
    let arguments =
        ["--bin", &bin, "--workload", "unique-ids", "-n", "5", "--shrink-time", "3", "--times", "2"];
    std::fs::write(&file, code).expect("the folder takes a file");
    let (status, printed) = maelstrom(&arguments);
    assert_eq!(status, Some(1), "{printed}");
    assert!(printed.contains("both made the identifier 1"), "{printed}");
    let correction = "\"id\": f\"{name}-{count}\"";
    assert!(page.contains(correction), "the page shows the correction");
    std::fs::write(&file, code.replace("\"id\": count", correction)).expect("the folder takes a file");
    let (status, printed) = maelstrom(&arguments);
    assert_eq!(status, Some(0), "{printed}");
}

fn a_node_that_is_killed_starts_again_without_its_memory() {
    let Some(bin) = node("node.py") else { return };
    // The right node counts in memory: after a kill it counts from the beginning.
    let faults = ["--nemesis", "kill", "--weights", "crash=30,restart=30", "--nodes", "3"];
    let limits = ["-n", "60", "--shrink-time", "2", "--times", "1"];
    let arguments: Vec<&str> =
        ["--bin", &bin, "-w", "unique-ids"].into_iter().chain(faults).chain(limits).collect();
    let (code, printed) = maelstrom(&arguments);
    assert_eq!(code, Some(1), "{printed}");
    assert!(printed.contains("twice made the identifier") && printed.contains("restart"), "{printed}");
}

fn a_program_that_is_no_node_is_an_error_with_its_last_words() {
    let (code, printed) = maelstrom(&["--bin", "/no/such/program", "-w", "echo"]);
    assert_eq!(code, Some(2), "{printed}");
    assert!(printed.contains("`/no/such/program` cannot be started"), "{printed}");
    let (code, printed) = maelstrom(&["--bin", "sh", "-w", "echo", "--", "-c", "echo oh no >&2; exit 3"]);
    assert_eq!(code, Some(2), "{printed}");
    assert!(printed.contains("ended with exit code 3") && printed.contains("oh no"), "{printed}");
    let (code, printed) = maelstrom(&["--bin", "sh", "-w", "paxos"]);
    assert_eq!(code, Some(2), "{printed}");
    assert!(printed.contains("txn-rw-register"), "{printed}");
}

/// The processes whose command line holds this word.
fn processes_with(word: &str) -> usize {
    let holds = |entry: std::io::Result<std::fs::DirEntry>| {
        let text = std::fs::read(entry.ok()?.path().join("cmdline")).ok()?;
        String::from_utf8_lossy(&text).contains(word).then_some(())
    };
    std::fs::read_dir("/proc").expect("this is Linux").filter_map(holds).count()
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < WAIT_MAX, "{what}");
        std::thread::yield_now();
    }
}

fn nothing_stays_behind_when_the_command_is_killed() {
    // A shell that starts a second process, which does not read its input: nothing but the reaper ends it.
    let mark = format!("left-behind-{}", std::process::id());
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("node.sh");
    let text = "read -r line\n\
        echo '{\"src\":\"n1\",\"dest\":\"c0\",\"body\":{\"type\":\"init_ok\",\"in_reply_to\":1}}'\n\
        sh -c 'while :; do sleep 1000; done' \"$1\" < /dev/null\n";
    std::fs::write(&script, text).expect("the folder takes a file");
    let script = script.display().to_string();
    let out = folder.path().display().to_string();
    let arguments = ["maelstrom", "--bin", "sh", "-w", "unique-ids", "--out", &out, "--", &script, &mark];
    let mut command = second_process::command(&arguments);
    let mut command =
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    wait_until("nodes start", || processes_with(&mark) >= 4);
    command.kill().expect("it runs");
    command.wait().expect("it ends");
    wait_until("nodes end with the command", || processes_with(&mark) == 0);
}

fn main() -> ExitCode {
    if let Some(code) = second_process::command_line(Target::<Pinger>::new("pinger"), str::to_owned) {
        return code;
    }
    cases![
        echo,
        a_node_may_ask_a_service_before_it_answers_init,
        unique_ids,
        broadcast,
        g_set,
        g_counter,
        pn_counter,
        kafka,
        lin_kv,
        txn_list_append,
        txn_rw_register,
        a_failure_file_is_replayed_with_a_named_program_and_the_rate_is_printed,
        the_node_of_the_page_fails_and_its_correction_passes,
        a_node_that_is_killed_starts_again_without_its_memory,
        a_program_that_is_no_node_is_an_error_with_its_last_words,
        nothing_stays_behind_when_the_command_is_killed,
    ]
    .run()
}
