//! A running node: a process in a group of its own, its pipes, and waiting until it is quiet.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{ioctl_fionbio, ioctl_fionread};
use rustix::process::{Pid, Signal, kill_process_group};
use shakedown_process::{Sleepers, reaper};

/// How long a node may be busy with one step. After that the step ends, whatever the node does.
const BUSY_TIME: Duration = Duration::from_secs(2);
/// The same for a node that has been busy that long before: it never rests.
const RESTLESS_TIME: Duration = Duration::from_millis(20);
/// The first pause between two looks at a process, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_micros(40), Duration::from_millis(2));
/// The longest line that a node may write, in bytes.
const LINE_MAX: usize = 4 << 20;
/// How many bytes of standard error are kept.
const ERRORS_KEPT: usize = 4 << 10;
/// The memory that a node may use, in bytes.
const MEMORY_MAX: u64 = 2 << 30;
/// The memory is looked at once in this many waits.
const MEMORY_LOOK_EVERY: u32 = 64;

/// The command that starts a node, as a program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeCommand {
    /// The program.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

/// The command as one would type it.
impl fmt::Display for NodeCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, word) in std::iter::once(&self.program).chain(&self.arguments).enumerate() {
            let gap = if number > 0 { " " } else { "" };
            write!(f, "{gap}{}", word.to_string_lossy())?;
        }
        Ok(())
    }
}

/// Why a node can do no more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    pub reason: String,
    /// The end of what it wrote to standard error.
    pub errors: String,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)?;
        match self.errors.is_empty() {
            true => Ok(()),
            false => write!(f, "; its standard error ends with: {}", self.errors),
        }
    }
}

/// See the module's text. It ends, with its whole group, when this is dropped.
pub(crate) struct Process {
    child: Child,
    group: Pid,
    stdin: ChildStdin,
    stdout: ChildStdout,
    stderr: ChildStderr,
    /// What the pipe had no room for.
    unwritten: Vec<u8>,
    /// The beginning of a line.
    unread: Vec<u8>,
    errors: VecDeque<u8>,
    sleepers: Sleepers,
    is_restless: bool,
    waits: u32,
}

impl Process {
    pub fn start(command: &NodeCommand) -> io::Result<Process> {
        reaper::prepare();
        let mut child = Command::new(&command.program)
            .args(&command.arguments)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let number = child.id();
        reaper::add(number);
        let no_pipe = || io::Error::other("the process has no pipes");
        let group = i32::try_from(number).ok().and_then(Pid::from_raw).ok_or_else(no_pipe)?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let process = Process {
            stdin: stdin.ok_or_else(no_pipe)?,
            stdout: stdout.ok_or_else(no_pipe)?,
            stderr: stderr.ok_or_else(no_pipe)?,
            child,
            group,
            unwritten: Vec::new(),
            unread: Vec::new(),
            errors: VecDeque::new(),
            sleepers: Sleepers::new(number),
            is_restless: false,
            waits: 0,
        };
        ioctl_fionbio(&process.stdin, true)?;
        ioctl_fionbio(&process.stdout, true)?;
        ioctl_fionbio(&process.stderr, true)?;
        Ok(process)
    }

    /// Hands a line to the node. It is written when the node is next waited for.
    pub fn write_line(&mut self, line: &str) {
        self.unwritten.extend_from_slice(line.as_bytes());
        self.unwritten.push(b'\n');
    }

    /// Waits until the node is quiet, and gives the lines that it wrote.
    pub fn until_quiet(&mut self, lines: &mut Vec<String>) -> Result<(), Ended> {
        let began = Instant::now();
        let longest = if self.is_restless { RESTLESS_TIME } else { BUSY_TIME };
        let mut pause = PAUSES.0;
        self.check_memory()?;
        loop {
            self.exchange(lines)?;
            if self.is_quiet() {
                // What it wrote while it was looked at.
                return self.exchange(lines);
            }
            if began.elapsed() >= longest {
                self.is_restless = true;
                return Ok(());
            }
            self.wait_for_output(pause);
            pause = (pause * 2).min(PAUSES.1);
        }
    }

    /// Gives the node this much time, or less if it writes something; then waits until it is quiet.
    pub fn for_a_while(&mut self, time: Duration, lines: &mut Vec<String>) -> Result<(), Ended> {
        let (began, before) = (Instant::now(), lines.len());
        loop {
            self.exchange(lines)?;
            let left = time.saturating_sub(began.elapsed());
            if lines.len() > before || left.is_zero() {
                return self.until_quiet(lines);
            }
            self.wait_for_output(left);
        }
    }

