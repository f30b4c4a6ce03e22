//! What an execution came to, seen from beside its strategy: the cells that it entered, in order, and its
//! steps. It is what the explorers learn from that go by more than one strategy.
//!
//! A cell is an abstract state of the cluster, as the guide `state` has it: the multiset of its nodes'
//! colours, and which of them are down. Its number is a sum over the nodes, so one node that changes costs
//! one subtraction and one addition.

use rustc_hash::FxHashSet;
use shakedown_cluster::{Board, Fingerprinter, NodeId, Step, Trace, derive_seed};

use crate::fuzz::saved::{Reader, Writer};
use crate::{Experience, Sight, Strategy};

/// What packed records begin with.
const MAGIC: &[u8] = b"r2";
/// The longest text of a step, in bytes.
const STEP_BYTES_MAX: usize = 64 << 10;

/// A cell that an execution entered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entered {
    /// Its number.
    pub cell: u64,
    /// After how many steps it was entered first.
    pub steps: u32,
}

/// What came of an execution.
pub(crate) struct Recorded {
    /// The place of its strategy among several; 0 if there is one only.
    pub arm: usize,
    /// What its own strategy experienced.
    pub inner: Experience,
    /// The cells, each once, in the order in which they were entered.
    pub entered: Vec<Entered>,
    /// Its steps.
    pub steps: Vec<Step>,
    /// A number for the order of what depends on each other, if it was asked for.
    pub order: Option<u64>,
    /// The seed of nodes and workload, if it was not the execution's own.
    pub world: Option<u64>,
}

impl Recorded {
    /// As bytes, given those of what its own strategy experienced.
    pub fn pack(&self, inner: &[u8]) -> Vec<u8> {
        let mut writer = Writer::new(MAGIC);
        writer.number(self.arm as u64);
        writer.bytes(inner);
        for number in [self.order, self.world] {
            writer.number(u64::from(number.is_some()));
            writer.number(number.unwrap_or_default());
        }
        writer.number(self.entered.len() as u64);
        for entered in &self.entered {
            writer.number(entered.cell);
            writer.number(u64::from(entered.steps));
        }
        writer.number(self.steps.len() as u64);
        self.steps.iter().for_each(|step| writer.bytes(step.to_string().as_bytes()));
        writer.finish()
    }

    /// Reads what [`Recorded::pack`] gave.
    pub fn unpack(
        packed: &[u8],
        inner: impl FnOnce(usize, &[u8]) -> Result<Experience, String>,
    ) -> Result<Recorded, String> {
        let mut reader = Reader::new(packed, MAGIC)?;
        let arm = usize::try_from(reader.number()?).map_err(|_| "there is no such arm")?;
        let inner = inner(arm, reader.bytes(packed.len())?)?;
        let mut optional = || {
            let is_there = reader.number()? > 0;
            Ok::<_, String>(Some(reader.number()?).filter(|_| is_there))
        };
        let (order, world) = (optional()?, optional()?);
        let entered = |reader: &mut Reader<'_>| {
            let (cell, steps) = (reader.number()?, reader.number()?);
            let steps = u32::try_from(steps).map_err(|_| "a cell lies beyond the last step")?;
            Ok::<_, String>(Entered { cell, steps })
        };
        let entered = (0..reader.count(16)?).map(|_| entered(&mut reader)).collect::<Result<Vec<_>, _>>()?;
        let step = |reader: &mut Reader<'_>| {
            let text =
                std::str::from_utf8(reader.bytes(STEP_BYTES_MAX)?).map_err(|error| error.to_string())?;
            text.parse::<Step>().map_err(|error| error.to_string())
        };
        let steps = (0..reader.count(8)?).map(|_| step(&mut reader)).collect::<Result<Vec<_>, _>>()?;
        reader.finish()?;
        if entered.iter().any(|entered| entered.steps as usize > steps.len()) {
            return Err("a cell lies beyond the last step".to_owned());
        }
        Ok(Recorded { arm, inner, entered, steps, order, world })
    }
}

/// A strategy that is watched.
pub(crate) struct Recorder {
    arm: usize,
    inner: Box<dyn Strategy>,
    world: Option<u64>,
    /// Whether the order is wanted too, which costs something.
    has_order: bool,
    /// What each node adds to the number of the cell.
    terms: Vec<u64>,
    /// How many moments have been seen.
    moments: usize,
    crashes: usize,
    down: usize,
    cell: u64,
    last: u64,
    seen: FxHashSet<u64>,
    entered: Vec<Entered>,
}

impl Recorder {
    pub fn new(inner: Box<dyn Strategy>, world: Option<u64>) -> Recorder {
        Recorder {
            arm: 0,
            inner,
            world,
            has_order: false,
            terms: Vec::new(),
            moments: 0,
            crashes: 0,
            down: 0,
            cell: 0,
            last: 0,
            seen: FxHashSet::default(),
            entered: Vec::new(),
        }
    }

    /// The same, of the strategy that stands at this place among several. With `has_order`, the order is
    /// recorded too.
    pub fn of_arm(self, arm: usize, has_order: bool) -> Recorder {
        Recorder { arm, has_order, ..self }
    }

    /// Takes in what has happened since the last time.
    #[inline]
    fn look(&mut self, sight: &Sight<'_>) {
        let board = sight.board();
        let is_other = (board.crash_count(), board.down_count()) != (self.crashes, self.down);
        if self.terms.is_empty() || is_other {
            self.terms.resize(board.size(), 0);
            (self.crashes, self.down) = (board.crash_count(), board.down_count());
            NodeId::first(board.size()).for_each(|node| self.update(node, sight));
        } else {
            for moment in &board.moments()[self.moments..] {
                self.update(moment.node, sight);
            }
        }
        self.moments = board.moments().len();
        if self.cell != self.last {
            self.last = self.cell;
            if self.seen.insert(self.cell) {
                self.entered.push(Entered { cell: self.cell, steps: board.steps().len() as u32 });
            }
        }
    }

    fn update(&mut self, node: NodeId, sight: &Sight<'_>) {
        let term = derive_seed(sight.colour(node), u64::from(sight.board().is_up(node)));
        let old = std::mem::replace(&mut self.terms[node.index()], term);
        self.cell = self.cell.wrapping_sub(old).wrapping_add(term);
    }
}

impl Strategy for Recorder {
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step> {
        self.look(sight);
        self.inner.next(sight)
    }

    fn experience(self: Box<Self>, trace: &Trace) -> Experience {
        Box::new(Recorded {
            arm: self.arm,
            inner: self.inner.experience(trace),
            entered: self.entered,
            steps: trace.board.steps().to_vec(),
            order: self.has_order.then(|| order_of(&trace.board)),
            world: self.world,
        })
    }
}

/// A number for the order of what depends on each other: two executions have the same one if every node did
/// the same in the same order. What each node received, from whom, fixes what happened before what; how the
/// moments of different nodes lay between each other does not matter.
pub fn order_of(board: &Board) -> u64 {
    let mut nodes = vec![Fingerprinter::default(); board.size()];
    for moment in board.moments() {
        let node = &mut nodes[moment.node.index()];
        match (moment.received, moment.step) {
            (Some(message), _) => node.add(&board.name_of(message)),
            (None, 0) => {}
            (None, step) => node.add(&board.steps()[step as usize - 1]),
        }
    }
    let mut whole = Fingerprinter::default();
    for node in &nodes {
        whole.add(&node.finish());
    }
    whole.finish().0 as u64
}
