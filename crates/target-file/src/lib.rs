//! Targets that are a program in any language and a text file, `shakedown.toml`.
//!
//! The program speaks the node protocol; the file names it and describes the rest: how many nodes, what the network may do, what
//! clients ask, oracles by name, invariants as TLA+ expressions over the states of the nodes, scenarios, and the mapping to a
//! specification. [`load`] reads the file and starts nothing.

mod abstractions;
mod expressions;
mod invariants;
mod located;
mod model;
mod oracles;
mod path;
mod plain_contents;
mod scenarios;
mod schema;
mod shape;
mod sights;
mod switch;
mod template;
mod through;
mod within;
mod workload;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use shakedown_remote::{HostCommand, HostPool, Notice, Plain, RemoteNode};
use shakedown_target::{AnyTarget, Target};
use toml::Spanned;

pub use scenarios::{BadScenarioText, Contents, read_scenarios};

use abstractions::{with_colour, with_waypoint};
use invariants::Invariants;
use located::Located;
use model::Model;
use oracles::Oracles;
use plain_contents::PLAIN;
use schema::TargetFile;
use workload::Workload;

/// The file that is read where no other is named.
pub const FILE_NAME: &str = "shakedown.toml";
/// The largest file that is read, in bytes.
const FILE_MAX: u64 = 1 << 20;
/// The version of the schema.
const VERSION: u32 = 1;

/// A target that a file describes.
type FileTarget = Target<RemoteNode<Plain>>;

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
pub fn load(file: &Path, notice: Notice) -> Result<Target<RemoteNode<Plain>>, BadTargetFile> {
    let unreadable = |error| BadTargetFile::Io { file: file.to_owned(), error };
    let size = std::fs::metadata(file).map_err(unreadable)?.len();
    let malformed = |reason: String| BadTargetFile::Malformed { file: file.to_owned(), reason };
    if size > FILE_MAX {
        return Err(malformed(format!("the file has {size} bytes; at most {FILE_MAX} are read")));
    }
    let text = std::fs::read_to_string(file).map_err(unreadable)?;
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    read(&text, folder, notice).map_err(malformed)
}

/// Reads a target from the text of a file in this folder.
pub fn read(text: &str, folder: &Path, notice: Notice) -> Result<Target<RemoteNode<Plain>>, String> {
    let mut file: TargetFile =
        toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?;
    if file.version != VERSION {
        return Err(format!("`version` is {}: this program reads version {VERSION}", file.version));
    }
    let head = &file.target;
    if head.name.is_empty() || head.name.contains(char::is_whitespace) {
        return Err(format!("the name of a target is one word, and not `{}`", head.name));
    }
    let pool = HostPool::with_notice(command(head, folder)?, notice);
    let nodes = head.nodes.map_or(3, |nodes| nodes.0);
    let target = basics(&mut file, text, nodes)?.environment(Arc::new(pool));
    let target = with_scenarios(target, &file, text, folder)?;
    let mut target = with_abstractions(target, &mut file, text, nodes)?;
    if let Some(table) = file.model {
        let model = Arc::new(Model::new(table, text, folder, nodes)?);
        target = target.follow(model.following()).compare(model.comparison()?);
    }
    for (name, option) in file.options {
        // A name of an option lives as long as the program, as those of targets in Rust do.
        let (name, about) = (kept(name), kept(option.about));
        target = target.option(name, option.default, about);
    }
    Ok(target)
}

fn kept(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

/// What the target is, what clients ask of it and what must hold.
fn basics(file: &mut TargetFile, text: &str, nodes: usize) -> Result<FileTarget, String> {
    let (workload, operations) =
        Workload::of(file.workload.as_ref(), std::mem::take(&mut file.request), text)?;
    let oracles = Oracles::new(std::mem::take(&mut file.oracles), operations)?;
    let located = |(name, spanned): (String, _)| (name, Located::new(text, &spanned));
    let invariants =
        Invariants::new(std::mem::take(&mut file.invariants).into_iter().map(located).collect())?;
    invariants.check(nodes)?;
    let head = &file.target;
    let nodes_min = head.nodes_min.map_or(1, |nodes| nodes.0);
    if nodes_min > nodes {
        return Err(format!("`nodes_min` is {nodes_min}: it is 1 to {nodes}"));
    }
    let about = head.about.as_deref().unwrap_or("a program that speaks the node protocol");
    let requests = head.requests.map_or(if workload.is_empty() { 0 } else { 8 }, |requests| requests.0);
    let target = FileTarget::new(head.name.clone())
        .about(about)
        .version(head.version.as_deref().unwrap_or(&head.name))
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
    let Some(changes) = &head.weights else { return Ok(target) };
    let weights = target.info().weights.clone().changed_by(changes);
    Ok(target.weights(weights.map_err(|error| format!("`weights`: {error}"))?))
}

/// The scenarios of the file, and those of the files that it names.
fn with_scenarios(
    mut target: FileTarget,
    file: &TargetFile,
    text: &str,
    folder: &Path,
) -> Result<FileTarget, String> {
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
    if file.target.kinds.is_empty() {
        return Ok(target);
    }
    let kinds = file.target.kinds.iter().map(|kind| kept(kind.clone())).collect();
    Ok(target.kinds(Vec::leak(kinds)))
}

/// What strategies that learn are given.
fn with_abstractions(
    mut target: FileTarget,
    file: &mut TargetFile,
    text: &str,
    nodes: usize,
) -> Result<FileTarget, String> {
    if let Some(colour) = &file.target.colour {
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

fn command(head: &schema::Head, folder: &Path) -> Result<HostCommand, String> {
    let Some((program, arguments)) = head.command.split_first().filter(|(program, _)| !program.is_empty())
    else {
        return Err("`command` names no program".to_owned());
    };
    // As a shell does: a name without a slash is looked for in the folders of `PATH`.
    let mut command = if folder == Path::new(".") {
        HostCommand::new(program)
    } else if program.contains('/') {
        let path =
            std::path::absolute(folder.join(program)).map_err(|error| format!("{program}: {error}"))?;
        HostCommand::new(path).folder(folder)
    } else {
        HostCommand::new(program).folder(folder)
    };
    command = command.args(arguments);
    if let Some(encoding) = head.encoding {
        command = command.encoding(encoding);
    }
    if let Some(seconds) = head.reply_seconds {
        let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
        command = command.reply_time(time.ok_or_else(|| format!("`reply_seconds` cannot be {seconds}"))?);
    }
    if let Some(mebibytes) = head.memory_mib {
        command = command.memory_max(mebibytes.saturating_mul(1 << 20));
    }
    Ok(command)
}
