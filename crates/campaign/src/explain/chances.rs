//! How likely the violation is after each step: the schedule up to there is done exactly, and then the
//! execution goes on at random.

use shakedown_cluster::{Step, derive_seed};
use shakedown_explore::{Environment, Execution, Explorer, RandomWalk, Sight, Strategy, Weights};
use shakedown_statistics::Share;

use super::crowd::Crowd;
use super::trial::{End, Subject};
use crate::{Beat, Chance, Continuation};

/// A continuation is at most this many times as long as the schedule.
const LENGTH_FACTOR: usize = 2;
/// Shorter continuations would say little: a leader is not elected in a few random steps.
const LENGTH_MIN: usize = 50;
/// Each continuation begins by doing the schedule again. Where the schedule is longer than this, that is most
/// of the cost, and a continuation is `LONG_SHARE` of the schedule.
const LONG: usize = 500;
const LONG_SHARE: usize = 4;
/// The most steps of all continuations together. Beyond it they get shorter, and then only needed steps are
/// measured. It is a number of steps and not of seconds, so that the result is the same on every machine.
const STEPS_MAX: u64 = 16_000_000;
/// What tells these random numbers from those of the execution itself.
const SEED_PART: u64 = 0x0e_7a11;

/// The places at which chances are measured, as numbers of steps that were done, and how.
pub(super) struct Measure {
    pub places: Vec<usize>,
    pub continuation: Continuation,
}

impl Measure {
    /// Measures everywhere, if that is not too much. `needed` are the places of the steps of the slice.
    pub fn of(steps: usize, needed: &[usize], count: u64, config_steps: usize) -> Measure {
        let limit = config_steps.max(LENGTH_MIN);
        let lengths = if steps > LONG { [steps / LONG_SHARE; 2] } else { [LENGTH_FACTOR * steps, steps] };
        let lengths = lengths.map(|length| length.clamp(LENGTH_MIN, limit));
        let everywhere: Vec<usize> = (0..steps).collect();
        // Before the first step, and after each that is needed but for the last: after that one nothing is
        // left to chance.
        let mut some: Vec<usize> = std::iter::once(0).chain(needed.iter().map(|place| place + 1)).collect();
        some.retain(|&place| place < steps || steps == 0);
        let cost = |places: &[usize], length: usize| -> u64 {
            places.iter().map(|&place| count.saturating_mul((place + length) as u64)).sum()
        };
        let ways = [(&everywhere, lengths[0]), (&everywhere, lengths[1]), (&some, lengths[0])];
        let (places, length) = ways
            .into_iter()
            .find(|(places, length)| cost(places, *length) <= STEPS_MAX)
            .unwrap_or((&some, lengths[1]));
        let is_everywhere = places.len() == everywhere.len();
        let continuation = Continuation { count, steps_max: length, is_everywhere };
        Measure { places: places.clone(), continuation }
    }

    /// The chances, in the order of places.
    pub fn chances(&self, crowd: &mut Crowd<'_>, weights: &Weights) -> Vec<Chance> {
        let Continuation { count, steps_max, .. } = self.continuation;
        let ends = crowd.all(self.places.len() * count as usize, |subject, number, beat| {
            let done = self.places[number / count as usize];
            let number = (done as u64).wrapping_mul(count).wrapping_add(number as u64 % count);
            let seed = derive_seed(derive_seed(subject.seed, SEED_PART), number);
            go_on(subject, done, steps_max, weights, seed, beat)
        });
        ends.chunks(count as usize).map(chance).collect()
    }
}

/// What was counted.
fn chance(ends: &[End]) -> Chance {
    let of_kind = |kind: End| ends.iter().filter(|end| **end == kind).count() as u64;
    counted(of_kind(End::Same), of_kind(End::Other), ends.len() as u64)
}

/// The chance that these counts give.
pub(super) fn counted(met: u64, other: u64, of: u64) -> Chance {
    let (low, high) = Share::new(met, of).map_or((0.0, 1.0), |share| share.interval());
    Chance { met, other, of, low, high }
}

/// Does this many steps of the schedule, and then goes on at random.
fn go_on(
    subject: &Subject<'_>,
    done: usize,
    steps_max: usize,
    weights: &Weights,
    seed: u64,
    beat: &Beat,
) -> End {
    let environment = Environment::new(weights.clone(), subject.config.crashes);
    let most = done + steps_max;
    let walk = RandomWalk::new(environment).strategy(&Execution { number: 0, seed, steps_max: most });
    let mut strategy = Prefixed { steps: subject.steps[..done].iter(), walk };
    subject.run(&mut strategy, most, beat).0
}

struct Prefixed<'a> {
    steps: std::slice::Iter<'a, Step>,
    walk: Box<dyn Strategy>,
}

impl Strategy for Prefixed<'_> {
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step> {
        self.steps.next().cloned().or_else(|| self.walk.next(sight))
    }
}
