//! A portfolio: one campaign, several strategies, and nothing to choose.
//!
//! A campaign goes in generations of [`GENERATION`] executions, and each of them belongs to an arm, which is
//! a strategy. What an arm is given in the next generation follows from what was new in its executions, by
//! several guides at once, for the steps that they took ([`shares`]). Every arm has a floor, for what a guide
//! sees is not what a bug needs. Nothing here looks at a clock, so the number of jobs and the speed of the
//! machine change nothing.
//!
//! What one arm comes to is material for the others ([`Explorer::share`]): executions that came to much that
//! was new enter the corpora of fuzzers, and all that are new the archive that [`GoBack`](crate::GoBack)
//! returns from.

mod account;
mod shares;

use std::sync::OnceLock;

use shakedown_cluster::{Step, StepKind, derive_seed};

use account::Account;

use crate::fuzz::saved::{Reader, Writer};
use crate::known::Known;
use crate::recorder::{Entered, Recorded, Recorder};
use crate::{ArmInfo, Execution, Experience, Explorer, Lesson, Mix, Seen, Shared, Strategy};

/// How many executions know nothing of each other.
pub(crate) const GENERATION: usize = 16;
/// The most arms.
pub(crate) const ARMS_MAX: usize = 32;
/// One of so many executions is watched by the guides that cost much, whatever its arm.
const WATCHED: u64 = 8;
/// How many times as long as another execution an episode may be.
const EPISODE_FACTOR: usize = 4;
/// What saved portfolios begin with.
const MAGIC: &[u8] = b"shakedown portfolio 1\n";
/// The guide that every execution is recorded by.
const CELLS: &str = "state";
/// How many more new cells than others an execution must have to be shared with fuzzers.
const SHARED_FACTOR: f64 = 1.5;
/// How fast the mean number of new cells follows.
const MEAN_RATE: f64 = 1.0 / 64.0;

/// What a strategy that learns is given at first, beside one that does not: it has nothing to go on from yet.
const LEARNS_AT_FIRST: f64 = 0.25;

/// A strategy that becomes an arm of a portfolio.
pub struct PortfolioArm {
    /// Its text.
    pub name: String,
    /// What makes its executions.
    pub explorer: Box<dyn Explorer>,
    /// What it is given beside others that find as much.
    pub weight: u32,
    /// How many steps its executions take, if they go in episodes.
    pub steps: Option<usize>,
}

/// How a portfolio shares and divides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PortfolioSettings {
    /// Whether what an arm finds decides what it is given; otherwise all are given the same number of steps.
    pub is_bandit: bool,
    /// Whether arms hear of each other's executions.
    pub shares: bool,
}

/// See the module's text.
pub struct Portfolio {
    arms: Vec<Arm>,
    settings: PortfolioSettings,
    /// The guides that are asked for, beyond the cells and orders that are recorded anyway.
    guides: Vec<String>,
    /// How the next generation is divided. It is worked out when it is first asked for: what is learned
    /// changes it, and a generation has to keep the one that it began with.
    division: OnceLock<Vec<u8>>,
    cells: Known,
    orders: Known,
    /// How many new cells an execution has on average, of late.
    mean: f64,
    /// How many of the first executions play inputs that were given, and the arm that plays them.
    given: Option<(u64, usize)>,
}

/// A strategy of the portfolio.
struct Arm {
    name: String,
    explorer: Box<dyn Explorer>,
    /// How many steps its executions take, if they go in episodes.
    steps: Option<usize>,
    account: Account,
}

impl Arm {
    /// The place of its guide among those that the portfolio asks for, if it has one that is not recorded
    /// anyway.
    fn guide(&self, guides: &[String]) -> Option<usize> {
        let guide = self.explorer.guide()?;
        guides.iter().position(|known| known == guide)
    }
}

impl Portfolio {
    /// These strategies. The guides are those that count as new beside cells and orders, by name.
    pub fn new(arms: Vec<PortfolioArm>, guides: Vec<String>, settings: PortfolioSettings) -> Portfolio {
        assert!((1..=ARMS_MAX).contains(&arms.len()), "a portfolio has from 1 to {ARMS_MAX} arms");
        let measures = 2 + guides.len();
        let arms = arms.into_iter().map(|PortfolioArm { name, explorer, weight, steps }| {
            let weight = f64::from(weight);
            // Who goes by a guide or learns by itself begins with inputs at random. Who returns begins with
            // walks.
            let is_new = explorer.generation().is_some() && !explorer.takes_all();
            let first = if is_new { LEARNS_AT_FIRST * weight } else { weight };
            Arm { name, explorer, steps, account: Account::new(measures, (weight, first)) }
        });
        Portfolio {
            arms: arms.collect(),
            settings,
            guides,
            division: OnceLock::new(),
            cells: Known::default(),
            orders: Known::default(),
            mean: 0.0,
            given: None,
        }
    }

