//! Mutators of whole stretches of an input, as fuzzers of files copy and fill blocks of bytes. What takes
//! many steps of one sort is come to in a few mutants instead of one for every step: a long conversation of
//! two nodes, or one that is starved.

use shakedown_cluster::Random;

use super::generate::Shape;
use super::input::{Deed, Entry, Input};

/// A number from 1 to `most`, small ones and large ones alike: every power of two is as likely.
fn length(most: usize, random: &mut Random) -> usize {
    let powers = most.max(1).ilog2() + 1;
    let power = 1_usize << random.below(u64::from(powers));
    (power + random.index(power)).min(most.max(1))
}

/// From this step on, a stretch of deliveries takes from the buffer that the first of them takes from.
pub(super) fn favour(input: &mut Input, from: u16, shape: &Shape, random: &mut Random) {
    let to = from as usize + 1 + length(shape.horizon - from as usize, random);
    input.change(|entries| {
        let stretch =
            entries.iter_mut().filter(|entry| (from..).contains(&entry.step) && (entry.step as usize) < to);
        let mut favourite = None;
        for entry in stretch {
            if let Deed::Deliver(buffer, _) = &mut entry.deed {
                *buffer = *favourite.get_or_insert(*buffer);
            }
        }
    });
}

/// A stretch that ends with this step is done several times; what follows it happens later, and what falls
/// off the end is gone.
pub(super) fn repeat(input: &mut Input, last: u16, shape: &Shape, random: &mut Random) {
    let end = last as usize + 1;
    let size = length(end, random);
    let room = shape.horizon - end;
    if room == 0 {
        return;
    }
    let times = length((room / size).max(1), random);
    input.change(|entries| {
        let first = end - size;
        let stretch: Vec<Entry> =
            entries.iter().filter(|entry| (first..end).contains(&(entry.step as usize))).copied().collect();
        let later = |entry: &Entry, steps: usize| {
            let step = entry.step as usize + steps;
            (step < shape.horizon).then_some(Entry { step: step as u16, ..*entry })
        };
        let mut changed: Vec<Entry> =
            entries.iter().filter(|entry| (entry.step as usize) < end).copied().collect();
        for time in 1..=times {
            changed.extend(stretch.iter().filter_map(|entry| later(entry, time * size)));
        }
        let rest = entries.iter().filter(|entry| entry.step as usize >= end);
        changed.extend(rest.filter_map(|entry| later(entry, times * size)));
        *entries = changed;
    });
}

#[cfg(test)]
mod tests {
    use shakedown_cluster::Contract;

    use super::super::input::Buffer;
    use super::*;

    const HORIZON: usize = 30;

    fn shape() -> Shape {
        Shape {
            nodes: 3,
            horizon: HORIZON,
            messages: 1,
            crashes: 0,
            requests: 0,
            by_process: false,
            blindly: false,
            ticks: 1,
            contract: Contract::asynchronous(),
        }
    }

    /// Ten deliveries, each from a buffer of its own.
    fn input() -> Input {
        Input::new((0..10).map(|step| Entry { step, deed: Deed::Deliver(Buffer(step), 1) }).collect())
    }

    /// The buffers in the order of their steps.
    fn buffers(input: &Input) -> Vec<(u16, u16)> {
        let buffer = |entry: &Entry| match entry.deed {
            Deed::Deliver(buffer, _) => (entry.step, buffer.0),
            other => panic!("there is no {other:?} here"),
        };
        input.entries().iter().map(buffer).collect()
    }

    #[test]
    fn a_favourite_takes_the_place_of_what_follows_it() {
        let mut lengths = [0; 12];
        for seed in 0..200 {
            let mut input = input();
            favour(&mut input, 3, &shape(), &mut Random::new(seed));
            let buffers = buffers(&input);
            let length = buffers.iter().filter(|(_, buffer)| *buffer == 3).count();
            let expected =
                (0..10).map(|step| (step, if (3..3 + length as u16).contains(&step) { 3 } else { step }));
            assert_eq!(buffers, expected.collect::<Vec<_>>());
            lengths[length] += 1;
        }
        assert!(lengths[2] > 10 && lengths[7] > 10, "short and long stretches: {lengths:?}");
    }

    #[test]
    fn a_stretch_that_is_repeated_moves_the_rest() {
        let mut most = 0;
        for seed in 0..200 {
            let mut input = input();
            repeat(&mut input, 5, &shape(), &mut Random::new(seed));
            let buffers = buffers(&input);
            assert!(buffers.iter().all(|(step, _)| (*step as usize) < HORIZON));
            let fives: Vec<u16> =
                buffers.iter().filter(|(_, buffer)| *buffer == 5).map(|(step, _)| *step).collect();
            assert_eq!(fives[0], 5, "what comes before stays");
            let size = fives[1] - fives[0];
            assert!(fives.windows(2).all(|pair| pair[1] - pair[0] == size), "{fives:?}");
            let last = *fives.last().expect("there are some");
            let rest = buffers.iter().filter(|(_, buffer)| *buffer > 5);
            assert!(rest.into_iter().all(|(step, buffer)| *step == last + buffer - 5), "{buffers:?}");
            most = most.max(fives.len());
        }
        assert!(most > 15, "a single step was repeated {most} times");
    }
}
