//! A fuzzer of our own: a corpus instead of a queue.
//!
//! Against the published one it differs in what it goes on from (rare states and fruitful inputs first, and for as long as
//! they stay so, instead of a fixed number of mutants), in how it changes inputs (one part of them, so that the rest does
//! what it did; a new end; two inputs spliced; losses, copies and cuts where the contract allows them), and in what an
//! empty buffer means (the next one that holds something, so that no step is wasted).

use std::sync::Arc;

use shakedown_cluster::{Random, StepKind, derive_seed};

use super::corpus::Corpus;
use super::generate::Shape;
use super::input::Input;
use super::mutate::{nudge, renew_from, splice};
use super::play::{Play, Played};
use super::saved::{Reader, Writer};
use crate::{Execution, Experience, Explorer, Lesson, Strategy};

/// How many executions know nothing of each other.
const GENERATION: u64 = 32;
/// What saved corpora begin with.
const MAGIC: &[u8] = b"shakedown fuzz own 1\n";

/// The parameters of our own fuzzer.
#[derive(Clone, Debug)]
pub struct OwnSettings {
    /// The guide that says what is new; nothing for random inputs only.
    pub guide: Option<String>,
    /// The share of inputs that are random, of a thousand.
    pub fresh: u64,
}

/// Our own fuzzer.
pub struct OwnFuzz {
    shape: Arc<Shape>,
    settings: OwnSettings,
    corpus: Corpus,
}

impl OwnFuzz {
    /// A fuzzer of inputs of this shape.
    pub fn new(shape: Shape, settings: OwnSettings) -> OwnFuzz {
        OwnFuzz { shape: Arc::new(shape), settings, corpus: Corpus::default() }
    }

    /// The member of the corpus that an execution goes on from; nothing if its input is random.
    fn parent(&self, random: &mut Random) -> Option<(u32, &Arc<Input>)> {
        if self.corpus.is_empty() || random.below(1_000) < self.settings.fresh {
            return None;
        }
        self.corpus.choose(random)
    }

    fn mutant(&self, parent: &Input, random: &mut Random) -> Input {
        let mut input = parent.clone();
        match random.below(8) {
            0..3 => {
                let step = self.shape.step(random);
                renew_from(&mut input, step, &self.shape, random);
                return input;
            }
            3 => {
                if let Some((_, other)) = self.corpus.choose(random) {
                    let step = self.shape.step(random);
                    splice(&mut input, other, step);
                }
            }
            _ => {}
        }
        for _ in 0..1 << random.below(5) {
            nudge(&mut input, &self.shape, random);
        }
        input
    }
}

impl Explorer for OwnFuzz {
    fn strategy(&self, execution: &Execution) -> Box<dyn Strategy> {
        let mut random = Random::new(derive_seed(execution.seed, 0));
        let parent = self.parent(&mut random);
        let input = match parent {
            Some((_, parent)) => self.mutant(parent, &mut random),
            None => self.shape.input(&mut random),
        };
        let parent = parent.map(|(number, _)| number);
        let seed = derive_seed(execution.seed, 1);
        Box::new(Play::new(Arc::clone(&self.shape), input, parent, true, seed))
    }

    fn world(&self, execution: &Execution) -> Option<u64> {
        let (_, parent) = self.parent(&mut Random::new(derive_seed(execution.seed, 0)))?;
        parent.world
    }

    fn generation(&self) -> Option<u64> {
        self.settings.guide.as_ref().map(|_| GENERATION)
    }

    fn guide(&self) -> Option<&str> {
        self.settings.guide.as_deref()
    }

    fn wants(&self, kind: StepKind) -> bool {
        match kind {
            StepKind::Round => false,
            // These come by mutation only.
            StepKind::Drop | StepKind::Duplicate | StepKind::Cut | StepKind::Heal => {
                self.settings.guide.is_some()
            }
            StepKind::Tick => self.shape.ticks > 0,
            _ => true,
        }
    }

    fn learn(&mut self, execution: &Execution, experience: Experience, lesson: &Lesson<'_>) {
        let Ok(mut played) = experience.downcast::<Played>() else { return };
        played.input.world.get_or_insert(execution.seed);
        self.corpus.credit(played.parent, lesson.covered, lesson.new.len());
        if !lesson.new.is_empty() {
            self.corpus.add(played.input, lesson.new, &mut Random::new(derive_seed(execution.seed, 2)));
        }
    }

    fn save(&self) -> Vec<u8> {
        if self.settings.guide.is_none() {
            return Vec::new();
        }
        let mut writer = Writer::new(MAGIC);
        self.corpus.save(&mut writer);
        writer.finish()
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), String> {
        if saved.is_empty() {
            return Ok(());
        }
        let mut reader = Reader::new(saved, MAGIC)?;
        let corpus = Corpus::load(&mut reader, &self.shape)?;
        reader.finish()?;
        self.corpus = corpus;
        Ok(())
    }
}