    fn arm_of(&self, number: u64) -> usize {
        match self.given {
            Some((count, arm)) if number < count => arm,
            _ => usize::from(self.division()[(number % GENERATION as u64) as usize]),
        }
    }

    fn arm(&self, execution: &Execution) -> &Arm {
        &self.arms[self.arm_of(execution.number)]
    }

    /// The arm of each execution of a generation.
    fn division(&self) -> &[u8] {
        self.division.get_or_init(|| {
            let accounts: Vec<&Account> = self.arms.iter().map(|arm| &arm.account).collect();
            shares::slots(&accounts, self.settings.is_bandit)
        })
    }

    /// Whether the execution is one of those that all guides watch.
    fn is_watched(&self, number: u64) -> bool {
        derive_seed(number, 0).is_multiple_of(WATCHED)
    }

    /// Whether an execution of an arm is watched by that one of the guides.
    fn is_watched_by(&self, number: u64, arm: usize, guide: usize) -> bool {
        self.is_watched(number) || self.arms[arm].guide(&self.guides) == Some(guide)
    }

    /// Tells the arms that did not run it what an execution came to.
    fn share(
        &mut self,
        execution: &Execution,
        own: usize,
        shared: &Shared<'_>,
        (covered, lesson): (&[u64], &Lesson<'_>),
    ) {
        let new: Vec<u64> = shared.new.iter().map(|entered| entered.cell).collect();
        let is_rich = new.len() as f64 > SHARED_FACTOR * self.mean;
        self.mean += (new.len() as f64 - self.mean) * MEAN_RATE;
        if new.is_empty() {
            return;
        }
        for (number, arm) in self.arms.iter_mut().enumerate() {
            let is_told = match arm.explorer.takes_all() {
                // An archive is the memory of the arm that returns: that one hears of its own executions in
                // any case.
                true => number == own || self.settings.shares,
                false => number != own && self.settings.shares && is_rich,
            };
            if !is_told {
                continue;
            }
            let lesson = match arm.guide(&self.guides) {
                None => Lesson { covered, new: &new, ..Lesson::default() },
                Some(guide) => match lesson.guides.get(guide) {
                    Some(seen) => Lesson { covered: &seen.covered, new: &seen.new, ..Lesson::default() },
                    None => continue,
                },
            };
            if !lesson.new.is_empty() {
                arm.explorer.share(execution, shared, &lesson);
            }
        }
    }
}

impl Explorer for Portfolio {
    fn strategy(&self, execution: &Execution) -> Box<dyn Strategy> {
        let arm = self.arm_of(execution.number);
        let explorer = &self.arms[arm].explorer;
        let recorder = Recorder::new(explorer.strategy(execution), explorer.world(execution));
        Box::new(recorder.of_arm(arm, self.is_watched(execution.number)))
    }

    fn arms(&self) -> Vec<ArmInfo<'_>> {
        let info = |arm: &'_ Arm| arm.account.new;
        self.arms.iter().map(|arm| ArmInfo { name: &arm.name, new: info(arm) }).collect()
    }

    fn arm(&self, execution: &Execution) -> Option<usize> {
        Some(self.arm_of(execution.number))
    }

    fn mix(&self, execution: &Execution) -> Option<Mix> {
        self.arm(execution).explorer.mix(execution)
    }

    fn world(&self, execution: &Execution) -> Option<u64> {
        self.arm(execution).explorer.world(execution)
    }

    fn steps_max(&self, execution: &Execution) -> usize {
        let most = execution.steps_max;
        let episode = |steps: usize| steps.clamp(most, most.saturating_mul(EPISODE_FACTOR));
        self.arm(execution).steps.map_or(most, episode)
    }

    fn generation(&self) -> Option<u64> {
        Some(GENERATION as u64)
    }

    fn wants(&self, kind: StepKind) -> bool {
        self.arms.iter().any(|arm| arm.explorer.wants(kind))
    }

    fn uses_weights(&self) -> bool {
        self.arms.iter().any(|arm| arm.explorer.uses_weights())
    }

    fn simpler(&self, execution: &Execution, steps: &[Step]) -> Vec<Box<dyn Strategy>> {
        self.arm(execution).explorer.simpler(execution, steps)
    }

    fn guides(&self) -> Vec<&str> {
        self.guides.iter().map(String::as_str).collect()
    }

