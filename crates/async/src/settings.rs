//! How the runtime of a node works.

use std::str::FromStr;
use std::time::Duration;

use shakedown_cluster::Options;

/// In which order tasks run that could all go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TaskOrder {
    /// In the order in which they were woken.
    #[default]
    Fifo,
    /// In an order that is drawn from the seed of the execution.
    Drawn,
}

impl std::fmt::Display for TaskOrder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            TaskOrder::Fifo => "fifo",
            TaskOrder::Drawn => "drawn",
        })
    }
}

impl FromStr for TaskOrder {
    type Err = String;

    fn from_str(text: &str) -> Result<TaskOrder, String> {
        match text {
            "fifo" => Ok(TaskOrder::Fifo),
            "drawn" => Ok(TaskOrder::Drawn),
            _ => Err("the order of tasks is `fifo` or `drawn`".to_owned()),
        }
    }
}

/// How the runtime of a node works.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// How far one tick moves the clock.
    pub tick: Duration,
    /// In which order tasks run.
    pub order: TaskOrder,
    /// How many polls one step may take. A node that is busy still has hung: a finding.
    pub polls_max: u32,
}

impl Settings {
    /// The settings that the options `tick`, in milliseconds, and `tasks` of a target say. What is not among
    /// its options is as by default.
    pub fn of(options: &Options) -> Settings {
        let default = Settings::default();
        let tick = options.get("tick").map_or(default.tick, Duration::from_millis);
        Settings { tick, order: options.get("tasks").unwrap_or(default.order), ..default }
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { tick: Duration::from_millis(10), order: TaskOrder::Fifo, polls_max: 100_000 }
    }
}
