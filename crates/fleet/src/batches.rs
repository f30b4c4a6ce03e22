//! Which executions are given out, which are back, and which are late. Nothing here touches a network or a
//! clock: callers bring the time. None of it decides a result; it only decides who waits for what.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use crate::wire::BATCH_MAX;

/// How long a batch is to take.
const BATCH_TIME: Duration = Duration::from_millis(250);
/// How many bytes its reports are to have, at most.
const BATCH_BYTES: f64 = (256 << 10) as f64;
/// The size of a batch while nothing is known of the executions.
const BATCH_FIRST: u64 = 4;
/// A batch is late after this, at least.
const LATE_MIN: Duration = Duration::from_secs(1);
/// The same for pieces that take long, such as the trials of a comparison: another worker that runs one costs
/// as much again.
const LATE_MIN_LONG: Duration = Duration::from_secs(60);
/// A batch is late after this many times what others took from being given out to being back.
const LATE_FACTOR: f64 = 4.0;
/// How often the time is doubled, at most, after which a batch is given out once more.
const DOUBLINGS_MAX: u32 = 5;
/// How fast means follow.
const MEAN_RATE: f64 = 0.2;

/// How the numbers of some work are divided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Division {
    /// Into batches that take a quarter of a second.
    ByTime,
    /// All of a generation at once: everyone gets a part of it.
    ByWorkers,
    /// Each number by itself.
    One,
}

/// The batches of some work, and what came of them.
pub(crate) struct Batches<R> {
    /// The number that is handed over next.
    next: u64,
    /// Everything before this number was given out.
    planned: u64,
    /// What was given out and is not back, by the first number.
    out: BTreeMap<u64, Out>,
    /// What is back.
    back: BTreeMap<u64, R>,
    pace: Pace,
    division: Division,
}

struct Out {
    end: u64,
    since: Instant,
    /// How many times it was given out.
    times: u32,
}

/// Means over the batches so far; nothing before the first one.
#[derive(Clone, Copy, Default)]
pub(crate) struct Pace {
    /// Seconds and bytes of one execution.
    execution: Option<f64>,
    bytes: Option<f64>,
    /// Seconds from when a batch is given out to when it is back.
    turnaround: Option<f64>,
}

fn follow(mean: &mut Option<f64>, now: f64) {
    *mean = Some(mean.map_or(now, |mean| mean + (now - mean) * MEAN_RATE));
}

impl<R> Batches<R> {
    /// The batches from this number on. What is known of the pace of earlier ones helps.
    pub fn new(start: u64, division: Division, pace: Pace) -> Batches<R> {
        Batches { next: start, planned: start, out: BTreeMap::new(), back: BTreeMap::new(), pace, division }
    }

    /// How long batches take.
    pub fn pace(&self) -> Pace {
        self.pace
    }

    /// The next batch to give out, if there is room: to this many workers, up to this number.
    pub fn plan(&mut self, horizon: u64, workers: usize, now: Instant) -> Option<Range<u64>> {
        let workers = workers.max(1) as u64;
        let size = match self.division {
            Division::ByWorkers => (horizon.saturating_sub(self.next)).div_ceil(workers).clamp(1, BATCH_MAX),
            Division::ByTime => self.size(),
            Division::One => 1,
        };
        let is_full = self.out.len() as u64 >= 2 * workers + 2
            || self.planned - self.next >= (4 * workers + 8).saturating_mul(size);
        if self.planned >= horizon || (is_full && self.division != Division::ByWorkers) {
            return None;
        }
        let range = self.planned..horizon.min(self.planned + size);
        self.planned = range.end;
        self.out.insert(range.start, Out { end: range.end, since: now, times: 1 });
        Some(range)
    }

    fn size(&self) -> u64 {
        let Some(seconds) = self.pace.execution else { return BATCH_FIRST };
        let by_time = BATCH_TIME.as_secs_f64() / seconds.max(1e-9);
        let by_bytes = BATCH_BYTES / self.pace.bytes.unwrap_or(1.0).max(1.0);
        (by_time.min(by_bytes) as u64).clamp(1, BATCH_MAX)
    }

    /// Whether a report of these executions is waited for.
    pub fn wants(&self, range: &Range<u64>) -> bool {
        let (first, end) = (range.start.max(self.next), range.end.min(self.planned));
        (first..end).any(|number| !self.back.contains_key(&number))
    }

    /// Takes in the reports of these executions, whoever sent them. Those that are not wanted, or no longer,
    /// are left out.
    pub fn take_in(&mut self, range: Range<u64>, reports: Vec<R>, cost: Cost, now: Instant) {
        let count = reports.len().max(1) as f64;
        follow(&mut self.pace.execution, cost.took.as_secs_f64() / count);
        follow(&mut self.pace.bytes, cost.bytes as f64 / count);
        for (number, report) in range.clone().zip(reports) {
            if (self.next..self.planned).contains(&number) {
                self.back.entry(number).or_insert(report);
            }
        }
        let touched: Vec<u64> = self.out.range(..range.end).map(|(first, _)| *first).collect();
        for first in touched {
            let end = self.out[&first].end;
            let is_back = |number: u64| number < self.next || self.back.contains_key(&number);
            if end > range.start && (first..end).all(is_back) {
                let out = self.out.remove(&first).expect("it was there");
                if out.times == 1 {
                    follow(&mut self.pace.turnaround, now.duration_since(out.since).as_secs_f64());
                }
            }
        }
    }