    fn looks(&self, execution: &Execution, guide: usize) -> bool {
        self.is_watched_by(execution.number, self.arm_of(execution.number), guide)
    }

    fn learn(&mut self, execution: &Execution, experience: Experience, lesson: &Lesson<'_>) {
        let Ok(recorded) = experience.downcast::<Recorded>() else { return };
        let Recorded { arm: own, inner, entered, steps, order, world } = *recorded;
        if own >= self.arms.len() {
            return;
        }
        self.division.take();
        let new: Vec<Entered> =
            entered.iter().filter(|entered| self.cells.insert(entered.cell)).copied().collect();
        let mut found = vec![Some(new.len()), order.map(|order| usize::from(self.orders.insert(order)))];
        let watched = |(guide, seen): (usize, &Seen)| {
            self.is_watched_by(execution.number, own, guide).then_some(seen.new.len())
        };
        found.extend(lesson.guides.iter().enumerate().map(watched));
        self.arms.iter_mut().for_each(|arm| arm.account.fade());
        self.arms[own].account.take(steps.len(), &found);

        let covered: Vec<u64> = entered.iter().map(|entered| entered.cell).collect();
        let cells: Vec<u64> = new.iter().map(|entered| entered.cell).collect();
        let arm = &mut self.arms[own];
        let its = match (arm.explorer.guide(), arm.guide(&self.guides).and_then(|at| lesson.guides.get(at))) {
            (Some(guide), Some(seen)) if guide != CELLS => (seen.covered.as_slice(), seen.new.as_slice()),
            _ => (covered.as_slice(), cells.as_slice()),
        };
        let its = Lesson { failed: lesson.failed, covered: its.0, new: its.1, guides: &[] };
        arm.explorer.learn(execution, inner, &its);
        let shared =
            Shared { world: world.unwrap_or(execution.seed), steps: &steps, entered: &entered, new: &new };
        self.share(execution, own, &shared, (&covered, lesson));
    }

    fn pack(&self, execution: &Execution, experience: &Experience) -> Vec<u8> {
        let Some(recorded) = experience.downcast_ref::<Recorded>() else { return Vec::new() };
        let arm = self.arms.get(recorded.arm);
        recorded.pack(&arm.map_or_else(Vec::new, |arm| arm.explorer.pack(execution, &recorded.inner)))
    }

    fn unpack(&self, execution: &Execution, packed: &[u8]) -> Result<Experience, String> {
        let inner = |arm: usize, inner: &[u8]| match self.arms.get(arm) {
            Some(arm) => arm.explorer.unpack(execution, inner),
            None => Err(format!("there is no arm {arm}")),
        };
        Ok(Box::new(Recorded::unpack(packed, inner)?))
    }

    fn inputs(&self) -> Vec<Vec<u8>> {
        self.arms
            .iter()
            .map(|arm| arm.explorer.inputs())
            .find(|inputs| !inputs.is_empty())
            .unwrap_or_default()
    }

    fn begin_with(&mut self, inputs: &[Vec<u8>]) -> Result<(), String> {
        let mut reason = "no arm of the portfolio plays inputs".to_owned();
        for (number, arm) in self.arms.iter_mut().enumerate() {
            match arm.explorer.begin_with(inputs) {
                Ok(()) => {
                    self.given = Some((inputs.len() as u64, number));
                    return Ok(());
                }
                Err(error) => reason = error,
            }
        }
        Err(reason)
    }

    fn save(&self) -> Vec<u8> {
        let mut writer = Writer::new(MAGIC);
        self.cells.save(&mut writer);
        self.orders.save(&mut writer);
        writer.number(self.mean.to_bits());
        writer.number(self.arms.len() as u64);
        for arm in &self.arms {
            arm.account.save(&mut writer);
            writer.bytes(&arm.explorer.save());
        }
        writer.finish()
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), String> {
        let mut reader = Reader::new(saved, MAGIC)?;
        let (cells, orders) = (Known::load(&mut reader)?, Known::load(&mut reader)?);
        let mean = reader.real()?;
        let count = reader.number()?;
        if count != self.arms.len() as u64 {
            return Err(format!("it is of {count} arms, these are {}", self.arms.len()));
        }
        let measures = 2 + self.guides.len();
        for arm in &mut self.arms {
            let weights = (arm.account.weight, arm.account.first_weight);
            arm.account = Account::load(&mut reader, measures, weights)?;
            let saved = reader.bytes(usize::MAX)?;
            arm.explorer.load(saved).map_err(|reason| format!("arm `{}`: {reason}", arm.name))?;
        }
        reader.finish()?;
        (self.cells, self.orders, self.mean) = (cells, orders, mean);
        self.division.take();
        Ok(())
    }
}
