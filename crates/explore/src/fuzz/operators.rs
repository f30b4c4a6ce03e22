//! Which way of making an input serves best, found out while fuzzing.
//!
//! What is worth doing differs: where every execution comes to new states, those that part early from all
//! others find the most; where a long way has to be gone, its beginning must be kept. So every operator is
//! chosen about as often as it has lately paid, and none is given up.

use shakedown_cluster::Random;

use super::saved::{Reader, Writer};

/// A way of making an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operator {
    /// A random input.
    Fresh,
    /// The crashes, requests and bounds of a member of the corpus, a little changed, in another world and
    /// with other buffers.
    Structure,
    /// A member of the corpus up to some step, and random from then on.
    Tail,
    /// A member of the corpus up to some step, and another from then on.
    Splice,
    /// A member of the corpus with a few small changes.
    Nudge,
    /// A member of the corpus with a stretch that is repeated, or that takes from one buffer only.
    Stretch,
}

impl Operator {
    pub const ALL: [Operator; 6] = [
        Operator::Fresh,
        Operator::Structure,
        Operator::Tail,
        Operator::Splice,
        Operator::Nudge,
        Operator::Stretch,
    ];
}

/// After so many uses of an operator, what it did before counts half.
const MEMORY: f64 = 1_000.0;
/// The least share of uses that every operator has.
const SHARE_MIN: f64 = 0.02;
/// The least that counts as found, however long nothing was: its square over that of the uses is still
/// above 0.
const FOUND_MIN: f64 = 1e-100;

/// How the operators have paid.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Operators {
    /// Uses, and what came of them.
    paid: [(f64, f64); Operator::ALL.len()],
}

impl Default for Operators {
    fn default() -> Operators {
        Operators { paid: [(1.0, 1.0); Operator::ALL.len()] }
    }
}

impl Operators {
    /// An operator, chosen by what they have paid.
    pub fn choose(&self, random: &mut Random) -> Operator {
        let rate = |(uses, found): &(f64, f64)| (found / uses).powi(2);
        let total: f64 = self.paid.iter().map(rate).sum();
        let mut rest = random.unit();
        let spread = 1.0 - SHARE_MIN * Operator::ALL.len() as f64;
        for (operator, paid) in Operator::ALL.into_iter().zip(&self.paid) {
            rest -= SHARE_MIN + spread * rate(paid) / total;
            if rest < 0.0 {
                return operator;
            }
        }
        Operator::Fresh
    }

    /// An operator was used and found so much.
    pub fn credit(&mut self, operator: usize, found: usize) {
        let Some((uses, sum)) = self.paid.get_mut(operator) else { return };
        *uses += 1.0;
        *sum += found as f64;
        if *uses > MEMORY {
            (*uses, *sum) = (*uses / 2.0, (*sum / 2.0).max(FOUND_MIN));
        }
    }

    pub fn save(&self, writer: &mut Writer) {
        for (uses, found) in &self.paid {
            writer.number(uses.to_bits());
            writer.number(found.to_bits());
        }
    }

    pub fn load(reader: &mut Reader<'_>) -> Result<Operators, String> {
        let mut operators = Operators::default();
        for paid in &mut operators.paid {
            let (uses, found) = (f64::from_bits(reader.number()?), f64::from_bits(reader.number()?));
            if !(1.0..=MEMORY).contains(&uses) || !(f64::MIN_POSITIVE..=1e12).contains(&found) {
                return Err("an operator cannot have paid like that".to_owned());
            }
            *paid = (uses, found.max(FOUND_MIN));
        }
        Ok(operators)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pays_is_chosen_and_nothing_is_given_up() {
        let (mut operators, mut random) = (Operators::default(), Random::new(1));
        for _ in 0..5_000 {
            let operator = operators.choose(&mut random);
            operators.credit(operator as usize, if operator == Operator::Tail { 5 } else { 1 });
        }
        let mut counts = [0; Operator::ALL.len()];
        (0..10_000).for_each(|_| counts[operators.choose(&mut random) as usize] += 1);
        assert!(counts[Operator::Tail as usize] > 7_000, "{counts:?}");
        assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
    }

    #[test]
    fn nothing_is_given_up_either_when_nothing_pays_any_more() {
        let (mut operators, mut random) = (Operators::default(), Random::new(1));
        for operator in 0..Operator::ALL.len() {
            (0..2_000_000).for_each(|_| operators.credit(operator, 0));
        }
        let mut counts = [0; Operator::ALL.len()];
        (0..10_000).for_each(|_| counts[operators.choose(&mut random) as usize] += 1);
        assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
    }
}
