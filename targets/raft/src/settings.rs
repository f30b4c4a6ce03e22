//! The options of the target, as nodes read them.

use std::cell::RefCell;
use std::fmt;
use std::str::FromStr;

use raft::eraftpb::Snapshot;
use shakedown_cluster::{BadOption, Clients, Contract, DiskModel, Options};
use shakedown_conform::{NO_SPEC, SPEC_OPTION};
use shakedown_rafts::model::SPEC;

use crate::machine::Machine;

/// The longest election timeout that can be asked for, in ticks.
const ELECTION_TICK_MAX: usize = 1_000_000;

/// The option that says what clients do that wait for an answer.
pub(crate) const CLIENTS: &str = "clients";

/// When writes become durable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DiskMode {
    /// At once: a `Ready` is handled in one go.
    Synchronous,
    /// When the disk is flushed: raft's asynchronous way of handling a `Ready`.
    Buffered,
}

impl fmt::Display for DiskMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DiskMode::Synchronous => "synchronous",
            DiskMode::Buffered => "buffered",
        })
    }
}

impl FromStr for DiskMode {
    type Err = String;

    fn from_str(text: &str) -> Result<DiskMode, String> {
        match text {
            "synchronous" => Ok(DiskMode::Synchronous),
            "buffered" => Ok(DiskMode::Buffered),
            _ => Err("it is synchronous or buffered".to_owned()),
        }
    }
}

/// What a node is configured with.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    pub election_tick: usize,
    pub heartbeat_tick: usize,
    pub pre_vote: bool,
    pub check_quorum: bool,
    pub disk: DiskMode,
    pub step_down_when_removed: bool,
    pub registers: bool,
    /// Whether the library's own book-keeping is looked at.
    pub library_invariants: bool,
    /// Whether every election timeout is `election_tick`.
    pub fixed_timeout: bool,
    /// Whether the states of the node are compared with a specification: then it shows all of its state.
    pub is_compared: bool,
    /// What clients do that wait for an answer. If they ask again, requests have sessions.
    pub clients: Clients,
}

thread_local! {
    /// What was read last: nearly always, the next node that boots has a copy of the same options.
    static LAST: RefCell<Option<(Options, Settings)>> = const { RefCell::new(None) };
}

impl Settings {
    /// The settings of a node that boots; the target has checked them.
    pub fn of(options: &Options) -> Settings {
        LAST.with_borrow_mut(|last| match last {
            Some((known, settings)) if known.is_copy_of(options) => *settings,
            _ => {
                let settings = Settings::read(options).expect("the target has checked its options");
                last.insert((options.clone(), settings)).1
            }
        })
    }

    pub fn read(options: &Options) -> Result<Settings, BadOption> {
        let settings = Settings {
            election_tick: options.get("election_tick")?,
            heartbeat_tick: options.get("heartbeat_tick")?,
            pre_vote: options.get("pre_vote")?,
            check_quorum: options.get("check_quorum")?,
            disk: options.get("disk")?,
            step_down_when_removed: options.get("step_down_when_removed")?,
            registers: options.get("registers")?,
            library_invariants: options.get("library_invariants")?,
            fixed_timeout: options.get("fixed_timeout")?,
            // Not every target with these settings has such clients.
            clients: options.text(CLIENTS).map_or(Ok(Clients::Once), |_| options.get(CLIENTS))?,
            is_compared: options.text(SPEC_OPTION).is_some_and(|spec| spec != NO_SPEC && spec != SPEC),
        };
        let bad = |name: &str, value: usize, reason: String| {
            Err(BadOption { name: name.to_owned(), value: value.to_string(), reason })
        };
        let (election, heartbeat) = (settings.election_tick, settings.heartbeat_tick);
        if heartbeat == 0 {
            return bad("heartbeat_tick", heartbeat, "it is at least 1".to_owned());
        }
        if election <= heartbeat || election > ELECTION_TICK_MAX {
            let reason = format!("it is above heartbeat_tick, {heartbeat}, and at most {ELECTION_TICK_MAX}");
            return bad("election_tick", election, reason);
        }
        Ok(settings)
    }

    /// The state machine as of a snapshot.
    pub fn machine_of(&self, snapshot: &Snapshot) -> Machine {
        match self.clients.ask_again() {
            true => Machine::restore_with_sessions(snapshot),
            false => Machine::restore(snapshot),
        }
    }

    /// What the network, the disks and the clocks may do to a cluster with these settings.
    pub fn contract(&self) -> Contract {
        let disk = match self.disk {
            DiskMode::Synchronous => DiskModel::Synchronous,
            DiskMode::Buffered => DiskModel::Buffered,
        };
        Contract { disk, clients: self.clients, ..Contract::asynchronous() }
    }
}
