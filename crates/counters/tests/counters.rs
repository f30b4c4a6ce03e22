//! Small programs, built with and without instrumentation, tell what they have counted.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Says how many counters there are, which of them were hit and how often: at first, after three calls, and
/// after clearing.
const PROGRAM: &str = r#"
    fn main() {
        let show = |when: &str| match shakedown_counters::Counters::get() {
            None => println!("{when}: none"),
            Some(counters) => {
                let hits: Vec<u64> = counters.hits().map(|(_, hits)| hits).collect();
                println!("{when}: {hits:?}");
            }
        };
        show("before");
        (0..3).for_each(|number| drop(target::ask(number)));
        show("after");
        shakedown_counters::Counters::get().inspect(|counters| counters.clear());
        show("cleared");
    }
"#;

/// One function with one branch.
const TARGET: &str = "
    #[inline(never)]
    pub fn ask(number: u32) -> u32 {
        if number == 1 { 7 } else { number }
    }
";

fn rustc(folder: &Path, name: &str, source: &Path, more: &[&str]) {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .args(["--edition=2024", "-O", "--crate-name", name, "-L", "."])
        .args(more)
        .arg(source)
        .current_dir(folder)
        .output()
        .expect("there is a compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// What the program says if its target was compiled with these flags. The crate itself is compiled anew,
/// plainly.
fn reported(case: &str, flags: &[&str]) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(case);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let written = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("the folder can be written to");
        path
    };
    let (target, program) = (written("target.rs", TARGET), written("program.rs", PROGRAM));
    let counters = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    rustc(&folder, "shakedown_counters", &counters, &["--crate-type=rlib"]);
    rustc(&folder, "target", &target, &[&["--crate-type=rlib"], flags].concat());
    rustc(&folder, "program", &program, &["--extern=shakedown_counters", "--extern=target"]);
    let output = Command::new(folder.join("program")).current_dir(&folder).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!folder.join("default.profraw").exists(), "a profile was written");
    String::from_utf8(output.stdout).expect("it is text")
}

#[test]
fn a_program_without_instrumentation_has_no_counters() {
    assert_eq!(reported("plain", &[]), "before: none\nafter: none\ncleared: none\n");
}

#[test]
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn an_instrumented_crate_is_counted_and_no_other() {
    assert_eq!(
        reported("instrumented", &["-Cinstrument-coverage"]),
        "before: []\nafter: [3, 1]\ncleared: []\n",
        "three calls, one of which took the branch"
    );
}
