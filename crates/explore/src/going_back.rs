//! Return, then explore (Go-Explore; Ecoffet et al., Nature 2021): an execution goes back to a state that few
//! have come to, by doing the steps again that led there, and walks on from it.
//!
//! Returning is exact, for executions are deterministic. Should a step be refused all the same, because the
//! target is not, the rest of the way is given up and the walk begins where it is.

use std::sync::Arc;

use shakedown_cluster::{Random, Step, StepKind, Trace, derive_seed};

use crate::archive::{Archive, Cell, Trail};
use crate::fuzz::saved::{Reader, Writer};
use crate::known::Known;
use crate::recorder::{Entered, Recorded, Recorder};
use crate::stalls::Stalls;
use crate::{Draws, Execution, Experience, Explorer, Lesson, Mix, Shared, Sight, Strategy};

/// How many executions know nothing of each other.
const GENERATION: u64 = 32;
/// One of so many executions does not return, but begins at the beginning.
const FRESH: u64 = 8;
/// What saved archives begin with.
const MAGIC: &[u8] = b"shakedown return 1\n";

/// Return, then explore.
pub struct GoBack {
    /// What walks on: one of them is drawn for each execution.
    walks: Vec<Box<dyn Explorer>>,
    base: Mix,
    draws: Draws,
    archive: Archive,
    /// The cells that any execution has entered; nothing if somebody else keeps count.
    known: Option<Known>,
}

/// How an execution goes.
struct Way<'a> {
    cell: Option<&'a Cell>,
    walk: usize,
    mix: Mix,
    /// The most steps in all.
    steps: usize,
}

/// What came of an execution: where it began.
struct Returned(Option<u64>);

impl Returned {
    fn pack(experience: &Experience) -> Vec<u8> {
        let began = experience.downcast_ref().and_then(|Returned(began)| *began);
        began.map(|cell| cell.to_le_bytes().to_vec()).unwrap_or_default()
    }

    fn unpack(packed: &[u8]) -> Result<Experience, String> {
        let cell = match packed {
            [] => None,
            _ => Some(packed.try_into().map_err(|_| "a cell takes eight bytes")?),
        };
        Ok(Box::new(Returned(cell.map(u64::from_le_bytes))))
    }
}

impl GoBack {
    /// Goes on from where it returns to with these explorers. Each execution draws a mix within the base.
    pub fn new(walks: Vec<Box<dyn Explorer>>, base: Mix, draws: Draws) -> GoBack {
        assert!(!walks.is_empty(), "something has to walk on");
        GoBack { walks, base, draws, archive: Archive::default(), known: Some(Known::default()) }
    }

    /// The same as a part of something that records all executions, and shares them.
    pub(crate) fn shared(walks: Vec<Box<dyn Explorer>>, base: Mix, draws: Draws) -> GoBack {
        GoBack { known: None, ..GoBack::new(walks, base, draws) }
    }

    fn way(&self, execution: &Execution) -> Way<'_> {
        let mut random = Random::new(derive_seed(execution.seed, 0));
        let cell = if random.below(FRESH) == 0 { None } else { self.archive.choose(&mut random) };
        let walk = random.index(self.walks.len());
        let mix = self.base.draw_some(self.draws, derive_seed(execution.seed, 2));
        let steps = match cell {
            None => mix.steps,
            // Half of the time only the surroundings are explored.
            Some(cell) if random.chance(0.5) => cell.length as usize + self.base.steps / 4,
            Some(_) => self.base.steps,
        };
        Way { cell, walk, mix, steps }
    }

    fn take_in(&mut self, execution: &Execution, shared: &Shared<'_>) {
        let mut random = Random::new(derive_seed(execution.seed, 3));
        let Shared { world, steps, entered, new } = *shared;
        self.archive.take_in((world, steps), (entered, new), self.base.steps, &mut random);
    }
}

