//! `shakedown init`: a new project that runs, in a language of choice.

mod library;
mod project;

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::command_line::{CommandError, ExitStatus};
use crate::printing::shell_word;
use crate::terminal::print_line;

use library::library_text;
use project::{C, GO, JAVA, PYTHON, Project, RUST};

#[derive(Args)]
pub(crate) struct Init {
    /// The language
    #[arg(long, value_enum)]
    lang: Language,
    /// The folder, which is made; its name is the name of the project
    #[arg(default_value = "protocol")]
    folder: PathBuf,
    /// Where the library of the language is in a checkout of Shakedown: clients/LANG or crates/shakedown.
    /// Needed for java, python and c
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

impl Language {
    fn project(self) -> &'static Project {
        match self {
            Language::Go => &GO,
            Language::Java => &JAVA,
            Language::Python => &PYTHON,
            Language::C => &C,
            Language::Rust => &RUST,
        }
    }
}

pub(crate) fn init(options: &Init) -> Result<ExitStatus, CommandError> {
    let project = options.lang.project();
    let folder = &options.folder;
    let name = project_name(folder)?;
    let library = options.library.as_deref().map(std::path::absolute).transpose();
    let library = library.map_err(|error| CommandError(format!("--library: {error}")))?;
    let library = library_text(options.lang, library.as_deref()).map_err(CommandError)?;
    let files = project.written(&name, &library);
    if let Some(path) = files.iter().map(|(file, _)| folder.join(file)).find(|path| path.exists()) {
        return Err(CommandError(format!("{} exists: nothing was written", path.display())));
    }
    for (file, text) in files {
        write_new(&folder.join(file), &text)?;
    }
    print_line!("{} has a project that runs:", folder.display());
    for command in
        [&format!("cd {}", shell_word(&folder.to_string_lossy()))[..]].iter().chain(project.commands)
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

/// Writes a file that is not there yet: nothing of a user's is overwritten.
fn write_new(path: &Path, text: &str) -> Result<(), CommandError> {
    let failed = |error: std::io::Error| CommandError(format!("{}: {error}", path.display()));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)
}
