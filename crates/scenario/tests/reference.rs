//! docs/conditions-and-actions.md lists everything that scenarios are built from.

const PAGE: &str = include_str!("../../../docs/conditions-and-actions.md");

const SOURCES: [&str; 4] = [
    include_str!("../src/condition.rs"),
    include_str!("../src/action.rs"),
    include_str!("../src/machine.rs"),
    include_str!("../src/scenario.rs"),
];

/// The text form of target files: what each word means.
const TEXT_SOURCES: [&str; 3] = [
    include_str!("../../target-file/src/scenarios/condition.rs"),
    include_str!("../../target-file/src/scenarios/action.rs"),
    include_str!("../../target-file/src/scenarios/reader.rs"),
];

/// What functions return that a scenario is built from.
const PARTS: [&str; 8] = ["Condition", "Count", "Action", "Filter", "When", "Machine", "On", "Scenario"];

/// The public functions of a source that return a part of a scenario.
fn constructors(source: &'static str) -> Vec<&'static str> {
    let mut names = Vec::new();
    for declared in source.split("pub fn ").skip(1) {
        let end = declared.find(['{', ';']).expect("a function has a body");
        let signature = &declared[..end];
        let Some((_, returned)) = signature.rsplit_once("-> ") else { continue };
        if PARTS.iter().any(|part| returned.starts_with(&format!("{part}<M>"))) {
            let name = signature.find(['<', '(']).expect("a function has parameters");
            names.push(&signature[..name]);
        }
    }
    names
}

/// Whether a name stands in code on the page, as a word.
fn is_listed(name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let code = PAGE.split('`').skip(1).step_by(2);
    code.flat_map(|code| code.split(|c| !is_word(c))).any(|word| word == name)
}

#[test]
fn every_constructor_is_on_the_page() {
    let names: Vec<_> = SOURCES.into_iter().flat_map(constructors).collect();
    assert!(names.len() > 80, "only {} were found", names.len());
    let missing: Vec<_> = names.into_iter().filter(|name| !is_listed(name)).collect();
    assert!(missing.is_empty(), "docs/conditions-and-actions.md lacks {missing:?}");
}

#[test]
fn every_word_of_the_text_form_is_on_the_page() {
    let arms = TEXT_SOURCES.into_iter().flat_map(str::lines).map(str::trim_start);
    let words = arms.filter_map(|line| line.strip_prefix('"')?.split_once("\" =>"));
    let words: Vec<_> = words.map(|(word, _)| word).collect();
    assert!(words.len() > 40, "only {} were found", words.len());
    let missing: Vec<_> = words.into_iter().filter(|word| !is_listed(word)).collect();
    assert!(missing.is_empty(), "docs/conditions-and-actions.md lacks {missing:?}");
}
