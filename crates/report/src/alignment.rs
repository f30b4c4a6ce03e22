//! Two executions side by side: which steps they share, and where they part.

use shakedown_cluster::{NodeId, Step, Trace};

use crate::step_notes::step_notes;

/// The most pairs of steps that are compared for the longest common sequence. Longer executions are compared
/// from both ends.
const PAIRS_MAX: usize = 4_000_000;

/// Two executions, row by row.
#[derive(Clone)]
pub struct Alignment {
    /// The rows in order.
    pub(crate) rows: Vec<AlignedRow>,
}

/// One row.
#[derive(Clone)]
pub(crate) struct AlignedRow {
    pub left: Option<StepSeen>,
    pub right: Option<StepSeen>,
    pub kind: RowKind,
}

/// How the two sides of a row compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RowKind {
    /// The same step, and nothing else was seen.
    Alike,
    /// The same step, but something else came of it.
    OtherResult,
    /// A step that only one of them has.
    OneSided,
}

/// A step, and what came of it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct StepSeen {
    pub number: usize,
    pub step: String,
    /// What nodes reported.
    pub notes: Vec<String>,
    /// The nodes that ran, with their states after it.
    pub states: Vec<(NodeId, String)>,
}

impl Alignment {
    /// Puts two executions side by side. Traces in full show where states part.
    pub fn of(left: &Trace, right: &Trace) -> Alignment {
        let (first, second) = (seen(left), seen(right));
        let pairs = common(left.board.steps(), right.board.steps());
        let (mut first, mut second) = (first.into_iter().enumerate(), second.into_iter().enumerate());
        let mut rows = Vec::new();
        for (at, other) in pairs.into_iter().map(Some).chain([None]).map(|pair| pair.unzip()) {
            let before = |place: &usize, end: Option<usize>| end.is_none_or(|end| *place < end);
            let (mut one, mut two) = (None, None);
            for (place, step) in first.by_ref() {
                if !before(&place, at) {
                    one = Some(step);
                    break;
                }
                rows.push(AlignedRow { left: Some(step), right: None, kind: RowKind::OneSided });
            }
            for (place, step) in second.by_ref() {
                if !before(&place, other) {
                    two = Some(step);
                    break;
                }
                rows.push(AlignedRow { left: None, right: Some(step), kind: RowKind::OneSided });
            }
            if let (Some(left), Some(right)) = (one, two) {
                let is_alike = left.notes == right.notes && left.states == right.states;
                let kind = if is_alike { RowKind::Alike } else { RowKind::OtherResult };
                rows.push(AlignedRow { left: Some(left), right: Some(right), kind });
            }
        }
        Alignment { rows }
    }

    /// The place of the first row in which they differ.
    pub(crate) fn first_difference(&self) -> Option<usize> {
        self.rows.iter().position(|row| row.kind != RowKind::Alike)
    }

    /// The number of the first step in which they differ, in each of the two that has it.
    pub fn parts_at(&self) -> Option<(Option<usize>, Option<usize>)> {
        let row = &self.rows[self.first_difference()?];
        Some((row.left.as_ref().map(|step| step.number), row.right.as_ref().map(|step| step.number)))
    }
}

impl AlignedRow {
    /// In what the results of the step differ: what nodes report, or else the state of the first node that
    /// differs.
    pub fn difference(&self) -> Option<(String, String)> {
        let (left, right) = (self.left.as_ref()?, self.right.as_ref()?);
        if left.notes != right.notes {
            return Some((left.notes.join("; "), right.notes.join("; ")));
        }
        let parted = left.states.iter().zip(&right.states).find(|(left, right)| left != right);
        match parted {
            Some(((node, one), (other, two))) => {
                let (one, two) = excerpts(one, two);
                Some((format!("{node}: {one}"), format!("{other}: {two}")))
            }
            None => (left.states.len() != right.states.len())
                .then(|| (format!("{} activations", left.states.len()), format!("{}", right.states.len()))),
        }
    }
}

