//! The projects that `init` makes: each is made in a folder, built, and tested by a short campaign and its
//! scenario.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use crate::tools::{all, all_with, builds, has, leave_out, library, ran};

/// A project in a folder of its own.
fn made(room: &Path, language: &str, next: &str) -> std::path::PathBuf {
    let init = format!("init --lang {language} demo --library {}", library(language).display());
    all(room, &[(&init, 0, next), (&init, 2, "exists: nothing was written")]);
    let readme = fs::read_to_string(room.join("demo/README.md")).expect("there is a README");
    assert!(readme.contains("# demo\n") && readme.contains("$ shakedown run demo\n"), "{readme}");
    room.join("demo")
}

/// What a new project comes to: the register passes, and without its condition its invariant fails.
const PASSES: &[(&str, i32, &str)] =
    &[("run demo --executions 50", 0, "PASS"), ("scenario run late-write --iterations 5", 0, "late-write")];
const FAILS: &[(&str, i32, &str)] =
    &[("run demo --executions 200 --no-shrink", 1, "never-goes-back is violated")];

/// Takes the condition out of the protocol, as its comment proposes.
fn takes_condition_away(file: &Path, condition: &str, instead: &str) {
    let text = fs::read_to_string(file).expect("it was made");
    assert!(text.contains(condition), "{text}");
    fs::write(file, text.replace(condition, instead)).expect("it can be written");
}

#[test]
fn a_new_project_in_go_runs() {
    if !has("Go", &["go", "version"]) {
        return;
    }
    let room = tempfile::tempdir().expect("a folder");
    let at = made(room.path(), "go", "go build -o demo");
    let offline = [("GOPROXY", OsStr::new("off")), ("GOWORK", OsStr::new("off"))];
    builds(&at, &["go", "mod", "tidy"], &offline);
    builds(&at, &["go", "build", "-o", "demo"], &offline);
    all(&at, PASSES);
}

#[test]
fn a_new_project_in_java_runs() {
    if !has("Java and Maven (commands: javac, mvn)", &["javac", "-version"])
        || !has("Java and Maven (commands: javac, mvn)", &["mvn", "-v"])
    {
        return;
    }
    let room = tempfile::tempdir().expect("a folder");
    let at = made(room.path(), "java", "mvn -q test");
    let output = ran(&at, &["mvn", "-q", "-B", "-o", "test"], &[]);
    if String::from_utf8_lossy(&output.stdout).contains("in offline mode") {
        return leave_out("what Maven fetches once: `mvn -f clients/java/pom.xml verify`");
    }
    assert!(output.status.success(), "{output:?}");
    assert!(at.join("target/surefire-reports/TEST-ServerTest.xml").is_file(), "the test was run");
    all(&at, PASSES);
}

#[test]
fn a_new_project_in_python_runs_and_its_library_is_named_by_place() {
    let version = "import sys; sys.exit(sys.version_info < (3, 11))";
    if !has("Python 3.11 or later (command: python3)", &["python3", "-c", version]) {
        return;
    }
    let room = tempfile::tempdir().expect("a folder");
    let at = made(room.path(), "python", "pip install -r requirements.txt");
    let requirements = fs::read_to_string(at.join("requirements.txt")).expect("it was made");
    let by_place = format!("\nshakedown @ file://{}\n", library("python").display());
    assert!(requirements.ends_with(&by_place), "{requirements}");
    // Pip would fetch what builds packages: the library is used as it is.
    let sources = library("python").join("src");
    let variables = [("PYTHONPATH", sources.as_os_str()), ("PYTHONDONTWRITEBYTECODE", OsStr::new("1"))];
    builds(&at, &["python3", "-m", "unittest"], &variables);
    all_with(&at, &variables, PASSES);
    takes_condition_away(&at.join("main.py"), "if m.version > self.version:", "if True:");
    assert!(!ran(&at, &["python3", "-m", "unittest"], &variables).status.success());
    all_with(&at, &variables, FAILS);
}

