//! Playing an input: it expands to ordinary steps.

use std::sync::Arc;

use shakedown_cluster::{MessageIndex, Name, NodeId, Random, Step, Timers, Trace};

use super::generate::Shape;
use super::input::{Buffer, Deed, Entry, Input};
use super::saved::{Reader, Writer};
use crate::{Execution, Experience, Sight, Strategy};

/// What a packed input begins with.
const MAGIC: &[u8] = b"p1";

/// What came of playing an input.
pub(super) struct Played {
    /// The input, with the buffers that were drawn.
    pub input: Input,
    /// How it was made.
    pub origin: Origin,
}

/// How an input was made: by which operator, from which member of the corpus, if any. Both are numbers of the
/// explorer's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Origin {
    pub operator: usize,
    pub parent: Option<u32>,
}

impl Origin {
    /// It was given from outside.
    pub const GIVEN: Origin = Origin { operator: usize::MAX, parent: None };
}

impl Played {
    /// As bytes.
    pub fn pack(&self) -> Vec<u8> {
        let mut writer = Writer::new(MAGIC);
        writer.number(u64::from(self.input.world.is_some()));
        writer.number(self.origin.operator as u64);
        writer.number(self.origin.parent.map_or(0, |parent| u64::from(parent) + 1));
        writer.input(&self.input);
        writer.finish()
    }

    /// Reads what [`Played::pack`] gave.
    pub fn unpack(packed: &[u8], shape: &Shape) -> Result<Played, String> {
        let mut reader = Reader::new(packed, MAGIC)?;
        let has_world = reader.number()? > 0;
        let operator = usize::try_from(reader.number()?).map_err(|_| "there is no such operator")?;
        let parent = match reader.number()? {
            0 => None,
            parent => Some(u32::try_from(parent - 1).map_err(|_| "there is no such parent")?),
        };
        let mut input = reader.input(shape)?;
        reader.finish()?;
        input.world = input.world.filter(|_| has_world);
        Ok(Played { input, origin: Origin { operator, parent } })
    }
}

/// The given input that an execution is to play, if it is one of the first.
pub(super) fn given<'a>(inputs: &'a [Arc<Input>], execution: &Execution) -> Option<&'a Arc<Input>> {
    usize::try_from(execution.number).ok().and_then(|number| inputs.get(number))
}

/// What a delivery from an empty buffer does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Empty {
    /// Nothing, as in the paper.
    Skip,
    /// It takes the next buffer that holds something.
    Next,
    /// It waits: the next delivery of the input that can be done changes places with it. If there is none, a
    /// buffer is drawn. So the authors' program for the microbenchmark does it.
    Wait,
}

/// How inputs are played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Manner {
    /// What a delivery from an empty buffer does.
    pub empty: Empty,
    /// How many times each message that was delivered stands in the input that mutants are made of. With 1,
    /// as in the paper, the input stays as it was. The authors' program for the microbenchmark notes a
    /// delivery when a message is sent, received and handled, and lets mutants choose by each of these notes.
    pub echo: usize,
}

/// Plays an input. What cannot be done at its step is passed over.
pub(super) struct Play {
    shape: Arc<Shape>,
    input: Input,
    origin: Origin,
    random: Random,
    manner: Manner,
    step: u16,
    /// The next entry.
    place: usize,
    /// The buffer that is being emptied, and how many more messages of it are delivered.
    emptying: Option<(Buffer, u8)>,
    /// What is left of the step after its entries: ticks, and timers that are due.
    clocks: Clocks,
}

enum Clocks {
    /// The entries of the step are not done yet.
    Waiting,
    /// So many ticks have been looked at.
    Ticking(usize),
    /// These timers are due, the last one first.
    Firing(Vec<(NodeId, Name)>),
}

impl Play {
    pub fn new(shape: Arc<Shape>, input: Input, origin: Origin, manner: Manner, seed: u64) -> Play {
        Play {
            shape,
            input,
            origin,
            random: Random::new(seed),
            manner,
            step: 0,
            place: 0,
            emptying: None,
            clocks: Clocks::Waiting,
        }
    }

    /// The oldest message of a buffer.
    fn oldest(&self, buffer: Buffer, sight: &Sight<'_>) -> Option<MessageIndex> {
        let of_buffer = |message: &MessageIndex| self.buffer_of(*message, sight) == buffer;
        sight.deliverable().iter().copied().filter(of_buffer).min()
    }

    fn buffer_of(&self, message: MessageIndex, sight: &Sight<'_>) -> Buffer {
        let id = sight.board().message(message).id;
        self.shape.buffer(id.from.index(), id.to.index())
    }

    /// The buffers that hold something, in order.
    fn holding(&self, sight: &Sight<'_>) -> Vec<Buffer> {
        let mut buffers: Vec<u16> =
            sight.deliverable().iter().map(|&message| self.buffer_of(message, sight).0).collect();
        buffers.sort_unstable();
        buffers.dedup();
        buffers.into_iter().map(Buffer).collect()
    }

    /// The buffer that a deed means now. One that is open is drawn and remembered.
    fn resolve(&mut self, buffer: Buffer, sight: &Sight<'_>) -> Option<Buffer> {
        if buffer == Buffer::OPEN {
            let holding = self.holding(sight);
            let drawn = *self.random.choose(&holding)?;
            self.input.fix(self.place - 1, drawn);
            return Some(drawn);
        }
        if self.manner.empty == Empty::Skip || self.oldest(buffer, sight).is_some() {
            return Some(buffer);
        }
        let holding = self.holding(sight);
        let place = self.place - 1;
        let instead = match self.manner.empty {
            Empty::Wait => match self.input.next_delivery(place, &holding) {
                Some((later, instead)) => {
                    self.input.fix(later, buffer);
                    instead
                }
                None => *self.random.choose(&holding)?,
            },
            _ => *holding.iter().find(|other| other.0 > buffer.0).or(holding.first())?,
        };
        self.input.fix(place, instead);
        Some(instead)
    }

