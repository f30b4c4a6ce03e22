//! The one place in which the verdict on a campaign is derived.

use crate::{Verdict, Violation};

/// What a campaign came to, as far as its verdict depends on it.
pub(crate) struct Judged<'a> {
    /// How many executions were run.
    pub executions: u64,
    /// How many the campaign was to run.
    pub planned: u64,
    /// How many steps were made in all of them.
    pub steps: u64,
    /// How many of them failed.
    pub failed: u64,
    /// The first violation that was found.
    pub violation: Option<&'a Violation>,
    /// How many of them were inconclusive, and why the first of these was.
    pub unknown: (u64, Option<&'a str>),
    /// Which limit cut the campaign short, if one did.
    pub cut_short: Option<&'a str>,
}

impl Judged<'_> {
    /// The verdict on a campaign. It passes only if all of its executions were run, something happened in
    /// them, and every property held in each.
    pub fn verdict(&self) -> Verdict {
        if self.failed > 0 {
            let unnamed = || Violation { property: "a property".to_owned(), reason: String::new() };
            return Verdict::Fail(self.violation.cloned().unwrap_or_else(unnamed));
        }
        let Judged { executions, planned, .. } = self;
        let reason = match self.unknown {
            (unknown @ 1.., reason) => {
                let reason = reason.unwrap_or("no reason was given");
                format!("{unknown} of {executions} executions were inconclusive: {reason}")
            }
            _ if *executions == 0 => "no execution was run".to_owned(),
            _ if self.steps == 0 => "no step was made in any execution".to_owned(),
            _ if executions < planned => {
                let why = self.cut_short.map_or_else(String::new, |limit| format!(", cut short by {limit}"));
                format!(
                    "only {executions} of {planned} executions were run{why}; no property was violated in them"
                )
            }
            _ => return Verdict::Pass,
        };
        Verdict::Unknown(reason)
    }
}