#[test]
fn a_new_project_in_c_runs() {
    if !has("make and a C compiler (command: cc)", &["make", "-v"])
        || !has("make and a C compiler (command: cc)", &["cc", "--version"])
    {
        return;
    }
    let room = tempfile::tempdir().expect("a folder");
    let at = made(room.path(), "c", "make");
    builds(&at, &["make", "CFLAGS=-O1 -Werror"], &[]);
    // The check finds the command by its name.
    let shakedown = Path::new(env!("CARGO_BIN_EXE_shakedown")).parent().expect("it is in a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(shakedown.to_owned()).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(folders).expect("they were a path before");
    builds(&at, &["make", "check"], &[("PATH", &path)]);
    all(&at, PASSES);
    takes_condition_away(&at.join("node.c"), "if (version > self->version) {", "{");
    builds(&at, &["make"], &[]);
    all(&at, FAILS);
}

#[test]
fn a_new_project_in_rust_names_its_dependency() {
    let room = tempfile::tempdir().expect("a folder");
    all(room.path(), &[("init --lang rust demo", 0, "cargo test")]);
    let manifest = fs::read_to_string(room.path().join("demo/Cargo.toml")).expect("it was made");
    assert!(
        manifest.contains("name = \"demo\"") && manifest.contains("shakedown = { version = "),
        "{manifest}"
    );
}

#[test]
fn a_project_whose_library_is_not_there_is_refused_and_nothing_is_written() {
    let room = tempfile::tempdir().expect("a folder");
    for (language, marker) in [("java", "pom.xml"), ("python", "pyproject.toml"), ("c", "shakedown.h")] {
        let way_out = format!("add `--library DIR`, the folder clients/{language} of a checkout");
        let missing = format!("has no {marker}: name clients/{language} of a checkout");
        all(
            room.path(),
            &[
                (&format!("init --lang {language} demo"), 2, &way_out),
                (&format!("init --lang {language} demo --library ."), 2, &missing),
            ],
        );
    }
    all(room.path(), &[("init --lang go Demo", 2, "use small letters")]);
    assert_eq!(fs::read_dir(room.path()).expect("it is there").count(), 0);
}

#[test]
fn the_place_of_a_library_is_written_as_each_build_file_needs_it() {
    let room = tempfile::tempdir().expect("a folder");
    let copies = [
        ("java", "a&b <c>", "pom.xml", "/a&amp;b &lt;c&gt;</shakedown.library>"),
        ("python", "a b#c", "requirements.txt", "/a%20b%23c\n"),
        ("c", "a b", "Makefile", "/a b\n"),
    ];
    for (language, folder, file, expected) in copies {
        let copy = room.path().join(folder);
        fs::create_dir(&copy).expect("it can be made");
        for marker in ["pom.xml", "pyproject.toml", "shakedown.h"] {
            fs::write(copy.join(marker), "").expect("it can be written");
        }
        let project = room.path().join(language);
        let words = [env!("CARGO_BIN_EXE_shakedown"), "init", "--lang", language];
        let rest = [project.to_str().expect("UTF-8"), "--library", copy.to_str().expect("UTF-8")];
        builds(room.path(), &[&words[..], &rest[..]].concat(), &[]);
        let written = fs::read_to_string(project.join(file)).expect("it was made");
        assert!(written.contains(expected), "{written}");
    }
}

#[test]
fn a_path_that_a_build_file_cannot_hold_is_refused() {
    let room = tempfile::tempdir().expect("a folder");
    for (language, folder, marker, reason) in [
        ("java", "a${b}", "pom.xml", "which Maven would replace"),
        ("c", "a\"b", "shakedown.h", "which a Makefile cannot hold"),
        ("c", "a$b", "shakedown.h", "which a shell would replace"),
        ("python", "a\tb", "pyproject.toml", "has control characters"),
    ] {
        let copy = room.path().join(folder);
        fs::create_dir(&copy).expect("it can be made");
        fs::write(copy.join(marker), "").expect("it can be written");
        let copy = copy.to_str().expect("UTF-8");
        let words = ["init", "--lang", language, "demo", "--library", copy];
        let output = ran(room.path(), &[&[env!("CARGO_BIN_EXE_shakedown")], &words[..]].concat(), &[]);
        let printed = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && printed.contains(reason), "{folder}: {printed}");
    }
    assert!(!room.path().join("demo").exists());
}
