//! Candidates on other machines: a candidate as a few numbers beside the schedule that it is made from, and
//! the bench that tries it.

use std::time::Duration;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use shakedown_cluster::{Random, Step};
use shakedown_explore::Weights;

use super::candidate::{Candidate, Plan, Planned, Size};
use super::search::{run, walk};
use crate::bench::{Bench, Means};
use crate::cause::have_one_cause;
use crate::workers::Crew;
use crate::{AnyTarget, Config, StalePlan, Violation};

/// The name of the bench.
pub(crate) const SHRINK_BENCH: &str = "shrink";
/// The most steps of a candidate.
const STEPS_MAX: usize = 1 << 22;

/// What the candidates of a round have in common.
#[derive(Serialize, Deserialize)]
pub(super) struct Common {
    pub target: String,
    pub target_version: String,
    pub config: Config,
    pub seed: u64,
    /// The execution that it is about.
    pub execution: u64,
    pub step_time: Duration,
    pub weights: String,
    pub violation: Violation,
    /// The schedule that they are made from.
    pub steps: Vec<Step>,
}

/// A candidate.
#[derive(Serialize, Deserialize)]
struct Piece {
    parts: Vec<Part>,
    /// Where its random steps come from.
    seed: u64,
}

/// Some steps of a candidate.
#[derive(Serialize, Deserialize)]
enum Part {
    /// Steps of the schedule: the place of the first, and how many.
    #[serde(rename = "s")]
    Same(u32, u32),
    /// So many random ones.
    #[serde(rename = "r")]
    Random(u32),
    /// Another one.
    #[serde(rename = "o")]
    Other(Step),
}

/// Where the steps of a schedule are.
pub(super) struct Places<'a> {
    steps: &'a [Step],
    places: FxHashMap<&'a Step, Vec<usize>>,
}

impl<'a> Places<'a> {
    pub fn of(steps: &'a [Step]) -> Places<'a> {
        let mut places: FxHashMap<&Step, Vec<usize>> = FxHashMap::default();
        for (place, step) in steps.iter().enumerate() {
            places.entry(step).or_default().push(place);
        }
        Places { steps, places }
    }

    /// A candidate as it travels. Its random steps come from this seed.
    pub fn encode(&self, candidate: &Candidate, seed: u64) -> Vec<u8> {
        let mut parts = Vec::new();
        // The place after the last step that was found.
        let mut next = 0;
        for planned in &candidate.plan {
            match (planned, parts.last_mut()) {
                (Planned::Random, Some(Part::Random(count))) => *count += 1,
                (Planned::Random, _) => parts.push(Part::Random(1)),
                (Planned::Step(step), Some(Part::Same(_, count))) if self.steps.get(next) == Some(step) => {
                    *count += 1;
                    next += 1;
                }
                (Planned::Step(step), _) => match self.places.get(step) {
                    None => parts.push(Part::Other(step.clone())),
                    Some(places) => {
                        let later = places.partition_point(|place| *place < next);
                        let place = *places.get(later).unwrap_or(&places[0]);
                        parts.push(Part::Same(place as u32, 1));
                        next = place + 1;
                    }
                },
            }
        }
        serde_json::to_vec(&Piece { parts, seed }).expect("a candidate is plain data")
    }
}

impl Common {
    pub fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a schedule is plain data")
    }

    /// The candidate that a piece stands for, and the seed of its random steps.
    fn decode(&self, piece: &[u8]) -> Result<(Candidate, u64), String> {
        let Piece { parts, seed } = serde_json::from_slice(piece).map_err(|error| error.to_string())?;
        let mut plan = Vec::new();
        for part in parts {
            match part {
                Part::Same(first, count) => {
                    let (first, count) = (first as usize, count as usize);
                    let steps = self.steps.get(first..first.saturating_add(count));
                    let steps = steps.ok_or("a candidate has steps that are not there")?;
                    plan.extend(steps.iter().cloned().map(Planned::Step));
                }
                Part::Random(count) => {
                    plan.extend(std::iter::repeat_n(Planned::Random, (count as usize).min(STEPS_MAX)));
                }
                Part::Other(step) => plan.push(Planned::Step(step)),
            }
            if plan.len() > STEPS_MAX {
                return Err(format!("a candidate of more than {STEPS_MAX} steps"));
            }
        }
        Ok((Candidate { config: None, plan }, seed))
    }
}

/// What comes of a candidate: its size, if it fails as it should.
pub(super) fn decode_size(result: &[u8]) -> Option<Size> {
    serde_json::from_slice::<Option<Size>>(result).ok().flatten()
}

/// Tries candidates.
pub(crate) struct ShrinkBench<'a> {
    target: &'a dyn AnyTarget,
    common: Common,
    weights: Weights,
}

impl<'a> ShrinkBench<'a> {
    /// A bench for candidates that have this in common.
    pub fn new(targets: &'a [Box<dyn AnyTarget>], common: &[u8]) -> Result<ShrinkBench<'a>, String> {
        let common: Common = serde_json::from_slice(common).map_err(|error| error.to_string())?;
        let target = targets.iter().find(|target| target.name() == common.target);
        let target = target.ok_or_else(|| format!("there is no target `{}` here", common.target))?.as_ref();
        if target.version() != common.target_version {
            let (then, now) = (common.target_version.clone(), target.version().to_owned());
            return Err(StalePlan::Target { then, now }.to_string());
        }
        if !target.info().is_deterministic {
            return Err(format!("target `{}` is not deterministic", common.target));
        }
        let weights = Weights::none().changed_by(&common.weights)?;
        Ok(ShrinkBench { target, common, weights })
    }
}

impl Bench for ShrinkBench<'_> {
    fn run(&self, pieces: &[Vec<u8>], means: &Means<'_>) -> Result<Vec<Vec<u8>>, String> {
        let Common { config, seed, execution, step_time, violation, .. } = &self.common;
        let Means { jobs, progress } = *means;
        let crew = Crew {
            jobs,
            step_time: (*step_time).max(Duration::from_millis(1)),
            deadline: None,
            stop: None,
            progress,
        };
        let mut all = Vec::with_capacity(pieces.len());
        crew.shift(|shift| {
            let work = |number: u64, beat: &_| {
                let piece = &pieces[number as usize];
                if piece.is_empty() {
                    return Ok(Vec::new());
                }
                let (candidate, random) = self.common.decode(piece)?;
                let most = candidate.plan.len();
                let walk = candidate.has_random_steps().then(|| walk(&self.weights, config, most, random));
                let best = run(self.target, config, *seed, &mut Plan::of(candidate, walk), most, beat);
                let size =
                    best.filter(|best| have_one_cause(&best.violation, violation)).map(|best| best.size());
                Ok(serde_json::to_vec(&size).expect("a size is plain data"))
            };
            shift.in_order_about(*execution, 0..pieces.len() as u64, work, |_, result| {
                all.push(result);
                std::ops::ControlFlow::Continue(())
            });
        });
        all.into_iter().collect()
    }
}

/// The seed of the random steps of a candidate, drawn as soon as it is made.
pub(super) fn seed_of(candidate: &Candidate, random: &mut Random) -> u64 {
    if candidate.has_random_steps() { random.next_u64() } else { 0 }
}
