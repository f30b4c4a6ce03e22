//! The published algorithm (paper, algorithm 1).
//!
//! Inputs wait in a queue, first in, first out. An input that led to something new gives so many mutants for
//! each new thing, which are appended. When the queue is empty, random inputs fill it again. The queue does
//! not hold mutants but their parents and how many are left: a mutant is made when its turn comes, from its
//! parent and its number.
//!
//! The algorithm knows one input at a time. Here as many as wait are run side by side, up to
//! [`GENERATION_MAX`]; since what they lead to is appended behind them in their order, the outcome is the
//! same.
//!
//! The authors' program also throws the queue away every so many executions, and begins again with random
//! inputs: `reseed`.

use std::collections::VecDeque;
use std::sync::Arc;

use shakedown_cluster::{Random, StepKind, derive_seed};

use super::generate::Shape;
use super::input::Input;
use super::mutate::compose;
use super::play::{Origin, Play, Played, given};
use super::saved::{Reader, Writer, input_to_bytes, inputs_of_bytes};
use crate::{Execution, Experience, Explorer, Lesson, Strategy};

pub use super::mutate::Swaps;
pub use super::play::{Empty, Manner};

/// The most inputs of one generation.
const GENERATION_MAX: u64 = 64;
/// The most parents that may wait. One that comes when there are more is left out.
const PARENTS_MAX: usize = 200_000;
/// The most mutants of one parent.
const MUTANTS_MAX: u64 = u32::MAX as u64;
/// What saved queues begin with.
const MAGIC: &[u8] = b"shakedown fuzz published 1\n";

/// The parameters of the published algorithm.
#[derive(Clone, Debug)]
pub struct PublishedSettings {
    /// The guide that says what is new; nothing for random inputs only.
    pub guide: Option<String>,
    /// How many random inputs fill the queue when it is empty (|T₀|).
    pub initial: u64,
    /// How many mutants there are for each new thing.
    pub mutations: u64,
    /// How a mutant is made.
    pub swaps: Swaps,
    /// Whether a mutant runs with an execution's own seed for nodes and workload, instead of its parent's.
    pub fresh_worlds: bool,
    /// How inputs are played.
    pub manner: Manner,
    /// After every so many executions the queue is thrown away and filled with random inputs; 0 for never.
    pub reseed: u64,
}

/// The published fuzzer.
pub struct PublishedFuzz {
    shape: Arc<Shape>,
    settings: PublishedSettings,
    queue: VecDeque<Waiting>,
    /// The number of the execution that the head of the queue is for.
    next: u64,
    /// The inputs that the first executions play; what they lead to is appended to the queue.
    given: Vec<Arc<Input>>,
}

/// Inputs that wait for their turn.
#[derive(Clone)]
enum Waiting {
    /// Mutants of this parent, from the one of this number on.
    Mutants { parent: Arc<Input>, first: u64, count: u64, seed: u64 },
    /// Random inputs.
    Random(u64),
}

impl Waiting {
    fn count(&self) -> u64 {
        match self {
            Waiting::Mutants { count, .. } | Waiting::Random(count) => *count,
        }
    }
}

impl PublishedFuzz {
    /// A fuzzer of inputs of this shape.
    pub fn new(shape: Shape, settings: PublishedSettings) -> PublishedFuzz {
        PublishedFuzz { shape: Arc::new(shape), settings, queue: VecDeque::new(), next: 0, given: Vec::new() }
    }

    /// The mutant that an execution is to play, if it is not a random input.
    fn mutant(&self, execution: &Execution) -> Option<(&Arc<Input>, u64)> {
        let mut place = execution.number.checked_sub(self.next)?;
        for waiting in &self.queue {
            if place < waiting.count() {
                return match waiting {
                    Waiting::Mutants { parent, first, seed, .. } => {
                        Some((parent, derive_seed(*seed, first + place)))
                    }
                    Waiting::Random(_) => None,
                };
            }
            place -= waiting.count();
        }
        None
    }

    /// An execution of the queue is over: its input is taken out.
    fn advance(&mut self, number: u64) {
        if self.queue.is_empty() {
            // The execution was the first of those that fill the queue again.
            self.queue.push_back(Waiting::Random(self.settings.initial));
            self.next = number;
        }
        self.consume(number);
    }

    /// How many executions there are before the queue is thrown away again.
    fn before_reseed(&self) -> u64 {
        match self.settings.reseed {
            0 => u64::MAX,
            every => every - self.next % every,
        }
    }

    /// Takes the inputs up to that of this execution out of the queue.
    fn consume(&mut self, number: u64) {
        let mut done = (number + 1).saturating_sub(self.next);
        self.next = number + 1;
        while done > 0
            && let Some(head) = self.queue.front_mut()
        {
            let taken = done.min(head.count());
            done -= taken;
            if taken == head.count() {
                self.queue.pop_front();
                continue;
            }
            match head {
                Waiting::Mutants { first, count, .. } => {
                    *first += taken;
                    *count -= taken;
                }
                Waiting::Random(count) => *count -= taken,
            }
        }
    }
}

