//! The processes of a target: started ahead of time, because a fresh one is needed for every node of every
//! execution.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use shakedown_cluster::{Environment, NodeId};

use crate::message::line;
use crate::process::{NodeCommand, Process};
use crate::services::{ServiceName, Services};

/// How long a node may take to answer `init`: programs that are compiled or interpreted first take a while.
pub(crate) const START_TIME: Duration = Duration::from_secs(60);
/// How long is waited between two looks for the answer.
pub(crate) const START_PAUSE: Duration = Duration::from_millis(2);
/// The most processes that wait for an execution.
const SPARE_MAX: usize = 16;

/// What the nodes of one execution share.
#[derive(Default)]
pub(crate) struct Execution {
    pub services: RefCell<Services>,
    /// How long a tick takes, if it is not as long as the options have it.
    pub slice: RefCell<Option<Duration>>,
}

thread_local! {
    /// The execution that begins on this thread.
    static BEGINNING: RefCell<Rc<Execution>> = RefCell::default();
}

/// The execution that began last on this thread.
pub(crate) fn beginning() -> Rc<Execution> {
    BEGINNING.with_borrow(Rc::clone)
}

/// The command of a target, and processes of it that no node uses yet.
pub(crate) struct Programs {
    command: NodeCommand,
    spare: Mutex<Vec<Process>>,
    /// How many nodes have booted, and how many executions began.
    boots: AtomicUsize,
    executions: AtomicUsize,
    /// Whether one process has answered `init`.
    probed: OnceLock<Result<(), String>>,
}

impl Programs {
    pub fn new(command: NodeCommand) -> Programs {
        Programs {
            command,
            spare: Mutex::default(),
            boots: AtomicUsize::new(0),
            executions: AtomicUsize::new(0),
            probed: OnceLock::new(),
        }
    }

    /// A process that has not been given anything yet.
    pub fn process(&self) -> std::io::Result<Process> {
        self.boots.fetch_add(1, Ordering::Relaxed);
        let spare = {
            let mut spare = self.spare();
            // The one that was started first.
            if spare.is_empty() { None } else { Some(spare.remove(0)) }
        };
        spare.map_or_else(|| Process::start(&self.command), Ok)
    }

    fn spare(&self) -> MutexGuard<'_, Vec<Process>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts as many processes as this execution and the next one need: the latter get ready while this one
    /// runs.
    fn start_ahead(&self) {
        let executions = self.executions.fetch_add(1, Ordering::Relaxed);
        let Some(nodes) = self.boots.load(Ordering::Relaxed).checked_div(executions) else { return };
        let mut spare = self.spare();
        while spare.len() < (2 * nodes).min(SPARE_MAX) {
            match Process::start(&self.command) {
                Ok(process) => spare.push(process),
                // The node that needs it reports the error.
                Err(_) => return,
            }
        }
    }

    /// Whether the command starts something that answers `init`, or asks others before it does.
    fn probe(&self) -> Result<(), String> {
        let command = &self.command;
        if !std::path::Path::new("/proc/self/task").exists() {
            return Err("Maelstrom nodes need Linux: whether a node is quiet is read from /proc".to_owned());
        }
        let mut process =
            Process::start(command).map_err(|error| format!("`{command}` cannot be started: {error}"))?;
        let node = NodeId::new(1);
        process.write_line(&line("c0", node, &init(node, 1)));
        let (began, mut lines) = (Instant::now(), Vec::new());
        while began.elapsed() < START_TIME {
            let waited = process.for_a_while(START_PAUSE, &mut lines);
            let is_message = |line: &String| {
                serde_json::from_str(line).is_ok_and(|line: Value| {
                    line["body"]["type"] == "init_ok"
                        || ServiceName::of(line["dest"].as_str().unwrap_or_default()).is_some()
                })
            };
            if lines.iter().any(is_message) {
                return Ok(());
            }
            waited.map_err(|ended| format!("`{command}` did not answer init: it {ended}"))?;
        }
        let wrote = lines.first().map_or_else(
            || "it wrote nothing".to_owned(),
            |line| format!("it wrote `{}`", line.chars().take(200).collect::<String>()),
        );
        Err(format!("`{command}` did not answer init within {} s: {wrote}", START_TIME.as_secs()))
    }
}

impl Environment for Programs {
    fn prepare(&self) -> Result<(), String> {
        self.probed.get_or_init(|| self.probe()).clone()?;
        self.start_ahead();
        BEGINNING.set(Rc::default());
        Ok(())
    }
}

/// The first message to a node.
pub(crate) fn init(node: NodeId, nodes: usize) -> Value {
    let names: Vec<_> = NodeId::first(nodes).map(|node| node.to_string()).collect();
    json!({ "type": "init", "msg_id": 1, "node_id": node.to_string(), "node_ids": names })
}
