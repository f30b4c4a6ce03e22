//! Which steps brought about which: the edges of the happened-before relation between steps, as few as there
//! can be. The script follows them to find the past and the future of a step.

use std::collections::BTreeSet;

use shakedown_cluster::{Board, Step};

use crate::birth::{Birth, numbered};

/// The direct causes of every step, by their numbers, in order: for each node that ran, the step at which it
/// ran before, and for a message the step at which it began its way. What the network does to a message comes
/// after its sending and before its receipt. The boot of the cluster is no step and is left out.
pub(super) fn direct_causes(board: &Board, births: &[Birth]) -> Vec<Vec<usize>> {
    let mut causes = vec![BTreeSet::new(); board.steps().len() + 1];
    // The last tampering with each message, by its index.
    let mut tampered = vec![0; births.len()];
    let mut last = vec![0; board.size()];
    let mut moments = board.moments().iter().peekable();
    while moments.next_if(|moment| moment.step == 0).is_some() {}
    for (number, step) in numbered(board.steps()) {
        if let Step::Drop(id, kind) | Step::Duplicate(id, kind) | Step::Tamper(id, kind, _) = step
            && let Some(index) = board.find(*id, *kind)
        {
            causes[number].extend([births[index.index()].step, tampered[index.index()]]);
            if matches!(step, Step::Tamper(..)) {
                tampered[index.index()] = number;
            }
        }
        while let Some(moment) = moments.next_if(|moment| moment.step as usize == number) {
            causes[number].insert(std::mem::replace(&mut last[moment.node.index()], number));
            if let Some(index) = moment.received {
                causes[number].extend([births[index.index()].step, tampered[index.index()]]);
            }
        }
    }
    let earlier = |(number, causes): (usize, BTreeSet<usize>)| {
        causes.into_iter().filter(|cause| (1..number).contains(cause)).collect()
    };
    causes.into_iter().enumerate().skip(1).map(earlier).collect()
}
