//! Targets that are a program or a shared library in any language and a text file, `shakedown.toml`.
//!
//! A program speaks the node protocol, a library has the C interface; the file names it and describes the
//! rest: how many nodes, what the network may do, what clients ask, oracles by name, invariants as TLA+
//! expressions over the states of the nodes, scenarios, and the mapping to a specification. [`load`] reads
//! the file and starts nothing.

mod abstractions;
mod expressions;
mod invariants;
mod located;
mod model;
mod oracles;
mod path;
mod plain_contents;
mod plain_node;
mod profiles;
mod running;
mod scenarios;
mod schema;
mod servers;
mod shape;
mod sights;
mod switch;
mod template;
mod through;
mod within;
mod workload;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shakedown_native::{NativeNode, SharedLibrary};
use shakedown_remote::{HostPool, Notice, Plain, RemoteNode};
use shakedown_target::{AnyTarget, Target};
use toml::Spanned;

pub use profiles::{Profile, ProfileSetting, ProfileValue, load_profiles, read_profiles};
pub use scenarios::{BadScenarioText, Contents, read_scenarios};

use abstractions::{with_colour, with_waypoint};
use invariants::Invariants;
use located::{Located, error_at};
use model::Model;
use oracles::Oracles;
use plain_contents::PLAIN;
use plain_node::PlainNode;
use running::{Running, running};
use schema::{OptionTable, TargetFile};
use servers::servers;
use workload::Workload;

/// The file that is read where no other is named.
pub const FILE_NAME: &str = "shakedown.toml";
/// The largest file that is read, in bytes.
const FILE_MAX: u64 = 1 << 20;
/// The version of the schema.
const VERSION: u32 = 1;

/// Why a file describes no target.
#[derive(Debug, thiserror::Error)]
pub enum BadTargetFile {
    /// The file cannot be read.
    #[error("{}: {error}", .file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
    /// The file is not what it should be.
    #[error("{}: {reason}", .file.display())]
    Malformed {
        /// The file.
        file: PathBuf,
        /// What is wrong, and where.
        reason: String,
    },
}

/// Reads a target from a file. Relative paths of programs are relative to the folder of the file.
pub fn load(file: &Path, notice: Notice) -> Result<Box<dyn AnyTarget>, BadTargetFile> {
    read(&text_of(file)?, folder_of(file), notice)
        .map_err(|reason| BadTargetFile::Malformed { file: file.to_owned(), reason })
}

/// The same; nothing if the file has profiles and describes no target.
pub fn load_if_described(file: &Path, notice: Notice) -> Result<Option<Box<dyn AnyTarget>>, BadTargetFile> {
    if profiles::has_profiles_only(&text_of(file)?) {
        return load_profiles(file).map(|_| None);
    }
    load(file, notice).map(Some)
}

/// The folder that paths in a file are relative to.
fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The text of a file that is not too large.
fn text_of(file: &Path) -> Result<String, BadTargetFile> {
    let unreadable = |error| BadTargetFile::Io { file: file.to_owned(), error };
    let size = std::fs::metadata(file).map_err(unreadable)?.len();
    if size > FILE_MAX {
        let reason = format!("the file has {size} bytes; at most {FILE_MAX} are read");
        return Err(BadTargetFile::Malformed { file: file.to_owned(), reason });
    }
    std::fs::read_to_string(file).map_err(unreadable)
}

/// Reads a target from the text of a file in this folder.
pub fn read(text: &str, folder: &Path, notice: Notice) -> Result<Box<dyn AnyTarget>, String> {
    let file: TargetFile = toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?;
    let version = file.version.get_ref();
    if *version != VERSION {
        let reason = format!("`version` is {version}: this program reads version {VERSION}");
        return Err(error_at(text, &file.version, reason));
    }
    let spanned = &file.target.get_ref().name;
    let name = spanned.get_ref();
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err(error_at(text, spanned, format!("the name of a target is one word, and not `{name}`")));
    }
    if let Some(deployment) = &file.deployment {
        return Ok(Box::new(servers(deployment.clone(), file, text, folder, notice)?));
    }
    match running(&file.target, text, folder)? {
        Running::Host(command) => {
            let pool = HostPool::with_notice(command, notice);
            Ok(Box::new(describe::<RemoteNode<Plain>>(file, text, folder)?.environment(Arc::new(pool))))
        }
        Running::Library(library) => {
            let library = SharedLibrary::with_notice(library, notice);
            Ok(Box::new(describe::<NativeNode>(file, text, folder)?.environment(Arc::new(library))))
        }
    }
}

/// The target that the file describes, without what its nodes run in.
fn describe<N: PlainNode>(mut file: TargetFile, text: &str, folder: &Path) -> Result<Target<N>, String> {
    let nodes = file.target.get_ref().nodes.map_or(3, |nodes| nodes.0);
    let target = basics::<N>(&mut file, text, nodes)?;
    let target = with_scenarios(target, &file, text, folder)?;
    let mut target = with_abstractions(target, &mut file, text, nodes)?;
    if let Some(table) = file.model {
        let model = Arc::new(Model::new(table, text, folder, nodes)?);
        target = target.follow(model.following()).compare(model.comparison()?);
    }
    Ok(with_options(target, file.options))
}

