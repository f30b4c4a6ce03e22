//! Two samples laid side by side: who is greater in how many pairs, and how many values are equal.
//!
//! Both the Mann–Whitney U and Vargha–Delaney's Â₁₂ are counts of pairs. They are kept as whole numbers as
//! long as possible.

/// The pairs of a value of the first sample with one of the second.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Pairs {
    /// Size of the first sample.
    pub first: u64,
    /// Size of the second sample.
    pub second: u64,
    /// In how many pairs the value of the first sample is the greater one.
    pub greater: u64,
    /// In how many pairs the values are equal.
    pub equal: u64,
    /// How many values there are of each kind in both samples together, in ascending order.
    pub groups: Vec<u64>,
}

impl Pairs {
    /// Counts them. Both slices are ascending; infinite values are allowed and equal to each other.
    pub fn count(first: &[f64], second: &[f64]) -> Pairs {
        let mut pairs = Pairs {
            first: first.len() as u64,
            second: second.len() as u64,
            greater: 0,
            equal: 0,
            groups: Vec::new(),
        };
        let (mut i, mut j) = (0, 0);
        while i < first.len() || j < second.len() {
            let value = match (first.get(i), second.get(j)) {
                (Some(&x), Some(&y)) => x.min(y),
                (Some(&x), None) => x,
                (None, y) => *y.expect("the loop ends when both are used up"),
            };
            let below = j as u64;
            let mine = run(&first[i..], value);
            let theirs = run(&second[j..], value);
            pairs.greater += mine as u64 * below;
            pairs.equal += mine as u64 * theirs as u64;
            pairs.groups.push((mine + theirs) as u64);
            i += mine;
            j += theirs;
        }
        pairs
    }

    /// How many pairs there are.
    pub fn all(&self) -> u64 {
        self.first * self.second
    }

    /// Twice the U of the first sample: a pair counts two if it is greater, one if it is equal.
    pub fn twice_u(&self) -> u64 {
        2 * self.greater + self.equal
    }

    /// Whether any value occurs twice, in one sample or over both.
    pub fn ties(&self) -> bool {
        self.groups.iter().any(|&group| group > 1)
    }
}

/// How many values at the start of a slice are this one.
fn run(ascending: &[f64], value: f64) -> usize {
    ascending.iter().take_while(|&&other| other == value).count()
}
