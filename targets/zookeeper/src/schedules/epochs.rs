//! ZOOKEEPER-1653 (and -2354, the same in later releases): a server does not start any more.
//!
//! A follower that joins an epoch writes what it has learned, and then the number of the epoch, into two
//! files. Killed between the two, it holds transactions of an epoch that it does not know of, and refuses to
//! start. The crash comes when the first of them has changed: the snapshot (`scenario=snapshot`) or, in
//! releases that take none there, the log (`scenario=log`).

use std::fs;

use shakedown_process::{Change, FileWatch};
use shakedown_zookeeper::Release;

use crate::Shown;
use crate::play::{PATIENCE, Play};

/// The server that is killed while it joins, and those that lead and follow before.
const LATE: usize = 3;
const OTHERS: &[usize] = &[1, 2];
/// How often a crash is tried in one execution: each in an epoch of its own.
const CRASHES_MAX: u64 = 5;
/// What a server logs that is hit by this, and where it says why.
const REFUSAL: &str = "Unable to load database on disk";
const REASON: &str = "IOException: ";

/// One execution: crashes until the server does not start any more.
pub(crate) fn once(release: &Release, scenario: &str) -> Result<Shown, String> {
    let mut play = Play::begin(release, OTHERS.len() + 1)?;
    play.until_serving(&[1, 2, LATE])?;
    if scenario == "log" {
        // With this it lacks so little later that it is sent transactions, and no snapshot.
        play.write(OTHERS[1], 0, 0)?;
    }
    play.kill(&[LATE])?;
    let mut hits = 0;
    for crash in 1..=CRASHES_MAX {
        play.kill(OTHERS)?;
        play.start(OTHERS)?;
        play.write(OTHERS[1], 0, crash)?;
        let epoch = epoch(&play, OTHERS[0])?;
        crash_while_joining(&mut play, scenario, epoch)?;
        hits += u64::from(self::epoch(&play, LATE)? < epoch);
        let before = play.log(LATE, 0)?.len();
        if let Err(error) = play.start(&[LATE]) {
            let log = play.log(LATE, before)?;
            if !play.has_ended(LATE) || !log.contains(REFUSAL) {
                return Err(error);
            }
            let reason = log.lines().find(|line| line.contains(REASON)).unwrap_or(REFUSAL);
            return Ok(Shown { is_bug: true, text: format!("after crash {crash}: {}", reason.trim()) });
        }
        play.kill(&[LATE])?;
    }
    let text = format!("{CRASHES_MAX} crashes, {hits} of them before the epoch was written");
    if hits == 0 { Err(text) } else { Ok(Shown { is_bug: false, text }) }
}

/// The last server is started, and killed when the file of this epoch has changed.
fn crash_while_joining(play: &mut Play, scenario: &str, epoch: u64) -> Result<(), String> {
    let folder = play.path(LATE, "data/version-2")?;
    let watch = FileWatch::new(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    // Both files are named after a transaction: its epoch, and eight digits of its place in it.
    let (start, length) = (format!("{scenario}.{epoch:x}"), format!("{scenario}.{epoch:x}").len() + 8);
    let change = if scenario == "log" { Change::Written } else { Change::Complete };
    let is_meant = |name: &str, what| what == change && name.len() == length && name.starts_with(&start);
    play.restart(&[LATE])?;
    let seen = play.cluster.until_file(&watch, is_meant, PATIENCE).map_err(|error| error.to_string())?;
    play.crash(LATE)?;
    if seen {
        Ok(())
    } else {
        Err(format!("n{LATE} has written no {start}… within {} s", PATIENCE.as_secs()))
    }
}

/// The epoch that a server has written down.
fn epoch(play: &Play, server: usize) -> Result<u64, String> {
    let path = play.path(server, "data/version-2/currentEpoch")?;
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    text.trim().parse().map_err(|_| format!("{} holds no number", path.display()))
}
