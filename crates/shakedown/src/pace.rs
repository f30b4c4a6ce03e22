//! How fast a campaign goes and how long it has to go, without the time that shrinking takes.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The times of a campaign under way.
pub(crate) struct Pace {
    began: Instant,
    /// The most time that the campaign may take.
    time: Option<Duration>,
    shrinking: Mutex<Shrinking>,
}

#[derive(Default)]
struct Shrinking {
    /// When the present one began.
    since: Option<Instant>,
    /// How long those before it took.
    done: Duration,
    /// How many executions were done when it was first asked: a campaign that is resumed has some already.
    from: Option<u64>,
}

impl Pace {
    pub fn new(time: Option<Duration>) -> Pace {
        Pace { began: Instant::now(), time, shrinking: Mutex::default() }
    }

    pub fn begin_shrinking(&self) {
        self.lock().since.get_or_insert_with(Instant::now);
    }

    pub fn end_shrinking(&self) {
        let mut shrinking = self.lock();
        if let Some(since) = shrinking.since.take() {
            shrinking.done += since.elapsed();
        }
    }

    /// Executions per second.
    pub fn per_second(&self, executions: u64) -> f64 {
        let from = *self.lock().from.get_or_insert(executions);
        per_second(executions.saturating_sub(from), self.began.elapsed(), self.shrunk())
    }

    /// How long it takes until all executions are done or the time is over; nothing if that is not known yet.
    pub fn left(&self, executions: u64, total: u64) -> Option<Duration> {
        let by_rate = left(executions, total, self.per_second(executions));
        let by_time = self.time.map(|time| time.saturating_sub(self.began.elapsed()));
        match (by_rate, by_time) {
            (Some(rate), Some(time)) => Some(rate.min(time)),
            (rate, time) => rate.or(time),
        }
    }

    fn shrunk(&self) -> Duration {
        let shrinking = self.lock();
        shrinking.done + shrinking.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Shrinking> {
        self.shrinking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn per_second(executions: u64, elapsed: Duration, shrunk: Duration) -> f64 {
    let seconds = elapsed.saturating_sub(shrunk).as_secs_f64();
    if seconds > 0.0 { executions as f64 / seconds } else { 0.0 }
}

fn left(executions: u64, total: u64, per_second: f64) -> Option<Duration> {
    let seconds = total.saturating_sub(executions) as f64 / per_second;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_follows_from_the_rate() {
        assert_eq!(left(250, 1_000, 50.0), Some(Duration::from_secs(15)));
        assert_eq!(left(0, 1_000, 0.0), None, "nothing is known before the first execution");
        assert_eq!(left(1_000, 1_000, 50.0), Some(Duration::ZERO));
    }

    #[test]
    fn the_limit_of_time_bounds_what_is_left() {
        let pace = Pace::new(Some(Duration::from_secs(5)));
        assert!(pace.left(1, u64::MAX).is_some_and(|left| left <= Duration::from_secs(5)));
        assert!(pace.left(0, u64::MAX).is_some_and(|left| left <= Duration::from_secs(5)));
    }

    #[test]
    fn shrinking_is_no_part_of_the_rate() {
        let seconds = Duration::from_secs;
        assert_eq!(per_second(100, seconds(10), seconds(0)), 10.0);
        assert_eq!(per_second(100, seconds(10), seconds(5)), 20.0);
        assert_eq!(per_second(100, seconds(5), seconds(5)), 0.0);
    }

    #[test]
    fn what_a_resumed_campaign_had_before_is_no_part_of_the_rate() {
        let pace = Pace::new(None);
        assert_eq!(pace.per_second(1_000_000), 0.0);
        assert_eq!(pace.per_second(1_000_000), 0.0);
    }
}
