//! Reading modules, configurations and JSON from files.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::access::{Access, text_of};
use super::gauge::budget;
use super::output::print_error;
use super::{EXIT_USAGE, SpecFiles};
use crate::check::exit_code_of;
use crate::{Config, Error, Spec};

/// Longest file of actions or states, in bytes.
const JSON_BYTES_MAX: u64 = 64 << 20;

/// Why a command cannot run, and what the process exits with.
pub struct CommandError {
    /// What is wrong.
    pub message: String,
    /// What the process exits with.
    pub code: u8,
}

impl CommandError {
    /// A file, or an argument, cannot be used.
    pub fn usage(message: impl Into<String>) -> CommandError {
        CommandError { message: message.into(), code: EXIT_USAGE }
    }

    /// Prints it, and gives what the process should exit with.
    pub fn report(self) -> ExitCode {
        print_error(&format!("Error: {}", self.message));
        ExitCode::from(self.code)
    }
}

impl From<Box<Error>> for CommandError {
    fn from(error: Box<Error>) -> CommandError {
        CommandError { message: error.to_string(), code: exit_code_of(&error) as u8 }
    }
}

impl SpecFiles {
    /// Reads the specification.
    pub fn load(&self) -> Result<Spec, CommandError> {
        load(self).map(|(spec, _)| spec)
    }

    fn sources(&self) -> SpecSources<'_> {
        SpecSources {
            spec: &self.spec,
            config: self.config.as_deref(),
            folders: &self.path,
            allow_read: &self.allow_read,
            memory_mebibytes: self.memory,
        }
    }
}

/// Where a specification is, and what it may take.
#[derive(Clone, Copy)]
pub struct SpecSources<'a> {
    /// The root module.
    pub spec: &'a Path,
    /// The configuration; the file beside the module that ends with .cfg if none.
    pub config: Option<&'a Path>,
    /// Where else modules and files are.
    pub folders: &'a [PathBuf],
    /// What else it may read.
    pub allow_read: &'a [PathBuf],
    /// How much memory it may take, in mebibytes.
    pub memory_mebibytes: usize,
}

/// The specification, and what its configuration says about deadlocks.
pub(super) fn load(files: &SpecFiles) -> Result<(Spec, Option<bool>), CommandError> {
    let mut deadlock = None;
    let spec = load_files(files.sources(), &files.env, |config| {
        deadlock = config.check_deadlock;
    })?;
    Ok((spec, deadlock))
}

/// Reads a root module, its configuration and all modules that it needs, which lie beside it or in one of the
/// folders. The configuration may be changed before it is used; the error says what is wrong.
pub fn load_spec(sources: SpecSources<'_>, change: impl FnOnce(&mut Config)) -> Result<Spec, String> {
    load_files(sources, &[], change).map_err(|error| error.message)
}

fn load_files(
    sources: SpecSources<'_>,
    environment: &[String],
    change: impl FnOnce(&mut Config),
) -> Result<Spec, CommandError> {
    let SpecSources { spec, config, .. } = sources;
    let name = spec.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let path = config.map_or_else(|| spec.with_extension("cfg"), Path::to_path_buf);
    if !spec.exists() {
        return Err(CommandError::usage(format!("there is no file {}", spec.display())));
    }
    if !path.exists() {
        let way_out = if config.is_none() { ": name the configuration with --config" } else { "" };
        return Err(CommandError::usage(format!("{} cannot be read{way_out}", path.display())));
    }
    let wrong = |path: &Path, reason: String| CommandError::usage(format!("{}{reason}", path.display()));
    let text = text_of(&path).map_err(|reason| wrong(&path, reason))?;
    let mut config = Config::parse_file(&path.display().to_string(), &text)?;
    change(&mut config);
    // What is wrong with the root module is reported with its path, before anything needs it.
    text_of(spec).map_err(|reason| wrong(spec, reason))?;
    let access = Access::new(spec, sources.folders, sources.allow_read).with_environment(environment);
    Ok(Spec::load_within(&name, config, &access, budget(sources.memory_mebibytes))?)
}

/// The JSON in a file, or on standard input.
pub(super) fn json_of(path: &Path) -> Result<serde_json::Value, CommandError> {
    let wrong = |error: std::io::Error| CommandError::usage(format!("{}: {error}", path.display()));
    let mut text = String::new();
    let source: Box<dyn Read> = if path.as_os_str() == "-" {
        Box::new(std::io::stdin())
    } else {
        Box::new(std::fs::File::open(path).map_err(wrong)?)
    };
    source.take(JSON_BYTES_MAX).read_to_string(&mut text).map_err(wrong)?;
    serde_json::from_str(&text).map_err(|error| CommandError::usage(format!("{}: {error}", path.display())))
}
