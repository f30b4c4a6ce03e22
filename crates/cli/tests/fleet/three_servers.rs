//! A cluster of three servers that keeps every stream three times: one of them is away at a time, and nothing
//! is lost.

use crate::processes::{Process, SHAKEDOWN, alone, arguments_of, assert_same, done, kept, worker};
use crate::server::{Cluster, SERVERS, program};
use std::process::Command;

const CAMPAIGN: &str = "planted-raft --strategy bonusmax:generation=32 --measure state -n 2000";

/// How often all servers are killed, one after the other; `scripts/fleet-kills.sh` asks for more.
fn rounds() -> usize {
    std::env::var("SHAKEDOWN_FLEET_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1)
}

#[test]
fn of_three_servers_each_may_die() {
    let Some(nats) = program() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let mut cluster = Cluster::start(&nats, folder.path());
    let url = cluster.url();
    let kept_in = folder.path().join("kept");
    let arguments = arguments_of("run", CAMPAIGN);
    let mut coordinator = Process::start_heard(
        Command::new(SHAKEDOWN)
            .args(arguments)
            .args(["--fleet", &url, "--fleet-replicas", "3", "--keep"])
            .arg(&kept_in),
    );
    let _workers = [worker(&url), worker(&url)];
    let kills = rounds() * SERVERS;
    for kill in 0..kills {
        // Spread over the campaign, as far as it is not over before.
        while done(&kept_in) < 2_000 * (kill as u64 + 1) / (2 * kills as u64 + 2) && coordinator.is_alive() {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        cluster.kill(kill % SERVERS);
    }
    assert_eq!(coordinator.exit_code(), Some(0), "{}", coordinator.heard());
    assert_same(&kept(&kept_in), &alone(CAMPAIGN, &folder.path().join("alone")), "by three servers");
}
