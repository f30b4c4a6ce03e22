//! Bounded staleness: what a read returns was not overwritten longer ago than a bound. A write is overwritten
//! when one that began after it had ended has ended.

use super::registers::{INITIAL, Registers};
use crate::workloads::Problems;
use crate::{Operation, Outcome};

pub(super) fn check(registers: &Registers<'_>, bound: i64, problems: &mut Problems) {
    let by_clock = registers.accesses.iter().all(|access| {
        access.operation.times.0.is_some()
            && (access.operation.times.1.is_some() || access.operation.ended.is_none())
    });
    let began = |operation: &Operation| match by_clock {
        true => operation.times.0.unwrap_or(0),
        false => operation.began.into(),
    };
    let ended = |operation: &Operation| match (by_clock, operation.outcome, operation.ended) {
        (_, Outcome::Info, _) | (_, _, None) => None,
        (true, ..) => operation.times.1,
        (false, _, Some(ended)) => Some(i64::from(ended)),
    };
    // For each key its finished writes by their beginnings, and the earliest end of all that began as late or
    // later.
    let mut writes: Vec<Vec<(i64, i64, usize)>> = vec![Vec::new(); registers.keys.len()];
    for (number, version) in registers.versions.iter().enumerate() {
        if let Some(end) = ended(version.write) {
            writes[version.key].push((began(version.write), end, number));
        }
    }
    for writes in &mut writes {
        writes.sort_unstable();
        let mut earliest = (i64::MAX, usize::MAX);
        for write in writes.iter_mut().rev() {
            earliest = earliest.min((write.1, write.2));
            (write.1, write.2) = earliest;
        }
    }
    for access in registers.accesses.iter().filter(|access| !access.is_write) {
        let end = match access.version {
            INITIAL => Some(i64::MIN),
            version => ended(registers.versions[version].write),
        };
        let Some(end) = end else { continue };
        let writes = &writes[access.key];
        let after = writes.partition_point(|(began, ..)| *began <= end);
        let Some((_, overwritten, newer)) = writes.get(after) else { continue };
        let age = began(access.operation).saturating_sub(*overwritten);
        if age > bound {
            let lines = [registers.versions[*newer].write.line, access.operation.line];
            problems.add("stale", &lines, || {
                format!(
                    "client {} reads {}, which {} had overwritten {age} before",
                    access.operation.process,
                    registers.shown(access.key, access.version),
                    registers.shown(access.key, *newer)
                )
            });
        }
    }
}
