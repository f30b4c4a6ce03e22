//! docs/first-protocol.md, docs/first-async-protocol.md and docs/clock-disk-crash.md, followed word for word:
//! a new project, its files from the page, the failing test, the fix.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A page of the book that leads from `cargo new` to a fix.
struct Page {
    text: &'static str,
    /// The name of the project.
    project: &'static str,
    /// What the dependency on `shakedown` has beside its path.
    features: &'static str,
    /// How the function begins that is fixed in the end.
    function: &'static str,
    /// `SHAKEDOWN_SHRINK_BUDGET`; empty for none.
    shrink_budget: &'static str,
}

/// The code blocks of the page: the words after the language, and the text.
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

/// All blocks with this head, one after the other.
fn text_of(page: &Page, head: &str) -> String {
    let text: String =
        blocks(page).iter().filter(|block| block.0 == head).map(|block| format!("{}\n", block.1)).collect();
    assert!(!text.is_empty(), "the page has no block `{head}`");
    text
}

fn cargo(page: &Page, project: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments).current_dir(project).env("CARGO_NET_OFFLINE", "true");
    command.env("SHAKEDOWN_SHRINK_BUDGET", page.shrink_budget);
    // Built beside the workspace's own tests, and again only when something changed.
    command.env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("first-protocol"));
    for name in [
        "SHAKEDOWN_REPLAY",
        "SHAKEDOWN_SEED",
        "SHAKEDOWN_STRATEGY",
        "SHAKEDOWN_EXECUTIONS",
        "SHAKEDOWN_HTML",
        "RUSTFLAGS",
    ] {
        command.env_remove(name);
    }
    command.output().expect("cargo starts")
}

/// A new project with the page's files in it.
fn new_project(page: &Page, folder: &Path) -> PathBuf {
    let made = cargo(page, folder, &["new", "--lib", "--vcs", "none", page.project]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let project = folder.join(page.project);
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // What `cargo add` would write, with the path of this checkout, and the versions that this workspace was
    // built with, so that nothing has to be fetched.
    let mut manifest = fs::read_to_string(project.join("Cargo.toml")).expect("cargo wrote it");
    let shakedown = workspace.join("crates/shakedown").canonicalize().expect("this crate is there");
    manifest.push_str(&format!(
        "\n[dev-dependencies]\nserde = \"1\"\nshakedown = {{ path = {:?}{} }}\n\n[workspace]\n",
        shakedown.display().to_string(),
        page.features
    ));
    fs::write(project.join("Cargo.toml"), manifest).expect("it can be written");
    fs::copy(workspace.join("Cargo.lock"), project.join("Cargo.lock"))
        .expect("the workspace has a lock file");
    fs::create_dir(project.join("tests")).expect("it can be made");
    fs::write(project.join("src/lib.rs"), text_of(page, "rust src/lib.rs")).expect("it can be written");
    let test = format!("tests/{}.rs", page.project);
    fs::write(project.join(&test), text_of(page, &format!("rust {test}"))).expect("it can be written");
    project
}

#[test]
fn the_page_leads_to_a_shrunk_failure_and_to_its_fix() {
    follow(&Page {
        text: include_str!("../../../docs/first-protocol.md"),
        project: "register",
        features: "",
        function: "    pub fn replicate",
        shrink_budget: "",
    });
}

#[test]
fn the_page_on_async_code_does_so_too() {
    follow(&Page {
        text: include_str!("../../../docs/first-async-protocol.md"),
        project: "counter",
        features: ", features = [\"async\"]",
        function: "    pub fn apply",
        shrink_budget: "",
    });
}

#[test]
fn the_page_on_clock_disk_and_crash_does_so_too() {
    follow(&Page {
        text: include_str!("../../../docs/clock-disk-crash.md"),
        project: "ledger",
        features: "",
        function: "    pub fn store(",
        // What the page shows comes early; the search for something shorter takes several times as long.
        shrink_budget: "3000",
    });
}

fn follow(page: &Page) {
    let folder = tempfile::tempdir().expect("a folder");
    let project = new_project(page, folder.path());

    let failed = cargo(page, &project, &["test"]);
    let printed = String::from_utf8_lossy(&failed.stdout).into_owned();
    assert!(!failed.status.success(), "{printed}");
    for (_, shown) in blocks(page).iter().filter(|block| block.0 == "text") {
        for line in shown.lines() {
            assert!(
                printed.contains(line),
                "the page shows `{line}`, the test prints\n{printed}\n{}",
                String::from_utf8_lossy(&failed.stderr)
            );
        }
    }

    let path = project.join("src/lib.rs");
    let code = fs::read_to_string(&path).expect("it is there");
    let fix = text_of(page, "rust fix src/lib.rs");
    let start = code.find(page.function).expect("the function to be fixed is there");
    let end = start + code[start..].find("\n    }\n").expect("it has an end") + "\n    }\n".len();
    fs::write(&path, format!("{}{fix}{}", &code[..start], &code[end..])).expect("it can be written");
    let passed = cargo(page, &project, &["test"]);
    assert!(passed.status.success(), "{}", String::from_utf8_lossy(&passed.stdout));
}
