//! Two strategies compared, and the comparison in plain words.

use crate::{
    MannWhitney, Method, Sample, StatisticsError, Times, VarghaDelaney, holm, mann_whitney, smallest_p,
    vargha_delaney,
};

/// Below this p a difference is called one.
pub const SIGNIFICANCE: f64 = 0.05;

/// What is said of the better one, and which one that is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Better<'a> {
    /// Greater values are better: "covers more".
    Greater(&'a str),
    /// Lesser values are better: "finds it sooner".
    Lesser(&'a str),
}

/// Two samples compared: whether they differ, and by how much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    test: MannWhitney,
    effect: VarghaDelaney,
    p: f64,
    trials: [usize; 2],
    family: usize,
}

impl Comparison {
    /// Compares numbers that every trial has.
    pub fn of(first: &Sample, second: &Sample) -> Comparison {
        let trials = [first.count(), second.count()];
        Comparison::new(mann_whitney(first, second), vargha_delaney(first, second), trials)
    }

    /// Compares times of the same budget. "Not found" is later than every find.
    pub fn of_times(first: &Times, second: &Times) -> Result<Comparison, StatisticsError> {
        let trials = [first.trials(), second.trials()];
        Ok(Comparison::new(first.mann_whitney(second)?, first.vargha_delaney(second)?, trials))
    }

    fn new(test: MannWhitney, effect: VarghaDelaney, trials: [usize; 2]) -> Comparison {
        Comparison { test, effect, p: test.p, trials, family: 1 }
    }

    /// The Mann–Whitney U test.
    pub fn test(&self) -> MannWhitney {
        self.test
    }

    /// Â₁₂, of the first against the second.
    pub fn effect(&self) -> VarghaDelaney {
        self.effect
    }

    /// The p that the words go by: that of the test, or a larger one after [`Comparison::correct`].
    pub fn p(&self) -> f64 {
        self.p
    }

    /// How many trials the first and the second had.
    pub fn trials(&self) -> [usize; 2] {
        self.trials
    }

    /// Over how many comparisons p was corrected; 1 if it was not.
    pub fn family(&self) -> usize {
        self.family
    }

    /// Corrects the p of a family of comparisons, asked of the same trials, by Holm's method.
    pub fn correct(family: &mut [Comparison]) {
        let raw: Vec<f64> = family.iter().map(|comparison| comparison.test.p).collect();
        let corrected = holm(&raw).expect("the p of a test lies between 0 and 1");
        let size = family.len();
        for (comparison, p) in family.iter_mut().zip(corrected) {
            (comparison.p, comparison.family) = (p, size);
        }
    }

    /// Whether the two differ: p is below [`SIGNIFICANCE`], and as many trials could have shown it without
    /// any doubt about the normal approximation (see [`smallest_p`]).
    pub fn differs(&self) -> bool {
        self.p < SIGNIFICANCE && self.could_decide()
    }

    /// One line: "no difference: p = 0.41", or "bonusmax covers more: p < 0.001, Â₁₂ = 0.98 (large)".
    ///
    /// The Â₁₂ of the line is that of the better one: the chance that a trial of it is better than one of the
    /// other. "No difference" means that none was seen, not that there is none.
    pub fn words(&self, names: [&str; 2], better: Better<'_>) -> String {
        if self.test.method == Method::AllEqual {
            return "no difference: all values are equal".to_owned();
        }
        if !self.could_decide() {
            let [first, second] = self.trials;
            return format!(
                "no difference can be shown: {first} and {second} trials are too few for p < {SIGNIFICANCE}"
            );
        }
        let p = self.p_words();
        if !self.differs() {
            return format!("no difference: {p}");
        }
        let (Better::Greater(verb) | Better::Lesser(verb)) = better;
        let (winner, effect) = self.winner(better);
        format!("{} {verb}: {p}, Â₁₂ = {:.2} ({})", names[winner], effect.a12(), effect.size())
    }

    /// The better of the two (0 for the first, 1 for the second), and the chance that a trial of it is better
    /// than one of the other, which is at least one half. Where neither is better, the first.
    pub fn winner(&self, better: Better<'_>) -> (usize, VarghaDelaney) {
        let first = match better {
            Better::Greater(_) => self.effect,
            Better::Lesser(_) => self.effect.reversed(),
        };
        let second = first.reversed();
        if first.a12() >= second.a12() { (0, first) } else { (1, second) }
    }

    /// Whether any outcome of so many trials would have p below [`SIGNIFICANCE`].
    fn could_decide(&self) -> bool {
        smallest_p(self.trials[0], self.trials[1]) < SIGNIFICANCE
    }

    fn p_words(&self) -> String {
        let p = p_words(self.p);
        if self.family > 1 { format!("{p} (Holm, {} comparisons)", self.family) } else { p }
    }
}

/// p in two or three decimals, or in as many as it takes to stay on its side of the level.
fn p_words(p: f64) -> String {
    if p < 0.001 {
        return "p < 0.001".to_owned();
    }
    let shortest = if p < 0.1 { 3 } else { 2 };
    let text = (shortest..=17)
        .map(|decimals| format!("{p:.decimals$}"))
        .find(|text| text.parse::<f64>().is_ok_and(|rounded| (rounded < SIGNIFICANCE) == (p < SIGNIFICANCE)));
    format!("p = {}", text.unwrap_or_else(|| p.to_string()))
}

#[cfg(test)]
mod tests {
    use super::{Better, Comparison, p_words};
    use crate::Sample;

    #[test]
    fn the_winner_is_the_one_that_the_words_name_with_the_same_effect() {
        let sample = |values: [f64; 6]| Sample::new(values).expect("numbers");
        let few = sample([1.0, 2.0, 3.0, 4.0, 5.0, 40.0]);
        let many = sample([10.0, 20.0, 30.0, 41.0, 50.0, 60.0]);
        for (first, second, better, winner) in [
            (&few, &many, Better::Lesser("is sooner"), 0),
            (&many, &few, Better::Lesser("is sooner"), 1),
            (&few, &many, Better::Greater("covers more"), 1),
            (&many, &few, Better::Greater("covers more"), 0),
        ] {
            let comparison = Comparison::of(first, second);
            let (index, effect) = comparison.winner(better);
            assert_eq!(index, winner);
            let words = comparison.words(["first", "second"], better);
            let name = ["first", "second"][index];
            assert!(words.starts_with(name), "{words}");
            assert!(words.contains(&format!("Â₁₂ = {:.2}", effect.a12())), "{words}");
        }
    }

    #[test]
    fn rounding_never_carries_p_over_the_level() {
        let said = [0.41, 0.1, 0.0999, 0.0504, 0.05, 0.0496, 0.049_999, 0.0012, 0.000_999, 1.0].map(p_words);
        let plain = ["0.41", "0.10", "0.100", "0.050", "0.050", "0.0496", "0.049999", "0.001"];
        assert_eq!(said[..8], plain.map(|digits| format!("p = {digits}")));
        assert_eq!(said[8..], ["p < 0.001", "p = 1.00"]);
    }
}
