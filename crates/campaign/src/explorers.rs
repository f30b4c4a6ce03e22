//! The explorer of a campaign: what its strategy makes of the target and the plan.

use shakedown_explore::closure::LockStep;
use shakedown_explore::{Explorer, Surroundings};

use crate::{Campaign, CampaignError, CannotBegin, Config};

impl Campaign<'_> {
    /// The explorer of the campaign's strategy.
    pub fn explorer(&self) -> Result<Box<dyn Explorer>, CampaignError> {
        let mut explorer =
            self.in_surroundings(|surroundings| self.plan.strategy.explorer(surroundings))??;
        if !self.plan.inputs.is_empty() {
            explorer.begin_with(&self.plan.inputs).map_err(CampaignError::Inputs)?;
        }
        Ok(explorer)
    }

    /// What the campaign's strategy does in lock step, if it is one that does.
    pub fn lock_step(&self) -> Result<Option<LockStep>, CampaignError> {
        Ok(self.in_surroundings(|surroundings| self.plan.strategy.lock_step(surroundings))??)
    }

    /// About how many steps an execution takes, where the strategy goes in episodes of a given length.
    pub fn steps_wanted(&self) -> Result<Option<usize>, CampaignError> {
        Ok(self.in_surroundings(|surroundings| self.plan.strategy.steps(surroundings))??)
    }

    fn in_surroundings<T>(&self, make: impl FnOnce(&Surroundings<'_>) -> T) -> Result<T, CannotBegin> {
        let Config { nodes, crashes, steps, requests, options } = &self.plan.config;
        let (contract, target) = (self.target.contract(options)?, self.target.info());
        // A strategy that goes by several guides has to know which there are; to find out costs something.
        let guides = match self.plan.strategy.info().wants_guides {
            true => self.target.guides(&self.plan.config),
            false => Vec::new(),
        };
        Ok(make(&Surroundings {
            weights: &self.plan.weights,
            contract: &contract,
            nodes: *nodes,
            crashes: *crashes,
            steps: *steps,
            requests: *requests,
            phase: target.phase.as_ref(),
            harnesses: &target.harnesses,
            waypoints: &target.waypoints,
            guides: &guides,
        }))
    }

    /// The guides of the campaign, by name: first those that its strategy asks for, then those that are only
    /// measured.
    pub fn guides(&self, explorer: &dyn Explorer) -> Vec<String> {
        let mut guides: Vec<String> = explorer.guides().into_iter().map(str::to_owned).collect();
        for measure in &self.plan.measures {
            if !guides.contains(measure) {
                guides.push(measure.clone());
            }
        }
        guides
    }
}
