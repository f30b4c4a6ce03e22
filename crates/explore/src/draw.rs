//! Drawing without replacement.

use std::collections::BTreeMap;

use shakedown_cluster::Random;

/// `count` distinct numbers below `bound` (all of them, if there are fewer), in random order: the first draws
/// of a shuffle of which only the places that were touched are kept.
pub(crate) fn draw_distinct(count: usize, bound: usize, random: &mut Random) -> Vec<usize> {
    let mut moved: BTreeMap<usize, usize> = BTreeMap::new();
    let draw = |place: usize| {
        let other = place + random.index(bound - place);
        let drawn = moved.get(&other).copied().unwrap_or(other);
        let displaced = moved.get(&place).copied().unwrap_or(place);
        moved.insert(other, displaced);
        drawn
    };
    (0..count.min(bound)).map(draw).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn drawn_numbers_are_distinct_and_any_of_them_may_come() {
        let mut random = Random::new(1);
        for (count, bound) in [(0, 0), (0, 1), (1, 1), (5, 5), (7, 5), (3, 100), (10_000, 10_000)] {
            let drawn = draw_distinct(count, bound, &mut random);
            assert_eq!(drawn.iter().collect::<BTreeSet<_>>().len(), count.min(bound));
            assert!(drawn.iter().all(|number| *number < bound));
        }
        let first: BTreeSet<_> = (0..1_000).map(|_| draw_distinct(2, 10, &mut random)).collect();
        assert_eq!(first.len(), 90, "every ordered pair of ten comes in a thousand draws");
    }
}
