//! Mutators of whole stretches of an input, as fuzzers of files copy and fill blocks of bytes. What takes many steps of one
//! sort is come to in a few mutants instead of one for every step: a long conversation of two nodes, or one that is starved.

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

/// A stretch that ends with this step is done several times; what follows it happens later, and what falls off the end is
/// gone.
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
