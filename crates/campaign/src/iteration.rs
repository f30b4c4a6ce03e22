//! An iteration of a scenario: what its monitor reports, and the form in which that comes from another
//! machine.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use shakedown_cluster::{Name, Schedule, Trace};
use shakedown_scenario::{FilterTally, IterationReport, deed_word};

/// No count of one iteration is larger; sums of as many as there can be do not overflow.
const COUNT_MAX: u64 = 1 << 40;

/// What a monitor reports of one iteration, and the kinds of messages that there were.
#[derive(Default)]
pub(crate) struct Iteration {
    pub report: IterationReport,
    pub kinds: BTreeSet<&'static str>,
    /// What was done, if there is a log of it.
    pub schedule: Option<Schedule>,
}

/// An iteration as it travels. In which state the property was is left out: nobody asks for it afterwards.
#[derive(Serialize, Deserialize)]
struct Packed {
    is_success: bool,
    is_fail: bool,
    filters: Vec<(u64, BTreeMap<String, u64>)>,
    states: Vec<u64>,
    clauses: Vec<u64>,
    /// Undecodable, refused, received.
    counts: [u64; 3],
    first_refused: Option<String>,
    log: Vec<String>,
    kinds: Vec<String>,
    schedule: Option<Schedule>,
}

impl Iteration {
    /// What a monitor reports of this execution.
    pub fn of(report: IterationReport, trace: &Trace) -> Iteration {
        let kinds = trace.board.messages().iter().map(|message| message.kind.as_str()).collect();
        let schedule = (!report.log.is_empty()).then(|| trace.schedule());
        Iteration { report, kinds, schedule }
    }

    pub fn pack(&self) -> Vec<u8> {
        let Iteration { report, kinds, schedule } = self;
        let filter = |tally: &FilterTally| {
            let deeds = tally.deeds.iter().map(|(word, count)| ((*word).to_owned(), *count));
            (tally.matched, deeds.collect())
        };
        let packed = Packed {
            is_success: report.is_success,
            is_fail: report.is_fail,
            filters: report.filters.iter().map(filter).collect(),
            states: report.states.clone(),
            clauses: report.clauses.clone(),
            counts: [report.undecodable, report.refused, report.received],
            first_refused: report.first_refused.clone(),
            log: report.log.clone(),
            kinds: kinds.iter().map(|kind| (*kind).to_owned()).collect(),
            schedule: schedule.clone(),
        };
        serde_json::to_vec(&packed).expect("an iteration is plain data")
    }

    pub fn unpack(packed: &[u8]) -> Result<Iteration, String> {
        let packed: Packed = serde_json::from_slice(packed).map_err(|error| error.to_string())?;
        let counted = |count: u64| match count {
            0..=COUNT_MAX => Ok(count),
            _ => Err(format!("{count} is too large for one iteration")),
        };
        let all = |counts: Vec<u64>| counts.into_iter().map(counted).collect::<Result<Vec<_>, _>>();
        let filter = |(matched, deeds): (u64, BTreeMap<String, u64>)| {
            let deed = |(word, count): (String, u64)| {
                let word = deed_word(&word).ok_or_else(|| format!("no filter has `{word}`"))?;
                Ok((word, counted(count)?))
            };
            let deeds = deeds.into_iter().map(deed).collect::<Result<BTreeMap<_, _>, String>>()?;
            Ok(FilterTally { matched: counted(matched)?, deeds, at: Vec::new() })
        };
        let kind = |kind: String| Ok(Name::intern(&kind).map_err(|error| error.to_string())?.as_str());
        let [undecodable, refused, received] = packed.counts;
        Ok(Iteration {
            report: IterationReport {
                is_success: packed.is_success,
                is_fail: packed.is_fail,
                state: "",
                filters: packed.filters.into_iter().map(filter).collect::<Result<_, String>>()?,
                states: all(packed.states)?,
                clauses: all(packed.clauses)?,
                undecodable: counted(undecodable)?,
                refused: counted(refused)?,
                first_refused: packed.first_refused,
                received: counted(received)?,
                log: packed.log,
            },
            kinds: packed.kinds.into_iter().map(kind).collect::<Result<_, String>>()?,
            schedule: packed.schedule,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iteration() -> Iteration {
        let filter =
            FilterTally { matched: 3, deeds: [("dropped", 2), ("kept back", 1)].into(), at: Vec::new() };
        let report = IterationReport {
            is_success: true,
            filters: vec![filter],
            states: vec![1, 2],
            received: 40,
            log: vec!["n1 ticks".to_owned()],
            ..IterationReport::default()
        };
        Iteration { report, kinds: ["Append"].into(), schedule: None }
    }

    #[test]
    fn an_iteration_is_read_as_it_was_written() {
        let (before, after) =
            (iteration(), Iteration::unpack(&iteration().pack()).expect("it was written here"));
        assert_eq!((before.report, before.kinds), (after.report, after.kinds));
    }

    #[test]
    fn what_no_iteration_has_is_refused() {
        let text = String::from_utf8(iteration().pack()).expect("it is JSON");
        for (good, bad) in [("dropped", "stolen"), ("Append", "App end"), (",40]", ",9999999999999999]")] {
            assert!(text.contains(good));
            assert!(Iteration::unpack(text.replace(good, bad).as_bytes()).is_err(), "{bad}");
        }
        assert!(Iteration::unpack(b"").is_err());
    }
}
