//! The library of a target, loaded when it is first needed.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use shakedown_cluster::Environment;
use shakedown_remote::Notice;

use crate::{CannotLoad, Library};

/// The library of a target. Nothing is loaded before the first execution, and then the file is printed.
pub struct SharedLibrary {
    file: PathBuf,
    notice: Notice,
    loaded: OnceLock<Result<Arc<Library>, CannotLoad>>,
}

impl SharedLibrary {
    /// The library in this file. It is printed to standard error before it is loaded.
    pub fn new(file: impl Into<PathBuf>) -> SharedLibrary {
        SharedLibrary::with_notice(file, Arc::new(|text| eprintln!("{text}")))
    }

    /// The same, with another way to print.
    pub fn with_notice(file: impl Into<PathBuf>, notice: Notice) -> SharedLibrary {
        SharedLibrary { file: file.into(), notice, loaded: OnceLock::new() }
    }

    /// The library; it is loaded if it has not been.
    pub fn library(&self) -> Result<&Arc<Library>, &CannotLoad> {
        let load = || {
            (self.notice)(&format!("loads {}", self.file.display()));
            Library::load(&self.file).map(Arc::new)
        };
        self.loaded.get_or_init(load).as_ref()
    }
}

impl Environment for SharedLibrary {
    fn prepare(&self) -> Result<(), String> {
        self.library().map(drop).map_err(CannotLoad::to_string)
    }
}
