//! Campaigns by a fleet with a real NATS server: whatever dies, the result is that of one process, bit for
//! bit.
//!
//! Without the server (`scripts/nats-server.sh` installs it) the tests are left out, or fail if
//! `SHAKEDOWN_REQUIRE_HOSTS` is set. `SHAKEDOWN_FLEET_SEED` draws other moments (`scripts/fleet-kills.sh`).

mod bad_input;
mod coming_and_going;
mod credentials;
mod kept_on_the_server;
mod nats;
mod processes;
mod server;
mod shared;
mod spread;
mod three_servers;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use shakedown_cluster::Random;

use processes::{Process, SHAKEDOWN, alone, arguments_of, assert_same, done, heard_worker, kept};
use server::{Server, program, wait_until};

/// How many workers there are.
const WORKERS: usize = 4;
/// How many workers are killed, at most: on a machine on which they come to nothing between two kills, the
/// campaigns end all the same.
const KILLS_MAX: usize = 32;
/// A campaign of more executions is not made longer.
const EXECUTIONS_MAX: u64 = 40_000;
/// The longest that a campaign may take, with everything that happens to it.
const PATIENCE: Duration = Duration::from_secs(600);

/// The campaigns, which share the fleet: one that learns nothing and finds a planted bug, a fuzzer and a
/// learner.
const CAMPAIGNS: [(&str, &str); 3] = [
    (
        "random",
        "planted-raft --set fault=vote-not-persisted --keep-going --shrink-budget 300 --measure state -n 12000",
    ),
    ("fuzz", "planted-raft --strategy fuzz:model -n 3000"),
    ("bonusmax", "planted-raft --strategy bonusmax:generation=32 --measure state -n 3000"),
];

#[test]
fn whatever_dies_the_result_is_that_of_one_process() {
    let Some(nats) = program() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = Server::start(&nats, &folder.path().join("nats"), &[]);
    let mut random = Random::new(seed());
    let mut workers: Vec<Process> = (0..WORKERS).map(|_| heard_worker(&server.url())).collect();
    let mut coordinators: Vec<Coordinator> =
        CAMPAIGNS.iter().map(|campaign| Coordinator::begin(campaign, folder.path(), &server.url())).collect();
    let (mut kills, mut server_kills) = (0, 0);
    let began = Instant::now();
    let mut next_kill = began;
    while coordinators.iter_mut().any(|coordinator| !coordinator.is_over(&server.url())) {
        assert!(began.elapsed() < PATIENCE, "the campaigns do not come to their end");
        std::thread::sleep(Duration::from_millis(30));
        if kills < KILLS_MAX && Instant::now() >= next_kill {
            // What was there is killed when it is dropped.
            workers[kills % WORKERS] = heard_worker(&server.url());
            kills += 1;
            next_kill = Instant::now() + Duration::from_millis(150 + random.below(500));
        }
        for coordinator in &mut coordinators {
            coordinator.maybe_die(&server.url());
        }
        if server_kills == 0 && coordinators.iter().any(|coordinator| coordinator.done() > 0.4) {
            server.kill_and_start_again();
            server_kills = 1;
        }
    }
    assert_eq!(server_kills, 1);
    assert!(kills > WORKERS, "every worker is killed at least once");
    for (coordinator, (name, _)) in coordinators.iter().zip(&CAMPAIGNS) {
        assert_eq!(coordinator.deaths, 2, "{name}: it came to its end before it was killed twice");
        let local = alone(&coordinator.arguments, &folder.path().join(format!("{name}-alone")));
        assert_same(&kept(&coordinator.folder), &local, name);
    }
    eprintln!("{kills} kills of workers, 6 of coordinators, 1 of the server");
    drains(&mut workers);
}

/// Workers that are asked to end finish what they do, and end well. One that was about to connect when the
/// server died has ended before.
fn drains(workers: &mut [Process]) {
    let mut drained = 0;
    for worker in workers {
        wait_until("it is ready or has ended", || worker.heard().contains("is ready") || !worker.is_alive());
        if worker.is_alive() {
            worker.signal("-TERM");
            assert_eq!(worker.exit_code(), Some(0), "{}", worker.heard());
            drained += 1;
        } else {
            assert!(!worker.heard().contains("is ready"), "{}", worker.heard());
        }
    }
    assert!(drained > 0, "all workers have ended");
}

fn seed() -> u64 {
    std::env::var("SHAKEDOWN_FLEET_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1)
}

/// A campaign by the fleet, whose coordinator is killed twice.
struct Coordinator {
    folder: PathBuf,
    /// Those of `run`; they end with the number of executions.
    arguments: String,
    executions: u64,
    process: Process,
    deaths: u32,
    is_over: bool,
}

impl Coordinator {
    fn begin((name, arguments): &(&str, &str), folder: &Path, url: &str) -> Coordinator {
        Coordinator::start(folder.join(name), (*arguments).to_owned(), url)
    }

    fn start(folder: PathBuf, arguments: String, url: &str) -> Coordinator {
        let (_, count) = arguments.rsplit_once(' ').expect("it ends with -n N");
        let executions = count.parse().expect("it ends with -n N");
        let mut command = Command::new(SHAKEDOWN);
        command.args(arguments_of("run", &arguments)).args(["--fleet", url, "--keep"]).arg(&folder);
        let process = Process::start(&mut command);
        Coordinator { folder, arguments, executions, process, deaths: 0, is_over: false }
    }

    /// It came to its end too soon to be killed twice, which depends on the machine: a longer one takes its
    /// place.
    fn start_longer(&mut self, url: &str) {
        let (first, _) = self.arguments.rsplit_once(' ').expect("it ends with -n N");
        let arguments = format!("{first} {}", 2 * self.executions);
        let folder = self.folder.with_extension(format!("{}", 2 * self.executions));
        *self = Coordinator::start(folder, arguments, url);
    }

    /// Which part of its executions are stored.
    fn done(&self) -> f64 {
        done(&self.folder) as f64 / self.executions as f64
    }

    /// Kills it after a quarter and after half of its executions, and resumes it.
    fn maybe_die(&mut self, url: &str) {
        if self.is_over || self.deaths == 2 || self.done() < 0.15 + 0.25 * f64::from(self.deaths) {
            return;
        }
        self.deaths += 1;
        self.process.child.kill().expect("it is ours");
        self.process.child.wait().expect("it has ended");
        self.resume(url);
    }

    fn resume(&mut self, url: &str) {
        let mut resume = Command::new(SHAKEDOWN);
        self.process = Process::start(resume.arg("resume").arg(&self.folder).args(["--fleet", url]));
    }

    fn is_over(&mut self, url: &str) -> bool {
        if !self.is_over
            && let Some(status) = self.process.child.try_wait().expect("it is ours")
        {
            match status.code() {
                Some(0 | 1) if self.deaths < 2 && self.executions < EXECUTIONS_MAX => self.start_longer(url),
                Some(0 | 1) => self.is_over = true,
                // The server was away when it began: whoever started it starts it again.
                _ => self.resume(url),
            }
        }
        self.is_over
    }
}
