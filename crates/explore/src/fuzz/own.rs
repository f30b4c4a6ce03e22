//! A fuzzer of our own: a corpus instead of a queue.
//!
//! Against the published one it differs in what it goes on from (rare states and fruitful inputs first, and
//! for as long as they stay so, instead of a fixed number of mutants), in how it changes inputs (one part of
//! them, so that the rest does what it did; a new end; two inputs spliced; losses, copies and cuts where the
//! contract allows them; see [`Operator`]), in that it finds out which of these ways serve, and in what an
//! empty buffer means (the next one that holds something, so that no step is wasted).

use std::sync::Arc;

use shakedown_cluster::{Random, StepKind, derive_seed};

use super::corpus::{Corpus, Wanted};
use super::foreign::foreign_input;
use super::generate::Shape;
use super::input::Input;
use super::mutate::{nudge, renew_from, reopen, splice, turn_bounds};
use super::operators::{Operator, Operators};
use super::play::{Empty, Manner, Origin, Play, Played, given};
use super::saved::{Reader, Writer, input_to_bytes, inputs_of_bytes};
use super::stretch::{favour, repeat};
use crate::{Execution, Experience, Explorer, Lesson, Shared, Strategy};

/// What saved corpora begin with.
const MAGIC: &[u8] = b"shakedown fuzz own 2\n";

/// How many of the last steps of a member a new end may begin in, half of the time.
const LAST_STEPS: usize = 8;

/// Our own fuzzer.
pub struct OwnFuzz {
    shape: Arc<Shape>,
    /// The guide that says what is new; nothing for random inputs only.
    guide: Option<String>,
    /// How many executions know nothing of each other.
    generation: u64,
    corpus: Corpus,
    operators: Operators,
    /// The inputs that the first executions play.
    given: Vec<Arc<Input>>,
}

/// How the input of an execution is made.
struct Plan<'a> {
    operator: Operator,
    parent: Option<(u32, &'a Arc<Input>)>,
}

impl OwnFuzz {
    /// A fuzzer of inputs of this shape. It learns after this many executions, which can run side by side.
    pub fn new(shape: Shape, guide: Option<String>, generation: u64) -> OwnFuzz {
        let (corpus, operators) = (Corpus::default(), Operators::default());
        OwnFuzz { shape: Arc::new(shape), guide, generation, corpus, operators, given: Vec::new() }
    }

    fn plan(&self, random: &mut Random) -> Plan<'_> {
        let fresh = Plan { operator: Operator::Fresh, parent: None };
        if self.guide.is_none() || self.corpus.is_empty() {
            return fresh;
        }
        match self.operators.choose(random) {
            Operator::Fresh => fresh,
            operator => {
                let wanted = if operator == Operator::Structure { Wanted::Rich } else { Wanted::Rare };
                Plan { operator, parent: self.corpus.choose(wanted, random) }
            }
        }
    }

    /// A step at which a member can be cut: one in which it still did something, half of the time one of the
    /// last of these.
    fn cut(&self, member: &Input, random: &mut Random) -> u16 {
        let active = member.end as usize + 1;
        let window = if random.chance(0.5) { LAST_STEPS } else { active };
        (active - 1 - random.index(window.min(active))) as u16
    }

    fn input(&self, plan: &Plan<'_>, random: &mut Random) -> Input {
        let Some((_, parent)) = plan.parent else { return self.shape.input(random) };
        let mut input = Input::clone(parent);
        match plan.operator {
            Operator::Fresh => {}
            Operator::Structure => {
                reopen(&mut input);
                input.world = None;
                if random.chance(0.2) {
                    turn_bounds(&mut input, &self.shape, random);
                } else {
                    self.nudge(&mut input, random);
                }
            }
            Operator::Tail => {
                let step = self.cut(parent, random);
                renew_from(&mut input, step, &self.shape, random);
            }
            Operator::Splice => {
                if let Some((_, other)) = self.corpus.choose(Wanted::Rare, random) {
                    let step = self.cut(parent, random);
                    splice(&mut input, other, step);
                }
            }
            Operator::Nudge => self.nudge(&mut input, random),
            Operator::Stretch => {
                let step = self.cut(parent, random);
                let stretch = if random.chance(0.5) { favour } else { repeat };
                stretch(&mut input, step, &self.shape, random);
            }
        }
        input
    }

    /// From one to sixteen small changes.
    fn nudge(&self, input: &mut Input, random: &mut Random) {
        for _ in 0..1 << random.below(5) {
            nudge(input, &self.shape, random);
        }
    }
}

