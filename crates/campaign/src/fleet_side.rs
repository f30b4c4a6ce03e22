//! The side of a campaign that its fleet does not see: reports become results, and what a report leaves out
//! is had by running the execution again.

use std::ops::ControlFlow;

use shakedown_check::LookedFor;
use shakedown_cluster::{Recording, derive_seed};
use shakedown_explore::Explorer;
use shakedown_target::CannotBegin;

use crate::campaign::{Scope, Taught};
use crate::fleet::{Order, PackedLesson, Report};
use crate::run::{DETERMINISM, Done};
use crate::workers::Shift;
use crate::{Campaign, CampaignError, Standing, Verdict};

/// One of so many executions is run here as well, to see that workers run the same code: the first one, and
/// so on.
const SAMPLED: u64 = 4_096;
/// How many clusters are booted to find out what guides look out for, before it is given up.
const BOOTS_MAX: u64 = 8;

impl Campaign<'_> {
    /// What the guides look out for, by name.
    pub(crate) fn looked_for(&self, guides: &[String]) -> Result<Vec<LookedFor>, CannotBegin> {
        for boot in 0..BOOTS_MAX {
            let seed = derive_seed(self.plan.seed, boot);
            match self.target.begin_guided(&self.plan.config, seed, Recording::Brief, guides) {
                Ok(live) => return Ok(live.looked_for()),
                // That is a finding of the execution which boots like this.
                Err(CannotBegin::Boot(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(guides.iter().map(|_| LookedFor::default()).collect())
    }

    /// What a report stands for. If it makes a new finding, and now and then otherwise, the execution is run
    /// again here: its trace must be the one that was reported.
    pub(crate) fn done_of(
        &self,
        report: Report,
        number: u64,
        scope: &Scope<'_>,
        standing: &Standing,
        shift: &Shift<'_>,
    ) -> Result<Done, CampaignError> {
        let Scope { explorer, guides, looked_for, .. } = *scope;
        let foreign = |what: &str| {
            CampaignError::Fleet(
                format!("the report of execution {number} is not one of this campaign: {what}").into(),
            )
        };
        let is_booted = report.fingerprint.is_some();
        let wanted = if is_booted { guides.len() } else { 0 };
        if report.covered.len() != wanted || report.happened.len() != wanted {
            return Err(foreign("it has other guides"));
        }
        let experience = match &report.experience {
            Some(packed) => {
                Some(explorer.unpack(&self.execution(number), packed).map_err(|error| foreign(&error))?)
            }
            None if is_booted && explorer.reports() => {
                return Err(foreign("it reports no experience"));
            }
            None => None,
        };
        let happened = report.happened.iter().zip(looked_for);
        let looked_for = happened.map(|(happened, looked_for)| match happened {
            Some(happened) => LookedFor { happened: *happened, ..*looked_for },
            None => LookedFor::default(),
        });
        let mut done = Done {
            verdict: report.verdict,
            fingerprint: report.fingerprint,
            tally: report.tally,
            checked: report.checked,
            trace: None,
            covered: report.covered,
            looked_for: looked_for.collect(),
            experience,
            world: report.world,
            culprit: report.culprit,
            is_cut_short: false,
        };
        let violation = match &done.verdict {
            Verdict::Fail(violation) if self.is_wanted(standing, violation) => Some(violation),
            _ => None,
        };
        let is_sample = (number - self.plan.first).is_multiple_of(SAMPLED);
        if is_booted && (violation.is_some() || is_sample) {
            let run = self.run_of(explorer, guides, done.culprit.unwrap_or(number));
            let (outcome, _) =
                shift.alone(number, |beat| self.run_once(&run, Recording::Brief, None, beat))?;
            let is_fixed = done.culprit.is_none()
                && !matches!(&done.verdict, Verdict::Fail(violation) if violation.property == DETERMINISM)
                && !outcome.is_thread_panic();
            let here = outcome.trace.fingerprint();
            if is_fixed && (Some(here) != done.fingerprint || outcome.verdict != done.verdict) {
                return Err(foreign(&format!(
                    "its verdict is {}, and run here its trace is {here}",
                    named(&done.verdict)
                )));
            }
            done.trace = violation.is_some().then_some(outcome.trace);
        }
        Ok(done)
    }

    /// Runs executions by the fleet, and takes in what comes of them.
    pub(crate) fn run_by_fleet(
        &self,
        order: &Order<'_>,
        mut take: impl FnMut(u64, Report) -> Result<ControlFlow<()>, CampaignError>,
    ) -> Result<(), CampaignError> {
        let Some(fleet) = &self.fleet else { return Ok(()) };
        let mut trouble = None;
        fleet
            .run(order, &mut |number, report| {
                take(number, report).unwrap_or_else(|error| {
                    trouble = Some(error);
                    ControlFlow::Break(())
                })
            })
            .map_err(CampaignError::Fleet)?;
        trouble.map_or(Ok(()), Err)
    }

    /// The lessons of a generation as the fleet takes them.
    pub(crate) fn packed<'t>(
        &self,
        explorer: &dyn Explorer,
        lessons: impl Iterator<Item = (u64, &'t Taught)>,
    ) -> Vec<PackedLesson> {
        let pack = |(number, taught): (u64, &Taught)| PackedLesson {
            number,
            experience: explorer.pack(&self.execution(number), &taught.experience),
            failed: taught.failed,
            seen: taught.seen.clone(),
        };
        lessons.map(pack).collect()
    }
}

/// A verdict in an error.
fn named(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Pass => "pass".to_owned(),
        Verdict::Fail(violation) => format!("fail, {violation}"),
        Verdict::Unknown(reason) => format!("unknown, {reason}"),
    }
}