    /// The step that a deed stands for; nothing if it cannot be done. Deliveries are begun.
    fn step_of(&mut self, deed: Deed, sight: &Sight<'_>) -> Option<Step> {
        let board = sight.board();
        let node_of = |node: u8| NodeId::from_index(node as usize);
        match deed {
            Deed::Crash { node, keep } => {
                let node = node_of(node);
                let may = board.is_up(node)
                    && board.crash_count() < self.shape.crashes
                    && board.down_count() < board.contract().down_max(board.size());
                let unflushed = u64::from(board.node(node).unflushed);
                may.then_some(Step::Crash { node, keep: (u64::from(keep) * (unflushed + 1) / 256) as u32 })
            }
            Deed::Restart(node) => Some(node_of(node)).filter(|&node| !board.is_up(node)).map(Step::Restart),
            Deed::Cut(a, b) => {
                let (a, b) = (node_of(a), node_of(b));
                (!board.is_cut(a, b)).then_some(Step::Cut(a, b))
            }
            Deed::Heal(a, b) => {
                let (a, b) = (node_of(a), node_of(b));
                board.is_cut(a, b).then_some(Step::Heal(a, b))
            }
            Deed::Drop(buffer) | Deed::Duplicate(buffer) => {
                let buffer = self.resolve(buffer, sight)?;
                let (id, kind) = board.name_of(self.oldest(buffer, sight)?);
                Some(if let Deed::Drop(_) = deed { Step::Drop(id, kind) } else { Step::Duplicate(id, kind) })
            }
            Deed::Deliver(buffer, most) => {
                let buffer = self.resolve(buffer, sight)?;
                self.emptying = Some((buffer, most));
                None
            }
            Deed::Request(node) => {
                let op = board.next_request()?.clone();
                let size = board.size();
                let up = (0..size).map(|offset| node_of(((node as usize + offset) % size) as u8));
                up.into_iter().find(|&node| board.is_up(node)).map(|node| Step::Request(node, op))
            }
            Deed::Fire(node) => {
                let timer = board.ripe_timers().find(|(of, _)| *of == node_of(node))?;
                Some(Step::Fire(timer.0, timer.1))
            }
            Deed::Flush(node) => {
                let node = node_of(node);
                (board.is_up(node) && board.node(node).unflushed > 0).then_some(Step::Flush(node))
            }
        }
    }

    /// The next step of the clocks; nothing if they are done with.
    fn clock_step(&mut self, sight: &Sight<'_>) -> Option<Step> {
        let board = sight.board();
        if let Clocks::Waiting = self.clocks {
            self.clocks = Clocks::Ticking(0);
        }
        if let Clocks::Ticking(ticked) = &mut self.clocks {
            while *ticked < board.size() * self.shape.ticks {
                let node = NodeId::from_index(*ticked % board.size());
                *ticked += 1;
                if board.is_up(node) {
                    return Some(Step::Tick(node));
                }
            }
            // Timers that may go off at any time are the input's affair.
            let due = match board.contract().timers {
                Timers::WhenDue if board.has_ripe_timers() => board.ripe_timers().collect(),
                _ => Vec::new(),
            };
            self.clocks = Clocks::Firing(due);
        }
        if let Clocks::Firing(due) = &mut self.clocks {
            while let Some(timer) = due.pop() {
                if board.ripe_timers().any(|ripe| ripe == timer) {
                    return Some(Step::Fire(timer.0, timer.1));
                }
            }
        }
        self.clocks = Clocks::Waiting;
        None
    }
}

impl Strategy for Play {
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step> {
        loop {
            if let Some((buffer, left)) = self.emptying {
                match self.oldest(buffer, sight) {
                    Some(message) if left > 0 => {
                        self.emptying = Some((buffer, left - 1));
                        self.input.end = self.step;
                        return Some(sight.board().deliver(message));
                    }
                    _ => self.emptying = None,
                }
            }
            if self.step as usize >= self.shape.horizon {
                return None;
            }
            match self.input.entries().get(self.place) {
                Some(entry) if entry.step <= self.step => {
                    let deed = entry.deed;
                    self.place += 1;
                    if let Some(step) = self.step_of(deed, sight) {
                        self.input.end = self.step;
                        return Some(step);
                    }
                }
                _ => match self.clock_step(sight) {
                    Some(step) => return Some(step),
                    None => self.step += 1,
                },
            }
        }
    }

    fn experience(mut self: Box<Self>, trace: &Trace) -> Experience {
        if self.manner.echo > 1 {
            let last = self.shape.horizon - 1;
            let delivered = trace.board.steps().iter().filter_map(|step| match step {
                Step::Deliver(id, _) => Some(self.shape.buffer(id.from.index(), id.to.index())),
                _ => None,
            });
            let entry = |(number, buffer): (usize, Buffer)| Entry {
                step: number.min(last) as u16,
                deed: Deed::Deliver(buffer, 1),
            };
            let delivered: Vec<Entry> = delivered.enumerate().map(entry).collect();
            self.input.echo(&delivered, self.manner.echo);
        }
        Box::new(Played { input: self.input, origin: self.origin })
    }
}
