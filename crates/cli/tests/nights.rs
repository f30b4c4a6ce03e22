//! Every day after the first: regressions, nights in CI, bisection. `docs/ci.md` shows what these tests see,
//! word for word.
//!
//! The test program starts itself again; then it is the command line of the protocol below. The "source code"
//! of that protocol is a file in the current folder, so a commit can change it without a compiler.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::sync::OnceLock;

use shakedown::prelude::*;
use shakedown_cases::cases;

#[path = "../../shakedown/tests/second_process/mod.rs"]
#[expect(dead_code, reason = "not everything of it is needed here")]
mod second_process;

/// The page of the book.
const PAGE: &str = include_str!("../../../docs/ci.md");

/// The file that is the source code of the protocol, and what it can hold.
const SOURCE: &str = "protocol.txt";
const BUGGY: &str = "adds what it hears\n";
const RIGHT: &str = "takes what it hears\n";
const RENAMED: &str = "takes what it hears, and calls it news\n";

/// The source code, as it is when the program starts.
fn source() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| std::fs::read_to_string(SOURCE).unwrap_or_default())
}

/// A number that nodes tell each other.
#[derive(Clone, Debug)]
struct Tell(u64);

impl Message for Tell {
    fn kind(&self) -> &'static str {
        if source() == RENAMED { "News" } else { "Tell" }
    }
}

/// Keeps the largest number that it has heard. The bug: it adds.
struct Keeper {
    held: u64,
    adds: bool,
}

impl Node for Keeper {
    type Message = Tell;
    type Request = u64;
    type Answer = ();
    type State = u64;
    type Disk = ();

    fn boot(_disk: &(), _ctx: &mut Context<'_, Self>) -> Self {
        Keeper { held: 0, adds: source() == BUGGY }
    }

    fn request(&mut self, _id: RequestId, number: u64, ctx: &mut Context<'_, Self>) {
        ctx.broadcast(&Tell(number));
    }

    fn receive(&mut self, _from: NodeId, Tell(number): Tell, _ctx: &mut Context<'_, Self>) {
        self.held = if self.adds { self.held + number } else { self.held.max(number) };
    }

    fn observe(&self) -> u64 {
        self.held
    }
}

fn target() -> Target<Keeper> {
    Target::<Keeper>::new("keeper").version("keeper 1.0").requests(3, |number, _| number as u64 + 1).oracles(
        |_| {
            vec![invariant("at-most-three", |seen: &Seen<'_, u64>| {
                match seen.up().find(|(_, held)| **held > 3) {
                    Some((node, held)) => Err(format!("{node} holds {held}, and no client sent more than 3")),
                    None => Ok(()),
                }
            })]
        },
    )
}

/// A folder with the source code of the protocol.
struct Home(tempfile::TempDir);

impl Home {
    fn new(source: &str) -> Home {
        let home = Home(tempfile::tempdir().expect("there is room for a folder"));
        home.holds(source);
        home
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn holds(&self, source: &str) {
        std::fs::write(self.path().join(SOURCE), source).expect("it can be written");
    }

    fn command(&self, arguments: &str) -> Command {
        use std::os::unix::process::CommandExt as _;
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let mut command = second_process::command(&arguments);
        // What is printed names the program as it was called.
        command.arg0("shakedown").current_dir(self.path());
        for name in ["GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "SHAKEDOWN_REGRESSIONS"] {
            command.env_remove(name);
        }
        command
    }

    /// The exit code of a command, and what it prints.
    fn run(&self, arguments: &str) -> (i32, String) {
        said(self.command(arguments).output().expect("the program starts"))
    }

    fn failures(&self, folder: &str) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.path().join(folder)).expect("the folder is there");
        let mut files: Vec<_> = entries.map(|entry| entry.expect("it can be read").path()).collect();
        files.sort();
        files
    }
}

fn said(output: Output) -> (i32, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout) + &text(&output.stderr))
}

/// The blocks of the page that have this head.
fn blocks(head: &str) -> Vec<&'static str> {
    let fence = format!("\n{head}\n");
    let close = format!("\n{}", &head[..head.len() - head.trim_start_matches('`').len()]);
    let parts = PAGE.split(&fence).skip(1);
    parts.map(|part| &part[..part.find(&close).expect("a block has an end") + 1]).collect()
}

#[track_caller]
fn is_on_the_page(what: &str, text: &str) {
    assert!(PAGE.contains(text), "docs/ci.md does not show {what}. It should have:\n{text}");
}

