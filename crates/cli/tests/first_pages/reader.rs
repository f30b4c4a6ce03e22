//! A reader of a page, in a folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::pages::Page;

pub struct Reader<'p> {
    page: &'p Page,
    folder: PathBuf,
    /// What the last run of the target printed.
    printed: String,
    /// Whether the page has shown the fix.
    is_fixed: bool,
    /// How many runs failed, and how many passed after the fix.
    runs: (usize, usize),
}

impl Reader<'_> {
    pub fn new<'p>(page: &'p Page, folder: &Path) -> Reader<'p> {
        Reader { page, folder: folder.to_owned(), printed: String::new(), is_fixed: false, runs: (0, 0) }
    }

    /// Types a command of the page.
    pub fn types(&mut self, line: &str) {
        if let Some((_, others)) = self.page.instead.iter().find(|(command, _)| *command == line) {
            others.iter().for_each(|other| self.succeeds(other));
            return;
        }
        match words(line)[..] {
            ["mkdir", "-p", folder] => {
                fs::create_dir_all(self.folder.join(folder)).expect("it can be made");
            }
            ["mkdir", folder] => fs::create_dir(self.folder.join(folder)).expect("it can be made"),
            ["cd", folder] => self.folder.push(folder),
            ["shakedown", "run", ..] => self.tests(line),
            _ => self.succeeds(line),
        }
    }

    /// Runs the target: it fails before the fix, and passes afterwards.
    fn tests(&mut self, line: &str) {
        let output = self.output(line);
        self.printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(if self.is_fixed { 0 } else { 1 }), "{line}: {output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(self.page.starts), "{output:?}");
        let count = if self.is_fixed { &mut self.runs.1 } else { &mut self.runs.0 };
        *count += 1;
    }

    /// Looks for a line of the page in what the last run printed.
    pub fn sees(&self, line: &str) {
        assert!(self.printed.contains(line), "the page shows `{line}`, the run prints\n{}", self.printed);
    }

    /// Puts a text of the page into a file.
    pub fn writes(&self, file: &str, text: &str) {
        fs::write(self.folder.join(file), text).expect("it can be written");
    }

    /// Replaces a function of a file by the page's: from the line that both begin with, over all lines that
    /// are indented further, to the brace that closes it, if the language has one.
    pub fn fixes(&mut self, file: &str, text: &str) {
        let path = self.folder.join(file);
        let code = fs::read_to_string(&path).expect("it is there");
        let first = text.lines().next().expect("a function has lines");
        let start = code.find(first).unwrap_or_else(|| panic!("`{first}` is to be fixed"));
        let indent = |line: &str| line.len() - line.trim_start().len();
        let depth = indent(first);
        let mut end = start + first.len() + 1;
        let mut at = end;
        for line in code[end..].split_inclusive('\n') {
            at += line.len();
            if line.trim().is_empty() {
                continue;
            }
            if indent(line) <= depth {
                if indent(line) == depth && line.trim() == "}" {
                    end = at;
                }
                break;
            }
            end = at;
        }
        fs::write(&path, format!("{}{text}{}", &code[..start], &code[end..])).expect("it can be written");
        self.is_fixed = true;
    }

    /// The failure that was found replays a hundred times, bit for bit.
    pub fn replays(&self) {
        let files = fs::read_dir(self.folder.join("shakedown-out")).expect("the run left a failure file");
        let file = files.flatten().next().expect("the run left a failure file").path();
        let output = self.output(&format!("shakedown replay {} --times 100 --json", file.display()));
        let replayed: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        assert_eq!(replayed["same"], 100, "{output:?}");
    }

    /// The page has been read to its end: it led to a failure and to its fix.
    pub fn ends(&self) {
        assert_eq!(self.runs, (1, 1), "runs that failed, and runs that passed after the fix");
    }

    fn succeeds(&self, line: &str) {
        let output = self.output(line);
        assert!(output.status.success(), "{line}: {output:?}");
    }

    fn output(&self, line: &str) -> Output {
        // The command that is under test comes first.
        let shakedown = Path::new(env!("CARGO_BIN_EXE_shakedown")).parent().expect("it is in a folder");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(shakedown.to_owned()).chain(std::env::split_paths(&path));
        let path = std::env::join_paths(folders).expect("they were a path before");
        let line = in_this_checkout(line);
        let words = words(&line);
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).current_dir(&self.folder).env("PATH", path);
        for (name, value) in self.page.variables {
            command.env(name, in_this_checkout(value));
        }
        command.output().unwrap_or_else(|error| panic!("{line}: {error}"))
    }
}

/// The words of a command line; a quoted word has no spaces inside.
fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().map(|word| word.trim_matches('\'')).collect()
}

fn in_this_checkout(text: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().expect("the checkout is there");
    text.replace("{root}", &root.to_string_lossy())
}
