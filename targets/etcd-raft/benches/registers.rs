//! The register of the book as a host in each language that has a library: what the protocol itself costs there.
//!
//! A language is a row of [`REGISTERS`]. One whose program is not built is left out, with the command that builds it.

use std::path::Path;

use shakedown_campaign::AnyTarget;
use shakedown_target_file::read;

/// A register in one language.
pub struct Register {
    /// The language.
    pub language: &'static str,
    /// The command; `{root}` stands for the folder of this checkout.
    command: &'static [&'static str],
    /// A file that is there when the program is built.
    needs: &'static str,
    /// What builds it.
    built_by: &'static str,
    /// How many executions come before the first that is measured: a virtual machine compiles what it has run for a while.
    pub warm_up: u64,
}

/// The languages.
pub const REGISTERS: &[Register] = &[
    Register {
        language: "Go",
        command: &["{root}/target/hosts/register-go"],
        needs: "target/hosts/register-go",
        built_by: "go build -C clients/go -o ../../target/hosts/register-go ./examples/register",
        warm_up: 1,
    },
    Register {
        language: "Java",
        command: &[
            "java",
            "-XX:+UseSerialGC",
            "-XX:-OmitStackTraceInFastThrow",
            "-cp",
            "{root}/clients/java/target/classes:{root}/clients/java/target/test-classes",
            "register.RegisterNode",
        ],
        needs: "clients/java/target/test-classes/register/RegisterNode.class",
        built_by: "mvn -q -B -f clients/java verify",
        warm_up: 1000,
    },
];

impl Register {
    /// The target, if its program is built.
    pub fn target(&self, encoding: &str) -> Option<Box<dyn AnyTarget>> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let root = root.canonicalize().expect("the checkout is there");
        if !root.join(self.needs).exists() {
            eprintln!(
                "left out: the register in {} is not built; this builds it: {}",
                self.language, self.built_by
            );
            return None;
        }
        let root_text = root.to_string_lossy();
        let words: Vec<String> =
            self.command.iter().map(|word| format!("{:?}", word.replace("{root}", &root_text))).collect();
        let text = format!(
            "version = 1\n[target]\nname = \"register\"\ncommand = [{}]\nencoding = \"{encoding}\"\nsteps = 400\nrequests = 60\n\
             weights = \"tick=0\"\n[contract]\nbase = \"reliable\"\n[[request]]\njson = \"$number\"\n",
            words.join(", ")
        );
        let target = read(&text, &root, |_| {}).unwrap_or_else(|error| panic!("{error}"));
        Some(Box::new(target))
    }
}