/// A night in CI, as the page has it: its exit code, the summary of the job, and the annotations.
fn night(home: &Home, number: usize) -> (i32, String, String) {
    let summary = home.path().join(format!("step-summary-{number}"));
    let mut command =
        home.command("run keeper -n 200 --shrink-budget 2000 --ci --baseline shakedown-baseline");
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", &summary);
    let (code, printed) = said(command.output().expect("the program starts"));
    let annotations: String =
        printed.lines().filter(|line| line.starts_with("::")).map(|line| format!("{line}\n")).collect();
    (code, std::fs::read_to_string(summary).expect("the summary was written"), annotations)
}

/// How many test cases of the JUnit file failed, and how many were left out.
fn junit(home: &Home) -> (bool, bool) {
    let text = std::fs::read_to_string(home.path().join("shakedown-ci/junit.xml")).expect("it was written");
    (text.contains("<failure "), text.contains("type=\"known\""))
}

fn three_nights_in_ci_find_a_bug_know_it_and_see_it_fixed() {
    let home = Home::new(BUGGY);
    let (code, summary, annotations) = night(&home, 1);
    assert_eq!(code, 1, "{summary}");
    assert!(annotations.starts_with("::error title=new%3A at-most-three::"), "{annotations}");
    is_on_the_page("the summary of the first night", &summary);
    is_on_the_page("the annotations of the first night", &annotations);
    assert_eq!(junit(&home), (true, false));
    for file in ["junit.xml", "findings.sarif", "report.html", "summary.md"] {
        assert!(home.path().join("shakedown-ci").join(file).exists(), "{file}");
    }

    // What the page says: a failure file that is copied into the baseline is known.
    std::fs::create_dir(home.path().join("shakedown-baseline")).expect("there is none yet");
    for file in home.failures("shakedown-ci/failures") {
        let name = file.file_name().expect("a file has a name");
        std::fs::copy(&file, home.path().join("shakedown-baseline").join(name)).expect("it is copied");
    }
    let (code, summary, annotations) = night(&home, 2);
    assert_eq!(code, 0, "{summary}");
    assert!(annotations.starts_with("::warning title=known%3A at-most-three::"), "{annotations}");
    is_on_the_page("the summary of the second night", &summary);
    assert_eq!(junit(&home), (false, true));
    let sarif =
        std::fs::read_to_string(home.path().join("shakedown-ci/findings.sarif")).expect("it is there");
    assert!(sarif.contains("\"baselineState\": \"unchanged\""), "{sarif}");

    home.holds(RIGHT);
    let (code, summary, annotations) = night(&home, 3);
    assert_eq!(code, 0, "{summary}");
    assert!(annotations.starts_with("::notice title=fixed%3A at-most-three::"), "{annotations}");
    is_on_the_page("the summary of the third night", &summary);
    assert_eq!(junit(&home), (false, false));
}

fn on_github_everything_is_written_without_being_asked_for() {
    let home = Home::new(BUGGY);
    let on_github = |arguments: &str| {
        let summary = home.path().join("step-summary");
        let mut command = home.command(arguments);
        command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", &summary);
        let (code, printed) = said(command.output().expect("the program starts"));
        assert_eq!(code, 1, "{printed}");
        (printed.contains("::error title="), summary.exists(), home.path().join("shakedown-ci").exists())
    };
    let run = "run keeper -n 200 --shrink-budget 2000";
    assert_eq!(on_github(&format!("{run} --no-ci")), (false, false, false));
    assert_eq!(on_github(run), (true, true, true));
    for file in ["junit.xml", "findings.sarif", "report.html", "summary.md"] {
        assert!(home.path().join("shakedown-ci").join(file).exists(), "{file}");
    }
    let (code, printed) = home.run("run keeper -n 200 --ci --no-ci");
    assert_eq!(code, 2, "{printed}");
}

fn a_bug_that_comes_back_by_another_schedule_is_new() {
    let home = Home::new(BUGGY);
    assert_eq!(home.run("run keeper -n 200 --shrink-budget 2000 --out shakedown-baseline").0, 1);
    let [known] = &home.failures("shakedown-baseline")[..] else { panic!("one failure") };
    // Its schedule is cut, so that it violates nothing: as if the code had been mended for this schedule
    // alone.
    let text = std::fs::read_to_string(known).expect("it can be read");
    let mut failure: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    failure["schedule"].as_array_mut().expect("steps").truncate(1);
    std::fs::write(known, failure.to_string()).expect("it can be written");
    let (code, printed) = home.run("run keeper -n 200 --shrink-budget 2000 --baseline shakedown-baseline");
    assert_eq!(code, 1, "{printed}");
    assert!(printed.contains("1 new, 0 known; of the baseline: 1 fixed"), "{printed}");
}

