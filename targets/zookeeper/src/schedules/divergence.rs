//! ZOOKEEPER-2832: the servers of a release hold different values for good.
//!
//! It is the schedule of the report, or that of the paper's authors for later releases (`scenario=later`).

use shakedown_cluster::{Name, Step};
use shakedown_zookeeper::Release;

use crate::Shown;
use crate::play::{Play, node};

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

use Part::{Kill, Start, Write, WriteAlone};

const SERVERS: &[usize] = &[1, 2, 3];

/// The schedule of the report: B logs a write alone, C takes a snapshot that it knows nothing of, and B gets
/// that snapshot.
const REPORT: &[Part] = &[
    Write(2, 0, 10),
    Write(2, 1, 11),
    Kill(&[1, 2, 3]),
    Start(&[1, 2]),
    WriteAlone { at: 2, stopped: 1, key: 0, value: 1000 },
    Kill(&[1, 2]),
    Start(&[1, 3]),
    Kill(&[1, 3]),
    Start(&[2, 3]),
    // At server 3, which leads: server 2 may refuse a session that has seen more than it holds now.
    Write(3, 1, 1001),
    Kill(&[2, 3]),
    Start(&[2, 3]),
    Start(&[1]),
];

/// The schedule that the paper's authors have for later releases: B leads with the write that it has logged
/// alone.
const LATER: &[Part] = &[
    Write(2, 0, 10),
    Write(2, 1, 11),
    Kill(&[1, 2, 3]),
    Start(&[1, 2]),
    WriteAlone { at: 2, stopped: 1, key: 0, value: 1000 },
    Kill(&[1, 2]),
    Start(&[2, 3]),
    Kill(&[2, 3]),
    Start(&[1, 3]),
    Write(3, 1, 1001),
    Kill(&[1, 3]),
    Start(&[1, 3]),
    Start(&[2]),
];

/// What every server holds in the end, in both registers.
pub(crate) fn once(release: &Release, scenario: &str) -> Result<Shown, String> {
    let mut play = Play::begin(release, SERVERS.len())?;
    play.until_serving(SERVERS)?;
    for part in if scenario == "later" { LATER } else { REPORT } {
        do_part(&mut play, *part)?;
    }
    let mut values = Vec::new();
    for at in SERVERS {
        values.push([play.value(*at, 0)?, play.value(*at, 1)?]);
    }
    let is_bug = values.iter().any(|value| *value != values[0]);
    Ok(Shown { is_bug, text: format!("r0, r1 at n1, n2, n3: {values:?}") })
}

fn do_part(play: &mut Play, part: Part) -> Result<(), String> {
    match part {
        Start(servers) => play.start(servers),
        Kill(servers) => play.kill(servers),
        Write(at, key, value) => play.write(at, key, value),
        WriteAlone { at, stopped, key, value } => {
            // The session is there again before anything is stopped.
            play.ask(at, &format!(r#"{{"read":{key}}}"#))?;
            play.step(&Step::Fire(node(stopped), Name::new("pause")))?;
            let op = format!(r#"{{"set":[{key},{value}]}}"#);
            play.step(&Step::Request(node(at), op.as_str().into()))
        }
    }
}
