//! What a strategy is: it chooses the next step.
//!
//! There are two traits because there are two lengths of memory. An [`Explorer`] lives as long as a campaign:
//! it holds what was learned so far (tables, a corpus, nothing) and is read-only while executions run. A
//! [`Strategy`] lives for one execution: it is made by the explorer from the execution's own seed, chooses
//! steps, and hands back what it experienced. Experiences are merged into the explorer in the order of
//! execution numbers, a generation at a time, and a generation has a size of its own: so the number of worker
//! threads never changes a result.

use std::any::Any;

use shakedown_cluster::{Step, StepKind, Trace};

use crate::recorder::Entered;
use crate::{Mix, Sight};

/// Which execution of a campaign this is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Execution {
    /// Its number in the campaign, counted from 0.
    pub number: u64,
    /// Where all its randomness comes from.
    pub seed: u64,
    /// The most steps that it may take.
    pub steps_max: usize,
}

/// Chooses the steps of one execution.
pub trait Strategy {
    /// The next step, or nothing to end the execution. A strategy that plans whole rounds keeps the rest of
    /// its plan and hands it out step by step; a step that turns out impossible is skipped and the strategy
    /// is asked again.
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step>;

    /// What was experienced, for [`Explorer::learn`].
    fn experience(self: Box<Self>, _trace: &Trace) -> Experience {
        Box::new(())
    }
}

/// What a strategy experienced in one execution; only its own explorer knows what is inside.
pub type Experience = Box<dyn Any + Send>;

/// Makes strategies, and learns from what they experienced.
pub trait Explorer: Send + Sync {
    /// The strategy for one execution. It depends on the execution and on what was learned in earlier
    /// generations.
    fn strategy(&self, execution: &Execution) -> Box<dyn Strategy>;

    /// The strategy for one execution with a mix of its own. A strategy that plans its steps by itself has no
    /// use for it.
    fn mixed(&self, execution: &Execution, _mix: &Mix) -> Box<dyn Strategy> {
        self.strategy(execution)
    }

    /// The mix that this execution draws, if each draws its own.
    fn mix(&self, _execution: &Execution) -> Option<Mix> {
        None
    }

