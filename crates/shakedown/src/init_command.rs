//! `shakedown init`: a new project that runs, in a language of choice.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::command_line::{CommandError, ExitStatus};
use crate::printing::shell_word;
use crate::terminal::print_line;

#[derive(Args)]
pub(crate) struct Init {
    /// The language
    #[arg(long, value_enum)]
    lang: Language,
    /// The folder, which is made; its name is the name of the project
    #[arg(default_value = "protocol")]
    folder: PathBuf,
    /// Where the library of the language is in a checkout of Shakedown: clients/go, crates/shakedown
    #[arg(long, value_name = "DIR")]
    library: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Language {
    Go,
    Java,
    Python,
    C,
    Rust,
}

/// What a project is made of.
struct Template {
    /// Each with its name in the project.
    files: &'static [(&'static str, &'static str)],
    /// What is typed next, in the folder.
    commands: &'static [&'static str],
}

const GO: Template = Template {
    files: &[
        ("go.mod", include_str!("../templates/go/go.mod.txt")),
        ("main.go", include_str!("../templates/go/main.go")),
        ("shakedown.toml", include_str!("../templates/go/shakedown.toml")),
    ],
    commands: &["go mod tidy", "go build -o NAME", "shakedown run NAME", "shakedown scenario run late-write"],
};

const RUST: Template = Template {
    files: &[
        ("Cargo.toml", include_str!("../templates/rust/Cargo.toml.txt")),
        ("src/main.rs", include_str!("../templates/rust/src/main.rs")),
    ],
    commands: &["cargo test", "cargo run -- run NAME"],
};

impl Language {
    fn template(self) -> Result<&'static Template, CommandError> {
        let missing = match self {
            Language::Go => return Ok(&GO),
            Language::Rust => return Ok(&RUST),
            Language::Java => "java",
            Language::Python => "python",
            Language::C => "c",
        };
        Err(CommandError(format!(
            "there is no project for `{missing}` yet: there are go and rust; docs/first-java-protocol.md, \
             docs/first-python-protocol.md and clients/c/README.md make one step by step"
        )))
    }
}

pub(crate) fn init(options: &Init) -> Result<ExitStatus, CommandError> {
    let template = options.lang.template()?;
    let folder = &options.folder;
    let name = project_name(folder)?;
    let library = options.library.as_deref().map(std::path::absolute).transpose();
    let library = library.map_err(|error| CommandError(format!("--library: {error}")))?;
    for (file, text) in template.files {
        write_new(&folder.join(file), &filled(text, &name, options.lang, library.as_deref()))?;
    }
    print_line!("{} has a project that runs:", folder.display());
    for command in
        [&format!("cd {}", shell_word(&folder.to_string_lossy()))[..]].iter().chain(template.commands)
    {
        print_line!("  {}", command.replace("NAME", &name));
    }
    Ok(ExitStatus::Pass)
}

/// The name of the project: that of its folder.
fn project_name(folder: &Path) -> Result<String, CommandError> {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let is_word = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_');
    if is_word && name.len() <= 64 {
        return Ok(name);
    }
    Err(CommandError(format!(
        "the folder gives the project its name, and `{name}` is none: use small letters, digits, `-` and `_`"
    )))
}

fn filled(text: &str, name: &str, language: Language, library: Option<&Path>) -> String {
    let text = text.replace("NAME", name);
    // A path in TOML and in go.mod stands in quotes: what would end them is written as an escape.
    let quoted = |path: &Path| format!("{:?}", path.to_string_lossy());
    match (language, library) {
        (Language::Go, Some(library)) if text.starts_with("module ") => {
            format!("{text}\nreplace shakedown.dev/go => {}\n", quoted(library))
        }
        (Language::Rust, library) => {
            let features = r#"features = ["cli"]"#;
            let library = match library {
                Some(library) => format!("{{ path = {}, {features} }}", quoted(library)),
                None => format!("{{ version = \"{}\", {features} }}", env!("CARGO_PKG_VERSION")),
            };
            text.replace("LIBRARY", &library)
        }
        _ => text,
    }
}

/// Writes a file that is not there yet: nothing of a user's is overwritten.
fn write_new(path: &Path, text: &str) -> Result<(), CommandError> {
    let failed = |error: std::io::Error| CommandError(format!("{}: {error}", path.display()));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)
}
