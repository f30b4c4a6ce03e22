//! Advisories of RustSec, from a copy of its database on disk.
//!
//! The database has a folder `crates`, in it a folder for each package, in it a Markdown file for each
//! advisory, which begins with a block of TOML.

use std::fs;
use std::path::Path;

use semver::VersionReq;
use serde::Deserialize;

use crate::metadata::Metadata;

#[derive(Deserialize)]
struct Entry {
    advisory: Advisory,
    #[serde(default)]
    versions: Versions,
}

#[derive(Deserialize)]
struct Advisory {
    id: String,
    /// What kind of notice it is, if it is no vulnerability.
    informational: Option<String>,
    withdrawn: Option<toml::Value>,
}

#[derive(Deserialize, Default)]
struct Versions {
    #[serde(default)]
    patched: Vec<VersionReq>,
    #[serde(default)]
    unaffected: Vec<VersionReq>,
}

/// Advisories that packages of the workspace are affected by.
pub(crate) fn faults(database: &Path, metadata: &Metadata) -> crate::Result<Vec<String>> {
    let crates = database.join("crates");
    if !crates.is_dir() {
        return Err(format!(
            "{} is no database of advisories: it has no folder `crates`",
            database.display()
        )
        .into());
    }
    let mut faults = Vec::new();
    for package in metadata.packages.iter().filter(|package| package.source.is_some()) {
        let Ok(files) = fs::read_dir(crates.join(&package.name)) else { continue };
        for file in files {
            let path = file?.path();
            let entry =
                parse(&fs::read_to_string(&path)?).map_err(|error| format!("{}: {error}", path.display()))?;
            let is_good =
                |requirements: &[VersionReq]| requirements.iter().any(|one| one.matches(&package.version));
            let is_known = entry.advisory.withdrawn.is_some()
                || is_good(&entry.versions.patched)
                || is_good(&entry.versions.unaffected);
            if !is_known {
                let kind = entry.advisory.informational.as_deref().unwrap_or("a vulnerability");
                faults.push(format!("{} {}: {}, {kind}", package.name, package.version, entry.advisory.id));
            }
        }
    }
    Ok(faults)
}

fn parse(text: &str) -> crate::Result<Entry> {
    let block = text.split_once("```toml").and_then(|(_, rest)| rest.split_once("```"));
    let (block, _) = block.ok_or("it has no block of TOML")?;
    Ok(toml::from_str(block)?)
}