/// The two texts from shortly before the first character that differs.
fn excerpts(one: &str, two: &str) -> (String, String) {
    const ALIKE_BEFORE: usize = 8;
    let alike = one.chars().zip(two.chars()).take_while(|(a, b)| a == b).count();
    let from = alike.saturating_sub(ALIKE_BEFORE);
    let cut = |text: &str| {
        let rest: String = text.chars().skip(from).collect();
        if from == 0 { rest } else { format!("…{rest}") }
    };
    (cut(one), cut(two))
}

fn seen(trace: &Trace) -> Vec<StepSeen> {
    let board = &trace.board;
    let mut moments =
        board.moments().iter().enumerate().skip_while(|(_, moment)| moment.step == 0).peekable();
    let step = |(place, step): (usize, &Step)| {
        let mut states = Vec::new();
        while let Some((at, moment)) = moments.next_if(|(_, moment)| moment.step as usize == place + 1) {
            states.extend(trace.states.get(at).map(|state| (moment.node, state.to_string())));
        }
        StepSeen { number: place + 1, step: step.to_string(), notes: step_notes(board, place), states }
    };
    board.steps().iter().enumerate().map(step).collect()
}

/// The places of a longest common sequence of steps, in pairs.
fn common(left: &[Step], right: &[Step]) -> Vec<(usize, usize)> {
    let alike = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let mut pairs: Vec<_> = (0..alike).map(|place| (place, place)).collect();
    let (one, two) = (&left[alike..], &right[alike..]);
    let end = one.iter().rev().zip(two.iter().rev()).take_while(|(a, b)| a == b).count();
    let (one, two) = (&one[..one.len() - end], &two[..two.len() - end]);
    if one.len().saturating_mul(two.len()) <= PAIRS_MAX {
        pairs.extend(longest(one, two).into_iter().map(|(a, b)| (a + alike, b + alike)));
    }
    pairs.extend((0..end).map(|place| (left.len() - end + place, right.len() - end + place)));
    pairs
}

/// By dynamic programming over all pairs.
fn longest(one: &[Step], two: &[Step]) -> Vec<(usize, usize)> {
    let width = two.len() + 1;
    let mut lengths = vec![0_u32; (one.len() + 1) * width];
    for a in (0..one.len()).rev() {
        for b in (0..two.len()).rev() {
            let (down, across) = (lengths[(a + 1) * width + b], lengths[a * width + b + 1]);
            let both = lengths[(a + 1) * width + b + 1] + 1;
            lengths[a * width + b] = if one[a] == two[b] { both } else { down.max(across) };
        }
    }
    let (mut a, mut b, mut pairs) = (0, 0, Vec::new());
    while a < one.len() && b < two.len() {
        if one[a] == two[b] {
            pairs.push((a, b));
            (a, b) = (a + 1, b + 1);
        } else if lengths[(a + 1) * width + b] >= lengths[a * width + b + 1] {
            a += 1;
        } else {
            b += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_moved_is_one_sided_twice_and_the_rest_is_common() {
        let steps = |text: &str| -> Vec<Step> {
            text.chars().map(|node| format!("tick n{node}").parse().expect("a step")).collect()
        };
        assert_eq!(common(&steps("12345"), &steps("13425")), [(0, 0), (2, 1), (3, 2), (4, 4)]);
        assert_eq!(common(&steps("123"), &steps("123")), [(0, 0), (1, 1), (2, 2)]);
        assert_eq!(common(&steps(""), &steps("12")), []);
        assert_eq!(common(&steps("12"), &steps("2")), [(1, 0)]);
    }

    #[test]
    fn excerpts_begin_shortly_before_the_first_difference() {
        let (one, two) = excerpts(&format!("{}a rest", "x".repeat(50)), &format!("{}b", "x".repeat(50)));
        assert_eq!(one, format!("…{}a rest", "x".repeat(8)));
        assert_eq!(two, format!("…{}b", "x".repeat(8)));
    }
}
