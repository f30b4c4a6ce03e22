//! Servers of one execution, and what schedules do with them. Servers are numbers from 1, as in their
//! configuration.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use shakedown_cluster::{Cluster, NodeId, Recording, Setup, Step, Stop};
use shakedown_live::{GRAIN_OPTION, LiveCluster, PAUSES_OPTION, QUIET_OPTION, REQUEST_OPTION};
use shakedown_target::AnyTarget;
use shakedown_zookeeper::{Answer, Release, Told, contract, settings, target};

/// How long servers have to serve clients, and a request has to be answered.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// How long a session waits for one answer.
const REQUEST: Duration = Duration::from_secs(6);
/// How long servers have to do what nobody can see: to write a log or a snapshot.
const MOMENT: Duration = Duration::from_millis(700);
/// The pause between two looks at what servers report of themselves.
const LOOK: Duration = Duration::from_millis(100);
/// How long each server works on what a round has delivered to it.
const ROUND: Duration = Duration::from_millis(3);
/// How long an execution may last, in seconds, and what the folder of a server may hold, in mebibytes.
const SECONDS_MAX: u64 = 1_200;
const DISK_MIB: u64 = 4_096;

/// An execution under way.
pub(crate) struct Play {
    pub cluster: LiveCluster,
}

/// The name of a server in steps.
pub(crate) fn node(number: usize) -> NodeId {
    NodeId::from_index(number - 1)
}

impl Play {
    /// Starts this many servers. Everything passes by itself, until the cluster is to hold messages.
    pub fn begin(release: &Release, servers: usize) -> Result<Play, String> {
        let mut options = target(release).defaults().options.clone();
        options.set(GRAIN_OPTION, "message");
        // To look whether servers are quiet takes longer than a round.
        options.set(QUIET_OPTION, "0");
        options.set(PAUSES_OPTION, "true");
        options.set(REQUEST_OPTION, REQUEST.as_millis().to_string());
        let setup = Setup {
            nodes: servers,
            contract: contract(),
            options: Arc::new(options),
            workload: Vec::new(),
            steps: 0,
            seed: 1,
            recording: Recording::Brief,
        };
        let mut settings = settings(release);
        settings.deployment.limits.seconds = SECONDS_MAX;
        settings.deployment.limits.disk_mib = DISK_MIB;
        let booted = LiveCluster::boot(Arc::new(settings), &setup);
        let mut cluster = booted.map_err(|error| error.to_string())?;
        cluster.let_pass();
        Ok(Play { cluster })
    }

    /// Does a step. The error is the reason why it cannot be done, or why the execution is over.
    pub fn step(&mut self, step: &Step) -> Result<(), String> {
        self.cluster.perform(step).map_err(|refusal| format!("{step}: {refusal}"))?;
        match self.cluster.board().stopped() {
            Some(stop) => Err(format!("{step}: {stop:?}")),
            None => Ok(()),
        }
    }

    /// Starts servers, and waits until they serve clients.
    pub fn start(&mut self, servers: &[usize]) -> Result<(), String> {
        self.restart(servers)?;
        self.until_serving(servers)
    }

    /// Starts servers.
    pub fn restart(&mut self, servers: &[usize]) -> Result<(), String> {
        servers.iter().try_for_each(|server| self.step(&Step::Restart(node(*server))))
    }

    /// Kills servers, after a moment.
    pub fn kill(&mut self, servers: &[usize]) -> Result<(), String> {
        self.cluster.for_a_while(MOMENT);
        servers.iter().try_for_each(|server| self.crash(*server))
    }

    /// Kills a server at once.
    pub fn crash(&mut self, server: usize) -> Result<(), String> {
        self.step(&Step::Crash { node: node(server), keep: 0 })
    }

    /// Waits until each of these servers leads or follows.
    pub fn until_serving(&mut self, servers: &[usize]) -> Result<(), String> {
        match self.until(PATIENCE, |modes| servers.iter().all(|server| modes[server - 1].serves()))? {
            true => Ok(()),
            false => Err(format!("servers {servers:?} do not serve clients")),
        }
    }

    /// Waits until what servers report of themselves is what is meant, but no longer than this. Whether it
    /// is. Nothing is asked in a session: that would be a transaction.
    pub fn until(&mut self, longest: Duration, is_meant: impl Fn(&[Mode]) -> bool) -> Result<bool, String> {
        let began = Instant::now();
        loop {
            if is_meant(&self.modes()) {
                return Ok(true);
            }
            if began.elapsed() > longest {
                return Ok(false);
            }
            self.cluster.for_a_while(LOOK);
            self.cluster.poll();
            if let Some(stop) = self.cluster.board().stopped() {
                return Err(format!("{stop:?}"));
            }
        }
    }

