//! A client that is a program: it reads requests and writes outcomes, one a line.
//!
//! A request is JSON as the workload has it. An outcome is `{"answer": …}`, `{"failed": "reason"}` (it never
//! happened) or `{"unknown": "reason"}`. A program that ends or writes something else has left the outcome
//! unknown.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;
use shakedown_cluster::NodeId;
use shakedown_process::reaper;

use crate::client::{Client, Clients, Outcome};
use crate::template::fill;

/// The longest line that a program may write, in bytes.
const LINE_MAX: u64 = 1 << 20;

/// Makes clients of a program. Its placeholders are `{server}`, the address of the server that it asks first,
/// `{servers}`, the addresses of all servers with commas between, and `{here}`.
pub struct LineClients {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The folder that `{here}` stands for.
    pub here: PathBuf,
}

impl Clients for LineClients {
    fn client(&self, servers: &[SocketAddr], first: NodeId) -> Result<Box<dyn Client>, String> {
        let value = |name: &str| match name {
            "server" => servers.get(first.index()).map(SocketAddr::to_string),
            "servers" => Some(servers.iter().map(SocketAddr::to_string).collect::<Vec<_>>().join(",")),
            "here" => Some(std::path::absolute(&self.here).ok()?.to_string_lossy().into_owned()),
            _ => None,
        };
        let words: Vec<String> =
            self.command.iter().map(|word| fill(word, value)).collect::<Result<_, _>>()?;
        let (program, arguments) = words.split_first().ok_or("the command of the client is empty")?;
        reaper::prepare();
        let mut child = Command::new(program)
            .args(arguments)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("the client `{program}` cannot be started: {error}"))?;
        reaper::add(child.id());
        let no_pipe = || "the client has no pipes".to_owned();
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let lines = lines_of(output.ok_or_else(no_pipe)?);
        Ok(Box::new(LineClient { child, input: input.ok_or_else(no_pipe)?, lines, is_spent: false }))
    }
}

/// The lines of a program, read by a thread that ends with it.
fn lines_of(output: ChildStdout) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(output);
        loop {
            let mut line = String::new();
            let read = (&mut reader).take(LINE_MAX).read_line(&mut line);
            if !matches!(read, Ok(1..)) || !line.ends_with('\n') || sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

struct LineClient {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    /// Whether an answer may yet come to a request that was given up.
    is_spent: bool,
}

impl Client for LineClient {
    fn call(&mut self, request: &str, until: Instant) -> Outcome {
        if self.is_spent {
            return Outcome::Failed(
                "the program of the client has left a request without an outcome".to_owned(),
            );
        }
        if let Err(error) = writeln!(self.input, "{request}") {
            self.is_spent = true;
            return Outcome::Unknown(format!("the program of the client cannot be written to: {error}"));
        }
        let line = self.lines.recv_timeout(until.saturating_duration_since(Instant::now()));
        self.is_spent = line.is_err();
        match line {
            Ok(line) => outcome(&line),
            Err(RecvTimeoutError::Timeout) => Outcome::Unknown("no answer in time".to_owned()),
            Err(RecvTimeoutError::Disconnected) => {
                Outcome::Unknown("the program of the client ended".to_owned())
            }
        }
    }

    fn is_usable(&self) -> bool {
        !self.is_spent
    }
}

fn outcome(line: &str) -> Outcome {
    let value: Value = serde_json::from_str(line).unwrap_or_default();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match (&value["answer"], &value["failed"], &value["unknown"]) {
        (answer, Value::Null, Value::Null) if value.get("answer").is_some() => {
            Outcome::Answer(answer.to_string())
        }
        (Value::Null, failed, Value::Null) if !failed.is_null() => Outcome::Failed(text(failed)),
        (Value::Null, Value::Null, unknown) if !unknown.is_null() => Outcome::Unknown(text(unknown)),
        _ => {
            Outcome::Unknown(format!("`{}` is no outcome", line.trim().chars().take(100).collect::<String>()))
        }
    }
}

impl Drop for LineClient {
    fn drop(&mut self) {
        let number = self.child.id();
        if let Some(group) = i32::try_from(number).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
        reaper::remove(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_read_and_anything_else_is_unknown() {
        assert_eq!(outcome("{\"answer\":{\"value\":3}}\n"), Outcome::Answer("{\"value\":3}".to_owned()));
        assert_eq!(outcome("{\"answer\":null}\n"), Outcome::Answer("null".to_owned()));
        assert_eq!(outcome("{\"failed\":\"refused\"}"), Outcome::Failed("refused".to_owned()));
        assert_eq!(outcome("{\"unknown\":\"timeout\"}"), Outcome::Unknown("timeout".to_owned()));
        assert!(matches!(outcome("nonsense"), Outcome::Unknown(text) if text.contains("no outcome")));
        assert!(matches!(outcome("{\"answer\":1,\"failed\":\"x\"}"), Outcome::Unknown(_)));
    }
}
