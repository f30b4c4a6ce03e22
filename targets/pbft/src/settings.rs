//! The options of the target, as replicas read them.

use std::fmt;
use std::str::FromStr;

use shakedown_cluster::{BadOption, Contract, Crashes, Options, Timers};

/// The longest time-out that can be asked for, in ticks.
const TIMEOUT_MAX: u64 = 1_000_000;

/// When timers may go off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimerModel {
    /// When the clock of their node has come to it.
    WhenDue,
    /// At any time.
    Anytime,
}

impl fmt::Display for TimerModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TimerModel::WhenDue => "when-due",
            TimerModel::Anytime => "anytime",
        })
    }
}

impl FromStr for TimerModel {
    type Err = String;

    fn from_str(text: &str) -> Result<TimerModel, String> {
        match text {
            "when-due" => Ok(TimerModel::WhenDue),
            "anytime" => Ok(TimerModel::Anytime),
            _ => Err("it is when-due or anytime".to_owned()),
        }
    }
}

/// What a new leader proposes again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// What anybody in its quorum has prepared: the rule.
    All,
    /// What it has prepared itself: a bug.
    Own,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Choice::All => "all",
            Choice::Own => "own",
        })
    }
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Choice, String> {
        match text {
            "all" => Ok(Choice::All),
            "own" => Ok(Choice::Own),
            _ => Err("it is all (the rule) or own (a bug)".to_owned()),
        }
    }
}

/// What a replica is configured with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub timeout: u64,
    pub timers: TimerModel,
    pub liars: usize,
    pub new_view_check: bool,
    pub new_view_choice: Choice,
}

impl Settings {
    pub fn read(options: &Options) -> Result<Settings, BadOption> {
        let settings = Settings {
            timeout: options.get("timeout")?,
            timers: options.get("timers")?,
            liars: options.get("liars")?,
            new_view_check: options.get("new_view_check")?,
            new_view_choice: options.get("new_view_choice")?,
        };
        if !(1..=TIMEOUT_MAX).contains(&settings.timeout) {
            return Err(BadOption {
                name: "timeout".to_owned(),
                value: settings.timeout.to_string(),
                reason: format!("it is 1 to {TIMEOUT_MAX}"),
            });
        }
        Ok(settings)
    }

    /// What the network and the clocks may do to a cluster with these settings.
    pub fn contract(&self) -> Contract {
        let timers = match self.timers {
            TimerModel::WhenDue => Timers::WhenDue,
            TimerModel::Anytime => Timers::Anytime,
        };
        let byzantine_max = self.liars;
        Contract { crashes: Crashes::Never, timers, byzantine_max, ..Contract::asynchronous() }
    }
}