    /// Delivers to each server the oldest message that it has not received, and lets them work.
    pub fn round(&mut self) -> Result<(), String> {
        let mut oldest = self.cluster.board().deliverable().to_vec();
        oldest.sort_unstable();
        let mut receivers = BTreeSet::new();
        for index in oldest {
            let board = self.cluster.board();
            // A connection may have ended since, and lost its messages.
            if receivers.insert(board.message(index).id.to) && board.is_deliverable(index) {
                let step = board.deliver(index);
                self.step(&step)?;
            }
        }
        self.cluster.for_a_while(ROUND);
        self.cluster.poll();
        Ok(())
    }

    /// What the servers report of themselves now.
    pub fn modes(&self) -> Vec<Mode> {
        self.cluster.addresses().iter().map(|server| mode(*server)).collect()
    }

    /// Whether the execution is over because this server has ended by itself.
    pub fn has_ended(&self, server: usize) -> bool {
        matches!(self.cluster.board().stopped(), Some(Stop::Ended(ended, _)) if *ended == node(server))
    }

    /// A session writes at a server, and is answered.
    pub fn write(&mut self, at: usize, key: u8, value: u64) -> Result<(), String> {
        self.ask(at, &format!(r#"{{"set":[{key},{value}]}}"#)).map(drop)
    }

    /// Asks in the session of a server until there is an answer. To write the same value twice changes
    /// nothing here.
    pub fn ask(&mut self, at: usize, op: &str) -> Result<String, String> {
        let began = Instant::now();
        loop {
            let place = self.cluster.board().requests().len();
            self.step(&Step::Request(node(at), op.into()))?;
            let asked = Instant::now();
            while asked.elapsed() < REQUEST + MOMENT {
                self.cluster.for_a_while(Duration::from_millis(20));
                self.cluster.poll();
                match self.cluster.board().requests()[place].answer.as_deref() {
                    Some(answer) if answer.contains("\"failed\"") => break,
                    Some(answer) => return Ok(answer.to_owned()),
                    None => {}
                }
            }
            if began.elapsed() > PATIENCE {
                return Err(format!("`{op}` at n{at} is not answered"));
            }
            self.cluster.for_a_while(2 * LOOK);
        }
    }

    /// What a server holds once it has caught up with the leader.
    pub fn value(&mut self, at: usize, key: u8) -> Result<u64, String> {
        let answer = self.ask(at, &format!(r#"{{"sync":{key}}}"#))?;
        match serde_json::from_str::<Answer>(&answer).map(|answer| answer.told) {
            Ok(Told::Value(held)) => Ok(held.value),
            _ => Err(format!("`{answer}` is no value")),
        }
    }

    /// A file or folder of a server.
    pub fn path(&self, server: usize, name: &str) -> Result<PathBuf, String> {
        let folder = self.cluster.folder(node(server)).ok_or("the cluster is closed")?;
        Ok(folder.join(name))
    }

    /// What a server has logged from this byte on.
    pub fn log(&self, server: usize, from: usize) -> Result<String, String> {
        let path = self.path(server, "log")?;
        let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(String::from_utf8_lossy(bytes.get(from..).unwrap_or_default()).into_owned())
    }
}

/// What a server reports of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Leader,
    Follower,
    /// It answers, but serves no clients.
    Idle,
    /// It does not answer.
    Silent,
}

impl Mode {
    /// Whether it serves clients.
    pub fn serves(self) -> bool {
        matches!(self, Mode::Leader | Mode::Follower)
    }
}

fn mode(server: SocketAddr) -> Mode {
    let short = Duration::from_millis(500);
    let report = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect_timeout(&server, short)?;
        stream.set_read_timeout(Some(short))?;
        stream.write_all(b"srvr")?;
        let mut text = String::new();
        stream.take(64 << 10).read_to_string(&mut text)?;
        Ok(text)
    };
    match report() {
        Ok(text) if text.contains("Mode: leader") => Mode::Leader,
        Ok(text) if text.contains("Mode: follower") => Mode::Follower,
        Ok(_) => Mode::Idle,
        Err(_) => Mode::Silent,
    }
}
