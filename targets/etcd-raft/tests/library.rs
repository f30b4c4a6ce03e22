//! etcd's raft by campaigns: replays, both encodings, and the bugs of older releases.

use shakedown::campaign::{Campaign, Sameness, Silent, Summary};
use shakedown::cluster::Recording;
use shakedown::remote::Encoding;
use shakedown_etcd_raft::{HOSTS, are_built, target};

fn host(name: &str) -> &'static shakedown_etcd_raft::HostInfo {
    HOSTS.iter().find(|host| host.name == name).unwrap_or_else(|| panic!("there is no host {name}"))
}

fn run(name: &str, encoding: Encoding, change: impl FnOnce(&mut Campaign<'_>)) -> Summary {
    let target = target(host(name), encoding);
    let mut campaign = Campaign::new(&target);
    (campaign.plan.executions, campaign.plan.shrink) = (20, None);
    change(&mut campaign);
    campaign.run(&Silent).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn both_encodings_give_the_same_executions() {
    if are_built() {
        for name in ["etcd-raft", "etcd-raft-3.5"] {
            let [json, msgpack] =
                [Encoding::Json, Encoding::MsgPack].map(|encoding| run(name, encoding, |_| ()).fingerprint);
            assert_eq!(json, msgpack, "{name}");
        }
    }
}

#[test]
fn a_failure_of_the_library_replays_every_time() {
    if !are_built() {
        return;
    }
    let summary = run("etcd-raft-3.5", Encoding::MsgPack, |_| ());
    let failure = &summary.findings.first().expect("release 3.5 has the bug").failure;
    assert_eq!(failure.violation.property, "progress-next-above-match");
    let target = target(host("etcd-raft-3.5"), Encoding::Json);
    for _ in 0..100 {
        let replayed = failure.replay(&target, Recording::Brief).expect("it can be replayed");
        assert_eq!(replayed.same, Sameness::Exact);
    }
}

/// Every command of the two pages on this target that is one of Shakedown's, with less work.
#[test]
fn every_command_of_the_pages_runs() {
    if !are_built() {
        return;
    }
    let pages = [include_str!("../../../docs/etcd-raft.md"), include_str!("../../../docs/etcd-raft-spec.md")];
    let program = |line: &'static str| {
        let line = line.strip_prefix("$ ")?.split(" #").next()?.trim_end();
        let forms = ["target/release/shakedown-etcd-raft ", "cargo run --release -p shakedown-etcd-raft -- "];
        forms.iter().find_map(|form| line.strip_prefix(form))
    };
    let mut count = 0;
    for line in pages.iter().flat_map(|page| page.lines()).filter_map(program) {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        if let Some(at) = words.iter().position(|word| *word == "--executions") {
            words.drain(at..at + 2);
        }
        match words[..] {
            ["run", ..] => words.extend(["--executions", "20", "--no-shrink"]),
            ["scenario", "run", ..] => words.extend(["--iterations", "1"]),
            ["conform", .., "--model", _] => words.extend(["--paths", "50", "--no-shrink"]),
            _ => {}
        }
        let folder = std::env::temp_dir().join(format!("shakedown-etcd-raft-pages-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let command = &mut std::process::Command::new(env!("CARGO_BIN_EXE_shakedown-etcd-raft"));
        let output = command.args(&words).current_dir(&folder).output().expect("it starts");
        std::fs::remove_dir_all(&folder).expect("it is ours");
        // A scenario of which no iteration succeeds is inconclusive.
        let is_scenario = words[0] == "scenario";
        assert!(matches!(output.status.code(), Some(0 | 1)) || is_scenario, "{line}: {output:?}");
        count += 1;
    }
    assert_eq!(count, 5, "commands of the pages");
}
