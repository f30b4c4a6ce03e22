//! Causal consistency: what an operation depends on is what its client did before, and what the writes that
//! it read depend on. A read must not miss a write that it depends on.

use std::collections::BTreeMap;

use super::registers::{INITIAL, Registers};
use crate::workloads::Problems;

/// Who did what before what.
struct Causes {
    clients: Vec<i64>,
    /// The access that wrote each version.
    writer: Vec<usize>,
    /// For each access the one before it of the same client, and how many accesses the client has made with
    /// it.
    before: Vec<Option<usize>>,
    place: Vec<u32>,
    /// For each client and key its writes: their places and their versions.
    writes: BTreeMap<(usize, usize), Vec<(u32, usize)>>,
}

impl Causes {
    fn new(registers: &Registers<'_>) -> Causes {
        let mut clients: Vec<i64> =
            registers.accesses.iter().map(|access| access.operation.process).collect();
        clients.sort_unstable();
        clients.dedup();
        let count = registers.accesses.len();
        let mut causes = Causes {
            writer: vec![usize::MAX; registers.versions.len()],
            before: vec![None; count],
            place: vec![0; count],
            writes: BTreeMap::new(),
            clients,
        };
        let mut last: Vec<Option<usize>> = vec![None; causes.clients.len()];
        for (at, access) in registers.accesses.iter().enumerate() {
            let client = causes.client(access.operation.process);
            causes.before[at] = last[client].replace(at);
            causes.place[at] = causes.before[at].map_or(1, |before| causes.place[before] + 1);
            if access.is_write {
                causes.writer[access.version] = at;
                let writes = causes.writes.entry((client, access.key)).or_default();
                writes.push((causes.place[at], access.version));
            }
        }
        causes
    }

    /// The number of a client.
    fn client(&self, process: i64) -> usize {
        self.clients.partition_point(|known| *known < process)
    }

    /// What an access directly depends on.
    fn of(&self, registers: &Registers<'_>, at: usize) -> impl Iterator<Item = usize> + use<> {
        let access = &registers.accesses[at];
        let read = (!access.is_write && access.version != INITIAL).then(|| self.writer[access.version]);
        self.before[at].into_iter().chain(read)
    }

    /// For each access how many accesses of each client it depends on, itself included; nothing if some
    /// depend on each other.
    fn clocks(&self, registers: &Registers<'_>) -> Option<Vec<Vec<u32>>> {
        let mut clocks = vec![Vec::new(); registers.accesses.len()];
        for at in order(registers.accesses.len(), |at| self.of(registers, at))? {
            let mut clock = vec![0_u32; self.clients.len()];
            for cause in self.of(registers, at) {
                for (mine, theirs) in clock.iter_mut().zip(&clocks[cause]) {
                    *mine = (*mine).max(*theirs);
                }
            }
            clock[self.client(registers.accesses[at].operation.process)] = self.place[at];
            clocks[at] = clock;
        }
        Some(clocks)
    }
}

pub(super) fn check(registers: &Registers<'_>, problems: &mut Problems) {
    let causes = Causes::new(registers);
    let Some(clocks) = causes.clocks(registers) else {
        problems.add("cyclic-causes", &[], || "operations depend on each other in a circle".to_owned());
        return;
    };
    for (at, access) in registers.accesses.iter().enumerate().filter(|(_, access)| !access.is_write) {
        for client in 0..causes.clients.len() {
            let Some(own) = causes.writes.get(&(client, access.key)) else { continue };
            let known = own.partition_point(|(place, _)| *place <= clocks[at][client]);
            let Some((_, newer)) = known.checked_sub(1).map(|last| own[last]) else { continue };
            if newer == access.version {
                continue;
            }
            // It depends on a newer write if that depends on the one that it read, or if it read nothing at
            // all.
            let is_missed = access.version == INITIAL || {
                let read = causes.writer[access.version];
                let reader = causes.client(registers.accesses[read].operation.process);
                clocks[causes.writer[newer]][reader] >= causes.place[read]
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
    for (at, open) in open.iter_mut().enumerate() {
        for cause in causes(at) {
            effects[cause].push(at);
            *open += 1;
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
