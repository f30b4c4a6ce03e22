//! Mutators: how an input is changed.

use shakedown_cluster::{Random, StepKind};

use super::generate::Shape;
use super::input::{Buffer, Deed, Entry, Input};

/// How often each of the paper's three mutators is applied to make one mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Swaps {
    /// SwapCrashProcesses.
    pub crashes: usize,
    /// SwapBuffers.
    pub buffers: usize,
    /// SwapMaxMessages.
    pub bounds: usize,
}

/// A mutant as the paper makes it: all three mutators, composed. One that finds nothing to swap leaves the
/// rest alone.
pub(super) fn compose(parent: &Input, swaps: Swaps, shape: &Shape, random: &mut Random) -> Input {
    let mut mutant = parent.clone();
    mutant.change(|entries| {
        for _ in 0..swaps.crashes {
            swap_crash_processes(entries, shape, random);
        }
        let deliveries = places(entries, is_delivery);
        for _ in 0..swaps.buffers {
            swap_buffers(entries, &deliveries, random);
        }
        for _ in 0..swaps.bounds {
            swap_bounds(entries, &deliveries, random);
        }
    });
    mutant
}

fn is_delivery(deed: Deed) -> bool {
    matches!(deed, Deed::Deliver(..))
}

fn is_crash(deed: Deed) -> bool {
    matches!(deed, Deed::Crash { .. })
}

/// Where the entries are that do this.
fn places(entries: &[Entry], does: fn(Deed) -> bool) -> Vec<usize> {
    (0..entries.len()).filter(|&place| does(entries[place].deed)).collect()
}

/// Two different places of these, if there are two.
fn two(places: &[usize], random: &mut Random) -> Option<(usize, usize)> {
    if places.len() < 2 {
        return None;
    }
    let first = random.index(places.len());
    let second = (first + 1 + random.index(places.len() - 1)) % places.len();
    Some((places[first], places[second]))
}

/// Swaps who crashes at two steps; if there is only one crash, somebody else crashes there.
fn swap_crash_processes(entries: &mut [Entry], shape: &Shape, random: &mut Random) {
    let crashes = places(entries, is_crash);
    if let Some((a, b)) = two(&crashes, random) {
        let (deed_a, deed_b) = (entries[a].deed, entries[b].deed);
        (entries[a].deed, entries[b].deed) = (deed_b, deed_a);
    } else if let [only] = crashes[..]
        && shape.nodes > 1
        && let Deed::Crash { node, .. } = &mut entries[only].deed
    {
        *node = ((*node as usize + 1 + random.index(shape.nodes - 1)) % shape.nodes) as u8;
    }
}

/// Swaps which buffers two steps deliver from.
fn swap_buffers(entries: &mut [Entry], deliveries: &[usize], random: &mut Random) {
    let Some((a, b)) = two(deliveries, random) else { return };
    if let (Deed::Deliver(first, most_a), Deed::Deliver(second, most_b)) = (entries[a].deed, entries[b].deed)
    {
        entries[a].deed = Deed::Deliver(second, most_a);
        entries[b].deed = Deed::Deliver(first, most_b);
    }
}

/// Swaps how many messages two steps deliver at most.
fn swap_bounds(entries: &mut [Entry], deliveries: &[usize], random: &mut Random) {
    let Some((a, b)) = two(deliveries, random) else { return };
    if let (Deed::Deliver(first, most_a), Deed::Deliver(second, most_b)) = (entries[a].deed, entries[b].deed)
    {
        entries[a].deed = Deed::Deliver(first, most_b);
        entries[b].deed = Deed::Deliver(second, most_a);
    }
}

/// Everything from this step on is drawn anew, crashes and requests as many as there were.
pub(super) fn renew_from(input: &mut Input, step: u16, shape: &Shape, random: &mut Random) {
    input.change(|entries| {
        let (mut crashes, mut requests) = (0, 0);
        entries.retain(|entry| {
            let goes = entry.step >= step;
            crashes += usize::from(goes && is_crash(entry.deed));
            requests += usize::from(goes && matches!(entry.deed, Deed::Request(_)));
            !goes
        });
        let later = |random: &mut Random| step + random.index(shape.horizon - step as usize) as u16;
        for step in step..shape.horizon as u16 {
            entries.push(Entry { step, deed: shape.delivery(random) });
            shape.clockwork(step, random, entries);
        }
        for _ in 0..crashes {
            let step = later(random);
            entries.extend(shape.crash(step, random));
        }
        for _ in 0..requests {
            let step = later(random);
            entries.push(shape.request(step, random));
        }
    });
}

