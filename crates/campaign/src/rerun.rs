//! One execution of a campaign once more, by its number alone.
//!
//! A strategy that never learns chooses the steps of an execution from its number and the seed of the
//! campaign, so each of a million executions can be looked at without having been stored. What a strategy
//! that learns does depends on all executions before it: of those only what was found is stored.

use shakedown_cluster::Recording;
use shakedown_explore::Explorer;

use crate::{Beat, Campaign, CampaignError, CannotBegin, Failure, Verdict, Violation};

/// An execution that was run once more.
#[derive(Debug)]
pub struct Rerun {
    /// What came of it.
    pub verdict: Verdict,
    /// Its schedule, and everything that replays it. If nothing was violated, the property is the execution's
    /// own name.
    pub recorded: Failure,
}

/// Why an execution of a campaign cannot be run once more.
#[derive(Debug, thiserror::Error)]
pub enum CannotRerun {
    /// Its strategy learns.
    #[error(
        "the strategy {strategy} learns from execution to execution, so one of them cannot be run alone: only what was found \
         is stored"
    )]
    Learns {
        /// The strategy.
        strategy: String,
    },
    /// Nodes keep their own time.
    #[error("the nodes of {target} keep their own time: the same execution cannot be run again")]
    NotDeterministic {
        /// The target.
        target: String,
    },
    /// There is no such execution.
    #[error("there is no execution {number}: the campaign has numbers {first} to {last}")]
    NotThere {
        /// The number.
        number: u64,
        /// The first execution of the campaign.
        first: u64,
        /// The last one.
        last: u64,
    },
    /// The campaign cannot run.
    #[error(transparent)]
    Campaign(#[from] CampaignError),
}

impl Campaign<'_> {
    /// Whether its executions can be run once more, each alone.
    pub fn can_rerun(&self) -> Result<(), CannotRerun> {
        self.unlearned().map(drop)
    }

    /// The explorer, if it never learns and the target does the same every time.
    fn unlearned(&self) -> Result<Box<dyn Explorer>, CannotRerun> {
        if !self.target.info().is_deterministic {
            return Err(CannotRerun::NotDeterministic { target: self.target.name().to_owned() });
        }
        let explorer = self.explorer()?;
        match explorer.generation() {
            Some(_) => Err(CannotRerun::Learns { strategy: self.plan.strategy.to_string() }),
            None => Ok(explorer),
        }
    }

    /// Runs the execution of this number once more.
    pub fn rerun(&self, number: u64, beat: &Beat) -> Result<Rerun, CannotRerun> {
        let explorer = self.unlearned()?;
        let first = self.plan.first;
        let last = first.saturating_add(self.plan.executions).saturating_sub(1);
        if !(first..=last).contains(&number) {
            return Err(CannotRerun::NotThere { number, first, last });
        }
        let run = self.run_of(explorer.as_ref(), &[], number);
        let (verdict, trace) = match self.run_once(&run, Recording::Brief, None, beat) {
            Ok((outcome, _)) => (outcome.verdict, Some(outcome.trace)),
            Err(CannotBegin::Boot(boot)) => (Verdict::Fail(Violation::from(&boot)), None),
            Err(error) => return Err(CampaignError::from(error).into()),
        };
        let named =
            |reason: &str| Violation { property: format!("execution {number}"), reason: reason.to_owned() };
        let violation = match &verdict {
            Verdict::Fail(violation) => violation.clone(),
            Verdict::Pass => named(""),
            Verdict::Unknown(reason) => named(reason),
        };
        let steps = trace.as_ref().map_or(0, |trace| trace.board.steps().len());
        let found = self.found_in(explorer.as_ref(), number, steps);
        let seed = run.world.unwrap_or(run.execution.seed);
        let recorded = Failure::new(self.target, &self.plan.config, seed, violation, found, trace.as_ref());
        Ok(Rerun { verdict, recorded })
    }
}
