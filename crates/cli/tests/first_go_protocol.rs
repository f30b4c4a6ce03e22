//! docs/first-go-protocol.md, followed word for word: a new project, its files from the page, every command of the page, the failing
//! run, its replay, the fix. It needs Go: without it, it is left out, or fails if `SHAKEDOWN_REQUIRE_HOSTS` is set.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PAGE: &str = include_str!("../../../docs/first-go-protocol.md");

/// The code blocks of the page in order: the words after the language, and the text.
fn blocks() -> Vec<(&'static str, &'static str)> {
    let mut blocks = Vec::new();
    let mut rest = PAGE;
    while let Some(at) = rest.find("\n```") {
        let (head, body) = rest[at + 4..].split_once('\n').expect("a block has a first line");
        let end = body.find("\n```").expect("a block has an end");
        blocks.push((head, &body[..end + 1]));
        rest = &body[end + 4..];
    }
    blocks
}

fn has_go() -> bool {
    let is_there = Command::new("go").arg("version").output().is_ok_and(|output| output.status.success());
    assert!(is_there || std::env::var_os("SHAKEDOWN_REQUIRE_HOSTS").is_none(), "Go is missing");
    if !is_there {
        eprintln!("left out: this test needs Go (command: go)");
    }
    is_there
}

/// A reader of the page, in a folder.
struct Reader {
    folder: PathBuf,
    /// What the last run of the target printed.
    printed: String,
}

impl Reader {
    /// Types a command of the page.
    fn types(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["mkdir", folder] => fs::create_dir(self.folder.join(folder)).expect("it can be made"),
            ["cd", folder] => self.folder.push(folder),
            ["go", "mod", "tidy"] => {
                // The library of this checkout, as the page says until there is a release; nothing is fetched.
                let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../clients/go");
                let library = library.canonicalize().expect("the library is there");
                let replaced = format!("shakedown.dev/go={}", library.display());
                self.runs(&["go", "mod", "edit", "-replace", &replaced]);
                self.runs(&words);
            }
            ["shakedown", "run", ..] => {
                let output = self.output(&words);
                self.printed = String::from_utf8_lossy(&output.stdout).into_owned();
                let is_fixed = fs::read_to_string(self.folder.join("register.go"))
                    .is_ok_and(|code| code.contains("m.Version > r.Version"));
                assert_eq!(output.status.code(), Some(if is_fixed { 0 } else { 1 }), "{line}: {output:?}");
                assert!(String::from_utf8_lossy(&output.stderr).contains("starts ./register"), "{output:?}");
            }
            _ => drop(self.runs(&words)),
        }
    }

    fn runs(&self, words: &[&str]) -> Output {
        let output = self.output(words);
        assert!(output.status.success(), "{words:?}: {output:?}");
        output
    }

    fn output(&self, words: &[&str]) -> Output {
        // The command that is under test comes first.
        let shakedown = Path::new(env!("CARGO_BIN_EXE_shakedown")).parent().expect("it is in a folder");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(shakedown.to_owned()).chain(std::env::split_paths(&path));
        let path = std::env::join_paths(folders).expect("they were a path before");
        let command = &mut Command::new(words[0]);
        let command = command.env("PATH", path);
        let command =
            command.args(&words[1..]).current_dir(&self.folder).env("GOPROXY", "off").env("GOWORK", "off");
        command.output().unwrap_or_else(|error| panic!("{words:?}: {error}"))
    }
}

#[test]
fn the_page_leads_a_go_developer_to_a_shrunk_failure_and_to_its_fix() {
    if !has_go() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut reader = Reader { folder: folder.path().to_owned(), printed: String::new() };
    for (head, text) in blocks() {
        match head.split_whitespace().collect::<Vec<_>>()[..] {
            ["console"] => text.lines().for_each(|line| {
                reader.types(line.strip_prefix("$ ").unwrap_or_else(|| panic!("`{line}` is no command")));
            }),
            ["text"] => {
                for line in text.lines() {
                    assert!(
                        reader.printed.contains(line),
                        "the page shows `{line}`, the run prints\n{}",
                        reader.printed
                    );
                }
            }
            [_, "fix", file] => {
                let path = reader.folder.join(file);
                let code = fs::read_to_string(&path).expect("it is there");
                let (first, _) = text.split_once('\n').expect("a function has lines");
                let start = code.find(first).unwrap_or_else(|| panic!("`{first}` is to be fixed"));
                let end = start + code[start..].find("\n}\n").expect("it has an end") + "\n}\n".len();
                fs::write(&path, format!("{}{text}{}", &code[..start], &code[end..]))
                    .expect("it can be written");
                replays(&reader);
            }
            [_, file] => fs::write(reader.folder.join(file), text).expect("it can be written"),
            _ => panic!("a block with the head `{head}`"),
        }
    }
}

/// The failure that was found replays a hundred times, bit for bit.
fn replays(reader: &Reader) {
    let files = fs::read_dir(reader.folder.join("shakedown-out")).expect("the run left a failure file");
    let file = files.flatten().next().expect("the run left a failure file").path();
    let file = file.to_string_lossy();
    let output = reader.output(&["shakedown", "replay", &file, "--times", "100", "--json"]);
    let replayed: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(replayed["same"], 100, "{output:?}");
}