    /// Writes and reads as much as is possible at once.
    fn exchange(&mut self, lines: &mut Vec<String>) -> Result<(), Ended> {
        while !self.unwritten.is_empty() {
            match self.stdin.write(&self.unwritten) {
                Ok(written) => drop(self.unwritten.drain(..written)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // Its end shows where its output ends.
                Err(_) => self.unwritten.clear(),
            }
        }
        self.read_errors();
        let mut chunk = [0; 16 << 10];
        loop {
            match self.stdout.read(&mut chunk) {
                Ok(0) => return Err(self.ended()),
                Ok(read) => self.split(&chunk[..read], lines)?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(self.broken(format!("cannot be read from: {error}"))),
            }
        }
    }

    fn split(&mut self, bytes: &[u8], lines: &mut Vec<String>) -> Result<(), Ended> {
        for byte in bytes {
            if *byte == b'\n' {
                lines.push(String::from_utf8_lossy(&self.unread).into_owned());
                self.unread.clear();
            } else {
                self.unread.push(*byte);
            }
        }
        if self.unread.len() > LINE_MAX {
            return Err(self.broken(format!("wrote a line of more than {LINE_MAX} bytes")));
        }
        Ok(())
    }

    fn read_errors(&mut self) {
        let mut chunk = [0; 4 << 10];
        while let Ok(read @ 1..) = self.stderr.read(&mut chunk) {
            self.errors.extend(&chunk[..read]);
            let surplus = self.errors.len().saturating_sub(ERRORS_KEPT);
            self.errors.drain(..surplus);
        }
    }

    fn is_quiet(&mut self) -> bool {
        let is_empty = |waiting: rustix::io::Result<u64>| waiting.is_ok_and(|bytes| bytes == 0);
        self.unwritten.is_empty()
            && is_empty(ioctl_fionread(&self.stdin))
            && self.sleepers.all_sleep()
            && is_empty(ioctl_fionread(&self.stdout))
    }

    fn wait_for_output(&self, time: Duration) {
        let mut fds = [PollFd::from_borrowed_fd(self.stdout.as_fd(), PollFlags::IN)];
        let seconds = time.as_secs().try_into().unwrap_or(i64::MAX);
        let timeout = Timespec { tv_sec: seconds, tv_nsec: time.subsec_nanos().into() };
        // However it ends, the pipes are looked at again.
        let _ = poll(&mut fds, Some(&timeout));
    }

    fn check_memory(&mut self) -> Result<(), Ended> {
        self.waits = self.waits.wrapping_add(1);
        if self.waits.is_multiple_of(MEMORY_LOOK_EVERY) && self.sleepers.memory() > MEMORY_MAX {
            return Err(self.broken(format!("used more than {} MiB of memory", MEMORY_MAX >> 20)));
        }
        Ok(())
    }

    /// How the node ended whose output has ended.
    fn ended(&mut self) -> Ended {
        let began = Instant::now();
        let status = loop {
            match self.child.try_wait() {
                Ok(None) if began.elapsed() < RESTLESS_TIME => std::thread::sleep(PAUSES.1),
                Ok(status) => break status,
                Err(_) => break None,
            }
        };
        self.broken(status.map_or_else(|| "closed its standard output".to_owned(), status_text))
    }

    fn broken(&mut self, reason: String) -> Ended {
        self.read_errors();
        let bytes: Vec<u8> = self.errors.iter().copied().collect();
        Ended { reason, errors: String::from_utf8_lossy(&bytes).trim().to_owned() }
    }
}

fn status_text(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("ended by signal {signal}"),
        (None, Some(code)) => format!("ended with exit code {code}"),
        (None, None) => format!("ended ({status})"),
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let number = self.child.id();
        // The group may be gone already. Its leader is waited for afterwards, so its number is not given to
        // another one before.
        let _ = kill_process_group(self.group, Signal::KILL);
        let _ = self.child.wait();
        reaper::remove(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Process {
        let command = NodeCommand { program: "sh".into(), arguments: vec!["-c".into(), script.into()] };
        Process::start(&command).expect("there is a shell")
    }

    fn answer(process: &mut Process, line: &str) -> Vec<String> {
        let mut lines = Vec::new();
        process.write_line(line);
        process.until_quiet(&mut lines).expect("it runs");
        lines
    }

    #[test]
    fn a_step_lasts_as_long_as_the_process_works_and_no_longer() {
        // The first answer takes some work, in a child process too; the second comes at once.
        let work = "i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done";
        let mut process = shell(&format!(
            "read -r a; ({work}); {work}; echo \"$a done\"; read -r b; echo \"$b\"; read -r c"
        ));
        assert_eq!(answer(&mut process, "one"), ["one done"]);
        assert_eq!(answer(&mut process, "two"), ["two"]);
    }

    #[test]
    fn a_process_that_never_rests_does_not_hold_up_a_step_for_long() {
        let mut process = shell("read -r a; echo $a; while :; do :; done");
        let began = Instant::now();
        assert_eq!(answer(&mut process, "one"), ["one"]);
        assert_eq!(answer(&mut process, "two"), [""; 0]);
        assert!(process.is_restless && began.elapsed() >= BUSY_TIME);
    }

    #[test]
    fn a_process_that_ends_is_reported_with_its_last_words() {
        let mut process = shell("read -r a; echo $a; echo 'out of luck' >&2; exit 7");
        process.write_line("one");
        let mut lines = Vec::new();
        let ended = loop {
            if let Err(ended) = process.until_quiet(&mut lines) {
                break ended;
            }
        };
        assert_eq!(lines, ["one"]);
        assert_eq!(ended.to_string(), "ended with exit code 7; its standard error ends with: out of luck");
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut process = shell("head -c 6000000 /dev/zero | tr '\\0' x; read -r a");
        let ended = process
            .for_a_while(Duration::from_secs(60), &mut Vec::new())
            .and_then(|()| process.for_a_while(Duration::from_secs(60), &mut Vec::new()));
        assert_eq!(
            ended.expect_err("it is too long").reason,
            format!("wrote a line of more than {LINE_MAX} bytes")
        );
    }

    #[test]
    fn a_process_takes_its_children_along() {
        let mut process = shell("sleep 1000 & echo $!; read -r a");
        let mut lines = Vec::new();
        process.for_a_while(Duration::from_secs(60), &mut lines).expect("it runs");
        let child = format!("/proc/{}", lines[0]);
        assert!(std::path::Path::new(&child).exists());
        drop(process);
        let began = Instant::now();
        while std::fs::read_to_string(format!("{child}/stat")).is_ok_and(|stat| !stat.contains(") Z ")) {
            assert!(began.elapsed() < Duration::from_secs(60), "the child is still there");
            std::thread::yield_now();
        }
    }
}
