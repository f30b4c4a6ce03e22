//! No test file is left out: where a crate's tests are one program, every file is a module of it or a program
//! of its own.

use std::fs;
use std::path::{Path, PathBuf};

/// The folders of the crates that name their test programs themselves.
fn crates_with_one_program() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders = vec![root.join("tests")];
    for parent in ["crates", "targets"] {
        let entries = fs::read_dir(root.join(parent)).expect("the folder is there");
        folders.extend(entries.map(|entry| entry.expect("it can be read").path()));
    }
    folders.retain(|folder| {
        fs::read_to_string(folder.join("Cargo.toml")).is_ok_and(|text| text.contains("autotests = false"))
    });
    folders
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
