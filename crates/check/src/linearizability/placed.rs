//! Which operations have been taken into the order: sets of small numbers, and a short form of them for the
//! memo.
//!
//! In a long history nearly all early operations are in the order and no late ones, so the short form leaves
//! out the full words at the beginning and the empty ones at the end. Operations without an answer are a set
//! of their own, because early ones may never be taken.

/// A set of numbers below a bound.
struct Bits(Vec<u64>);

impl Bits {
    fn new(bound: usize) -> Bits {
        Bits(vec![0; bound.div_ceil(64)])
    }

    fn set(&mut self, number: usize, is_in: bool) {
        let bit = 1 << (number % 64);
        if is_in {
            self.0[number / 64] |= bit;
        } else {
            self.0[number / 64] &= !bit;
        }
    }

    fn contains(&self, number: usize) -> bool {
        self.0[number / 64] & 1 << (number % 64) != 0
    }

    /// Without empty words at the end.
    fn trimmed(&self) -> &[u64] {
        let length = self.0.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        &self.0[..length]
    }
}

pub(super) struct Placed {
    answered: Bits,
    pending: Bits,
    short_form: Vec<u64>,
}

impl Placed {
    pub fn new(answered: usize, pending: usize) -> Placed {
        Placed { answered: Bits::new(answered), pending: Bits::new(pending), short_form: Vec::new() }
    }

    pub fn set_answered(&mut self, number: usize, is_in: bool) {
        self.answered.set(number, is_in);
    }

    pub fn set_pending(&mut self, number: usize, is_in: bool) {
        self.pending.set(number, is_in);
    }

    pub fn has_pending(&self, number: usize) -> bool {
        self.pending.contains(number)
    }

    /// Words that stand for both sets and no others.
    pub fn short_form(&mut self) -> &mut Vec<u64> {
        let answered = self.answered.trimmed();
        let full = answered.iter().take_while(|&&word| word == u64::MAX).count();
        self.short_form.clear();
        // The first word tells how the others are to be read.
        self.short_form.push((full as u64) << 32 | (answered.len() - full) as u64);
        self.short_form.extend_from_slice(&answered[full..]);
        self.short_form.extend_from_slice(self.pending.trimmed());
        &mut self.short_form
    }
}
