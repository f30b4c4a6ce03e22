//! A running host: a process, its pipes, and one call at a time.

use std::collections::VecDeque;
use std::fmt;
use std::io::Write;
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::frame::{Greeting, Heard, shorten};
use crate::watch::{Broken, Watch};
use crate::wire::{BadFrame, FrameReader, decode, show, write_frame};
use crate::{Call, Encoding, Hello, HostCommand, PROTOCOL, Reply, Value};

/// How many frames are shown when a host fails.
const FRAMES_SHOWN: usize = 4;
/// How much is shown of each, in characters.
const FRAME_SHOWN: usize = 240;
/// How many bytes of calls without a reply may wait for a call with one.
const QUEUED_MAX: usize = 64 << 10;

/// Why a host cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum CannotStart {
    /// There is no such program, or it may not be run.
    #[error("the host `{command}` cannot be started: {error}{}", hint_text(.hint.as_deref()))]
    Spawn {
        /// The command.
        command: String,
        /// Why not.
        error: std::io::Error,
        /// Advice for who does not have the program.
        hint: Option<String>,
    },
    /// The handshake failed.
    #[error("the host `{command}` {reason}{}", stderr_text(.stderr))]
    Handshake {
        /// The command.
        command: String,
        /// What went wrong.
        reason: String,
        /// The end of what it wrote to standard error.
        stderr: String,
    },
}

fn hint_text(hint: Option<&str>) -> String {
    hint.map_or_else(String::new, |hint| format!("\n{hint}"))
}

fn stderr_text(stderr: &str) -> String {
    if stderr.is_empty() { String::new() } else { format!("\nits standard error ends with:\n{stderr}") }
}

/// A host that did not do its part. Its process has been ended.
#[derive(Debug)]
pub struct HostFailure {
    /// What went wrong.
    pub reason: String,
    /// The last frames, as text: what came from here begins with `>`, what came back with `<`.
    pub frames: Vec<String>,
    /// The end of what it wrote to standard error.
    pub stderr: String,
}

impl fmt::Display for HostFailure {
    /// Without standard error, which need not be the same every time.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.reason)?;
        if !self.frames.is_empty() {
            write!(f, "; last frames: {}", self.frames.join(" "))?;
        }
        Ok(())
    }
}

/// A process that holds nodes.
pub struct Host {
    hello: Hello,
    heard: Heard,
    encoding: Encoding,
    command: HostCommand,
    stdin: ChildStdin,
    stdout: ChildStdout,
    watch: Watch,
    reader: FrameReader,
    /// Calls that wait to be written.
    queued: Vec<u8>,
    seq: u64,
    nodes: u64,
    /// The last frames and whether they came from here. The numbers in them are of this process and are left
    /// out when shown.
    frames: VecDeque<(bool, Vec<u8>)>,
    is_dead: bool,
}