impl Explorer for PublishedFuzz {
    fn strategy(&self, execution: &Execution) -> Box<dyn Strategy> {
        let input = match (given(&self.given, execution), self.mutant(execution)) {
            (Some(input), _) => Input::clone(input),
            (None, Some((parent, seed))) => {
                compose(parent, self.settings.swaps, &self.shape, &mut Random::new(seed))
            }
            (None, None) => self.shape.input(&mut Random::new(derive_seed(execution.seed, 0))),
        };
        Box::new(Play::new(
            Arc::clone(&self.shape),
            input,
            Origin::default(),
            self.settings.manner,
            derive_seed(execution.seed, 1),
        ))
    }

    fn world(&self, execution: &Execution) -> Option<u64> {
        if let Some(input) = given(&self.given, execution) {
            return input.world;
        }
        let (parent, _) = self.mutant(execution).filter(|_| !self.settings.fresh_worlds)?;
        parent.world
    }

    fn generation(&self) -> Option<u64> {
        self.settings.guide.as_ref()?;
        let given = (self.given.len() as u64).saturating_sub(self.next);
        // What is thrown away must not have been run.
        let most = GENERATION_MAX.min(self.before_reseed());
        if given > 0 {
            return Some(given.min(most));
        }
        let waiting = self.queue.iter().map(Waiting::count).take(GENERATION_MAX as usize).sum::<u64>();
        Some(if waiting == 0 { self.settings.initial } else { waiting }.min(most))
    }

    fn guide(&self) -> Option<&str> {
        self.settings.guide.as_deref()
    }

    fn uses_weights(&self) -> bool {
        false
    }

    fn wants(&self, kind: StepKind) -> bool {
        match kind {
            StepKind::Drop | StepKind::Duplicate | StepKind::Cut | StepKind::Heal => false,
            StepKind::Round | StepKind::Retry => false,
            StepKind::Tick => self.shape.ticks > 0,
            _ => true,
        }
    }

    fn learn(&mut self, execution: &Execution, experience: Experience, lesson: &Lesson<'_>) {
        let reseeds = self.settings.reseed > 0 && (execution.number + 1).is_multiple_of(self.settings.reseed);
        if given(&self.given, execution).is_some() {
            self.next = execution.number + 1;
        } else {
            self.advance(execution.number);
        }
        if reseeds {
            self.queue.clear();
            self.queue.push_back(Waiting::Random(self.settings.initial));
            return;
        }
        let Ok(mut played) = experience.downcast::<Played>() else { return };
        played.input.world.get_or_insert(execution.seed);
        let count = (lesson.new.len() as u64).saturating_mul(self.settings.mutations).min(MUTANTS_MAX);
        if count > 0 && self.queue.len() < PARENTS_MAX {
            let seed = derive_seed(execution.seed, 2);
            self.queue.push_back(Waiting::Mutants { parent: Arc::new(played.input), first: 0, count, seed });
        }
    }

    fn pack(&self, _execution: &Execution, experience: &Experience) -> Vec<u8> {
        experience.downcast_ref::<Played>().map(Played::pack).unwrap_or_default()
    }

    fn unpack(&self, _execution: &Execution, packed: &[u8]) -> Result<Experience, String> {
        Ok(Box::new(Played::unpack(packed, &self.shape)?))
    }

    fn inputs(&self) -> Vec<Vec<u8>> {
        let parents = self.queue.iter().filter_map(|waiting| match waiting {
            Waiting::Mutants { parent, .. } => Some(parent),
            Waiting::Random(_) => None,
        });
        parents.map(|parent| input_to_bytes(parent)).collect()
    }

    fn begin_with(&mut self, inputs: &[Vec<u8>]) -> Result<(), String> {
        self.given = inputs_of_bytes(inputs, &self.shape)?;
        Ok(())
    }

    fn save(&self) -> Vec<u8> {
        if self.settings.guide.is_none() {
            return Vec::new();
        }
        let mut writer = Writer::new(MAGIC);
        writer.number(self.next);
        writer.number(self.queue.len() as u64);
        for waiting in &self.queue {
            writer.number(waiting.count());
            match waiting {
                Waiting::Random(_) => writer.number(0),
                Waiting::Mutants { parent, first, seed, .. } => {
                    writer.number(1);
                    writer.number(*first);
                    writer.number(*seed);
                    writer.input(parent);
                }
            }
        }
        writer.finish()
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), String> {
        if saved.is_empty() {
            return Ok(());
        }
        let mut reader = Reader::new(saved, MAGIC)?;
        let next = reader.number()?;
        let length = reader.count(16)?;
        let mut queue = VecDeque::with_capacity(length);
        for _ in 0..length {
            let count = reader.number()?;
            if count == 0 || count > MUTANTS_MAX {
                return Err(format!("{count} inputs cannot wait in one place"));
            }
            queue.push_back(match reader.number()? {
                0 => Waiting::Random(count),
                1 => {
                    let (first, seed) = (reader.number()?, reader.number()?);
                    if first > MUTANTS_MAX {
                        return Err(format!("there is no mutant {first}"));
                    }
                    let parent = Arc::new(reader.input(&self.shape)?);
                    Waiting::Mutants { parent, first, count, seed }
                }
                other => return Err(format!("nothing of the sort {other} waits")),
            });
        }
        reader.finish()?;
        (self.queue, self.next) = (queue, next);
        Ok(())
    }
}
