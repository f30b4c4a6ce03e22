//! C programs as shared libraries.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Whether there is a C compiler; without one the tests are left out, or fail if `SHAKEDOWN_REQUIRE_HOSTS` is
/// set.
pub fn has_compiler() -> bool {
    let is_there = Command::new("cc").arg("--version").output().is_ok_and(|output| output.status.success());
    assert!(is_there || std::env::var_os("SHAKEDOWN_REQUIRE_HOSTS").is_none(), "a C compiler is missing");
    if !is_there {
        eprintln!("left out: this test needs a C compiler (command: cc)");
    }
    is_there
}

/// Compiles a file of this repository, with these further arguments.
pub fn library(source: &str, name: &str, arguments: &[&str]) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("lib{name}.so"));
    let output = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-fPIC", "-shared"])
        .arg("-I")
        .arg(root.join("clients/c"))
        .args(arguments)
        .arg("-o")
        .arg(&library)
        .arg(root.join(source))
        .output()
        .expect("the compiler runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    library
}