impl Host {
    /// Starts the program and shakes hands.
    pub fn start(command: &HostCommand) -> Result<Host, CannotStart> {
        let mut process = Command::new(&command.program);
        process.args(&command.arguments).envs(command.variables.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &command.folder {
            process.current_dir(folder);
        }
        let pipes = process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let no_program =
            |error| CannotStart::Spawn { command: command.to_string(), error, hint: command.hint.clone() };
        let mut child = pipes.map_err(no_program)?;
        let no_pipe = || no_program(std::io::Error::other("it has no pipes"));
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let mut host = Host {
            hello: Hello {
                protocol: 0,
                encoding: None,
                name: String::new(),
                version: String::new(),
                calls: Vec::new(),
                kinds: Vec::new(),
                error: None,
            },
            heard: Heard::of(&[]).unwrap_or_else(|_| unreachable!("nothing is heard")),
            encoding: Encoding::Json,
            command: command.clone(),
            stdin: stdin.ok_or_else(no_pipe)?,
            stdout: stdout.ok_or_else(no_pipe)?,
            watch: Watch::begin(child, command.memory_max),
            reader: FrameReader::default(),
            queued: Vec::new(),
            seq: 0,
            nodes: 0,
            frames: VecDeque::new(),
            is_dead: false,
        };
        match host.shake_hands() {
            Ok(()) => Ok(host),
            Err(reason) => {
                host.end_failed();
                let stderr = host.watch.errors();
                Err(CannotStart::Handshake { command: command.to_string(), reason, stderr })
            }
        }
    }

    fn shake_hands(&mut self) -> Result<(), String> {
        let greeting = Greeting { protocol: PROTOCOL, encoding: self.command.encoding };
        write_frame(Encoding::Json, &greeting, &mut self.queued)?;
        self.watch.begin_call(u64::MAX, self.command.start_time);
        let hello = match self.exchange() {
            Ok(()) => self.frames.back().map(|(_, frame)| frame.clone()).unwrap_or_default(),
            Err(bad) => {
                let ended = if matches!(bad, BadFrame::End(_)) { self.watch.wait_for_end() } else { None };
                return Err(match (self.watch.broken(), ended) {
                    (Some(broken), _) => format!("broke off the handshake: it {}", limit_text(broken)),
                    (None, Some(status)) => format!("ended before the handshake, {}", status_text(status)),
                    (None, None) => format!("broke off the handshake: {bad}"),
                });
            }
        };
        self.watch.end_call();
        let text = || shorten(&String::from_utf8_lossy(&hello), FRAME_SHOWN);
        let hello: Hello = decode(Encoding::Json, &hello)
            .map_err(|error| format!("began with something else than a handshake: {} ({error})", text()))?;
        if let Some(error) = &hello.error {
            return Err(format!("refused: {}", shorten(error, FRAME_SHOWN)));
        }
        if hello.protocol != PROTOCOL {
            return Err(format!("speaks version {} of the node protocol, not {PROTOCOL}", hello.protocol));
        }
        let encoding = hello.encoding.unwrap_or(Encoding::Json);
        if encoding != Encoding::Json && encoding != self.command.encoding {
            return Err("chose an encoding that it was not asked for".to_owned());
        }
        self.heard = Heard::of(&hello.calls)?;
        self.encoding = encoding;
        self.hello = hello;
        self.frames.clear();
        Ok(())
    }

    /// What it declared of itself.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// The encoding that was settled.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Whether its nodes want this call.
    pub fn hears(&self, call: &str) -> bool {
        self.heard.hears(call)
    }

    /// Whether it has failed, so that it can do nothing more.
    pub fn is_dead(&self) -> bool {
        self.is_dead
    }

    /// The memory of the process in bytes, where it can be known.
    pub fn memory(&self) -> Option<u64> {
        crate::watch::memory_of(self.watch.pid())
    }

    /// A number for a new node.
    pub fn new_node(&mut self) -> u64 {
        self.nodes += 1;
        self.nodes
    }

    /// The number of the next call.
    pub fn next_seq(&mut self) -> u64 {
        self.seq += 1;
        self.seq
    }

    /// Adds a call that has no reply; it is written with the next one that has.
    pub fn queue<M: Serialize, R: Serialize>(&mut self, call: &Call<'_, M, R>) {
        if !self.is_dead
            && write_frame(self.encoding, call, &mut self.queued).is_ok()
            && self.queued.len() > QUEUED_MAX
        {
            // A pipe that is broken shows at the next call.
            let _ = self.stdin.write_all(&self.queued);
            self.queued.clear();
        }
    }

    /// Writes a call and waits for its reply.
    pub fn call<M, P, R>(&mut self, call: &Call<'_, M, R>) -> Result<Reply<M, P>, HostFailure>
    where
        M: Serialize + DeserializeOwned,
        P: DeserializeOwned,
        R: Serialize,
    {
        let seq = self.seq;
        if self.is_dead {
            return Err(self.failure("has ended before".to_owned()));
        }
        let start = self.queued.len();
        if let Err(error) = write_frame(self.encoding, call, &mut self.queued) {
            return Err(self.failure(format!("cannot be called: {error}")));
        }
        self.note(true, start);
        self.watch.begin_call(seq, self.command.reply_time);
        if let Err(bad) = self.exchange() {
            return Err(self.failure_of(&bad));
        }
        self.watch.end_call();
        let frame = self.frames.back().map_or(&[][..], |(_, frame)| frame);
        let reply: Reply<M, P> = match decode(self.encoding, frame) {
            Ok(reply) => reply,
            Err(error) => return Err(self.failure(format!("gave a reply that cannot be read: {error}"))),
        };
        if reply.seq != seq || self.reader.unread() > 0 {
            return Err(self.failure("replied out of turn".to_owned()));
        }
        Ok(reply)
    }

    /// Writes bytes that are no frame, and gives what comes back as text. Nothing if the host ended, or was
    /// ended because nothing came.
    pub(crate) fn probe(&mut self, bytes: &[u8]) -> Option<String> {
        self.queued.extend_from_slice(bytes);
        self.watch.begin_call(u64::MAX - 1, self.command.reply_time);
        let reply = self.exchange().is_ok().then(|| self.frames.back()).flatten();
        let reply = reply.map(|(_, frame)| shorten(&show(self.encoding, frame).to_string(), FRAME_SHOWN));
        self.watch.end_call();
        reply
    }

    /// Whether it was ended because no reply came in time.
    pub(crate) fn hangs(&self) -> bool {
        matches!(self.watch.broken(), Some(Broken::Time(_)))
    }

    /// Closes its input, and waits a while for its end. How it ended, if it did by itself.
    pub fn close(self) -> Option<ExitStatus> {
        let Host { stdin, mut watch, .. } = self;
        drop(stdin);
        watch.wait_for_end()
    }

    /// Writes what is queued and reads one frame, which becomes the last of the noted ones.
    fn exchange(&mut self) -> Result<(), BadFrame> {
        let written = self.stdin.write_all(&self.queued);
        self.queued.clear();
        if written.is_err() {
            return Err(BadFrame::End(false));
        }
        let frame = self.reader.next(self.encoding, &mut self.stdout)?;
        let mut kept = recycled(&mut self.frames);
        kept.extend_from_slice(frame);
        self.frames.push_back((false, kept));
        Ok(())
    }

    /// Notes the frame that begins at this place of what is queued.
    fn note(&mut self, is_call: bool, start: usize) {
        let mut kept = recycled(&mut self.frames);
        let skipped = if self.encoding == Encoding::MsgPack { 4 } else { 0 };
        kept.extend_from_slice(&self.queued[start + skipped..]);
        self.frames.push_back((is_call, kept));
    }

    fn failure_of(&mut self, bad: &BadFrame) -> HostFailure {
        let ended = if matches!(bad, BadFrame::End(_)) { self.watch.wait_for_end() } else { None };
        let reason = match (self.watch.broken(), ended) {
            (Some(broken), _) => limit_text(broken),
            (None, Some(status)) => format!("ended, {}", status_text(status)),
            (None, None) => bad.to_string(),
        };
        self.failure(reason)
    }

    fn failure(&mut self, reason: String) -> HostFailure {
        self.end_failed();
        let frames = self.frames.iter().map(|(is_call, frame)| {
            let arrow = if *is_call { '>' } else { '<' };
            let text = without_numbers(show(self.encoding, frame)).to_string();
            format!("{arrow} {}", shorten(&text, FRAME_SHOWN))
        });
        let frames = frames.collect();
        HostFailure { reason, frames, stderr: self.watch.errors() }
    }

    fn end_failed(&mut self) {
        self.is_dead = true;
        self.watch.end();
    }
}

/// The room of the oldest frame, if there are enough.
fn recycled(frames: &mut VecDeque<(bool, Vec<u8>)>) -> Vec<u8> {
    if frames.len() < FRAMES_SHOWN {
        return Vec::new();
    }
    let mut room = frames.pop_front().map(|(_, frame)| frame).unwrap_or_default();
    room.clear();
    room
}

/// The frame without the numbers of calls and nodes, which depend on what the process did before.
fn without_numbers(frame: Value) -> Value {
    match frame {
        Value::Map(fields) => {
            Value::Map(fields.into_iter().filter(|(name, _)| name != "seq" && name != "node").collect())
        }
        other => other,
    }
}

fn limit_text(broken: Broken) -> String {
    match broken {
        Broken::Time(time) => format!("gave no reply within {} s", time.as_secs_f64()),
        Broken::Memory(bytes) => format!("used more than {} MiB of memory", bytes >> 20),
    }
}

fn status_text(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("with exit code {code}"),
        None => status.to_string(),
    }
}