/// Adds the options of the file. Of an option that the target has it says the default.
fn with_options<N: PlainNode>(mut target: Target<N>, options: BTreeMap<String, OptionTable>) -> Target<N> {
    for (name, option) in options {
        if target.info().options.iter().any(|known| known.name == name) {
            target = target.default_of(&name, option.default);
            continue;
        }
        // A name of an option lives as long as the program, as those of targets in Rust do.
        let (name, about) = (kept(name), kept(option.about));
        target = target.option(name, option.default, about);
    }
    target
}

fn kept(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

/// What the target is, what clients ask of it and what must hold.
fn basics<N: PlainNode>(file: &mut TargetFile, text: &str, nodes: usize) -> Result<Target<N>, String> {
    let (workload, operations) =
        Workload::of(file.workload.as_ref(), std::mem::take(&mut file.request), text)?;
    let oracles = Oracles::new(std::mem::take(&mut file.oracles), operations, text)?;
    let located = |(name, spanned): (String, _)| (name, Located::new(text, &spanned));
    let invariants =
        Invariants::new(std::mem::take(&mut file.invariants).into_iter().map(located).collect())?;
    invariants.check(nodes)?;
    let head = file.target.get_ref();
    let nodes_min = head.nodes_min.as_ref().map_or(1, |nodes| nodes.get_ref().0);
    if let Some(spanned) = head.nodes_min.as_ref().filter(|_| nodes_min > nodes) {
        let reason = format!("`nodes_min` is {nodes_min}: it is 1 to {nodes}, the number of nodes");
        return Err(error_at(text, spanned, reason));
    }
    let about = head.about.as_deref().unwrap_or("nodes in another language");
    let requests = head.requests.map_or(if workload.is_empty() { 0 } else { 8 }, |requests| requests.0);
    let target = Target::<N>::new(head.name.get_ref().clone())
        .about(about)
        .version(head.version.as_deref().unwrap_or(head.name.get_ref()))
        .nodes(nodes)
        .nodes_min(nodes_min)
        .steps(head.steps.map_or(300, |steps| steps.0))
        .crashes(head.crashes.map_or(0, |crashes| crashes.0))
        .contract(file.contract.take().unwrap_or_default().contract())
        .workload(requests, move |config, random| workload.requests(config.requests, random))
        .oracles(move |config| {
            let mut made = oracles.make();
            made.extend(invariants.oracles(config.nodes));
            made
        });
    let Some(spanned) = &head.weights else { return Ok(target) };
    let weights = target.info().weights.clone().changed_by(spanned.get_ref());
    Ok(target.weights(weights.map_err(|error| error_at(text, spanned, format!("`weights`: {error}")))?))
}

/// The scenarios of the file, and those of the files that it names.
fn with_scenarios<N: PlainNode>(
    mut target: Target<N>,
    file: &TargetFile,
    text: &str,
    folder: &Path,
) -> Result<Target<N>, String> {
    for (name, spanned) in &file.scenarios {
        let place = Located::new(text, spanned);
        let scenario = scenarios::read_scenario(name, &place.text, PLAIN).map_err(|error| {
            place.error(error.line, error.column, format!("scenario `{name}`: {}", error.reason))
        })?;
        target = target.scenario(scenario);
    }
    for spanned in &file.scenario_files {
        let (name, text) = file_beside(text, spanned, folder)?;
        for scenario in read_scenarios(&text, PLAIN).map_err(|error| format!("{name}: {error}"))? {
            target = target.scenario(scenario);
        }
    }
    if file.target.get_ref().kinds.is_empty() {
        return Ok(target);
    }
    let kinds = file.target.get_ref().kinds.iter().map(|kind| kept(kind.clone())).collect();
    Ok(target.kinds(Vec::leak(kinds)))
}

/// What strategies that learn are given.
fn with_abstractions<N: PlainNode>(
    mut target: Target<N>,
    file: &mut TargetFile,
    text: &str,
    nodes: usize,
) -> Result<Target<N>, String> {
    if let Some(colour) = &file.target.get_ref().colour {
        target = with_colour(target, Located::new(text, colour), nodes)?;
    }
    for (name, table) in std::mem::take(&mut file.waypoints) {
        target = with_waypoint(target, text, name, table, nodes)?;
    }
    Ok(target)
}

/// The name and the text of a file that the target file names.
pub(crate) fn file_beside(
    text: &str,
    spanned: &Spanned<String>,
    folder: &Path,
) -> Result<(String, String), String> {
    let place = Located::new(text, spanned);
    let (name, path) = (spanned.get_ref().clone(), folder.join(spanned.get_ref()));
    let bad = |reason: String| place.error(1, 1, format!("{name}: {reason}"));
    let known = std::fs::metadata(&path).map_err(|error| bad(error.to_string()))?;
    if !known.is_file() || known.len() > FILE_MAX {
        return Err(bad(format!("it is no file of at most {FILE_MAX} bytes")));
    }
    let text = std::fs::read_to_string(&path).map_err(|error| bad(error.to_string()))?;
    Ok((name, text))
}
