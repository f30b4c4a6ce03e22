//! How an action is chosen by what actions are worth.

use shakedown_cluster::Random;

/// The place of the largest value; among equal ones, each with equal chance.
pub(crate) fn greedy(values: impl IntoIterator<Item = f64>, random: &mut Random) -> usize {
    let (mut best, mut place, mut equal) = (f64::NEG_INFINITY, 0, 0u64);
    for (at, value) in values.into_iter().enumerate() {
        if value > best {
            (best, place, equal) = (value, at, 1);
        } else if value == best {
            equal += 1;
            // The n-th of equal ones takes the place of the others with a chance of one in n.
            if random.below(equal) == 0 {
                place = at;
            }
        }
    }
    place
}

/// With a chance of `epsilon` any place, otherwise [`greedy`] (Algorithm 2, `pick`).
pub(crate) fn epsilon_greedy(
    epsilon: f64,
    count: usize,
    value: impl Fn(usize) -> f64,
    random: &mut Random,
) -> usize {
    if random.chance(epsilon) { random.index(count) } else { greedy((0..count).map(value), random) }
}

/// A place by the exponentials of its value over the temperature.
pub(crate) fn softmax(
    temperature: f64,
    count: usize,
    value: impl Fn(usize) -> f64,
    random: &mut Random,
) -> usize {
    let largest = (0..count).map(&value).fold(f64::NEG_INFINITY, f64::max);
    // Taken relative to the largest, no exponential is too large and at least one is not 0. It is not the
    // machine's own, which may have other digits elsewhere.
    let weight = |place: usize| libm::exp((value(place) - largest) / temperature);
    let total: f64 = (0..count).map(weight).sum();
    let mut left = random.unit() * total;
    for place in 0..count {
        left -= weight(place);
        if left < 0.0 {
            return place;
        }
    }
    count - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(choose: impl Fn(&mut Random) -> usize) -> [f64; 4] {
        let mut random = Random::new(1);
        let mut counts = [0.0; 4];
        for _ in 0..40_000 {
            counts[choose(&mut random)] += 1.0 / 40_000.0;
        }
        counts
    }

    /// With 40 000 draws the standard deviation of a share is at most 0.0025.
    fn assert_close(shares: [f64; 4], expected: [f64; 4]) {
        for (share, due) in shares.iter().zip(expected) {
            assert!((share - due).abs() < 0.0125, "{shares:?} instead of {expected:?}");
        }
    }

    #[test]
    fn equal_values_are_chosen_with_equal_chance() {
        assert_close(
            shares(|random| greedy([2.0, 1.0, 2.0, 2.0], random)),
            [1.0 / 3.0, 0.0, 1.0 / 3.0, 1.0 / 3.0],
        );
    }

    #[test]
    fn epsilon_is_the_chance_of_a_random_choice() {
        let values = [0.0, 0.0, 5.0, 0.0];
        let choose = |random: &mut Random| epsilon_greedy(0.4, 4, |place| values[place], random);
        assert_close(shares(choose), [0.1, 0.1, 0.7, 0.1]);
    }

    #[test]
    fn softmax_goes_by_exponentials_also_of_values_far_below_zero() {
        let due = [1.0, 1f64.exp(), 2f64.exp(), 0.0];
        let total: f64 = due.iter().sum();
        for offset in [0.0, -1e6] {
            let values = [offset, offset + 1.0, offset + 2.0, offset - 1e9];
            let choose = |random: &mut Random| softmax(1.0, 4, |place| values[place], random);
            assert_close(shares(choose), due.map(|due| due / total));
        }
    }
}