impl Explorer for GoBack {
    fn strategy(&self, execution: &Execution) -> Box<dyn Strategy> {
        let Way { cell, walk, mix, steps } = self.way(execution);
        let seed = derive_seed(execution.seed, 1);
        let back = Back {
            way: cell.map(|cell| (Arc::clone(&cell.trail), cell.length as usize)),
            began: cell.map(|cell| cell.key),
            done: 0,
            steps,
            stalls: Stalls::of(&mix, seed),
            walk: self.walks[walk].mixed(&Execution { seed, ..*execution }, &mix),
        };
        match self.known {
            Some(_) => Box::new(Recorder::new(Box::new(back), cell.map(|cell| cell.trail.world))),
            None => Box::new(back),
        }
    }

    fn mix(&self, execution: &Execution) -> Option<Mix> {
        self.draws.any().then(|| self.way(execution).mix)
    }

    fn world(&self, execution: &Execution) -> Option<u64> {
        self.way(execution).cell.map(|cell| cell.trail.world)
    }

    fn generation(&self) -> Option<u64> {
        Some(GENERATION)
    }

    fn wants(&self, kind: StepKind) -> bool {
        self.walks.iter().any(|walk| walk.wants(kind))
    }

    fn learn(&mut self, execution: &Execution, experience: Experience, lesson: &Lesson<'_>) {
        let experience = match experience.downcast::<Recorded>() {
            Ok(recorded) => {
                let Recorded { inner, entered, steps, world, .. } = *recorded;
                let Some(known) = &mut self.known else { return };
                let new: Vec<Entered> =
                    entered.iter().filter(|entered| known.insert(entered.cell)).copied().collect();
                let world = world.unwrap_or(execution.seed);
                self.take_in(execution, &Shared { world, steps: &steps, entered: &entered, new: &new });
                if let Some(Returned(Some(cell))) = inner.downcast_ref() {
                    self.archive.credit(*cell, new.len());
                }
                return;
            }
            Err(other) => other,
        };
        if let Some(Returned(Some(cell))) = experience.downcast_ref() {
            self.archive.credit(*cell, lesson.new.len());
        }
    }

    fn pack(&self, _execution: &Execution, experience: &Experience) -> Vec<u8> {
        match experience.downcast_ref::<Recorded>() {
            Some(recorded) => recorded.pack(&Returned::pack(&recorded.inner)),
            None => Returned::pack(experience),
        }
    }

    fn unpack(&self, _execution: &Execution, packed: &[u8]) -> Result<Experience, String> {
        Ok(match self.known {
            Some(_) => Box::new(Recorded::unpack(packed, |_, inner| Returned::unpack(inner))?),
            None => Returned::unpack(packed)?,
        })
    }

    fn share(&mut self, execution: &Execution, shared: &Shared<'_>, _lesson: &Lesson<'_>) {
        self.take_in(execution, shared);
    }

    fn takes_all(&self) -> bool {
        true
    }

    fn save(&self) -> Vec<u8> {
        let mut writer = Writer::new(MAGIC);
        self.archive.save(&mut writer);
        if let Some(known) = &self.known {
            known.save(&mut writer);
        }
        writer.finish()
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), String> {
        let mut reader = Reader::new(saved, MAGIC)?;
        let archive = Archive::load(&mut reader)?;
        let known = self.known.as_ref().map(|_| Known::load(&mut reader)).transpose()?;
        reader.finish()?;
        (self.archive, self.known) = (archive, known);
        Ok(())
    }
}

/// Returns, then walks.
struct Back {
    way: Option<(Arc<Trail>, usize)>,
    began: Option<u64>,
    /// How many steps of the way have been handed out.
    done: usize,
    /// The most steps in all.
    steps: usize,
    stalls: Option<Stalls>,
    walk: Box<dyn Strategy>,
}

impl Strategy for Back {
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step> {
        let at = sight.board().steps().len();
        if let Some((trail, length)) = &self.way {
            if self.done < *length && at == self.done {
                self.done += 1;
                return Some(trail.steps[at].clone());
            }
            self.way = None;
        }
        if at >= self.steps {
            return None;
        }
        Stalls::next(&mut self.stalls, self.walk.as_mut(), sight)
    }

    fn experience(self: Box<Self>, _trace: &Trace) -> Experience {
        Box::new(Returned(self.began))
    }
}