impl Explorer for OwnFuzz {
    fn strategy(&self, execution: &Execution) -> Box<dyn Strategy> {
        let (input, origin) = match given(&self.given, execution) {
            Some(input) => (Input::clone(input), Origin::GIVEN),
            None => {
                let mut random = Random::new(derive_seed(execution.seed, 0));
                let plan = self.plan(&mut random);
                let parent = plan.parent.map(|(number, _)| number);
                (self.input(&plan, &mut random), Origin { operator: plan.operator as usize, parent })
            }
        };
        Box::new(Play::new(
            Arc::clone(&self.shape),
            input,
            origin,
            Manner { empty: Empty::Next, echo: 1 },
            derive_seed(execution.seed, 1),
        ))
    }

    fn world(&self, execution: &Execution) -> Option<u64> {
        if let Some(input) = given(&self.given, execution) {
            return input.world;
        }
        let plan = self.plan(&mut Random::new(derive_seed(execution.seed, 0)));
        let (_, parent) = plan.parent.filter(|_| plan.operator != Operator::Structure)?;
        parent.world
    }

    fn generation(&self) -> Option<u64> {
        self.guide.as_ref().map(|_| self.generation)
    }

    fn guide(&self) -> Option<&str> {
        self.guide.as_deref()
    }

    fn uses_weights(&self) -> bool {
        false
    }

    fn wants(&self, kind: StepKind) -> bool {
        match kind {
            // Inputs have no word for a client that asks again.
            StepKind::Round | StepKind::Retry => false,
            // These come by mutation only.
            StepKind::Drop | StepKind::Duplicate | StepKind::Cut | StepKind::Heal => self.guide.is_some(),
            StepKind::Tick => self.shape.ticks > 0,
            _ => true,
        }
    }

    fn learn(&mut self, execution: &Execution, experience: Experience, lesson: &Lesson<'_>) {
        let Ok(mut played) = experience.downcast::<Played>() else { return };
        played.input.world.get_or_insert(execution.seed);
        let found = lesson.new.len();
        self.operators.credit(played.origin.operator, found);
        self.corpus.credit(played.origin.parent, lesson.covered, found);
        if found > 0 {
            self.corpus.add(played.input, lesson, &mut Random::new(derive_seed(execution.seed, 2)));
        }
    }

    fn pack(&self, _execution: &Execution, experience: &Experience) -> Vec<u8> {
        experience.downcast_ref::<Played>().map(Played::pack).unwrap_or_default()
    }

    fn unpack(&self, _execution: &Execution, packed: &[u8]) -> Result<Experience, String> {
        Ok(Box::new(Played::unpack(packed, &self.shape)?))
    }

    fn share(&mut self, execution: &Execution, shared: &Shared<'_>, lesson: &Lesson<'_>) {
        if self.guide.is_some() {
            let input = foreign_input(shared, &self.shape);
            self.corpus.add(input, lesson, &mut Random::new(derive_seed(execution.seed, 3)));
        }
    }

    fn inputs(&self) -> Vec<Vec<u8>> {
        self.corpus.inputs().map(input_to_bytes).collect()
    }

    fn begin_with(&mut self, inputs: &[Vec<u8>]) -> Result<(), String> {
        self.given = inputs_of_bytes(inputs, &self.shape)?;
        Ok(())
    }

    fn save(&self) -> Vec<u8> {
        if self.guide.is_none() {
            return Vec::new();
        }
        let mut writer = Writer::new(MAGIC);
        self.operators.save(&mut writer);
        self.corpus.save(&mut writer);
        writer.finish()
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), String> {
        if saved.is_empty() {
            return Ok(());
        }
        let mut reader = Reader::new(saved, MAGIC)?;
        let operators = Operators::load(&mut reader)?;
        let corpus = Corpus::load(&mut reader, &self.shape)?;
        reader.finish()?;
        (self.operators, self.corpus) = (operators, corpus);
        Ok(())
    }
}