fn a_campaign_that_is_cut_short_does_not_pass_beside_a_baseline() {
    let home = Home::new(BUGGY);
    assert_eq!(home.run("run keeper -n 200 --shrink-budget 2000 --out shakedown-baseline").0, 1);
    let (code, printed) =
        home.run("run keeper -n 1000000000 --time 1 --baseline shakedown-baseline --shrink-budget 1");
    assert_eq!(code, 2, "{printed}");
    assert!(printed.contains("0 new, 1 known"), "{printed}");
}

fn a_failure_of_the_past_is_tried_before_anything_is_explored() {
    let home = Home::new(BUGGY);
    assert_eq!(home.run("run keeper -n 200 --shrink-budget 2000 --save-regressions").0, 1);
    assert_eq!(home.failures("shakedown-regressions").len(), 1);
    let (code, printed) = home.run("run keeper -n 200 --shrink-budget 2000");
    assert_eq!(code, 1, "{printed}");
    assert!(printed.contains("FAIL: a failure of the past is back; nothing was explored"), "{printed}");
    let (_, printed) = home.run("run keeper -n 200 --shrink-budget 2000 --json");
    let summary: serde_json::Value = serde_json::from_str(&printed).expect("it is JSON");
    let tried = &summary["regressions"][0];
    assert_eq!((&summary["executions"], &tried["fate"]), (&0.into(), &"still fails".into()), "{printed}");

    home.holds(RIGHT);
    let (code, printed) = home.run("run keeper -n 200 --shrink-budget 2000");
    assert_eq!(code, 0, "{printed}");
    assert!(printed.contains("regressions 1 tried: 1 fixed"), "{printed}");
    let (_, printed) = home.run("run keeper -n 200 --shrink-budget 2000 --no-regressions");
    assert!(!printed.contains("regressions"), "{printed}");
}

fn a_table_says_what_became_of_every_failure() {
    let home = Home::new(BUGGY);
    assert_eq!(home.run("run keeper -n 200 --shrink-budget 2000 --out found").0, 1);
    assert_eq!(home.run("run keeper -n 200 --out found --seed 2 --no-shrink").0, 1);
    let [first, second] = &home.failures("found")[..] else { panic!("two failures") };
    let both = format!("replay {} {}", first.display(), second.display());
    for (source, code, counts) in [
        (BUGGY, 1, "FAIL: 2 still fails"),
        (RIGHT, 0, "PASS: 2 fixed"),
        (RENAMED, 2, "UNKNOWN: 2 no longer fits"),
    ] {
        home.holds(source);
        for arguments in ["replay found", &both] {
            let (status, printed) = home.run(arguments);
            assert_eq!(status, code, "{printed}");
            assert!(printed.contains(counts), "{printed}");
        }
    }
    let (_, printed) = home.run("replay found --json");
    let table: serde_json::Value = serde_json::from_str(&printed).expect("it is JSON");
    let fates = &table["failures"];
    assert_eq!((&table["verdict"], &fates[0]["fate"]), (&"unknown".into(), &"no longer fits".into()));
    assert!(fates[0]["step"].as_u64() >= Some(1), "{printed}");
    std::fs::create_dir(home.path().join("empty")).expect("there is none yet");
    assert_eq!(home.run("replay empty").0, 2);
    assert_eq!(home.run("replay found --html page.html").0, 2, "a page is of one failure");
}

/// Runs git in the folder.
fn git(home: &Home, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]).args(arguments);
    let (code, printed) = said(command.current_dir(home.path()).output().expect("git starts"));
    assert_eq!(code, 0, "git {arguments:?}: {printed}");
    printed
}

