//! Which files a specification may make the program read.
//!
//! Modules and data come from people who may be strangers, and name files. Only regular files of bounded size
//! are read, and only below the folders of the specification and those that arguments name. Links are
//! followed first: what they lead to counts.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::loader::{Files, Loader};

/// Longest file that a specification may name, and longest module or configuration, in bytes.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// The folders of a specification, and what may be read.
#[derive(Clone)]
pub(super) struct Access {
    /// Where modules and files are looked for: beside the root module, then in the folders that were given.
    folders: Vec<PathBuf>,
    /// Below these everything may be read; canonical paths.
    allowed: Vec<PathBuf>,
    /// The environment that the specification sees.
    environment: Vec<(String, String)>,
}

impl Access {
    /// Access for a root module: to its folder, to more folders where modules are, and to others.
    pub(super) fn new(spec: &Path, folders: &[PathBuf], others: &[PathBuf]) -> Access {
        let own = match spec.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
            _ => PathBuf::from("."),
        };
        let folders: Vec<PathBuf> = std::iter::once(own).chain(folders.iter().cloned()).collect();
        // The root module may be a link itself: the modules beside what it leads to belong to it as well.
        let real = fs::canonicalize(spec).ok().and_then(|path| path.parent().map(Path::to_path_buf));
        let named = folders.iter().chain(others).filter_map(|path| fs::canonicalize(path).ok());
        let allowed = named.chain(real).collect();
        Access { folders, allowed, environment: Vec::new() }
    }

    /// The same, with variables of the environment that arguments name: `NAME` or `NAME=VALUE`.
    pub(super) fn with_environment(self, named: &[String]) -> Access {
        let variable = |argument: &String| match argument.split_once('=') {
            Some((name, value)) => Some((name.to_owned(), value.to_owned())),
            None => std::env::var(argument).ok().map(|value| (argument.clone(), value)),
        };
        Access { environment: named.iter().filter_map(variable).collect(), ..self }
    }

    /// The text of a file that may be read; `None` if there is no such file.
    fn text(&self, path: &Path) -> Result<Option<String>, String> {
        let Ok(real) = fs::canonicalize(path) else { return Ok(None) };
        if !self.allowed.iter().any(|folder| real.starts_with(folder)) {
            return Err(format!(
                "{} is outside the folders of the specification: to allow it, give --allow-read with its folder",
                path.display()
            ));
        }
        text_of(&real).map(Some).map_err(|reason| format!("{}{reason}", path.display()))
    }
}

impl Loader for Access {
    fn module(&self, name: &str) -> Option<String> {
        self.read_module(name).ok().flatten()
    }

    fn read_module(&self, name: &str) -> Result<Option<String>, String> {
        for folder in &self.folders {
            if let Some(text) = self.text(&folder.join(format!("{name}.tla")))? {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    fn files(&self) -> std::sync::Arc<dyn Files> {
        std::sync::Arc::new(self.clone())
    }

    fn environment(&self) -> Vec<(String, String)> {
        self.environment.clone()
    }
}

impl Files for Access {
    /// Beside the modules, or else from where the command was called, as TLC reads them.
    fn read(&self, path: &str) -> Result<String, String> {
        let mut refused = None;
        for folder in self.folders.iter().map(PathBuf::as_path).chain([Path::new("")]) {
            match self.text(&folder.join(path)) {
                Ok(Some(text)) => return Ok(text),
                Ok(None) => {}
                Err(reason) => refused = refused.or(Some(reason)),
            }
        }
        Err(refused.unwrap_or_else(|| format!("there is no file {path}")))
    }
}

/// The text of a regular file; the reason starts with the place in the file, or with a colon.
pub(super) fn text_of(path: &Path) -> Result<String, String> {
    let problem = |error: std::io::Error| format!(": {error}");
    // A pipe would hold up whoever opens it, so it is not opened.
    if !fs::metadata(path).map_err(problem)?.is_file() {
        return Err(": it is no regular file".to_string());
    }
    let file = File::open(path).map_err(problem)?;
    if !file.metadata().map_err(problem)?.is_file() {
        return Err(": it is no regular file".to_string());
    }
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(problem)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(format!(": it is longer than {} MiB", FILE_BYTES_MAX >> 20));
    }
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let before = String::from_utf8_lossy(before);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        format!(":{line}:{column}: this is not UTF-8: convert the file")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of its own that is removed in the end.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let folder = std::env::temp_dir().join(format!("shakedown-access-{name}-{}", std::process::id()));
            fs::create_dir_all(folder.join("spec")).unwrap();
            fs::create_dir_all(folder.join("other")).unwrap();
            fs::write(folder.join("spec/Root.tla"), "root").unwrap();
            fs::write(folder.join("spec/near"), "near").unwrap();
            fs::write(folder.join("other/far"), "far").unwrap();
            Scratch(fs::canonicalize(folder).unwrap())
        }

        fn access(&self, others: &[PathBuf]) -> Access {
            Access::new(&self.0.join("spec/Root.tla"), &[], others)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn only_what_is_below_the_specification_or_allowed_is_read() {
        let scratch = Scratch::new("allowed");
        let access = scratch.access(&[]);
        assert_eq!(access.read("near"), Ok("near".to_string()));
        let far = scratch.0.join("other/far").display().to_string();
        for path in ["../other/far", far.as_str()] {
            let refused = access.read(path).unwrap_err();
            assert!(refused.contains("--allow-read"), "{path}: {refused}");
        }
        assert!(access.read("nowhere").unwrap_err().contains("there is no file nowhere"));
        let access = scratch.access(&[scratch.0.join("other")]);
        assert_eq!(access.read(&far), Ok("far".to_string()));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_outside_is_outside() {
        let scratch = Scratch::new("link");
        std::os::unix::fs::symlink("../other/far", scratch.0.join("spec/link")).unwrap();
        std::os::unix::fs::symlink("../other/far", scratch.0.join("spec/Linked.tla")).unwrap();
        let access = scratch.access(&[]);
        assert!(access.read("link").unwrap_err().contains("--allow-read"));
        assert!(access.read_module("Linked").unwrap_err().contains("--allow-read"));
        let access = scratch.access(&[scratch.0.join("other")]);
        assert_eq!(access.read("link"), Ok("far".to_string()));
    }

    #[test]
    fn what_is_no_regular_file_or_no_text_is_refused() {
        let scratch = Scratch::new("regular");
        fs::write(scratch.0.join("spec/bytes"), b"two\nl\xc3\xb6w\xff").unwrap();
        fs::create_dir(scratch.0.join("spec/folder")).unwrap();
        let access = scratch.access(&[PathBuf::from("/dev")]);
        let refused = access.read("bytes").unwrap_err();
        assert!(refused.ends_with("bytes:2:4: this is not UTF-8: convert the file"), "{refused}");
        assert!(access.read("folder").unwrap_err().contains("no regular file"));
        if Path::new("/dev/zero").exists() {
            assert!(access.read("/dev/zero").unwrap_err().contains("no regular file"));
        }
    }
}
