//! `--on-finding CMD`: a command of the user's own for everything that is found, while the campaign goes on.
//!
//! What a target or a file says never becomes part of the command: it is in environment variables, so no
//! shell reads it.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use shakedown_campaign::{Failure, Finding, Now, Progress};

use crate::printing::replay_line;
use crate::terminal::{Display, remark};

/// The most time that the command may take.
const TIME_MAX: Duration = Duration::from_secs(60);
/// How often it is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// The longest value of a variable, in characters.
const VALUE_MAX: usize = 4_000;

/// Shows a campaign, and runs a command for every finding.
pub(crate) struct Announcing<'a> {
    pub display: &'a Display,
    pub command: Option<&'a str>,
}

impl Progress for Announcing<'_> {
    fn executions(&self, done: u64, total: u64, findings: usize) {
        self.display.executions(done, total, findings);
    }

    fn standing(&self, now: &Now<'_>) {
        self.display.standing(now);
    }

    fn shrinking(&self, property: &str, steps: usize) {
        self.display.shrinking(property, steps);
    }

    fn shrunk(&self, failure: &Failure, executions: u64) {
        self.display.shrunk(failure, executions);
    }

    fn found(&self, finding: &Finding) {
        if let Some(command) = self.command
            && let Err(error) = announce(command, finding)
        {
            remark!("warning: --on-finding: {error}");
        }
    }
}

/// What the command gets, as environment variables.
fn variables(finding: &Finding) -> [(&'static str, String); 7] {
    let failure = &finding.failure;
    let path = finding.path.as_deref();
    [
        ("SHAKEDOWN_FOUND_TARGET", failure.target.clone()),
        ("SHAKEDOWN_FOUND_PROPERTY", failure.violation.property.clone()),
        ("SHAKEDOWN_FOUND_REASON", failure.violation.reason.clone()),
        ("SHAKEDOWN_FOUND_STEPS", failure.schedule.steps.len().to_string()),
        ("SHAKEDOWN_FOUND_EXECUTION", failure.found.execution.to_string()),
        ("SHAKEDOWN_FOUND_FILE", path.map(|path| path.to_string_lossy().into_owned()).unwrap_or_default()),
        ("SHAKEDOWN_FOUND_REPLAY", path.map(replay_line).unwrap_or_default()),
    ]
}

/// Runs the command and waits for its end, or ends it when it takes too long.
fn announce(command: &str, finding: &Finding) -> Result<(), String> {
    let mut shell = match cfg!(windows) {
        true => Command::new("cmd"),
        false => Command::new("sh"),
    };
    shell.args([if cfg!(windows) { "/C" } else { "-c" }, command]);
    for (name, value) in variables(finding) {
        // A variable cannot hold a zero byte.
        shell.env(name, value.replace('\0', "\u{fffd}").chars().take(VALUE_MAX).collect::<String>());
    }
    // Standard output is the campaign's own.
    shell.stdin(Stdio::null()).stdout(std::io::stderr());
    let mut child = shell.spawn().map_err(|error| error.to_string())?;
    let began = Instant::now();
    loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(format!("the command ended with {status}")),
            None if began.elapsed() > TIME_MAX => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("the command took more than {} s and was ended", TIME_MAX.as_secs()));
            }
            None => std::thread::sleep(LOOK_EVERY),
        }
    }
}
