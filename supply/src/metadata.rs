//! What `cargo metadata` reports.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

/// The packages of a workspace and what they need.
#[derive(Deserialize)]
pub(crate) struct Metadata {
    pub packages: Vec<Package>,
    resolve: Resolve,
    workspace_root: PathBuf,
}

/// A package.
#[derive(Deserialize)]
pub(crate) struct Package {
    pub name: String,
    pub version: semver::Version,
    pub id: String,
    pub license: Option<String>,
    /// Where it comes from; nothing if it is ours.
    pub source: Option<String>,
    pub manifest_path: PathBuf,
    pub dependencies: Vec<Wanted>,
    pub description: Option<String>,
    pub repository: Option<String>,
}

/// What a manifest asks for.
#[derive(Deserialize)]
pub(crate) struct Wanted {
    pub name: String,
    pub req: String,
    pub source: Option<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<Kind>,
}

#[derive(Deserialize)]
struct Kind {
    kind: Option<String>,
}

impl Metadata {
    /// Of the workspace in this folder, as its lock file has it, for all systems.
    pub fn read(folder: &Path) -> crate::Result<Metadata> {
        Metadata::read_with(folder, &[])
    }

    /// The same for this system only: what is built here.
    pub fn read_for_host(folder: &Path) -> crate::Result<Metadata> {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let text = String::from_utf8(Command::new(rustc).arg("-vV").output()?.stdout)?;
        let host = text.lines().find_map(|line| line.strip_prefix("host: ")).ok_or("rustc names no host")?;
        Metadata::read_with(folder, &["--filter-platform", host])
    }

    fn read_with(folder: &Path, options: &[&str]) -> crate::Result<Metadata> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["metadata", "--format-version", "1", "--locked", "--manifest-path"])
            .arg(folder.join("Cargo.toml"))
            .args(options)
            .output()?;
        if !output.status.success() {
            return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        Ok(serde_json::from_slice(&output.stdout)?)
    }

    /// What to call the workspace.
    pub fn name(&self) -> String {
        self.workspace_root.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// What a package needs to be built and to run, itself included, by id: tests are left out.
    pub fn needed_by(&self, name: &str) -> BTreeSet<String> {
        let nodes: HashMap<&str, &Node> = self.resolve.nodes.iter().map(|node| (&*node.id, node)).collect();
        let mut open: Vec<&str> =
            self.packages.iter().filter(|package| package.name == name).map(|package| &*package.id).collect();
        let mut needed = BTreeSet::new();
        while let Some(id) = open.pop() {
            if needed.insert(id.to_owned()) {
                open.extend(nodes.get(id).into_iter().flat_map(|node| node.needs()));
            }
        }
        needed
    }

    /// What one package needs directly, without what only its tests need.
    pub fn needs(&self, id: &str) -> BTreeSet<&str> {
        self.resolve.nodes.iter().filter(|node| node.id == id).flat_map(Node::needs).collect()
    }
}

impl Node {
    fn needs(&self) -> impl Iterator<Item = &str> {
        let only_tests = |dependency: &&Dependency| {
            dependency.dep_kinds.iter().all(|kind| kind.kind.as_deref() == Some("dev"))
        };
        self.deps.iter().filter(move |dependency| !only_tests(dependency)).map(|dependency| &*dependency.pkg)
    }
}
