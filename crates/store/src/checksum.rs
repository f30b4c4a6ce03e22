//! Checksums over what a store holds: SQLite has none of its own, so a byte that a disk changed would go
//! unnoticed.

use std::hash::Hasher;

use shakedown_cluster::Fingerprinter;

/// The checksum of these pieces, in this order. It is the same on every machine.
pub(crate) fn checksum(pieces: &[&[u8]]) -> i64 {
    let mut fingerprinter = Fingerprinter::default();
    for piece in pieces {
        fingerprinter.write(piece);
    }
    (fingerprinter.finish().0 as u64).cast_signed()
}

/// The checksum of a plan.
pub(crate) fn of_plan(plan: &str) -> i64 {
    checksum(&[plan.as_bytes()])
}

/// The checksum of a standing and of what belongs to it: `covered` is how much each guide has seen, so that a
/// lost row is noticed as well as a damaged one.
pub(crate) fn of_standing(
    executions: u64,
    is_over: bool,
    standing: &str,
    learned: &[u8],
    covered: &[u64],
) -> i64 {
    let covered: Vec<u8> = covered.iter().flat_map(|count| count.to_le_bytes()).collect();
    let numbers = [executions, u64::from(is_over)].map(u64::to_le_bytes).concat();
    checksum(&[&numbers, standing.as_bytes(), learned, &covered])
}

/// The checksum of a row of what was covered, or of a journal (which has no guide).
pub(crate) fn of_row(guide: Option<usize>, executions: u64, bytes: &[u8]) -> i64 {
    let guide = guide.map_or(u64::MAX, |guide| guide as u64);
    checksum(&[&[guide, executions].map(u64::to_le_bytes).concat(), bytes])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_is_the_same_in_every_version() {
        assert_eq!(checksum(&[b"shakedown", b"", &[1, 2, 3]]), 92_758_562_228_083_945);
    }

    #[test]
    fn every_flipped_bit_is_another_checksum() {
        let bytes: Vec<u8> = (0..67).collect();
        let right = checksum(&[&bytes]);
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(checksum(&[&damaged]), right, "bit {bit}");
        }
    }

    #[test]
    fn where_a_piece_ends_matters() {
        assert_ne!(checksum(&[b"ab", b"c"]), checksum(&[b"a", b"bc"]));
    }
}
