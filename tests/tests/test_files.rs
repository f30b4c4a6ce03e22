//! No test is left out. Where a crate's tests are one program, every file is a module of it or a program of
//! its own; where a library or a program is not built as a test, its source has none.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

/// The folders of all crates.
fn crates() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders: Vec<_> =
        ["examples", "experiments", "fuzz", "specs", "supply", "tests"].map(|name| root.join(name)).into();
    for parent in ["crates", "targets", "tests"] {
        let entries = fs::read_dir(root.join(parent)).expect("the folder is there");
        folders.extend(entries.map(|entry| entry.expect("it can be read").path()));
    }
    folders.retain(|folder| folder.join("Cargo.toml").is_file());
    folders
}

/// The folders of the crates that name their test programs themselves.
fn crates_with_one_program() -> Vec<PathBuf> {
    let mut folders = crates();
    folders.retain(|folder| {
        fs::read_to_string(folder.join("Cargo.toml")).is_ok_and(|text| text.contains("autotests = false"))
    });
    folders
}

/// The files of Rust below a folder, or the file itself.
fn sources(path: &Path) -> Vec<PathBuf> {
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("it can be listed");
        return entries.flat_map(|entry| sources(&entry.expect("it can be read").path())).collect();
    }
    let is_rust = path.extension().is_some_and(|extension| extension == "rs");
    if is_rust { vec![path.to_owned()] } else { Vec::new() }
}

/// The source of a program: its file, or its folder if it has one of its own.
fn sources_of_program(folder: &Path, program: &Table) -> Vec<PathBuf> {
    let path = folder.join(program.get("path").and_then(Value::as_str).unwrap_or("src/main.rs"));
    let parent = path.parent().expect("it is in a folder");
    let is_alone = path.ends_with("main.rs") && parent != folder.join("src");
    if is_alone { sources(parent) } else { sources(&path) }
}

fn has_test(source: &str) -> bool {
    source.lines().any(|line| line.trim_start().starts_with("#[test]"))
}

/// Whether the docs have code that is no plain text.
fn has_doctest(source: &str) -> bool {
    let docs = source.lines().map(str::trim_start).filter(|line| line.starts_with("//"));
    let fences = docs.filter_map(|line| line.trim_start_matches(['/', '!']).trim().strip_prefix("```"));
    fences.step_by(2).any(|language| language != "text")
}

/// The files with tests in what the manifest says has none, and how many libraries and programs that is.
fn not_run(folder: &Path) -> (Vec<PathBuf>, usize) {
    let text = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
    let manifest: Table = text.parse().expect("it is TOML");
    let is_off = |table: &Table, what: &str| table.get(what).and_then(Value::as_bool) == Some(false);
    let library = manifest.get("lib").and_then(Value::as_table);
    let programs = manifest.get("bin").and_then(Value::as_array).into_iter().flatten();
    let programs: Vec<&Table> = programs.filter_map(Value::as_table).collect();
    let of_programs: Vec<_> =
        programs.iter().flat_map(|program| sources_of_program(folder, program)).collect();
    let mut of_library = sources(&folder.join("src"));
    of_library.retain(|file| !of_programs.contains(file));
    let (mut met, mut off) = (Vec::new(), 0);
    let mut check = |files: &[PathBuf], has: fn(&str) -> bool| {
        off += 1;
        let has = |file: &&PathBuf| has(&fs::read_to_string(file).expect("it is text"));
        met.extend(files.iter().filter(has).cloned());
    };
    if library.is_some_and(|library| is_off(library, "test")) {
        check(&of_library, has_test);
    }
    if library.is_some_and(|library| is_off(library, "doctest")) {
        check(&of_library, has_doctest);
    }
    for program in programs.iter().filter(|program| is_off(program, "test")) {
        check(&sources_of_program(folder, program), has_test);
    }
    (met, off)
}

/// The names of the files in `tests/` that neither `all.rs` nor the manifest mentions.
fn left_out(folder: &Path) -> Vec<String> {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
    let modules = fs::read_to_string(folder.join("tests/all.rs")).expect("the program of all tests");
    let entries = fs::read_dir(folder.join("tests")).expect("the folder is there");
    let files = entries.map(|entry| entry.expect("it can be read").path());
    let names = files.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let names = names.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()));
    let missing = |name: &String| {
        !modules.lines().any(|line| line == format!("mod {name};"))
            && !manifest.contains(&format!("[[test]]\nname = \"{name}\"\n"))
            && !manifest.contains(&format!("path = \"tests/{name}.rs\"\n"))
    };
    names.filter(missing).collect()
}

#[test]
fn every_test_file_is_run() {
    let folders = crates_with_one_program();
    assert!(folders.len() > 10, "only {folders:?} name their test programs");
    for folder in folders {
        assert_eq!(left_out(&folder), Vec::<String>::new(), "files of {folder:?} that no program runs");
    }
}

/// The names of the tests that `cargo test` leaves out.
fn by_name(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
    let manifest: Table = text.parse().expect("it is TOML");
    let tests = manifest.get("test").and_then(Value::as_array).into_iter().flatten();
    let is_off = |test: &&Value| test.get("test").and_then(Value::as_bool) == Some(false);
    let names = tests.filter(is_off).filter_map(|test| test.get("name")?.as_str().map(str::to_owned));
    names.collect()
}

#[test]
fn what_the_test_command_leaves_out_is_run_by_name() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.ci/run");
    let script = fs::read_to_string(script).expect("there is a script");
    let names: BTreeSet<String> = crates().iter().flat_map(|folder| by_name(folder)).collect();
    assert!(names.contains("determinism") && names.len() > 5, "{names:?}");
    let is_run = |name: &String| {
        let tests =
            script.lines().filter(|line| line.contains("--test ") && !line.starts_with("cargo clippy"));
        tests.flat_map(str::split_whitespace).any(|word| word.trim_end_matches(')') == name)
    };
    let forgotten: Vec<_> = names.iter().filter(|name| !is_run(name)).collect();
    assert!(forgotten.is_empty(), ".ci/run does not run {forgotten:?}");
}

#[test]
fn what_is_not_built_as_a_test_has_none() {
    let (mut met, mut off) = (Vec::new(), 0);
    for folder in crates() {
        let (more, switched_off) = not_run(&folder);
        met.extend(more);
        off += switched_off;
    }
    assert_eq!(met, Vec::<PathBuf>::new(), "tests that nothing runs: see `test` and `doctest` of Cargo.toml");
    assert!(off > 60, "only {off} libraries and programs are not built as tests");
    assert!(has_test("mod tests {\n    #[test]\n    fn it() {}\n}"));
    assert!(has_doctest("/// ```\n/// assert!(true);\n/// ```\nfn it() {}"));
    assert!(!has_doctest("//! ```text\n//! a -> b\n//! ```"));
}
