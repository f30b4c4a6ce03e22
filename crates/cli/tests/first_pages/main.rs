//! The first pages of the book for other languages, followed word for word: a new project, its files from the
//! page, every command of the page, the failing run, its replay, the fix. A page needs the tools of its
//! language: without them it is left out, or fails if `SHAKEDOWN_REQUIRE_HOSTS` is set. To follow another
//! page, add it to `pages.rs` and give it a test below.

mod pages;
mod reader;

use pages::Page;
use reader::Reader;

/// The code blocks of a page in order: the words after the language, and the text.
fn blocks(page: &Page) -> Vec<(&'static str, &'static str)> {
    let mut blocks = Vec::new();
    let mut rest = page.text;
    while let Some(at) = rest.find("\n```") {
        let (head, body) = rest[at + 4..].split_once('\n').expect("a block has a first line");
        let end = body.find("\n```").expect("a block has an end");
        blocks.push((head, &body[..end + 1]));
        rest = &body[end + 4..];
    }
    blocks
}

fn follow(page: &Page) {
    if !page.has_tools() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut reader = Reader::new(page, folder.path());
    for (head, text) in blocks(page) {
        match head.split_whitespace().collect::<Vec<_>>()[..] {
            ["console"] => text.lines().for_each(|line| {
                reader.types(line.strip_prefix("$ ").unwrap_or_else(|| panic!("`{line}` is no command")));
            }),
            ["text"] => text.lines().for_each(|line| reader.sees(line)),
            [_, "fix", file] => {
                // Before the fix: some languages have no build between a file and the program.
                reader.replays();
                reader.fixes(file, text);
            }
            [_, file] => reader.writes(file, text),
            _ => panic!("a block with the head `{head}`"),
        }
    }
    reader.ends();
}

#[test]
fn the_page_leads_a_go_developer_to_a_shrunk_failure_and_to_its_fix() {
    follow(&pages::GO);
}

#[test]
fn the_page_leads_a_python_developer_to_a_shrunk_failure_and_to_its_fix() {
    follow(&pages::PYTHON);
}

#[test]
fn the_page_leads_a_java_developer_to_a_shrunk_failure_and_to_its_fix() {
    follow(&pages::JAVA);
}