    /// The next execution and its report, if it is back.
    pub fn pop(&mut self) -> Option<(u64, R)> {
        let report = self.back.remove(&self.next)?;
        self.next += 1;
        Some((self.next - 1, report))
    }

    /// The execution that is handed over next.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// The batches that are late: they are given out once more, to whoever is free.
    pub fn late(&mut self, now: Instant) -> Vec<(Range<u64>, u32)> {
        let usual =
            self.pace.turnaround.map_or(LATE_MIN, |seconds| Duration::from_secs_f64(seconds * LATE_FACTOR));
        let patience = usual.max(match self.division {
            Division::One => LATE_MIN_LONG,
            Division::ByTime | Division::ByWorkers => LATE_MIN,
        });
        let mut late = Vec::new();
        for (first, out) in &mut self.out {
            if now.duration_since(out.since) > patience * (1 << (out.times - 1).min(DOUBLINGS_MAX)) {
                out.times += 1;
                out.since = now;
                late.push((*first..out.end, out.times));
            }
        }
        late
    }

    /// How many batches are given out and not back.
    #[cfg(test)]
    fn out(&self) -> usize {
        self.out.len()
    }
}

/// What a batch took.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    pub took: Duration,
    pub bytes: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Executions of a millisecond, with reports of a hundred bytes.
    fn cost(range: &Range<u64>) -> Cost {
        let count = range.end - range.start;
        Cost { took: Duration::from_millis(count), bytes: 100 * count as usize }
    }

    /// What comes of a number is the number.
    fn reports(range: &Range<u64>) -> Vec<u64> {
        range.clone().collect()
    }

    fn batches(start: u64, division: Division) -> Batches<u64> {
        Batches::new(start, division, Pace::default())
    }

    fn planned(batches: &mut Batches<u64>, horizon: u64, workers: usize, now: Instant) -> Vec<Range<u64>> {
        std::iter::from_fn(|| batches.plan(horizon, workers, now)).collect()
    }

    #[test]
    fn reports_are_handed_over_in_order_whatever_comes_first_or_twice() {
        let now = Instant::now();
        let mut batches = batches(10, Division::ByTime);
        let given = planned(&mut batches, 30, 1, now);
        assert_eq!(given[0], 10..14);
        for range in given.iter().rev().chain(&given) {
            batches.take_in(range.clone(), reports(range), cost(range), now);
        }
        let handed: Vec<_> = std::iter::from_fn(|| batches.pop()).collect();
        let end = given.last().expect("there are some").end;
        assert!(handed.iter().map(|(number, _)| *number).eq(10..end));
        assert!(handed.iter().all(|(number, report)| report == number));
        assert_eq!(batches.out(), 0);
    }

    #[test]
    fn reports_of_an_earlier_life_count_wherever_its_batches_began() {
        let now = Instant::now();
        let mut batches = batches(5, Division::ByTime);
        planned(&mut batches, 13, 1, now);
        assert!(batches.wants(&(2..9)) && !batches.wants(&(2..5)) && !batches.wants(&(13..20)));
        batches.take_in(2..9, reports(&(2..9)), cost(&(2..9)), now);
        assert!(!batches.wants(&(2..9)) && batches.wants(&(8..10)));
        assert_eq!(batches.out(), 1, "9 to 12 are still out");
        assert_eq!(batches.pop().map(|(number, _)| number), Some(5));
        batches.take_in(7..40, reports(&(7..40)), cost(&(7..40)), now);
        assert_eq!(
            std::iter::from_fn(|| batches.pop()).count(),
            7,
            "up to 12: what was not asked for is left out"
        );
    }

    #[test]
    fn no_more_is_given_out_than_workers_can_take() {
        let now = Instant::now();
        let mut batches = batches(0, Division::ByTime);
        let given = planned(&mut batches, u64::MAX, 2, now);
        assert_eq!(given.len(), 6);
        for range in &given[1..] {
            batches.take_in(range.clone(), reports(range), cost(range), now);
        }
        // The first one is slow: others run ahead of it, but not without end.
        let mut ahead = 0;
        while let Some(range) = batches.plan(u64::MAX, 2, now) {
            batches.take_in(range.clone(), reports(&range), cost(&range), now);
            ahead += range.end - range.start;
            assert!(ahead < 10_000);
        }
    }

    #[test]
    fn a_late_batch_is_given_out_again_each_time_after_longer() {
        let began = Instant::now();
        let mut batches = batches(0, Division::ByTime);
        planned(&mut batches, 4, 1, began);
        assert!(batches.late(began + Duration::from_secs(1)).is_empty());
        assert_eq!(batches.late(began + Duration::from_secs(2)), [(0..4, 2)]);
        assert!(batches.late(began + Duration::from_secs(4)).is_empty());
        assert_eq!(batches.late(began + Duration::from_secs(5)), [(0..4, 3)]);
    }

    #[test]
    fn a_generation_is_divided_and_long_pieces_go_one_by_one() {
        let began = Instant::now();
        assert_eq!(planned(&mut batches(0, Division::ByWorkers), 10, 3, began), [0..4, 4..8, 8..10]);
        let mut trials = batches(0, Division::One);
        assert_eq!(planned(&mut trials, 10, 1, began), [0..1, 1..2, 2..3, 3..4]);
        assert!(trials.late(began + Duration::from_secs(59)).is_empty());
        assert_eq!(trials.late(began + Duration::from_secs(61)).len(), 4);
    }
}