/// Every buffer is drawn anew: of the input remains when somebody crashes, restarts or asks, and how many
/// messages are delivered.
pub(super) fn reopen(input: &mut Input) {
    input.change(|entries| {
        for entry in entries {
            if let Deed::Deliver(buffer, _) = &mut entry.deed {
                *buffer = Buffer::OPEN;
            }
        }
    });
}

/// Deliveries deliver as much as they may, or about half of them do; or all of them deliver less.
pub(super) fn turn_bounds(input: &mut Input, shape: &Shape, random: &mut Random) {
    let share = [0.0, 0.5, 1.0][random.index(3)];
    input.change(|entries| {
        for entry in entries {
            if let Deed::Deliver(_, most) = &mut entry.deed {
                *most = if random.chance(share) {
                    shape.messages as u8
                } else {
                    1 + random.index(*most as usize) as u8
                };
            }
        }
    });
}

/// What this input does before a step, and the other from then on.
pub(super) fn splice(input: &mut Input, other: &Input, step: u16) {
    input.change(|entries| {
        entries.retain(|entry| entry.step < step);
        entries.extend(other.entries().iter().filter(|entry| entry.step >= step));
    });
}

/// One small change of any sort. What cannot be changed in this input is left.
pub(super) fn nudge(input: &mut Input, shape: &Shape, random: &mut Random) {
    input.change(|entries| match random.below(16) {
        0..3 => {
            let deliveries = places(entries, is_delivery);
            swap_buffers(entries, &deliveries, random);
        }
        3..5 => {
            if let Some(Deed::Deliver(buffer, _)) = some(entries, is_delivery, random) {
                *buffer = if random.chance(0.5) {
                    Buffer::OPEN
                } else {
                    Buffer(random.index(shape.buffers()) as u16)
                };
            }
        }
        5..7 => {
            if let Some(Deed::Deliver(_, most)) = some(entries, is_delivery, random) {
                *most = 1 + random.index(shape.messages) as u8;
            }
        }
        7 => swap_crash_processes(entries, shape, random),
        8 | 9 => {
            move_one(entries, |deed| matches!(deed, Deed::Crash { .. } | Deed::Restart(_)), shape, random)
        }
        10 => move_one(entries, |deed| matches!(deed, Deed::Request(_)), shape, random),
        11 => {
            if let Some(Deed::Request(node)) = some(entries, |deed| matches!(deed, Deed::Request(_)), random)
            {
                *node = random.index(shape.nodes) as u8;
            }
        }
        12 => add_fault(entries, shape, random),
        13 => remove_fault(entries, random),
        14 => postpone(entries, shape, random),
        _ => move_one(entries, |deed| matches!(deed, Deed::Fire(_) | Deed::Flush(_)), shape, random),
    });
}

/// One of the deeds of this sort, to be changed.
fn some<'e>(entries: &'e mut [Entry], does: fn(Deed) -> bool, random: &mut Random) -> Option<&'e mut Deed> {
    let places = places(entries, does);
    random.choose(&places).map(|&place| &mut entries[place].deed)
}

/// Moves one deed of this sort to another step.
fn move_one(entries: &mut [Entry], does: fn(Deed) -> bool, shape: &Shape, random: &mut Random) {
    let places = places(entries, does);
    if let Some(&place) = random.choose(&places) {
        entries[place].step = shape.step(random);
    }
}

/// Loses or doubles a message, or breaks a link for a while, where the contract allows it.
fn add_fault(entries: &mut Vec<Entry>, shape: &Shape, random: &mut Random) {
    let faults = [StepKind::Drop, StepKind::Duplicate, StepKind::Cut];
    let allowed: Vec<_> = faults.into_iter().filter(|kind| shape.allows(*kind)).collect();
    let step = shape.step(random);
    match random.choose(&allowed) {
        Some(StepKind::Drop) => entries.push(Entry { step, deed: Deed::Drop(Buffer::OPEN) }),
        Some(StepKind::Duplicate) => entries.push(Entry { step, deed: Deed::Duplicate(Buffer::OPEN) }),
        Some(_) => {
            let a = random.index(shape.nodes);
            let b = (a + 1 + random.index(shape.nodes - 1)) % shape.nodes;
            let (a, b) = (a as u8, b as u8);
            let later = step + random.index(shape.horizon - step as usize) as u16;
            entries.push(Entry { step, deed: Deed::Cut(a, b) });
            entries.push(Entry { step: later, deed: Deed::Heal(a, b) });
        }
        None => {}
    }
}

/// Takes out something that goes wrong.
fn remove_fault(entries: &mut Vec<Entry>, random: &mut Random) {
    let is_fault =
        |deed| matches!(deed, Deed::Crash { .. } | Deed::Cut(..) | Deed::Drop(_) | Deed::Duplicate(_));
    let faults = places(entries, is_fault);
    if let Some(&place) = random.choose(&faults) {
        entries.remove(place);
    }
}