    /// The strategies that it divides the campaign among; nothing if it is one strategy.
    fn arms(&self) -> Vec<ArmInfo<'_>> {
        Vec::new()
    }

    /// The place of this execution's strategy among its arms.
    fn arm(&self, _execution: &Execution) -> Option<usize> {
        None
    }

    /// What failure files name as the strategy that found a failure; nothing if it is the strategy that the
    /// campaign names.
    fn label(&self) -> Option<&str> {
        None
    }

    /// The seed of the nodes and of the workload, if it is not to be the execution's own: a strategy that
    /// goes on from an earlier execution gives that one's, or the nodes would draw other numbers and never
    /// come to where they were.
    fn world(&self, _execution: &Execution) -> Option<u64> {
        None
    }

    /// The most steps of this execution, if it may take more than others: an episode goes on to its end.
    fn steps_max(&self, execution: &Execution) -> usize {
        execution.steps_max
    }

    /// After how many executions it wants to learn; nothing if it never learns.
    fn generation(&self) -> Option<u64> {
        None
    }

    /// Whether it learns at the end of a generation. One that never learns may want generations for other
    /// reasons.
    fn learns(&self) -> bool {
        self.generation().is_some()
    }

    /// Whether what its strategies experience has to come to the campaign from workers on other machines.
    fn reports(&self) -> bool {
        self.learns()
    }

    /// Whether its executions are to have steps of this kind: if there are none in a whole campaign, a
    /// warning says so.
    fn wants(&self, _kind: StepKind) -> bool {
        true
    }

    /// Whether the weights of the campaign decide how often kinds of steps happen. A strategy that plans its
    /// steps by itself ignores them.
    fn uses_weights(&self) -> bool {
        true
    }

    /// Executions of the same kind as the one of these steps, each a little simpler. Shrinking tries them
    /// before it takes steps out one by one, for what they leave is still as regular as what was found.
    fn simpler(&self, _execution: &Execution, _steps: &[Step]) -> Vec<Box<dyn Strategy>> {
        Vec::new()
    }

    /// The guide whose coverage it wants to hear of in [`Explorer::learn`], by name; nothing if none.
    fn guide(&self) -> Option<&str> {
        None
    }

    /// All guides whose coverage it wants to hear of ([`Lesson::guides`]).
    fn guides(&self) -> Vec<&str> {
        self.guide().into_iter().collect()
    }

    /// Whether this execution is to be watched by that one of its guides, by its place: guides cost time.
    fn looks(&self, _execution: &Execution, _guide: usize) -> bool {
        true
    }

    /// Learns from one execution. Called in the order of execution numbers.
    fn learn(&mut self, _execution: &Execution, _experience: Experience, _lesson: &Lesson<'_>) {}

    /// What a strategy of this explorer experienced in an execution, as bytes: an explorer of the same
    /// campaign in another process takes it by [`Explorer::unpack`], and learns the same from it.
    fn pack(&self, _execution: &Execution, _experience: &Experience) -> Vec<u8> {
        Vec::new()
    }

    /// The experience that [`Explorer::pack`] gave the bytes of. They come from another machine: the error
    /// says what is wrong with them.
    fn unpack(&self, _execution: &Execution, packed: &[u8]) -> Result<Experience, String> {
        match packed {
            [] => Ok(Box::new(())),
            _ => Err("this strategy experiences nothing".to_owned()),
        }
    }

    /// Takes in an execution of another strategy of the same campaign that came to something new. The lesson
    /// is by its own guide.
    fn share(&mut self, _execution: &Execution, _shared: &Shared<'_>, _lesson: &Lesson<'_>) {}

    /// Whether it wants to hear of every execution that came to something new, its own ones too, or only of
    /// the best of others.
    fn takes_all(&self) -> bool {
        false
    }

    /// The inputs that it goes on from, each in a form of its own that [`Explorer::begin_with`] takes;
    /// nothing if it has none.
    fn inputs(&self) -> Vec<Vec<u8>> {
        Vec::new()
    }

    /// Plays these inputs first: execution number 0 plays the first of them, and so on. They come from files:
    /// the error says what is wrong with them.
    fn begin_with(&mut self, _inputs: &[Vec<u8>]) -> Result<(), String> {
        Err("this strategy plays no inputs: choose `fuzz`".to_owned())
    }

    /// Everything that was learned, so that a campaign can go on another day; nothing if it never learns.
    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Takes up what [`Explorer::save`] gave. The bytes come from a file: the error says what is wrong with
    /// them.
    fn load(&mut self, saved: &[u8]) -> Result<(), String> {
        if saved.is_empty() { Ok(()) } else { Err("this strategy learns nothing".to_owned()) }
    }
}

/// What came of an execution, beyond what its strategy experienced.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lesson<'a> {
    /// Whether a property was violated.
    pub failed: bool,
    /// What the explorer's guide saw, each number once, in an order that follows from the execution.
    pub covered: &'a [u64],
    /// Those of them that no earlier execution of the campaign had covered.
    pub new: &'a [u64],
    /// The same for each of the guides that it asked for.
    pub guides: &'a [Seen],
}

/// What a guide saw of an execution.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Seen {
    /// Everything, each number once, in an order that follows from the execution.
    pub covered: Vec<u64>,
    /// What of it no earlier execution of the campaign had covered.
    pub new: Vec<u64>,
}

/// An execution of another strategy.
#[derive(Clone, Copy, Debug)]
pub struct Shared<'a> {
    /// The seed of its nodes and its workload.
    pub world: u64,
    /// Its steps.
    pub steps: &'a [Step],
    /// The cells that it entered, in order.
    pub entered: &'a [Entered],
    /// Those of them that no earlier execution had entered.
    pub new: &'a [Entered],
}

/// One of the strategies that an explorer divides a campaign among.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArmInfo<'a> {
    /// The strategy, as text.
    pub name: &'a str,
    /// How many abstract states its executions were the first to come to.
    pub new: u64,
}
