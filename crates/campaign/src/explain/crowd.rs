//! Trials side by side. Results are taken in the order of their numbers, so jobs never change one.

use std::ops::ControlFlow;

use super::trial::{Planned, Subject, Trial};
use crate::Beat;
use crate::workers::Shift;

/// Whoever does the trials, and how many there were.
pub(super) struct Crowd<'a> {
    pub subject: Subject<'a>,
    pub shift: &'a Shift<'a>,
    /// The execution that it is all about.
    pub about: u64,
    pub executions: u64,
}

impl Crowd<'_> {
    /// Does all of these.
    pub fn all<T: Send>(
        &mut self,
        count: usize,
        work: impl Fn(&Subject<'_>, usize, &Beat) -> T + Sync,
    ) -> Vec<T> {
        let mut results = Vec::with_capacity(count);
        let subject = &self.subject;
        self.shift.in_order_about(
            self.about,
            0..count as u64,
            |number, beat| work(subject, number as usize, beat),
            |_, result| {
                results.push(result);
                ControlFlow::Continue(())
            },
        );
        self.executions += results.len() as u64;
        results
    }

    /// Does these in their order up to the first that is wanted, and gives that one with its number.
    pub fn first(
        &mut self,
        count: usize,
        plan: impl Fn(&Subject<'_>, usize) -> Option<Vec<Planned>> + Sync,
        is_wanted: impl Fn(&Trial) -> bool,
    ) -> Option<(usize, Trial)> {
        let mut found = None;
        let mut executions = 0;
        let subject = &self.subject;
        self.shift.in_order_about(
            self.about,
            0..count as u64,
            |number, beat| Some(subject.attempt(plan(subject, number as usize)?, beat)),
            |number, trial| {
                let Some(trial) = trial else { return ControlFlow::Continue(()) };
                executions += 1;
                if !is_wanted(&trial) {
                    return ControlFlow::Continue(());
                }
                found = Some((number as usize, trial));
                ControlFlow::Break(())
            },
        );
        self.executions += executions;
        found
    }
}
