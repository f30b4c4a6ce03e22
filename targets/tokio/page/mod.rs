//! docs/tokio.md, followed word for word: its code is that of the packages here, and its commands print what
//! it shows.

use std::fs;
use std::path::Path;
use std::process::Command;

const PAGE: &str = include_str!("../../../docs/tokio.md");

/// The code blocks of the page: what stands after the language, and the text.
fn blocks() -> Vec<(&'static str, &'static str)> {
    let mut blocks = Vec::new();
    let mut rest = PAGE;
    while let Some(at) = rest.find("\n```") {
        let (head, body) = rest[at + 4..].split_once('\n').expect("a block has a first line");
        let end = body.find("\n```").expect("a block has an end");
        blocks.push((head.split_once(' ').map_or("", |(_, words)| words), &body[..end + 1]));
        rest = &body[end + 4..];
    }
    blocks
}

/// The text without the indentation that its first line has.
fn moved_to_the_left(text: &str) -> String {
    let indentation = text.len() - text.trim_start_matches(' ').len();
    let line = |line: &str| format!("{}\n", line.get(indentation..).unwrap_or(line.trim_start()));
    text.lines().map(line).collect()
}

/// Expects that every block of the page with this file's name stands in the file as it is. Gives how many
/// there are.
pub fn expect_code(package: &str, file: &str) -> usize {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let code = fs::read_to_string(workspace.join(package).join(file)).expect("the file is there");
    let name = format!("{package}/{file}");
    let shown: Vec<_> = blocks().into_iter().filter(|block| block.0 == name).collect();
    for (_, text) in &shown {
        let found = code.match_indices(text.lines().next().expect("a block has lines")).any(|(at, _)| {
            let line = code[..at].rfind('\n').map_or(0, |end| end + 1);
            moved_to_the_left(&code[line..]).starts_with(*text)
        });
        assert!(found, "{name} has not what the page shows:\n{text}");
    }
    shown.len()
}

/// Runs the command of the page for this package, and expects that it finds and shrinks to what the page
/// shows. The limit of shrinking is one of executions, so that a busy machine shrinks as far as any other.
pub fn expect_finding(program: &str, package: &str) {
    let blocks = blocks();
    let is_command = |block: &&(&str, &str)| block.0 == format!("run {package}");
    let (_, commands) = blocks.iter().find(is_command).expect("the page has the command");
    let command = commands.lines().last().expect("it has a line");
    let arguments = command.split_once(" -- ").expect("it is one of Cargo's").1;
    assert!(command.starts_with(&format!("cargo run -p shakedown-{package} -- run ")), "{command}");
    let folder = std::env::temp_dir().join(format!("shakedown-page-{package}-{}", std::process::id()));
    let found = Command::new(program)
        .args(arguments.split(' '))
        .args(["--no-shrink", "--out"])
        .arg(&folder)
        .output()
        .expect("it starts");
    assert_eq!(found.status.code(), Some(1), "{}", String::from_utf8_lossy(&found.stderr));
    let file = fs::read_dir(&folder).expect("it wrote a file").next().expect("one").expect("it can be read");
    let shrunk = Command::new(program)
        .args(["shrink", "--quiet", "--time", "86400", "--executions", "1000"])
        .arg(file.path())
        .output()
        .expect("it starts");
    fs::remove_dir_all(&folder).expect("it can be removed");
    let printed = String::from_utf8_lossy(&shrunk.stdout).into_owned();
    let is_printed = |block: &&(&str, &str)| block.0 == format!("printed {package}");
    let (_, shown) = blocks.iter().find(is_printed).expect("the page shows what is printed");
    for line in shown.lines() {
        assert!(printed.contains(line), "the page shows `{line}`, printed is\n{printed}");
    }
}
