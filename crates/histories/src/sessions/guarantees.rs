//! The guarantees of sessions, as demands on the order of the versions of each register: a history has a
//! guarantee if there is an order that fulfils all demands, which is to say that they have no cycle.

use std::collections::BTreeMap;

use super::registers::{INITIAL, Registers};
use crate::Outcome;
use crate::workloads::Problems;

/// Which guarantees are wanted.
#[derive(Clone, Copy, Default)]
pub(super) struct Guarantees {
    pub read_your_writes: bool,
    pub monotonic_reads: bool,
    pub monotonic_writes: bool,
    pub writes_follow_reads: bool,
}

impl Guarantees {
    pub fn all() -> Guarantees {
        Guarantees {
            read_your_writes: true,
            monotonic_reads: true,
            monotonic_writes: true,
            writes_follow_reads: true,
        }
    }
}

/// What a client has done to a register.
#[derive(Default)]
struct Session {
    /// Its writes, in its order.
    writes: Vec<Own>,
    /// The last version that it read, and the line.
    read: Option<(usize, usize)>,
    /// A node that comes after all versions that it has read.
    all_reads: Option<usize>,
}

/// A write of a client.
struct Own {
    version: usize,
    /// A node that comes after this write and all before it, as far as they are certain.
    all: usize,
    /// Whether it is known to have happened.
    is_certain: bool,
}

/// Demands: from a version, or a node that stands for several, to one that must be newer, with the line that
/// demands it.
struct Demands {
    edges: Vec<Vec<(usize, usize)>>,
}

impl Demands {
    fn add(&mut self, from: usize, to: usize, line: usize) {
        if from != to {
            self.edges[from].push((to, line));
        }
    }

    fn node(&mut self) -> usize {
        self.edges.push(Vec::new());
        self.edges.len() - 1
    }
}

pub(super) fn check(registers: &Registers<'_>, wanted: Guarantees, problems: &mut Problems) {
    let mut demands = Demands { edges: vec![Vec::new(); registers.versions.len()] };
    let mut sessions = BTreeMap::<(i64, usize), Session>::new();
    for access in &registers.accesses {
        let line = access.operation.line;
        let session = sessions.entry((access.operation.process, access.key)).or_default();
        let version = access.version;
        if version == INITIAL {
            let certain = session.writes.iter().rfind(|own| own.is_certain && wanted.read_your_writes);
            let own = certain.map(|own| own.version);
            let read =
                if wanted.monotonic_reads { session.read.filter(|(read, _)| *read != INITIAL) } else { None };
            if let Some(older) = own.or(read.map(|(read, _)| read)) {
                let before = registers.versions[older].write.line;
                problems.add("forgotten", &[before, line], || {
                    format!(
                        "client {} reads nothing{}, after it had {}",
                        access.operation.process,
                        registers.keys[access.key],
                        registers.shown(access.key, older)
                    )
                });
            }
            session.read = session.read.or(Some((INITIAL, line)));
            continue;
        }
        if access.is_write {
            let is_certain = access.operation.outcome == Outcome::Ok;
            write(session, &mut demands, wanted, (version, is_certain), line);
        } else {
            read(session, &mut demands, wanted, version, line);
        }
    }
    report_cycles(registers, &demands, problems);
}

fn write(
    session: &mut Session,
    demands: &mut Demands,
    wanted: Guarantees,
    (version, is_certain): (usize, bool),
    line: usize,
) {
    if wanted.monotonic_writes
        && let Some(before) = session.writes.last()
    {
        demands.add(before.version, version, line);
    }
    if wanted.writes_follow_reads
        && let Some(all) = session.all_reads
    {
        demands.add(all, version, line);
    }
    let all = demands.node();
    if is_certain {
        demands.add(version, all, line);
    }
    if let Some(before) = session.writes.last() {
        demands.add(before.all, all, line);
    }
    session.writes.push(Own { version, all, is_certain });
}

fn read(session: &mut Session, demands: &mut Demands, wanted: Guarantees, version: usize, line: usize) {
    if wanted.read_your_writes {
        match session.writes.iter().position(|own| own.version == version) {
            // One of its own: all others of its own are older.
            Some(place) => {
                if let Some(before) = place.checked_sub(1).map(|before| &session.writes[before]) {
                    demands.add(before.all, version, line);
                }
                let later = session.writes[place + 1..].iter().filter(|own| own.is_certain);
                later.for_each(|own| demands.add(own.version, version, line));
            }
            None => {
                if let Some(own) = session.writes.last() {
                    demands.add(own.all, version, line);
                }
            }
        }
    }
    if wanted.monotonic_reads
        && let Some((before, _)) = session.read.filter(|(read, _)| *read != INITIAL)
    {
        demands.add(before, version, line);
    }
    if wanted.writes_follow_reads {
        let all = demands.node();
        demands.add(version, all, line);
        if let Some(before) = session.all_reads {
            demands.add(before, all, line);
        }
        session.all_reads = Some(all);
    }
    session.read = Some((version, line));
}

/// Reports a cycle of each group of versions that demand to be older than each other.
fn report_cycles(registers: &Registers<'_>, demands: &Demands, problems: &mut Problems) {
    let groups = crate::graph::components(demands.edges.len(), |node, place| {
        demands.edges[node as usize].get(place).map(|(to, _)| (*to as u32, place + 1))
    });
    for group in groups {
        let mut lines: Vec<usize> = group
            .iter()
            .flat_map(|&node| &demands.edges[node as usize])
            .filter(|(to, _)| group.binary_search(&(*to as u32)).is_ok())
            .map(|(_, line)| *line)
            .collect();
        lines.sort_unstable();
        lines.dedup();
        let versions: Vec<String> = group
            .iter()
            .filter_map(|&node| registers.versions.get(node as usize).map(|version| (node as usize, version)))
            .take(8)
            .map(|(number, version)| registers.shown(version.key, number))
            .collect();
        problems.add("goes-back", &lines, || {
            format!("{} would each have to be older than the others", versions.join(", "))
        });
    }
}
