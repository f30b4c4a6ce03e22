//! Convergence: the last reads of a register by each client, begun when all writes of it had ended, agree. A
//! write of which nobody knows whether it happened may still happen, so such registers are not judged.

use std::collections::BTreeMap;

use super::registers::{Access, INITIAL, Registers};
use crate::Outcome;
use crate::workloads::Problems;

pub(super) fn check(registers: &Registers<'_>, problems: &mut Problems) {
    // For each key when its last write ended; nothing if that is not known.
    let mut quiet: Vec<Option<u32>> = vec![Some(0); registers.keys.len()];
    for version in &registers.versions {
        let ended = version.write.ended.filter(|_| version.write.outcome == Outcome::Ok);
        quiet[version.key] = quiet[version.key].zip(ended).map(|(before, ended)| before.max(ended));
    }
    let mut last = BTreeMap::<(usize, i64), &Access<'_>>::new();
    for access in registers.accesses.iter().filter(|access| !access.is_write) {
        if quiet[access.key].is_some_and(|quiet| access.operation.began > quiet) {
            last.insert((access.key, access.operation.process), access);
        }
    }
    let is_written: Vec<bool> = (0..registers.keys.len())
        .map(|key| registers.versions.iter().any(|version| version.key == key))
        .collect();
    let mut first = BTreeMap::<usize, &Access<'_>>::new();
    for ((key, _), access) in last {
        if access.version == INITIAL && is_written[key] {
            problems.add("forgotten", &[access.operation.line], || {
                format!("in the end client {} reads nothing{}", access.operation.process, registers.keys[key])
            });
        }
        let known = first.entry(key).or_insert(access);
        if known.version != access.version {
            let lines = [known.operation.line, access.operation.line];
            problems.add("divergent", &lines, || {
                format!(
                    "in the end client {} reads {}, and client {} reads {}",
                    known.operation.process,
                    registers.shown(key, known.version),
                    access.operation.process,
                    registers.shown(key, access.version)
                )
            });
        }
    }
}
