//! The pages, and what differs between languages.

use std::process::Command;

/// A first page of the book.
pub struct Page {
    /// Its text.
    pub text: &'static str,
    /// What is needed, in words, and the command that shows whether it is there.
    pub tools: (&'static str, &'static [&'static str]),
    /// Variables of the environment. `{root}` stands for the folder of this checkout, here and below.
    pub variables: &'static [(&'static str, &'static str)],
    /// Commands of the page, and what is typed in place of them: the library comes from this checkout, and
    /// nothing is fetched.
    pub instead: &'static [(&'static str, &'static [&'static str])],
    /// What a run prints before it first starts the program.
    pub starts: &'static str,
}

impl Page {
    pub fn has_tools(&self) -> bool {
        let (name, command) = self.tools;
        let probe = Command::new(command[0]).args(&command[1..]).output();
        let is_there = probe.is_ok_and(|output| output.status.success());
        assert!(is_there || std::env::var_os("SHAKEDOWN_REQUIRE_HOSTS").is_none(), "{name} is missing");
        if !is_there {
            eprintln!("left out: this page needs {name} (command: {})", command[0]);
        }
        is_there
    }
}

pub const GO: Page = Page {
    text: include_str!("../../../../docs/first-go-protocol.md"),
    tools: ("Go", &["go", "version"]),
    variables: &[("GOPROXY", "off"), ("GOWORK", "off")],
    instead: &[("go mod tidy", &["go mod edit -replace shakedown.dev/go={root}/clients/go", "go mod tidy"])],
    starts: "starts ./register",
};

pub const PYTHON: Page = Page {
    text: include_str!("../../../../docs/first-python-protocol.md"),
    tools: ("Python 3.11 or later", &["python3", "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]),
    variables: &[("PYTHONPATH", "{root}/clients/python/src")],
    instead: &[("pip install ../shakedown/clients/python", &["python3 -c __import__('shakedown')"])],
    starts: "starts python3 main.py",
};

pub const JAVA: Page = Page {
    text: include_str!("../../../../docs/first-java-protocol.md"),
    tools: ("Java", &["javac", "-version"]),
    variables: &[],
    instead: &[(
        "javac -d classes -cp shakedown.jar Register.java RegisterNode.java",
        &["javac -d classes -sourcepath .:{root}/clients/java/src/main/java Register.java RegisterNode.java"],
    )],
    starts: "starts java -XX:+UseSerialGC",
};
