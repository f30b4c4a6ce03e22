//! Counters: the final value of every node is the sum of all acknowledged additions and of any of those that
//! are unknown.

use std::collections::BTreeSet;

use shakedown_cluster::Board;

use super::{Became, asked, final_answers};

/// The most sums of unknown additions that are kept apart.
const SUMS_MAX: usize = 1 << 16;

pub(super) fn final_reads(board: &Board) -> Result<(), String> {
    let (mut known, mut unknown) = (0i64, Vec::new());
    for request in board.requests() {
        let asked = asked(request);
        let Some(delta) = asked["delta"].as_i64().filter(|_| asked["type"] == "add") else { continue };
        match Became::of(request) {
            Became::Done(_) => known = known.saturating_add(delta),
            Became::Unknown => unknown.push(delta),
            Became::Refused(_) => {}
        }
    }
    let mut sums = BTreeSet::from([known]);
    for delta in unknown {
        let more: Vec<_> = sums.iter().map(|sum| sum.saturating_add(delta)).collect();
        sums.extend(more);
        if sums.len() > SUMS_MAX {
            return Ok(());
        }
    }
    for (node, answer) in final_answers(board)? {
        let Some(value) = answer["value"].as_i64() else {
            return Err(format!("{node} answered a read with {answer}, which has no whole number `value`"));
        };
        if !sums.contains(&value) {
            let shown = match (sums.first(), sums.last()) {
                (Some(least), Some(most)) if least != most => {
                    format!("one of {} sums from {least} to {most}", sums.len())
                }
                _ => known.to_string(),
            };
            return Err(format!("{node} shows {value}, but what was added is {shown}"));
        }
    }
    Ok(())
}
