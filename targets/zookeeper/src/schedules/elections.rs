//! ZOOKEEPER-1419: five servers elect no leader.
//!
//! Three of the servers have been through an epoch in which nothing was written, the two with the greatest
//! numbers have not. So all have the same last transaction, and votes in which the epoch and the number of
//! the server speak for different ones. In releases with this bug each vote is then better than the other,
//! and a server changes its own with every notification.
//!
//! Servers that share few cores send less than they decide, because a server keeps only its last vote for
//! each of the others; then they may come to rest by luck. So votes are delivered in rounds here, to each
//! server the oldest that it has not received, from when all have voted: every message arrives, soon and in
//! its order. With `scenario=free` they pass by themselves.

use std::time::{Duration, Instant};

use shakedown_cluster::Cluster;
use shakedown_zookeeper::Release;

use crate::Shown;
use crate::play::{Mode, PATIENCE, Play};

const ALL: &[usize] = &[1, 2, 3, 4, 5];
/// The servers that go through an epoch of their own.
const AHEAD: &[usize] = &[1, 2, 3];
/// How long servers have to elect a leader and to follow it, from when all of them have voted.
const ELECTION: Duration = Duration::from_secs(20);
/// The pause between two looks at what servers have logged.
const LOOK: Duration = Duration::from_millis(200);
/// What a server logs when its election begins, of each vote that it is sent, and when its election ends.
const BEGINS: &str = "New election";
const VOTE: &str = "Notification: ";
const ENDS: &str = "LEADER ELECTION TOOK";

/// One execution.
pub(crate) fn once(release: &Release, scenario: &str) -> Result<Shown, String> {
    let mut play = Play::begin(release, ALL.len())?;
    play.until_serving(ALL)?;
    play.kill(ALL)?;
    play.start(AHEAD)?;
    play.kill(AHEAD)?;
    let before: Vec<usize> =
        ALL.iter().map(|server| Ok(play.log(*server, 0)?.len())).collect::<Result<_, String>>()?;
    play.cluster.hold();
    play.restart(ALL)?;
    until_all_vote(&mut play, &before)?;
    if scenario == "free" {
        play.cluster.let_pass();
    }
    let began = Instant::now();
    let is_elected = elect(&mut play, &before)?;
    let took = began.elapsed().as_secs_f64();
    let (votes, ended) = (logged(&play, &before, VOTE)?, ended(&play, &before)?);
    let text = format!("{took:.1} s, {votes} votes were received, {ended} servers came to a decision");
    Ok(Shown { is_bug: !is_elected, text })
}

/// Waits until every server has begun its election and has sent its vote to every other; nothing arrives.
fn until_all_vote(play: &mut Play, before: &[usize]) -> Result<(), String> {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        play.cluster.for_a_while(LOOK);
        play.cluster.poll();
        // Connections keep the order, so one message of each link can be delivered.
        let links = play.cluster.board().deliverable().len();
        if links == ALL.len() * (ALL.len() - 1) && has_logged(play, before, BEGINS)?.iter().all(|has| *has) {
            return Ok(());
        }
    }
    Err("not all servers have voted".to_owned())
}

/// Delivers until a server leads and a majority is with it, or the time is over.
fn elect(play: &mut Play, before: &[usize]) -> Result<bool, String> {
    let began = Instant::now();
    let mut looked = began;
    while began.elapsed() < ELECTION {
        play.round()?;
        // To ask a server takes time, in which nothing is delivered: so only those that have decided are
        // asked.
        if looked.elapsed() > LOOK {
            looked = Instant::now();
            if ended(play, before)? > ALL.len() / 2 && is_elected(&play.modes()) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Whether a server leads, and a majority is with it.
fn is_elected(modes: &[Mode]) -> bool {
    let serving = modes.iter().filter(|mode| mode.serves()).count();
    modes.contains(&Mode::Leader) && serving > modes.len() / 2
}

/// How many servers have come to the end of an election.
fn ended(play: &Play, before: &[usize]) -> Result<usize, String> {
    Ok(has_logged(play, before, ENDS)?.into_iter().filter(|has| *has).count())
}

/// Whether each server has logged this since.
fn has_logged(play: &Play, before: &[usize], text: &str) -> Result<Vec<bool>, String> {
    ALL.iter().zip(before).map(|(server, from)| Ok(play.log(*server, *from)?.contains(text))).collect()
}

/// How often all servers have logged this since.
fn logged(play: &Play, before: &[usize], text: &str) -> Result<usize, String> {
    let of = |(server, from): (&usize, &usize)| Ok(play.log(*server, *from)?.matches(text).count());
    ALL.iter().zip(before).map(of).sum()
}
