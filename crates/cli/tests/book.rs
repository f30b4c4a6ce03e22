//! Every command of the book is run, so that none of them can rot. Large numbers are made small: what is
//! tested here is that the commands are understood and do their work, not what they find.

#[path = "cli/command.rs"]
#[expect(dead_code, reason = "other tests of the command need more of it")]
mod command;

use std::path::{Path, PathBuf};

use command::{command, text};

/// Numbers above these are cut.
const SMALL: [(&str, u64); 6] = [
    ("--executions", 400),
    ("-n", 400),
    ("--episodes", 100),
    ("--trials", 6),
    ("--iterations", 20),
    ("--horizon", 100),
];

/// Pages whose commands are of Cargo or start programs, and are run by tests of their own (`first_protocol`,
/// `first_pages`, `servers`, `fleet`, `live_register_in_go`, `live_microraft`).
const ELSEWHERE: [&str; 13] = [
    "clock-disk-crash.md",
    "etcd-raft-spec.md",
    "etcd-raft.md",
    "first-async-protocol.md",
    "first-go-protocol.md",
    "first-java-protocol.md",
    "first-protocol.md",
    "first-python-protocol.md",
    "fleet.md",
    "live-library.md",
    "live.md",
    "maelstrom.md",
    "node-protocol.md",
];

/// Where a command is run: the models that commands of `tla` name are in the repository, and they leave no
/// files there; all others have a folder of their own.
fn place_of<'p>(arguments: &[&str], root: &'p Path, folder: &'p Path) -> &'p Path {
    if arguments.first() == Some(&"tla") { root } else { folder }
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// The pages of the book, by their names below its folder: those of the folder itself, and the results.
fn pages() -> Vec<String> {
    let mut pages = Vec::new();
    for folder in ["", "results/"] {
        for entry in std::fs::read_dir(docs().join(folder)).expect("there is a book") {
            let name = entry.expect("it can be read").file_name().to_string_lossy().into_owned();
            if name.ends_with(".md") {
                pages.push(format!("{folder}{name}"));
            }
        }
    }
    pages.sort();
    pages
}

/// What stands before the arguments of the command in a checkout.
const IN_A_CHECKOUT: &str = "    cargo run --release -- ";

/// The commands of a page: lines of console blocks that begin with a dollar sign, and indented lines that run
/// the command in a checkout.
fn commands_of(page: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut is_console = false;
    for line in page.replace("\\\n", " ").lines() {
        if let Some(fence) = line.strip_prefix("```") {
            is_console = fence == "console";
        } else if let Some(line) = line.strip_prefix("$ ").filter(|_| is_console) {
            let line = line.split(" #").next().unwrap_or(line);
            commands.push(line.trim().to_owned());
        } else if let Some(arguments) = line.strip_prefix(IN_A_CHECKOUT) {
            commands.push(format!("shakedown {}", arguments.trim()));
        }
    }
    commands
}

/// The words of a command line, as a shell would part them; quotes are the only signs that it knows.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.chars() {
        let word = words.last_mut().expect("there is always one");
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => word.push(c),
            None if c == '\'' || c == '"' => quote = Some(c),
            None if c == ' ' => words.push(String::new()),
            None => word.push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The same command with less work.
fn lessened(mut words: Vec<String>) -> Vec<String> {
    for at in 1..words.len() {
        if let Some((_, most)) = SMALL.iter().find(|(flag, _)| *flag == words[at - 1])
            && let Ok(number) = words[at].parse::<u64>()
        {
            words[at] = number.min(*most).to_string();
        }
    }
    if words[0] == "conform" && !words.iter().any(|word| word == "--list") {
        words.extend(["--no-shrink", "--paths", "200"].map(str::to_owned));
    }
    if words[0] == "run" {
        // A page that names the folder also names the file that shrinking leaves there; a busy machine must
        // not cut it short.
        if words.iter().any(|word| word == "--out") {
            words.extend(["--shrink-budget", "1000000"].map(str::to_owned));
        } else {
            words.push("--no-shrink".to_owned());
        }
        if !words.iter().any(|word| matches!(word.as_str(), "--executions" | "-n" | "--episodes")) {
            words.extend(["--executions".to_owned(), "200".to_owned()]);
        }
    }
    words
}

/// Pages name the specifications as they lie in a checkout.
fn lay_out_specs(folder: &Path) {
    std::fs::create_dir(folder.join("specs")).expect("the folder is empty");
    for entry in std::fs::read_dir(docs().join("../specs")).expect("there are specifications") {
        let path = entry.expect("it can be read").path();
        if path.is_file() {
            let name = path.file_name().expect("a file has a name");
            std::fs::copy(&path, folder.join("specs").join(name)).expect("it can be copied");
        }
    }
}

#[test]
fn every_command_of_the_book_runs() {
    let root = docs().join("..");
    let mut run = 0;
    for name in pages().into_iter().filter(|name| !ELSEWHERE.contains(&name.as_str())) {
        let page = std::fs::read_to_string(docs().join(&name)).expect("a page is text");
        let folder = tempfile::tempdir().expect("there is room for a folder");
        lay_out_specs(folder.path());
        for line in commands_of(&page) {
            let arguments = line
                .strip_prefix("shakedown ")
                .unwrap_or_else(|| panic!("{name}: `{line}` is no command of shakedown, so nothing runs it"));
            let arguments = lessened(words(arguments));
            let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
            let place = place_of(&arguments, &root, folder.path());
            let output = command(&arguments).current_dir(place).output().expect("it starts");
            let code = output.status.code();
            // A failure may be found, and most examples are there to find one.
            assert!(
                matches!(code, Some(0 | 1)),
                "{name}: `{line}` exits with {code:?}: {}",
                text(&output.stderr)
            );
            run += 1;
        }
    }
    assert!(run >= 20, "only {run} commands were found");
}

#[test]
fn every_page_is_in_the_table_of_contents_and_every_link_leads_somewhere() {
    let summary = std::fs::read_to_string(docs().join("SUMMARY.md")).expect("there is a table of contents");
    for name in pages() {
        let path = docs().join(&name);
        let is_listed = summary.contains(&format!("({name})"));
        assert!(name == "SUMMARY.md" || is_listed, "{name} is not in SUMMARY.md");
        let text = std::fs::read_to_string(&path).expect("a page is text");
        // In code, brackets mean something else.
        let prose: String = text.split("\n```").step_by(2).collect();
        for link in prose.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap_or(link);
            if !file.is_empty() && !file.contains("://") {
                assert!(
                    path.with_file_name("").join(file).exists(),
                    "{name} leads to {link}, which is not there"
                );
            }
        }
    }
}