/// The recipe of the page, on a repository in which the bug is older than a commit that the schedule does not
/// fit.
fn the_recipe_for_git_bisect_finds_the_commit() {
    let home = Home::new(BUGGY);
    let place = tempfile::tempdir().expect("there is room for a folder");
    let out = place.path().display();
    assert_eq!(home.run(&format!("run keeper -n 200 --shrink-budget 2000 --out {out}")).0, 1);
    let file = std::fs::read_dir(place.path()).expect("it is there").next().expect("a file").expect("a file");
    let file = file.path();
    git(&home, &["init", "-q", "-b", "main", "."]);
    let history = [RIGHT, RIGHT, RENAMED, RIGHT, RIGHT, BUGGY, BUGGY, RENAMED, BUGGY, BUGGY];
    for (number, source) in history.iter().enumerate() {
        home.holds(source);
        std::fs::write(home.path().join("notes.txt"), number.to_string()).expect("it can be written");
        git(&home, &["add", "-A"]);
        git(&home, &["commit", "-q", "-m", &format!("commit {number}")]);
    }
    git(&home, &["tag", "v1.0", "HEAD~9"]);
    let program = home.path().join(".git/my-protocol");
    let this = std::env::current_exe().expect("a test knows its own program");
    let arguments = format!("replay\u{1f}--bisect\u{1f}{}", file.display());
    let script = format!("#!/bin/sh\nARGUMENTS='{arguments}' exec '{}'\n", this.display());
    std::fs::write(&program, script).expect("it can be written");
    let recipe = blocks("```sh").into_iter().find(|block| block.contains("bisect run")).expect("a recipe");
    for part in ["cargo build --release", "target/release/my-protocol replay --bisect ../failure.json"] {
        assert!(recipe.contains(part), "{recipe}");
    }
    let recipe = recipe.replace("cargo build --release", "test -f protocol.txt");
    let recipe = recipe.replace(
        "target/release/my-protocol replay --bisect ../failure.json",
        &format!("sh {}", program.display()),
    );
    let output = Command::new("sh").args(["-e", "-c", &recipe]).current_dir(home.path()).output();
    let (code, printed) = said(output.expect("the shell starts"));
    assert_eq!(code, 0, "{printed}");
    let first_bad = git(&home, &["log", "-1", "--format=%s", "refs/bisect/bad"]);
    assert_eq!(first_bad.trim(), "commit 5", "{printed}");
}

fn a_file_that_cannot_be_read_stops_a_bisection() {
    let home = Home::new(BUGGY);
    assert_eq!(home.run("replay --bisect nowhere.json").0, 128);
}

/// A script stops at the first command that does not pass, and everything for CI is there by then.
fn the_recipe_for_ci_works_where_a_script_stops_at_the_first_failure() {
    let home = Home::new(BUGGY);
    let recipe = blocks("```yaml").into_iter().find(|block| block.contains("--ci")).expect("a recipe");
    let line = recipe.lines().find_map(|line| line.trim().strip_prefix("- run: shakedown ")).expect("a line");
    let (code, printed) = home.run(line);
    assert_eq!(code, 1, "{printed}");
    for file in ["junit.xml", "findings.sarif", "report.html", "summary.md", "failures"] {
        assert!(home.path().join("shakedown-ci").join(file).exists(), "{file}");
    }
}

/// A plain test in the folder: whether it passes, and what it prints.
fn plain_test(home: &Home) -> (i32, String) {
    let mut command = home.command("");
    said(command.env_remove("ARGUMENTS").env(PLAIN, "1").output().expect("the program starts"))
}

/// Set in the process of a plain test.
const PLAIN: &str = "PLAIN_TEST";

fn a_plain_test_tries_failures_of_the_past_and_saves_new_ones_if_their_folder_is_there() {
    let home = Home::new(BUGGY);
    let (code, printed) = plain_test(&home);
    assert!(code != 0 && !printed.contains("tried first from now on"), "{printed}");
    let past = home.path().join("shakedown-regressions");
    std::fs::create_dir(&past).expect("there is none yet");
    let (code, printed) = plain_test(&home);
    assert!(code != 0 && printed.contains("tried first from now on"), "{printed}");
    assert_eq!(home.failures("shakedown-regressions").len(), 1);
    let (code, printed) = plain_test(&home);
    assert!(code != 0 && printed.contains("the same trace as when it was found, bit for bit"), "{printed}");
    home.holds(RIGHT);
    let (code, printed) = plain_test(&home);
    assert!(code == 0 && printed.contains(": fixed"), "{printed}");
    home.holds(RENAMED);
    let (code, printed) = plain_test(&home);
    assert!(code == 0 && printed.contains(": no longer fits at step "), "{printed}");
}

fn main() -> ExitCode {
    if std::env::var_os(PLAIN).is_some() {
        Test::new(target()).executions(20).run();
        return ExitCode::SUCCESS;
    }
    if let Some(code) = second_process::command_line(target(), str::to_owned) {
        return code;
    }
    cases![
        three_nights_in_ci_find_a_bug_know_it_and_see_it_fixed,
        on_github_everything_is_written_without_being_asked_for,
        a_bug_that_comes_back_by_another_schedule_is_new,
        a_campaign_that_is_cut_short_does_not_pass_beside_a_baseline,
        a_failure_of_the_past_is_tried_before_anything_is_explored,
        a_table_says_what_became_of_every_failure,
        the_recipe_for_git_bisect_finds_the_commit,
        a_file_that_cannot_be_read_stops_a_bisection,
        the_recipe_for_ci_works_where_a_script_stops_at_the_first_failure,
        a_plain_test_tries_failures_of_the_past_and_saves_new_ones_if_their_folder_is_there,
    ]
    .run()
}
