//! Reading modules, configurations and JSON from files.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::{EXIT_USAGE, SpecFiles};
use crate::check::exit_code_of;
use crate::{Config, Error, Loader, Spec};

/// Longest file of actions or states, in bytes.
const JSON_BYTES_MAX: u64 = 64 << 20;

/// Why a command cannot run, and what the process exits with.
pub struct Trouble {
    /// What is wrong.
    pub message: String,
    /// What the process exits with.
    pub code: u8,
}

impl Trouble {
    /// A file, or an argument, cannot be used.
    pub fn usage(message: impl Into<String>) -> Trouble {
        Trouble { message: message.into(), code: EXIT_USAGE }
    }

    /// Says it, and what the process should exit with.
    pub fn report(self) -> ExitCode {
        eprintln!("Error: {}", self.message);
        ExitCode::from(self.code)
    }
}

impl From<Box<Error>> for Trouble {
    fn from(error: Box<Error>) -> Trouble {
        Trouble { message: error.to_string(), code: exit_code_of(&error) as u8 }
    }
}

/// Modules beside the root module, and in the folders that were given.
struct Folders(Vec<PathBuf>);

impl Loader for Folders {
    fn module(&self, name: &str) -> Option<String> {
        self.0.iter().find_map(|folder| text_of(&folder.join(format!("{name}.tla"))))
    }

    /// Beside the modules, or else from where the command was called, as TLC reads them.
    fn file(&self, path: &str) -> Option<String> {
        self.0.iter().find_map(|folder| text_of(&folder.join(path))).or_else(|| text_of(Path::new(path)))
    }
}

/// A file's text; bytes that are not UTF-8 are replaced, for they occur in comments only.
pub(super) fn text_of(path: &Path) -> Option<String> {
    std::fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

impl SpecFiles {
    /// Reads the specification.
    pub fn load(&self) -> Result<Spec, Trouble> {
        load(self).map(|(spec, _)| spec)
    }

    fn folders(&self) -> Vec<PathBuf> {
        let own = self.spec.parent().map(Path::to_path_buf).unwrap_or_default();
        std::iter::once(own).chain(self.path.iter().cloned()).collect()
    }

    /// A line of a module, from 1.
    pub(super) fn line(&self, module: &str, line: u32) -> Option<String> {
        let text = Folders(self.folders()).module(module)?;
        text.lines().nth((line as usize).checked_sub(1)?).map(|line| line.trim().to_string())
    }
}

/// The specification, and what its configuration says about deadlocks.
pub(super) fn load(files: &SpecFiles) -> Result<(Spec, Option<bool>), Trouble> {
    let mut deadlock = None;
    let spec = load_files(&files.spec, files.config.as_deref(), &files.path, |config| {
        deadlock = config.check_deadlock;
    })?;
    Ok((spec, deadlock))
}

/// Reads a root module, its configuration (the file beside it that ends with .cfg, unless one is given) and all modules that it
/// needs, which lie beside it or in one of the folders. The configuration may be changed before it is used; the error says
/// what is wrong.
pub fn load_spec(
    spec: &Path,
    config: Option<&Path>,
    folders: &[PathBuf],
    change: impl FnOnce(&mut Config),
) -> Result<Spec, String> {
    load_files(spec, config, folders, change).map_err(|trouble| trouble.message)
}

fn load_files(
    spec: &Path,
    config: Option<&Path>,
    folders: &[PathBuf],
    change: impl FnOnce(&mut Config),
) -> Result<Spec, Trouble> {
    let name = spec.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let path = config.map_or_else(|| spec.with_extension("cfg"), Path::to_path_buf);
    if !spec.exists() {
        return Err(Trouble::usage(format!("there is no file {}", spec.display())));
    }
    let Some(text) = text_of(&path) else {
        let way_out = if config.is_none() { ": name the configuration with --config" } else { "" };
        return Err(Trouble::usage(format!("{} cannot be read{way_out}", path.display())));
    };
    let mut config = Config::parse(&text)?;
    change(&mut config);
    let own = spec.parent().map(Path::to_path_buf).unwrap_or_default();
    let folders = std::iter::once(own).chain(folders.iter().cloned()).collect();
    Ok(Spec::load(&name, config, &Folders(folders))?)
}

/// The JSON in a file, or on standard input.
pub(super) fn json_of(path: &Path) -> Result<serde_json::Value, Trouble> {
    let wrong = |error: std::io::Error| Trouble::usage(format!("{}: {error}", path.display()));
    let mut text = String::new();
    let source: Box<dyn Read> = if path.as_os_str() == "-" {
        Box::new(std::io::stdin())
    } else {
        Box::new(std::fs::File::open(path).map_err(wrong)?)
    };
    source.take(JSON_BYTES_MAX).read_to_string(&mut text).map_err(wrong)?;
    serde_json::from_str(&text).map_err(|error| Trouble::usage(format!("{}: {error}", path.display())))
}
