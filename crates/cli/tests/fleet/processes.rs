//! Processes of a fleet, which end with the test.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use shakedown_store::{Kept, Store};

use crate::server::wait_until;

pub const SHAKEDOWN: &str = env!("CARGO_BIN_EXE_shakedown");

/// A process that ends with the test.
pub struct Process {
    pub child: Child,
    /// What it has printed to standard error, if it is heard.
    heard: Arc<Mutex<String>>,
}

impl Process {
    pub fn start(command: &mut Command) -> Process {
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Process { child: child.expect("it starts"), heard: Arc::default() }
    }

    /// A process that was started already.
    pub fn of(child: Child) -> Process {
        Process { child, heard: Arc::default() }
    }

    /// Starts a process whose standard error is heard.
    pub fn start_heard(command: &mut Command) -> Process {
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let mut child = child.expect("it starts");
        let stderr = child.stderr.take().expect("it is piped");
        let heard = Arc::new(Mutex::new(String::new()));
        let mine = Arc::clone(&heard);
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                mine.lock().expect("nobody panics").push_str(&(line + "\n"));
            }
        });
        Process { child, heard }
    }

    pub fn heard(&self) -> String {
        self.heard.lock().expect("nobody panics").clone()
    }

    pub fn wait_until_it_prints(&self, what: &str) {
        wait_until(&format!("it prints `{what}`"), || self.heard().contains(what));
    }

    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().expect("it is ours").is_none()
    }

    /// Sends it a signal.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.child.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()));
    }

    /// Waits for its end, and gives its exit code.
    pub fn exit_code(&mut self) -> Option<i32> {
        self.child.wait().expect("it is ours").code()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn worker(url: &str) -> Process {
    Process::start(Command::new(SHAKEDOWN).args(["worker", "--jobs", "1", "--fleet", url]))
}

/// A worker whose standard error is heard.
pub fn heard_worker(url: &str) -> Process {
    Process::start_heard(Command::new(SHAKEDOWN).args(["worker", "--jobs", "1", "--fleet", url]))
}

/// A campaign by a fleet whose coordinator's standard error is heard, stored in this folder.
pub fn heard_coordinator(arguments: &str, url: &str, folder: &Path) -> Process {
    let mut command = Command::new(SHAKEDOWN);
    command.args(arguments_of("run", arguments)).args(["--fleet", url, "--keep"]).arg(folder);
    Process::start_heard(&mut command)
}

pub fn arguments_of<'a>(command: &'a str, arguments: &'a str) -> Vec<&'a str> {
    [command].into_iter().chain(arguments.split(' ')).collect()
}

/// Runs a command to its end.
pub fn run(arguments: &[&str], folder: &Path) -> Output {
    Command::new(SHAKEDOWN).args(arguments).arg(folder).output().expect("it starts")
}

/// The same campaign in one process.
pub fn alone(arguments: &str, folder: &Path) -> Kept {
    run(&[&arguments_of("run", arguments)[..], &["--jobs", "1", "--keep"]].concat(), folder);
    kept(folder)
}

/// What a command prints that ends with 2.
pub fn refused(arguments: &[&str]) -> String {
    let output = Command::new(SHAKEDOWN).args(arguments).output().expect("it starts");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{error}");
    error
}

pub fn kept(folder: &Path) -> Kept {
    let mut campaigns = Store::look_at(folder).and_then(|store| store.campaigns()).expect("a store");
    campaigns.pop().expect("it has a campaign")
}

/// How many executions of a campaign are stored.
pub fn done(folder: &Path) -> u64 {
    if !Store::is_in(folder) {
        return 0;
    }
    let standing = Store::look_at(folder).and_then(|store| store.campaigns());
    let standing = standing.ok().and_then(|mut campaigns| campaigns.pop()).and_then(|kept| kept.standing);
    standing.map_or(0, |standing| standing.executions)
}

/// Where a campaign stands, without how long it took and in which folder.
pub fn as_text(kept: &Kept) -> String {
    let mut standing = kept.standing.clone().expect("it has begun");
    (standing.elapsed, standing.shrinking, standing.keeping) = Default::default();
    for finding in &mut standing.findings {
        finding.path = finding.path.take().and_then(|path| path.file_name().map(PathBuf::from));
    }
    let covered: Vec<u64> = standing.coverage.iter().map(|coverage| coverage.covered()).collect();
    let mut value = serde_json::to_value(&standing).expect("plain data");
    value["covered"] = Value::from(covered);
    serde_json::to_string_pretty(&value).expect("plain data")
}

/// Both have come to the same.
pub fn assert_same(fleet: &Kept, alone: &Kept, name: &str) {
    assert!(fleet.is_over, "{name}");
    assert_eq!(as_text(fleet), as_text(alone), "{name}");
    assert!(fleet.learned == alone.learned, "{name}: the strategy has learned something else");
}
