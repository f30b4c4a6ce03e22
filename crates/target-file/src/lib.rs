//! Targets that are a program in any language and a text file, `shakedown.toml`.
//!
//! The program speaks the node protocol; the file names it and describes the rest: how many nodes, what the network may do, what
//! clients ask, and invariants as TLA+ expressions over the states of the nodes. [`load`] reads the file and starts nothing.

mod invariants;
mod schema;
mod workload;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use shakedown_cluster::NODES_MAX;
use shakedown_remote::{HostCommand, HostPool, Notice, Plain, RemoteNode};
use shakedown_target::{REQUESTS_MAX, STEPS_MAX, Target};

pub use invariants::BadInvariant;
use invariants::Invariants;
use schema::TargetFile;
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
    let file: TargetFile = toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?;
    if file.version != VERSION {
        return Err(format!("`version` is {}: this program reads version {VERSION}", file.version));
    }
    let TargetFile { target: head, contract, options, request, invariants, .. } = file;
    if head.name.is_empty() || head.name.contains(char::is_whitespace) {
        return Err(format!("the name of a target is one word, and not `{}`", head.name));
    }
    let command = command(&head, folder)?;
    let workload = Workload::new(&request)?;
    let invariants = Arc::new(Invariants::new(invariants).map_err(|error| error.to_string())?);
    let pool = HostPool::with_notice(command, notice);
    let nodes = head.nodes.unwrap_or(3);
    check_limits(&head, nodes)?;
    let about = head.about.unwrap_or_else(|| "a program that speaks the node protocol".to_owned());
    let version = head.version.unwrap_or_else(|| head.name.clone());
    invariants.check(nodes).map_err(|error| error.to_string())?;
    let mut target = Target::<RemoteNode<Plain>>::new(head.name)
        .about(about)
        .version(version)
        .nodes(nodes)
        .nodes_min(head.nodes_min.unwrap_or(1))
        .steps(head.steps.unwrap_or(300))
        .crashes(head.crashes.unwrap_or(0))
        .contract(contract.unwrap_or_default().contract())
        .workload(head.requests.unwrap_or(if workload.is_empty() { 0 } else { 8 }), move |config, random| {
            workload.requests(config.requests, random)
        })
        .oracles(move |config| invariants.oracles(config.nodes))
        .environment(Arc::new(pool));
    for (name, option) in options {
        // A name of an option lives as long as the program, as those of targets in Rust do.
        let (name, about) = (&*Box::leak(name.into_boxed_str()), &*Box::leak(option.about.into_boxed_str()));
        target = target.option(name, option.default, about);
    }
    Ok(target)
}

fn check_limits(head: &schema::Head, nodes: usize) -> Result<(), String> {
    for (name, value, least, most) in [
        ("nodes", Some(nodes), 1, NODES_MAX),
        ("nodes_min", head.nodes_min, 1, nodes),
        ("steps", head.steps, 0, STEPS_MAX),
        ("requests", head.requests, 0, REQUESTS_MAX),
        ("crashes", head.crashes, 0, STEPS_MAX),
    ] {
        if let Some(value) = value.filter(|value| !(least..=most).contains(value)) {
            return Err(format!("`{name}` is {value}: it is {least} to {most}"));
        }
    }
    Ok(())
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
