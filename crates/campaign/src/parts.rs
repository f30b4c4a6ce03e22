//! Parts: campaigns that were run apart and are one campaign again.

use crate::{Cause, Finding, JournalEntry, Standing};

/// What is needed of a part to join it to those before it.
#[derive(Clone, Default, Debug)]
pub struct PartRecord {
    /// What each of its executions added.
    pub journal: Vec<JournalEntry>,
    /// Everything that each guide saw, in the order in which it was seen first.
    pub covered: Vec<Vec<u64>>,
}

/// How well a part could be joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Joined {
    /// Every number is that of a campaign that was never divided.
    Exactly,
    /// The journal is missing: the fingerprint, the curves and the last new execution are not those of such a
    /// campaign. The counts, the findings and the coverage are.
    WithoutOrder,
}

impl Standing {
    /// Joins the part that comes next. It must be of the same plan but for the executions; `variants` is the
    /// plan's.
    pub fn join(&mut self, part: Standing, record: &PartRecord, variants: usize) -> Joined {
        let how = if self.join_in_order(&part, record) {
            Joined::Exactly
        } else {
            self.join_without_order(&part, record);
            Joined::WithoutOrder
        };
        for (coverage, theirs) in self.coverage.iter_mut().zip(&part.coverage) {
            coverage.look_at_part(theirs);
            // Nothing is stored from here.
            drop(coverage.take_fresh());
        }
        self.executions += part.executions;
        self.failed += part.failed;
        self.unknown += part.unknown;
        self.unknown_reason = self.unknown_reason.take().or(part.unknown_reason);
        self.tally.add(&part.tally);
        self.properties.add(&part.properties);
        self.join_arms(&part.arms);
        self.elapsed += part.elapsed;
        self.shrinking += part.shrinking;
        self.keeping += part.keeping;
        for finding in part.findings {
            self.join_finding(finding, variants.max(1));
        }
        self.looked_at = self.findings.len();
        how
    }

    /// Does what the campaign would have done after each execution of the part. Changes nothing and gives
    /// false if the record is not whole.
    fn join_in_order(&mut self, part: &Standing, record: &PartRecord) -> bool {
        if !record.is_whole(part) {
            return false;
        }
        let mut rest: Vec<&[u64]> = record.covered.iter().map(Vec::as_slice).collect();
        for (executions, entry) in (self.executions + 1..).zip(&record.journal) {
            self.fingerprinter.add(&entry.fingerprint);
            for ((coverage, rest), &new) in self.coverage.iter_mut().zip(&mut rest).zip(&entry.new) {
                let (items, later) = rest.split_at(new as usize);
                coverage.take(executions, items);
                *rest = later;
            }
        }
        true
    }

    fn join_without_order(&mut self, part: &Standing, record: &PartRecord) {
        self.fingerprinter.add(&Some(part.fingerprint()));
        let executions = self.executions + part.executions;
        for (coverage, items) in self.coverage.iter_mut().zip(&record.covered) {
            coverage.take(executions, items);
        }
    }

    /// All executions that violate a property by one cause count for the first finding of it.
    fn join_finding(&mut self, mut finding: Finding, variants: usize) {
        let cause = Cause::of(&finding.failure.violation);
        let is_of_it = |known: &Finding| known.is_of(&cause);
        let is_known = |known: &Finding| {
            is_of_it(known)
                && known.failure.schedule == finding.failure.schedule
                && known.failure.config == finding.failure.config
        };
        let count = self.findings.iter().filter(|known| is_of_it(known)).count();
        let is_wanted = count < variants && !self.findings.iter().any(is_known);
        if let Some(first) = self.findings.iter_mut().find(|known| is_of_it(known)) {
            first.take_count(&mut finding);
        }
        if is_wanted {
            self.findings.push(finding);
        }
    }
}

impl PartRecord {
    /// Whether it has an entry for every execution, and these account for everything that was covered.
    fn is_whole(&self, part: &Standing) -> bool {
        let guides = part.coverage.len();
        let counted = |guide: usize| {
            self.journal
                .iter()
                .filter_map(|entry| entry.new.get(guide))
                .map(|&new| new as usize)
                .sum::<usize>()
        };
        self.journal.len() as u64 == part.executions
            && self.covered.len() == guides
            && (0..guides).all(|guide| counted(guide) == self.covered[guide].len())
    }
}
