//! Swarm testing (Groce et al., ISSTA 2012): every execution draws a mix of its own, so that no kind of fault
//! crowds out what another one would have shown.
//!
//! Strategies that go by weights take the whole mix. One that plans its steps by itself (closure, fuzz, those
//! that learn) keeps its plan: of its mix only the limits of crashes, requests and steps count.

use shakedown_cluster::{Step, StepKind, Trace, derive_seed};

use crate::stalls::Stalls;
use crate::{Draws, Execution, Experience, Explorer, Lesson, Mix, Shared, Sight, Strategy};

/// The part of an execution's seed that its mix is drawn from.
const MIX_PART: u64 = 0x5_1a2a;
/// How often in a row a strategy is asked again for a step within the limits.
const ASKED_MAX: usize = 64;

/// Any explorer, with a mix for every execution.
pub struct Swarm {
    inner: Box<dyn Explorer>,
    base: Mix,
    draws: Draws,
}

impl Swarm {
    /// This explorer, with mixes within the base.
    pub fn new(inner: Box<dyn Explorer>, base: Mix, draws: Draws) -> Swarm {
        Swarm { inner, base, draws }
    }

    fn drawn(&self, execution: &Execution) -> Mix {
        self.base.draw_some(self.draws, derive_seed(execution.seed, MIX_PART))
    }
}

impl Explorer for Swarm {
    fn strategy(&self, execution: &Execution) -> Box<dyn Strategy> {
        let mix = self.drawn(execution);
        Box::new(Limited::new(self.inner.mixed(execution, &mix), mix, execution.seed))
    }

    fn label(&self) -> Option<&str> {
        self.inner.label()
    }

    fn mix(&self, execution: &Execution) -> Option<Mix> {
        Some(self.drawn(execution))
    }

    fn world(&self, execution: &Execution) -> Option<u64> {
        self.inner.world(execution)
    }

    fn generation(&self) -> Option<u64> {
        self.inner.generation()
    }

    fn wants(&self, kind: StepKind) -> bool {
        self.inner.wants(kind)
    }

    fn uses_weights(&self) -> bool {
        self.inner.uses_weights()
    }

    fn simpler(&self, execution: &Execution, steps: &[Step]) -> Vec<Box<dyn Strategy>> {
        self.inner.simpler(execution, steps)
    }

    fn guide(&self) -> Option<&str> {
        self.inner.guide()
    }

    fn learn(&mut self, execution: &Execution, experience: Experience, lesson: &Lesson<'_>) {
        self.inner.learn(execution, experience, lesson);
    }

    fn pack(&self, execution: &Execution, experience: &Experience) -> Vec<u8> {
        self.inner.pack(execution, experience)
    }

    fn unpack(&self, execution: &Execution, packed: &[u8]) -> Result<Experience, String> {
        self.inner.unpack(execution, packed)
    }

    fn share(&mut self, execution: &Execution, shared: &Shared<'_>, lesson: &Lesson<'_>) {
        self.inner.share(execution, shared, lesson);
    }

    fn inputs(&self) -> Vec<Vec<u8>> {
        self.inner.inputs()
    }

    fn begin_with(&mut self, inputs: &[Vec<u8>]) -> Result<(), String> {
        self.inner.begin_with(inputs)
    }

    fn save(&self) -> Vec<u8> {
        self.inner.save()
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), String> {
        self.inner.load(saved)
    }
}

/// A strategy within the limits of a mix.
pub(crate) struct Limited {
    inner: Box<dyn Strategy>,
    mix: Mix,
    stalls: Option<Stalls>,
}

impl Limited {
    pub fn new(inner: Box<dyn Strategy>, mix: Mix, seed: u64) -> Limited {
        let stalls = Stalls::of(&mix, seed);
        Limited { inner, mix, stalls }
    }
}

impl Strategy for Limited {
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step> {
        let board = sight.board();
        if board.steps().len() >= self.mix.steps {
            return None;
        }
        for _ in 0..ASKED_MAX {
            let step = Stalls::next(&mut self.stalls, self.inner.as_mut(), sight)?;
            let is_within = match step {
                Step::Request(..) => board.requests().len() < self.mix.requests,
                Step::Crash { .. } => board.crash_count() < self.mix.crashes,
                _ => true,
            };
            if is_within {
                return Some(step);
            }
        }
        None
    }

    fn experience(self: Box<Self>, trace: &Trace) -> Experience {
        self.inner.experience(trace)
    }
}
