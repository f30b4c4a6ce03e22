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
