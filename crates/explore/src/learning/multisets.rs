//! Partitions of a multiset: every way to part nodes of which only the colour counts, each once.
//!
//! A part is a vector that says how many nodes of each colour are in it, and a partition is a sum of such
//! vectors. Parts are taken in falling lexicographic order, so that no partition comes twice; the first of
//! the parts that are left must hold the first colour that is left, so nothing is tried in vain but for the
//! number of parts.

/// A partition: for every colour, how many of its nodes are in each part. Parts are in falling lexicographic
/// order.
pub type Partition = Vec<Vec<u8>>;

/// The partitions of a multiset with so many of each colour, those of fewer parts first, and at most `max` of
/// them. There are as many as the Bell number of n for n nodes of different colours.
pub fn multiset_partitions(counts: &[u8], max: usize) -> Vec<Partition> {
    let total: usize = counts.iter().map(|&count| usize::from(count)).sum();
    let mut search = Search { max, parts: Vec::with_capacity(total), found: Vec::new() };
    for parts in 1..=total {
        if search.is_full() {
            break;
        }
        search.part(counts, parts);
    }
    search.found
}

struct Search {
    max: usize,
    parts: Vec<Vec<u8>>,
    found: Vec<Partition>,
}

impl Search {
    fn is_full(&self) -> bool {
        self.found.len() >= self.max
    }

    /// Parts what is left into exactly so many parts, none above the last one that was taken.
    fn part(&mut self, left: &[u8], parts: usize) {
        let is_below = |part: &[u8]| self.parts.last().is_none_or(|last| part <= &last[..]);
        if parts == 1 {
            if is_below(left) {
                self.parts.push(left.to_vec());
                self.found.push(self.parts.clone());
                self.parts.pop();
            }
            return;
        }
        let count: usize = left.iter().map(|&count| usize::from(count)).sum();
        let Some(first) = left.iter().position(|&count| count > 0).filter(|_| count >= parts) else { return };
        let mut part = left.to_vec();
        while !self.is_full() && part[first] > 0 {
            let taken: usize = part.iter().map(|&count| usize::from(count)).sum();
            let is_below = self.parts.last().is_none_or(|last| part <= *last);
            if is_below && count - taken >= parts - 1 {
                let rest: Vec<u8> = left.iter().zip(&part).map(|(left, taken)| left - taken).collect();
                self.parts.push(part.clone());
                self.part(&rest, parts - 1);
                self.parts.pop();
            }
            lower(&mut part, left);
        }
    }
}

/// The next smaller vector within these bounds; all zeros become the bounds again.
fn lower(part: &mut [u8], bounds: &[u8]) {
    for (digit, bound) in part.iter_mut().zip(bounds).rev() {
        if *digit > 0 {
            *digit -= 1;
            return;
        }
        *digit = *bound;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Every way to put nodes into parts, as multisets of multisets of colours.
    fn by_brute_force(counts: &[u8]) -> BTreeSet<Partition> {
        let nodes: Vec<usize> = counts
            .iter()
            .enumerate()
            .flat_map(|(colour, &count)| std::iter::repeat_n(colour, usize::from(count)))
            .collect();
        let size = nodes.len();
        let mut all = BTreeSet::new();
        for mut assignment in 0..size.pow(size as u32) {
            let mut parts = vec![vec![0; counts.len()]; size];
            for &colour in &nodes {
                parts[assignment % size][colour] += 1;
                assignment /= size;
            }
            parts.retain(|part| part.iter().any(|&count| count > 0));
            parts.sort_unstable_by(|a, b| b.cmp(a));
            all.insert(parts);
        }
        all
    }

    #[test]
    fn they_are_those_of_brute_force_each_once() {
        let shapes: [&[u8]; 14] = [
            &[1],
            &[2],
            &[1, 1],
            &[3],
            &[2, 1],
            &[1, 2],
            &[1, 1, 1],
            &[2, 2],
            &[4],
            &[1, 1, 1, 1],
            &[1, 2, 2],
            &[3, 1, 1],
            &[2, 1, 1, 2],
            &[1, 1, 1, 1, 1],
        ];
        for counts in shapes {
            let found = multiset_partitions(counts, usize::MAX);
            let distinct: BTreeSet<_> = found.iter().cloned().collect();
            assert_eq!(distinct.len(), found.len(), "{counts:?}: each comes once");
            assert_eq!(distinct, by_brute_force(counts), "{counts:?}");
            assert!(found.is_sorted_by_key(Vec::len), "{counts:?}: fewer parts come first");
        }
    }

    #[test]
    fn different_colours_have_as_many_as_bells_numbers_and_one_colour_those_of_eulers_partitions() {
        for (size, bell) in [(1, 1), (3, 5), (4, 15), (5, 52), (7, 877)] {
            assert_eq!(multiset_partitions(&vec![1; size], usize::MAX).len(), bell);
        }
        for (size, count) in [(1, 1), (5, 7), (10, 42), (20, 627)] {
            assert_eq!(multiset_partitions(&[size], usize::MAX).len(), count);
        }
    }

    #[test]
    fn a_limit_cuts_off_those_of_many_parts_however_many_nodes_there_are() {
        let some = multiset_partitions(&[1; 64], 50);
        assert_eq!(some.len(), 50);
        assert_eq!((some[0].len(), some[1].len(), some[49].len()), (1, 2, 2));
        assert_eq!(multiset_partitions(&[1, 1, 1], 3), multiset_partitions(&[1, 1, 1], 100)[..3]);
        assert!(multiset_partitions(&[], 10).is_empty());
    }
}
