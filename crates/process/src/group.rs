//! A server: a process in a group of its own, with a log file.
//!
//! The command is started by a shell that waits for one line. The line is written once the reaper knows the
//! group, so there is no moment at which this program can be killed and the server stays.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::{Sleepers, reaper};

/// Waits for a line, and becomes the server. Without a line, this program is gone.
const GATE: &str = "ulimit -c 0; read -r go || exit 125; exec \"$@\" </dev/null";

/// How a server is started.
#[derive(Clone, Debug)]
pub struct GroupCommand {
    /// The program, and its arguments.
    pub words: Vec<OsString>,
    /// Variables of its environment, besides those of this program.
    pub environment: Vec<(String, String)>,
    /// The folder that it runs in.
    pub folder: PathBuf,
    /// Where its output and its errors go; what is there stays.
    pub log: PathBuf,
}

/// See the module's text. The whole group ends when this is dropped.
pub struct Group {
    child: Child,
    group: Pid,
    sleepers: Sleepers,
    is_paused: bool,
}

impl Group {
    /// Starts a server.
    pub fn start(command: &GroupCommand) -> io::Result<Group> {
        reaper::prepare();
        let log = File::options().append(true).create(true).open(&command.log)?;
        let errors = log.try_clone()?;
        let mut child = Command::new("/bin/sh")
            .args(["-c", GATE, "server"])
            .args(&command.words)
            .envs(command.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(&command.folder)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(log)
            .stderr(errors)
            .spawn()?;
        let number = child.id();
        reaper::add(number);
        let gate = child.stdin.take();
        let group = i32::try_from(number).ok().and_then(Pid::from_raw);
        let group = group.ok_or_else(|| io::Error::other("the process has no number"))?;
        let mut group = Group { child, group, sleepers: Sleepers::new(number), is_paused: false };
        match gate {
            Some(mut gate) => gate.write_all(b"go\n")?,
            None => group.kill(),
        }
        Ok(group)
    }

    /// The number of the process that leads the group.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The processes of the group, as of the last look.
    pub fn members(&self) -> &[u32] {
        self.sleepers.members()
    }

    /// Whether all threads of the group sleep, and none ran while they were looked at.
    pub fn is_asleep(&mut self) -> bool {
        self.sleepers.all_sleep()
    }

    /// The most memory that a process of the group uses, in bytes.
    pub fn memory(&self) -> u64 {
        self.sleepers.memory()
    }

    /// How it ended, if its first process has ended.
    pub fn ended(&mut self) -> Option<String> {
        match self.child.try_wait() {
            Ok(status) => status.map(status_text),
            Err(error) => Some(format!("cannot be waited for: {error}")),
        }
    }

    /// Stops the whole group (SIGSTOP), or lets it go on (SIGCONT).
    pub fn pause(&mut self, is_paused: bool) -> io::Result<()> {
        let signal = if is_paused { Signal::STOP } else { Signal::CONT };
        kill_process_group(self.group, signal)?;
        self.is_paused = is_paused;
        Ok(())
    }

    /// Whether it is stopped.
    pub fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// Ends the whole group at once (SIGKILL), and waits for its first process.
    pub fn kill(&mut self) {
        // The group may be gone already. Its leader is waited for afterwards, so its number is not given to
        // another one before.
        let _ = kill_process_group(self.group, Signal::KILL);
        let _ = self.child.wait();
    }
}

fn status_text(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("ended by signal {signal}"),
        (None, Some(code)) => format!("ended with exit code {code}"),
        (None, None) => format!("ended ({status})"),
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
        reaper::remove(self.child.id());
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn start(folder: &tempfile::TempDir, script: &str) -> Group {
        let command = GroupCommand {
            words: ["sh", "-c", script].map(OsString::from).to_vec(),
            environment: vec![("GREETING".to_owned(), "hello".to_owned())],
            folder: folder.path().to_owned(),
            log: folder.path().join("log"),
        };
        Group::start(&command).expect("there is a shell")
    }

    fn wait_for(what: &str, mut is_true: impl FnMut() -> bool) {
        let began = Instant::now();
        while !is_true() {
            assert!(began.elapsed() < Duration::from_secs(60), "{what}");
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_server_writes_its_log_and_its_end_is_known() {
        let folder = tempfile::tempdir().expect("there is room");
        let mut group = start(&folder, "echo $GREETING; pwd; exit 3");
        let mut ended = None;
        wait_for("it has not ended", || {
            ended = group.ended();
            ended.is_some()
        });
        assert_eq!(ended.as_deref(), Some("ended with exit code 3"));
        let log = std::fs::read_to_string(folder.path().join("log")).expect("there is a log");
        let here = folder.path().canonicalize().expect("it is there");
        assert_eq!(log, format!("hello\n{}\n", here.display()));
    }

    #[test]
    fn a_server_that_ignores_signals_ends_with_its_children() {
        let folder = tempfile::tempdir().expect("there is room");
        let group = start(&folder, "trap '' TERM INT; (trap '' TERM; echo $$ >child; sleep 1000) & wait");
        let child = folder.path().join("child");
        wait_for("it does not start", || {
            std::fs::read_to_string(&child).is_ok_and(|text| text.ends_with('\n'))
        });
        let leader = group.id();
        drop(group);
        let is_gone = |pid: u32| {
            std::fs::read_to_string(format!("/proc/{pid}/stat")).map_or(true, |stat| stat.contains(") Z "))
        };
        wait_for("it is still there", || is_gone(leader));
    }

    #[test]
    fn a_paused_server_does_nothing_until_it_goes_on() {
        let folder = tempfile::tempdir().expect("there is room");
        let mut group = start(&folder, "while :; do echo x >>ticks; done");
        let size = || std::fs::metadata(folder.path().join("ticks")).map_or(0, |known| known.len());
        wait_for("it does not start", || size() > 0);
        group.pause(true).expect("it runs");
        wait_for("it does not stop", || group.is_asleep());
        let before = size();
        assert!(group.is_paused() && group.is_asleep());
        assert_eq!(size(), before);
        group.pause(false).expect("it is there");
        wait_for("it does not go on", || size() > before);
    }
}
