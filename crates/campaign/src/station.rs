//! A station: where a worker of a fleet runs executions of a campaign. It has an explorer of its own, which
//! learns what the campaign's learns.

use std::ops::{ControlFlow, Range};

use rustc_hash::FxHashMap;
use shakedown_cluster::Recording;
use shakedown_explore::{Explorer, Lesson, Seen};
use shakedown_target::{Turn, wait_for_threads};

use crate::fleet::{PackedLesson, Report};
use crate::run::Done;
use crate::workers::{Crew, THREADS_TIME};
use crate::{Campaign, CampaignError, Progress};

/// How many items of a guide a station remembers. What it forgets is reported again, which changes no result.
const REMEMBERED_MAX: usize = 1 << 20;

/// Runs executions of a campaign for its fleet.
pub struct Station<'a> {
    campaign: Campaign<'a>,
    explorer: Box<dyn Explorer + 'a>,
    guides: Vec<String>,
    /// The execution before which everything is learned.
    learned: u64,
    /// The lowest execution in which each guide that is only measured saw an item here.
    remembered: Vec<FxHashMap<u64, u64>>,
    /// Whether what the target makes once in a process is made.
    is_warm: bool,
}

impl<'a> Station<'a> {
    /// A station for this campaign that has learned nothing yet.
    pub fn new(campaign: Campaign<'a>) -> Result<Station<'a>, CampaignError> {
        let explorer = campaign.explorer_of_recipe()?;
        let guides = campaign.guides(explorer.as_ref());
        let remembered = guides.iter().map(|_| FxHashMap::default()).collect();
        let learned = campaign.plan.first;
        Ok(Station { campaign, explorer, guides, learned, remembered, is_warm: false })
    }

    /// Whether the strategy learns; otherwise every execution can be run at any time.
    pub fn learns(&self) -> bool {
        self.explorer.learns()
    }

    /// The execution before which everything is learned.
    pub fn learned(&self) -> u64 {
        self.learned
    }

    /// Takes up everything that was learned before this execution.
    pub fn take_up(&mut self, learned: &[u8], before: u64) -> Result<(), String> {
        self.explorer.load(learned)?;
        self.learned = before;
        Ok(())
    }

    /// Learns what there is to learn of a generation, which must be the next one.
    pub fn learn(&mut self, generation: Range<u64>, lessons: Vec<PackedLesson>) -> Result<(), String> {
        if generation.start != self.learned || generation.end <= generation.start {
            return Err(format!("{generation:?} is not the generation after execution {}", self.learned));
        }
        let mut unpacked = Vec::with_capacity(lessons.len());
        for lesson in lessons {
            if !generation.contains(&lesson.number) {
                return Err(format!("execution {} is not of the generation {generation:?}", lesson.number));
            }
            let execution = self.campaign.execution(lesson.number);
            unpacked.push((execution, self.explorer.unpack(&execution, &lesson.experience)?, lesson));
        }
        for (execution, experience, PackedLesson { failed, seen, .. }) in unpacked {
            let nothing = Seen::default();
            let Seen { covered, new } = seen.first().unwrap_or(&nothing);
            let lesson = Lesson { failed, covered, new, guides: &seen };
            self.explorer.learn(&execution, experience, &lesson);
        }
        self.learned = generation.end;
        Ok(())
    }

    /// Runs these executions, and gives their reports in the order of numbers.
    pub fn run(
        &mut self,
        numbers: Range<u64>,
        progress: &dyn Progress,
    ) -> Result<Vec<Report>, CampaignError> {
        let Station { campaign, explorer, guides, .. } = &*self;
        let explorer = explorer.as_ref();
        let turn = Turn::take(guides);
        let crew = Crew {
            jobs: turn.jobs(campaign.jobs),
            step_time: campaign.step_time,
            deadline: None,
            stop: None,
            progress,
        };
        let is_cold = turn.is_alone() && !self.is_warm;
        let done = crew.shift(|shift| {
            if is_cold {
                // As at the beginning of a campaign: what a target makes once in a process is not the first
                // execution's.
                let run = campaign.run_of(explorer, guides, numbers.start);
                shift
                    .alone(numbers.start, |beat| drop(campaign.run_once(&run, Recording::Brief, None, beat)));
            }
            let (mut all, mut trouble) = (Vec::new(), None);
            shift.in_order(
                numbers.clone(),
                |number, beat| campaign.one(&campaign.run_of(explorer, guides, number), shift, beat),
                |_, done| match done {
                    Ok(done) => {
                        all.push(done);
                        ControlFlow::Continue(())
                    }
                    Err(error) => {
                        trouble = Some(error);
                        ControlFlow::Break(())
                    }
                },
            );
            wait_for_threads(THREADS_TIME);
            trouble.map_or(Ok(all), |error| Err(CampaignError::from(error)))
        })?;
        drop(turn);
        self.is_warm = true;
        Ok(numbers.zip(done).map(|(number, done)| self.report(number, done)).collect())
    }

    fn report(&mut self, number: u64, done: Done) -> Report {
        let asked = self.explorer.guides().len();
        let mut covered = done.covered;
        for (items, remembered) in covered.iter_mut().zip(&mut self.remembered).skip(asked) {
            if remembered.len() > REMEMBERED_MAX {
                remembered.clear();
            }
            // The campaign counts an item for the lowest execution that has it: if that is a lower one, it
            // need not hear of it again.
            items.retain(|item| {
                let lowest = remembered.entry(*item).or_insert(number);
                let is_lowest = number <= *lowest;
                *lowest = (*lowest).min(number);
                is_lowest
            });
        }
        let execution = self.campaign.execution(number);
        let reports = self.explorer.reports();
        Report {
            verdict: done.verdict,
            fingerprint: done.fingerprint,
            tally: done.tally,
            checked: done.checked,
            covered,
            happened: done
                .looked_for
                .iter()
                .map(|looked_for| (!looked_for.names.is_empty()).then_some(looked_for.happened))
                .collect(),
            experience: done
                .experience
                .filter(|_| reports)
                .map(|experience| self.explorer.pack(&execution, &experience)),
            world: done.world,
            culprit: done.culprit,
        }
    }
}
