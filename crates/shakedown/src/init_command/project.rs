//! What the new projects are made of: a replicated register in each language, from the files in `templates`.

/// A project of one language.
pub(super) struct Project {
    pub files: &'static [ProjectFile],
    /// How `shakedown.toml` names the program; empty if the project has no such file.
    pub program: &'static str,
    /// What is typed next, in the folder.
    pub commands: &'static [&'static str],
}

/// A file of a project. In its text, `NAME` stands for the name of the project and `LIBRARY` for the place of
/// the library.
pub(super) struct ProjectFile {
    pub name: &'static str,
    /// What it is, for the project's README.
    pub about: &'static str,
    pub text: &'static str,
}

const fn file(name: &'static str, about: &'static str, text: &'static str) -> ProjectFile {
    ProjectFile { name, about, text }
}

/// The same in every language but Rust: the registers have the same messages and states.
const TARGET_FILE: ProjectFile = file(
    "shakedown.toml",
    "what Shakedown tests: the program, the network, the requests, an invariant and a scenario",
    include_str!("../../templates/shakedown.toml"),
);

const README: &str = include_str!("../../templates/README.md");

pub(super) const GO: Project = Project {
    files: &[
        file("go.mod", "the module", include_str!("../../templates/go/go.mod.txt")),
        file("main.go", "the protocol", include_str!("../../templates/go/main.go")),
        TARGET_FILE,
    ],
    program: r#"command = ["./NAME"]"#,
    commands: &["go mod tidy", "go build -o NAME", "shakedown run NAME", "shakedown scenario run late-write"],
};

pub(super) const RUST: Project = Project {
    files: &[
        file("Cargo.toml", "the package", include_str!("../../templates/rust/Cargo.toml.txt")),
        file(
            "src/main.rs",
            "the protocol, what must hold, and a test",
            include_str!("../../templates/rust/src/main.rs"),
        ),
    ],
    program: "",
    commands: &["cargo test", "cargo run -- run NAME"],
};

pub(super) const JAVA: Project = Project {
    files: &[
        file("pom.xml", "the build", include_str!("../../templates/java/pom.xml")),
        file(
            "src/main/java/Server.java",
            "the protocol",
            include_str!("../../templates/java/src/main/java/Server.java"),
        ),
        file(
            "src/test/java/ServerTest.java",
            "a test of the protocol alone",
            include_str!("../../templates/java/src/test/java/ServerTest.java"),
        ),
        TARGET_FILE,
    ],
    program: r#"command = ["java", "-XX:+UseSerialGC", "-XX:-OmitStackTraceInFastThrow", "-cp", "target/classes", "Server"]"#,
    commands: &["mvn -q test", "shakedown run NAME", "shakedown scenario run late-write"],
};

pub(super) const PYTHON: Project = Project {
    files: &[
        file(
            "requirements.txt",
            "where the library is",
            include_str!("../../templates/python/requirements.txt"),
        ),
        file("main.py", "the protocol", include_str!("../../templates/python/main.py")),
        file(
            "test_main.py",
            "a test of the protocol alone: `python3 -m unittest`",
            include_str!("../../templates/python/test_main.py"),
        ),
        TARGET_FILE,
    ],
    program: r#"command = ["python3", "main.py"]"#,
    commands: &[
        "python3 -m venv .venv",
        ". .venv/bin/activate",
        "pip install -r requirements.txt",
        "shakedown run NAME",
        "shakedown scenario run late-write",
    ],
};

pub(super) const C: Project = Project {
    files: &[
        file(
            "Makefile",
            "the build; `make check` checks the nodes",
            include_str!("../../templates/c/Makefile"),
        ),
        file("node.c", "the protocol", include_str!("../../templates/c/node.c")),
        TARGET_FILE,
    ],
    program: r#"library = "./libNAME.so""#,
    commands: &["make", "shakedown run NAME", "shakedown scenario run late-write"],
};

impl Project {
    /// The files of a project of this name, each with its text: those of the language, and a README.
    pub fn written(&self, name: &str, library: &str) -> Vec<(&'static str, String)> {
        let filled = |text: &str| text.replace("PROGRAM", self.program).replace("NAME", name);
        let mut files: Vec<_> = self
            .files
            .iter()
            // The place of the library comes last: a path may hold any word.
            .map(|file| (file.name, filled(file.text).replace("LIBRARY", library)))
            .collect();
        files.push(("README.md", filled(&self.readme())));
        files
    }

    fn readme(&self) -> String {
        let commands: Vec<_> = self.commands.iter().map(|command| format!("$ {command}")).collect();
        let files: Vec<_> =
            self.files.iter().map(|file| format!("| `{}` | {} |", file.name, file.about)).collect();
        README.replace("COMMANDS", &commands.join("\n")).replace("FILES", &files.join("\n"))
    }
}
