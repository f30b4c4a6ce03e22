//! docs/commands.md is what `help` prints, command by command. `UPDATE_EXPECT=1 cargo test -p
//! shakedown-cli --test cli command_reference` writes it anew.

use expect_test::expect_file;

use crate::command::{command, text};

const INTRODUCTION: &str = "\
# All commands

This page is what `--help` prints for every command. It is made by a test; do not edit it. Start with
[Shakedown in five minutes](getting-started.md) if you are new.
";

/// The most words of a command, so that a command that lists itself ends.
const WORDS_MAX: usize = 3;

fn help(words: &[String]) -> String {
    // `--help` belongs to TLC after `tlc`.
    let arguments: Vec<&str> = ["help"].into_iter().chain(words.iter().map(String::as_str)).collect();
    let output = command(&arguments).env_remove("COLUMNS").output().expect("it starts");
    assert!(output.status.success(), "`{}` has no help", words.join(" "));
    text(&output.stdout)
}

/// The commands below one, as its help lists them.
fn below(help: &str) -> Vec<String> {
    let Some((_, list)) = help.split_once("\nCommands:\n") else { return Vec::new() };
    let lines = list.lines().take_while(|line| !line.is_empty());
    // Lines that are indented further go on with what the line before says.
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(String::from)
        .collect()
}

fn describe(words: &mut Vec<String>, page: &mut String) {
    let help = help(words);
    let title =
        ["shakedown".to_owned()].into_iter().chain(words.iter().cloned()).collect::<Vec<_>>().join(" ");
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    page.push_str(&format!("\n## `{title}`\n\n```text\n{}\n```\n", lines.join("\n").trim_end()));
    if words.len() < WORDS_MAX {
        for name in below(&help) {
            words.push(name);
            describe(words, page);
            words.pop();
        }
    }
}

#[test]
fn the_command_reference_is_what_help_prints() {
    let mut page = INTRODUCTION.to_owned();
    describe(&mut Vec::new(), &mut page);
    assert!(page.contains("\n## `shakedown tla check`\n"), "commands below others are described");
    expect_file!["../../../../docs/commands.md"].assert_eq(&page);
}
