//! `shakedown-zookeeper-divergence [release=3.4.9] [scenario=report] [times=20]`: how often the schedule of ZOOKEEPER-2832 makes the
//! servers of a release differ.
//!
//! Servers are killed, restarted, paused and asked by the steps that every schedule is made of; only when the next step is done is said
//! here, by what servers say of themselves. It is the schedule of the report, or that of the paper's authors for later releases
//! (`scenario=later`).

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use shakedown_cluster::{Cluster, Name, NodeId, Recording, Setup, Step};
use shakedown_live::{GRAIN_OPTION, LiveCluster, PAUSES_OPTION, REQUEST_OPTION};
use shakedown_target::AnyTarget;
use shakedown_zookeeper::{Answer, RELEASES, Release, Told, contract, settings, target};

/// How long servers have to serve clients, and a request has to be answered.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a session waits for one answer.
const REQUEST: Duration = Duration::from_secs(6);
/// How long servers have to do what nobody can see: to write a log or a snapshot.
const MOMENT: Duration = Duration::from_millis(700);

/// A part of a scenario; servers are numbers from 1.
#[derive(Clone, Copy)]
enum Part {
    /// Servers are started and serve clients.
    Start(&'static [usize]),
    /// Servers are killed.
    Kill(&'static [usize]),
    /// A session writes at a server, and is answered.
    Write(usize, u8, u64),
    /// A session writes at a server while another one is stopped, so only the first logs it.
    WriteAlone { at: usize, stopped: usize, key: u8, value: u64 },
}

use Part::{Kill, Start, Write as Set, WriteAlone};

/// The schedule of the report: B logs a write alone, C takes a snapshot that it knows nothing of, and B gets that snapshot.
const REPORT: &[Part] = &[
    Set(2, 0, 10),
    Set(2, 1, 11),
    Kill(&[1, 2, 3]),
    Start(&[1, 2]),
    WriteAlone { at: 2, stopped: 1, key: 0, value: 1000 },
    Kill(&[1, 2]),
    Start(&[1, 3]),
    Kill(&[1, 3]),
    Start(&[2, 3]),
    Set(2, 1, 1001),
    Kill(&[2, 3]),
    Start(&[2, 3]),
    Start(&[1]),
];

/// The schedule that the paper's authors have for later releases: B leads with the write that it has logged alone.
const LATER: &[Part] = &[
    Set(2, 0, 10),
    Set(2, 1, 11),
    Kill(&[1, 2, 3]),
    Start(&[1, 2]),
    WriteAlone { at: 2, stopped: 1, key: 0, value: 1000 },
    Kill(&[1, 2]),
    Start(&[2, 3]),
    Kill(&[2, 3]),
    Start(&[1, 3]),
    Set(3, 1, 1001),
    Kill(&[1, 3]),
    Start(&[1, 3]),
    Start(&[2]),
];

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// What a word of the command line gives, as in `times=5`.
fn word(name: &str, default: &str) -> String {
    let found = std::env::args()
        .skip(1)
        .find_map(|word| word.strip_prefix(name)?.strip_prefix('=').map(str::to_owned));
    found.unwrap_or_else(|| default.to_owned())
}

#[expect(clippy::print_stdout, reason = "it is a command line")]
fn run() -> Result<ExitCode, String> {
    let (text, scenario) = (word("release", "3.4.9"), word("scenario", "report"));
    let times: u32 = word("times", "20").parse().map_err(|_| "`times` is no number".to_owned())?;
    let release = RELEASES.iter().find(|release| release.text == text);
    let release = release.ok_or_else(|| format!("there is no release {text}"))?;
    let parts = match scenario.as_str() {
        "report" => REPORT,
        "later" => LATER,
        other => return Err(format!("there is no scenario {other}: report, later")),
    };
    let (mut differed, mut agreed) = (0, 0);
    for time in 1..=times {
        match once(release, parts) {
            Ok(values) => {
                let is_same = values.iter().all(|value| *value == values[0]);
                let verdict = if is_same { "the same" } else { "DIFFERENT" };
                println!("{time}: r0, r1 at n1, n2, n3: {values:?}: {verdict}");
                (differed, agreed) = (differed + u32::from(!is_same), agreed + u32::from(is_same));
            }
            Err(error) => println!("{time}: inconclusive: {error}"),
        }
    }
    let left_open = times - differed - agreed;
    println!(
        "ZooKeeper {text}, {scenario}: {differed} of {times} executions differed, {left_open} inconclusive"
    );
    Ok(ExitCode::from(u8::from(differed > 0)))
}

/// What every server holds in the end, in both registers.
fn once(release: &Release, parts: &[Part]) -> Result<Vec<[u64; 2]>, String> {
    let mut options = target(release).defaults().options.clone();
    options.set(GRAIN_OPTION, "link");
    options.set(PAUSES_OPTION, "true");
    options.set(REQUEST_OPTION, REQUEST.as_millis().to_string());
    let setup = Setup {
        nodes: 3,
        contract: contract(),
        options: Arc::new(options),
        workload: Vec::new(),
        steps: 0,
        seed: 1,
        recording: Recording::Brief,
    };
    let booted = LiveCluster::boot(Arc::new(settings(release)), &setup);
    let mut play = Play { cluster: booted.map_err(|error| error.to_string())? };
    play.until_serving(&[1, 2, 3])?;
    for part in parts {
        play.part(*part)?;
    }
    let mut values = Vec::new();
    for at in 1..=3 {
        values.push([play.value(at, 0)?, play.value(at, 1)?]);
    }
    Ok(values)
}

/// A scenario under way.
struct Play {
    cluster: LiveCluster,
}

fn node(number: usize) -> NodeId {
    NodeId::from_index(number - 1)
}

impl Play {
    fn part(&mut self, part: Part) -> Result<(), String> {
        match part {
            Start(servers) => {
                for server in servers {
                    self.step(&Step::Restart(node(*server)))?;
                }
                self.until_serving(servers)?;
            }
            Kill(servers) => {
                self.cluster.for_a_while(MOMENT);
                for server in servers {
                    self.step(&Step::Crash { node: node(*server), keep: 0 })?;
                }
            }
            Set(at, key, value) => {
                self.ask(at, &format!(r#"{{"set":[{key},{value}]}}"#))?;
            }
            WriteAlone { at, stopped, key, value } => {
                // The session is there again before anything is stopped.
                self.ask(at, &format!(r#"{{"read":{key}}}"#))?;
                self.step(&Step::Fire(node(stopped), Name::new("pause")))?;
                let op = format!(r#"{{"set":[{key},{value}]}}"#);
                self.step(&Step::Request(node(at), op.as_str().into()))?;
            }
        }
        Ok(())
    }

    fn step(&mut self, step: &Step) -> Result<(), String> {
        self.cluster.perform(step).map_err(|refusal| format!("{step}: {refusal}"))?;
        match self.cluster.board().stopped() {
            Some(stop) => Err(format!("{step}: {stop:?}")),
            None => Ok(()),
        }
    }

    /// Waits until each of these servers leads or follows. Nothing is asked in a session: that would be a transaction.
    fn until_serving(&mut self, servers: &[usize]) -> Result<(), String> {
        let (began, addresses) = (Instant::now(), self.cluster.addresses());
        while !servers.iter().all(|server| is_serving(addresses[server - 1])) {
            if began.elapsed() > PATIENCE {
                return Err(format!("servers {servers:?} do not serve clients"));
            }
            self.cluster.for_a_while(Duration::from_millis(100));
        }
        Ok(())
    }

    /// Asks in the session of a server until there is an answer. To write the same value twice changes nothing here.
    fn ask(&mut self, at: usize, op: &str) -> Result<String, String> {
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
            self.cluster.for_a_while(Duration::from_millis(200));
        }
    }

    /// What a server holds once it has caught up with the leader.
    fn value(&mut self, at: usize, key: u8) -> Result<u64, String> {
        let answer = self.ask(at, &format!(r#"{{"sync":{key}}}"#))?;
        match serde_json::from_str::<Answer>(&answer).map(|answer| answer.told) {
            Ok(Told::Value(held)) => Ok(held.value),
            _ => Err(format!("`{answer}` is no value")),
        }
    }
}

/// Whether a server says that it leads or follows.
fn is_serving(server: SocketAddr) -> bool {
    let short = Duration::from_millis(500);
    let said = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect_timeout(&server, short)?;
        stream.set_read_timeout(Some(short))?;
        stream.write_all(b"srvr")?;
        let mut text = String::new();
        stream.take(64 << 10).read_to_string(&mut text)?;
        Ok(text)
    };
    said().is_ok_and(|text| text.contains("Mode: leader") || text.contains("Mode: follower"))
}
