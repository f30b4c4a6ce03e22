//! Causal consistency: what an operation depends on is what its client did before, and what the writes that it read depend on. A
//! read must not miss a write that it depends on.

use std::collections::BTreeMap;

use super::registers::{INITIAL, Registers};
use crate::workloads::Problems;

pub(super) fn check(registers: &Registers<'_>, problems: &mut Problems) {
    let mut clients: Vec<i64> = registers.accesses.iter().map(|access| access.operation.process).collect();
    clients.sort_unstable();
    clients.dedup();
    let number = |client: i64| clients.partition_point(|known| *known < client);
    // The access that wrote each version.
    let mut writer = vec![usize::MAX; registers.versions.len()];
    let mut before = vec![None; registers.accesses.len()];
    let mut place = vec![0_u32; registers.accesses.len()];
    let mut last: Vec<Option<usize>> = vec![None; clients.len()];
    // For each client and key its writes: how many accesses it had made with it, and the version.
    let mut writes = BTreeMap::<(usize, usize), Vec<(u32, usize)>>::new();
    for (at, access) in registers.accesses.iter().enumerate() {
        let client = number(access.operation.process);
        before[at] = last[client].replace(at);
        place[at] = before[at].map_or(1, |before| place[before] + 1);
        if access.is_write {
            writer[access.version] = at;
            writes.entry((client, access.key)).or_default().push((place[at], access.version));
        }
    }
    let causes = |at: usize| {
        let access = &registers.accesses[at];
        let read = (!access.is_write && access.version != INITIAL).then(|| writer[access.version]);
        before[at].into_iter().chain(read)
    };
    let Some(order) = order(registers.accesses.len(), causes) else {
        problems.add("cyclic-causes", &[], || "operations depend on each other in a circle".to_owned());
        return;
    };
    // For each access how many accesses of each client it depends on, itself included.
    let mut clocks = vec![Vec::new(); registers.accesses.len()];
    for at in order {
        let mut clock = vec![0_u32; clients.len()];
        for cause in causes(at) {
            for (mine, theirs) in clock.iter_mut().zip(&clocks[cause]) {
                *mine = (*mine).max(*theirs);
            }
        }
        clock[number(registers.accesses[at].operation.process)] = place[at];
        clocks[at] = clock;
    }
    for (at, access) in registers.accesses.iter().enumerate().filter(|(_, access)| !access.is_write) {
        for client in 0..clients.len() {
            let Some(own) = writes.get(&(client, access.key)) else { continue };
            let known = own.partition_point(|(place, _)| *place <= clocks[at][client]);
            let Some((_, newer)) = known.checked_sub(1).map(|last| own[last]) else { continue };
            if newer == access.version {
                continue;
            }
            // It depends on a newer write if that depends on the one that it read, or if it read nothing at all.
            let is_missed = access.version == INITIAL || {
                let read = writer[access.version];
                let reader = number(registers.accesses[read].operation.process);
                clocks[writer[newer]][reader] >= place[read]
            };
            if is_missed {
                let lines = [registers.versions[newer].write.line, access.operation.line];
                problems.add("missed-cause", &lines, || {
                    format!(
                        "client {} reads {}, though it depends on {}",
                        access.operation.process,
                        registers.shown(access.key, access.version),
                        registers.shown(access.key, newer)
                    )
                });
            }
        }
    }
}

/// An order in which causes come first; nothing if there is none.
fn order<I: Iterator<Item = usize>>(count: usize, causes: impl Fn(usize) -> I) -> Option<Vec<usize>> {
    let mut effects = vec![Vec::new(); count];
    let mut open = vec![0_usize; count];
    for at in 0..count {
        for cause in causes(at) {
            effects[cause].push(at);
            open[at] += 1;
        }
    }
    let mut order: Vec<usize> = (0..count).filter(|at| open[*at] == 0).collect();
    let mut next = 0;
    while let Some(&at) = order.get(next) {
        next += 1;
        for &effect in &effects[at] {
            open[effect] -= 1;
            if open[effect] == 0 {
                order.push(effect);
            }
        }
    }
    (order.len() == count).then_some(order)
}
