//! One server: its folder, its command, its process, and what it may use.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use shakedown_cluster::NodeId;
use shakedown_process::{Group, GroupCommand};

use crate::deployment::ServerLimits;
use crate::error::{LiveError, LogEnd};

/// How much of a log is shown.
const LOG_SHOWN: u64 = 1_500;
/// How often memory and disk are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// The most files of a server that are looked at.
const FILES_MAX: usize = 100_000;

/// See the module's text.
pub(crate) struct Server {
    pub node: NodeId,
    folder: PathBuf,
    data: PathBuf,
    snapshot: PathBuf,
    command: GroupCommand,
    group: Option<Group>,
    looked: Instant,
}

impl Server {
    pub fn new(
        node: NodeId,
        folder: PathBuf,
        words: Vec<String>,
        environment: Vec<(String, String)>,
    ) -> Server {
        let command = GroupCommand {
            words: words.into_iter().map(OsString::from).collect(),
            environment,
            log: folder.join("log"),
            folder: folder.clone(),
        };
        let (data, snapshot) = (folder.join("data"), folder.join("snapshot"));
        Server { node, folder, data, snapshot, command, group: None, looked: Instant::now() }
    }

    /// Starts it.
    pub fn start(&mut self) -> Result<(), LiveError> {
        let what = || format!("{} cannot be started", self.node);
        fs::create_dir_all(&self.data).map_err(|error| LiveError::Io { what: what(), error })?;
        let group = Group::start(&self.command).map_err(|error| LiveError::Io { what: what(), error })?;
        self.group = Some(group);
        Ok(())
    }

    /// Where its log, its files and its data are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn group(&mut self) -> Option<&mut Group> {
        self.group.as_mut()
    }

    /// The processes of the server.
    pub fn processes(&self) -> Vec<u32> {
        self.group.as_ref().map_or_else(Vec::new, |group| group.members().to_vec())
    }

    /// Whether it does nothing: it sleeps, or is not there.
    pub fn is_asleep(&mut self) -> bool {
        self.group.as_mut().is_none_or(Group::is_asleep)
    }

    pub fn is_paused(&self) -> bool {
        self.group.as_ref().is_some_and(Group::is_paused)
    }

    /// Ends it at once.
    pub fn kill(&mut self) {
        self.group = None;
    }

    /// How it ended by itself, or which limit it broke.
    pub fn trouble(&mut self, limits: &ServerLimits) -> Option<String> {
        let group = self.group.as_mut()?;
        if let Some(ended) = group.ended() {
            return Some(ended);
        }
        if self.looked.elapsed() < LOOK_EVERY {
            return None;
        }
        self.looked = Instant::now();
        if group.memory() > limits.memory_mib << 20 {
            return Some(format!("used more than {} MiB of memory", limits.memory_mib));
        }
        let is_too_much = size_of(&self.folder, &mut 0) > limits.disk_mib << 20;
        is_too_much.then(|| format!("filled its folder with more than {} MiB", limits.disk_mib))
    }

    /// The end of its log.
    pub fn log_end(&self) -> LogEnd {
        LogEnd(log_end(&self.command.log).unwrap_or_default())
    }

    /// Whether the log holds this text.
    pub fn has_logged(&self, text: &str) -> bool {
        fs::read(&self.command.log).is_ok_and(|log| String::from_utf8_lossy(&log).contains(text))
    }

    /// All its data is lost. It must not run.
    pub fn lose_data(&self) -> io::Result<()> {
        fs::remove_dir_all(&self.data)?;
        fs::create_dir(&self.data)
    }

    /// Copies its data, while it is stopped.
    pub fn take_snapshot(&mut self) -> io::Result<()> {
        let was_paused = self.is_paused();
        if let Some(group) = self.group.as_mut().filter(|_| !was_paused) {
            group.pause(true)?;
        }
        let copied = remove(&self.snapshot).and_then(|()| copy(&self.data, &self.snapshot, &mut 0));
        if let Some(group) = self.group.as_mut().filter(|_| !was_paused) {
            group.pause(false)?;
        }
        copied
    }

    /// Its data is what the last snapshot holds. It must not run.
    pub fn go_back(&self) -> io::Result<()> {
        remove(&self.data)?;
        copy(&self.snapshot, &self.data, &mut 0)
    }
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Copies a folder with what is in it. Links are left out: they may lead anywhere.
fn copy(from: &Path, to: &Path, files: &mut usize) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        *files += 1;
        if *files > FILES_MAX {
            return Err(io::Error::other(format!("there are more than {FILES_MAX} files")));
        }
        let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            copy(&entry.path(), &target, files)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// How many bytes the files of a folder hold on disk. A file that is large and empty counts little.
fn size_of(folder: &Path, files: &mut usize) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let mut size = 0;
    for entry in entries.filter_map(Result::ok) {
        *files += 1;
        if *files > FILES_MAX {
            return u64::MAX;
        }
        size += match entry.metadata() {
            Ok(known) if known.is_dir() => size_of(&entry.path(), files),
            Ok(known) => known.blocks() * 512,
            Err(_) => 0,
        };
    }
    size
}

fn log_end(log: &Path) -> io::Result<String> {
    let mut file = File::open(log)?;
    let size = file.metadata()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(LOG_SHOWN)))?;
    let mut bytes = Vec::new();
    file.take(LOG_SHOWN).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}
