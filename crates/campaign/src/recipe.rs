//! Recipes: what makes the strategies of a campaign whose explorer is not the one that its plan names, as
//! data, so that workers on other machines can make the same.

#[cfg(feature = "tla")]
use std::sync::Arc;

use serde::{Deserialize, Serialize};
#[cfg(feature = "tla")]
use shakedown_conform::compare::SuitePaths;
#[cfg(feature = "tla")]
use shakedown_conform::paths::Path;
use shakedown_explore::Explorer;
use shakedown_scenario::MonitorOptions;

use crate::scenarios::Monitored;
use crate::{AnyTarget, Campaign, CampaignError, Plan};

/// What a worker on another machine has to know of a campaign.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Job {
    /// What is to be done.
    pub plan: Plan,
    /// What makes its strategies.
    pub recipe: Recipe,
}

/// What makes the strategies of a campaign.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub enum Recipe {
    /// The strategy of its plan.
    #[default]
    Strategy,
    /// A scenario on top of the strategy of its plan.
    Scenario(ScenarioRecipe),
    /// Paths of a state graph, played one after the other.
    Paths(PathsRecipe),
}

/// A scenario on top of a strategy.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ScenarioRecipe {
    /// Its name.
    pub(crate) scenario: String,
    /// The filters that are left out.
    pub(crate) without: Vec<usize>,
    /// Whether to keep a log of the first iteration.
    pub(crate) explain: bool,
}

/// Paths of the state graph of the specification that the plan's options name.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PathsRecipe {
    /// The most states that the graph may have.
    pub(crate) states_max: usize,
    /// The paths: where each begins, and its edges.
    pub(crate) paths: Vec<(u32, Vec<u32>)>,
}

impl Job {
    /// The campaign of this job, if it was made for this target and by this Shakedown.
    pub fn campaign<'a>(&self, target: &'a dyn AnyTarget) -> Result<Campaign<'a>, CampaignError> {
        let mut campaign = self.plan.campaign(target)?;
        campaign.recipe = self.recipe.clone();
        Ok(campaign)
    }
}

impl ScenarioRecipe {
    /// What its monitors are to do.
    pub(crate) fn options(&self) -> MonitorOptions {
        MonitorOptions { without: self.without.clone(), explain: self.explain, observe: false }
    }
}

#[cfg(feature = "tla")]
impl PathsRecipe {
    /// These paths of the graph of at most so many states.
    pub(crate) fn of(states_max: usize, paths: &[Path]) -> PathsRecipe {
        let paths = paths.iter().map(|path| (path.initial, path.edges.clone())).collect();
        PathsRecipe { states_max, paths }
    }

    fn paths(&self) -> Vec<Path> {
        let path = |(initial, edges): &(u32, Vec<u32>)| Path { initial: *initial, edges: edges.clone() };
        self.paths.iter().map(path).collect()
    }
}

impl<'a> Campaign<'a> {
    /// The explorer of its recipe. It comes from another machine: what cannot be made is an error.
    pub(crate) fn explorer_of_recipe(&self) -> Result<Box<dyn Explorer + 'a>, CampaignError> {
        match &self.recipe {
            Recipe::Strategy => self.explorer(),
            Recipe::Scenario(recipe) => {
                let nodes = self.plan.config.nodes;
                if self.target.info().scenarios.iter().all(|info| info.name != recipe.scenario) {
                    let what = format!("{} has no scenario `{}`", self.plan.target, recipe.scenario);
                    return Err(CampaignError::Fleet(what.into()));
                }
                self.target
                    .validate_scenario(&recipe.scenario, nodes)
                    .map_err(|error| CampaignError::Fleet(error.into()))?;
                Ok(Box::new(Monitored {
                    target: self.target,
                    scenario: recipe.scenario.clone(),
                    first: self.plan.first,
                    inner: self.explorer()?,
                    options: recipe.options(),
                    nodes,
                }))
            }
            #[cfg(feature = "tla")]
            Recipe::Paths(recipe) => {
                let suite = self.target.suite(&self.plan.config, recipe.states_max)?;
                Ok(Box::new(SuitePaths::new(suite.play(), self.plan.first, Arc::new(recipe.paths()))))
            }
            #[cfg(not(feature = "tla"))]
            Recipe::Paths(_) => {
                Err(CampaignError::Fleet("this program plays no paths: it was built without `tla`".into()))
            }
        }
    }
}