/// Everything from some step on happens a step later or earlier; what falls off the end is gone.
fn postpone(entries: &mut Vec<Entry>, shape: &Shape, random: &mut Random) {
    let from = shape.step(random);
    if random.chance(0.5) {
        entries.retain(|entry| entry.step != from);
        entries.iter_mut().filter(|entry| entry.step > from).for_each(|entry| entry.step -= 1);
        let step = shape.horizon as u16 - 1;
        entries.push(Entry { step, deed: shape.delivery(random) });
    } else {
        entries.iter_mut().filter(|entry| entry.step >= from).for_each(|entry| entry.step += 1);
        entries.retain(|entry| (entry.step as usize) < shape.horizon);
        entries.push(Entry { step: from, deed: shape.delivery(random) });
    }
}

#[cfg(test)]
mod tests {
    use shakedown_cluster::Contract;

    use super::*;

    fn shape() -> Shape {
        Shape {
            nodes: 3,
            horizon: 20,
            messages: 5,
            crashes: 3,
            requests: 4,
            by_process: false,
            blindly: false,
            ticks: 1,
            contract: Contract::asynchronous(),
        }
    }

    fn sorted_deeds(input: &Input, does: fn(Deed) -> bool) -> Vec<String> {
        let mut deeds: Vec<_> = input
            .entries()
            .iter()
            .filter(|entry| does(entry.deed))
            .map(|entry| format!("{:?}", entry.deed))
            .collect();
        deeds.sort();
        deeds
    }

    /// Buffers drawn at random, so that swapping them can be seen.
    fn fixed_input(random: &mut Random) -> Input {
        let mut input = shape().input(random);
        for place in 0..input.entries().len() {
            input.fix(place, Buffer(random.index(9) as u16));
        }
        input
    }

    #[test]
    fn the_papers_mutators_swap_and_neither_lose_nor_invent_anything() {
        let mut random = Random::new(1);
        for _ in 0..200 {
            let parent = fixed_input(&mut random);
            let swaps = Swaps { crashes: 2, buffers: 20, bounds: 20 };
            let mutant = compose(&parent, swaps, &shape(), &mut random);
            assert_ne!(mutant, parent);
            assert_eq!(mutant.world, parent.world);
            for does in [is_crash, |deed| matches!(deed, Deed::Restart(_) | Deed::Request(_))] {
                assert_eq!(sorted_deeds(&mutant, does), sorted_deeds(&parent, does));
            }
            let parts = |input: &Input| {
                let deliveries = input.entries().iter().filter_map(|entry| match entry.deed {
                    Deed::Deliver(buffer, most) => Some((buffer.0, most)),
                    _ => None,
                });
                let (mut buffers, mut bounds): (Vec<_>, Vec<_>) = deliveries.unzip();
                buffers.sort_unstable();
                bounds.sort_unstable();
                (buffers, bounds)
            };
            assert_eq!(parts(&mutant), parts(&parent));
        }
    }

    #[test]
    fn one_crash_alone_changes_its_process_and_no_crash_keeps_nothing_from_being_swapped() {
        let mut random = Random::new(1);
        for crashes in [0, 1] {
            let shape = Shape { crashes, ..shape() };
            let mut parent = shape.input(&mut random);
            (0..parent.entries().len()).for_each(|place| parent.fix(place, Buffer(place as u16 % 9)));
            let mutant = compose(&parent, Swaps { crashes: 1, buffers: 1, bounds: 0 }, &shape, &mut random);
            let crash = |input: &Input| sorted_deeds(input, is_crash);
            assert_eq!(crash(&mutant) == crash(&parent), crashes == 0);
            assert_ne!(sorted_deeds(&mutant, is_delivery), Vec::<String>::new());
        }
    }

    #[test]
    fn whatever_is_done_to_an_input_it_stays_in_order_and_within_its_steps() {
        let (shape, mut random) = (shape(), Random::new(3));
        let mut input = shape.input(&mut random);
        for _ in 0..3_000 {
            nudge(&mut input, &shape, &mut random);
            if random.chance(0.02) {
                let step = shape.step(&mut random);
                renew_from(&mut input, step, &shape, &mut random);
            }
            if random.chance(0.02) {
                let other = shape.input(&mut random);
                splice(&mut input, &other, shape.step(&mut random));
            }
            assert!(input.entries().iter().all(|entry| (entry.step as usize) < shape.horizon));
            assert!(input.entries().is_sorted_by_key(|entry| (entry.step, entry.deed.rank())));
        }
        assert!(input.entries().len() < 400, "inputs do not grow without end: {}", input.entries().len());
    }
}
