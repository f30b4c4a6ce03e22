//! One episode on a cluster: carries out what the agent chooses, one step at a time.
//!
//! Who is in another part is not heard: its links are cut. So whatever is under way between parts is lost,
//! and so is what is sent between them, which is what the thesis does by dropping messages one by one; but a
//! cut is one step, it is what contracts with sessions allow too, and it shrinks well.

use std::sync::Arc;

use shakedown_cluster::{MessageIndex, NodeId, Random, Step, Trace};

use super::partitions::{Action, View, changes, serving};
use super::{Agent, Delivery, Episode, Partitions};
use crate::{Experience, Sight, Strategy};

/// What an episode does next, when nothing is planned any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// An action is chosen.
    Choice,
    /// A round begins: disks are flushed.
    Opening,
    /// What was under way when the round began is delivered.
    Deliveries,
    /// Clocks tick.
    Ticks,
    /// Timers go off.
    Timers,
}

/// One episode.
pub(crate) struct Run<A> {
    space: Arc<Partitions>,
    agent: Arc<A>,
    random: Random,
    episode: Episode,
    stage: Stage,
    /// The part of every node. A node that is down is in a part of its own.
    part_of: Vec<u8>,
    /// Stands for the parts and colours that were seen last.
    parts: Option<u64>,
    /// How often they were seen again.
    repeats: u32,
    rounds_left: usize,
    /// Messages from this one on belong to the next round.
    bound: MessageIndex,
    /// Steps to be done, the last one first.
    plan: Vec<Step>,
    actions: Vec<(u64, Action)>,
}

impl<A: Agent> Run<A> {
    pub fn new(space: Arc<Partitions>, agent: Arc<A>, seed: u64) -> Run<A> {
        Run {
            random: Random::new(seed),
            episode: Episode::new(space.waypoints.len()),
            stage: Stage::Choice,
            part_of: Vec::new(),
            parts: None,
            repeats: 0,
            rounds_left: 0,
            bound: MessageIndex(0),
            plan: Vec::with_capacity(8),
            actions: Vec::with_capacity(16),
            space,
            agent,
        }
    }

    /// Sees where the episode has come to, chooses an action and begins it. False when the episode is over.
    fn choose(&mut self, sight: &Sight<'_>) -> bool {
        self.part_of.resize(sight.board().size(), 0);
        let view = View::of(sight, &self.part_of);
        if self.parts.replace(view.parts) == Some(view.parts) {
            self.repeats = (self.repeats + 1).min(self.space.same);
        } else {
            self.repeats = 0;
        }
        let mut actions = std::mem::take(&mut self.actions);
        view.actions(&self.space, sight, &mut actions);
        let level = self.space.waypoints.level(|family, arguments| sight.holds(family, arguments));
        let names = actions.iter().map(|(name, _)| *name);
        self.episode.arrive(view.state(self.repeats), view.covered, level, names);
        if !self.space.watched.is_empty() {
            self.episode
                .watch(self.space.watched.holding(|family, arguments| sight.holds(family, arguments)));
        }
        let is_over = self.episode.len() == self.space.horizon || actions.is_empty();
        if !is_over {
            let place = self.agent.pick(&self.episode.situation(), &mut self.random);
            self.episode.choose(place);
            self.begin(&actions[place].1, &view, sight);
        }
        self.actions = actions;
        !is_over
    }

    fn begin(&mut self, action: &Action, view: &View, sight: &Sight<'_>) {
        let board = sight.board();
        match action {
            Action::Keep => self.pass_time(),
            Action::Part(parts) => {
                self.part(parts, view);
                for (a, b, is_apart) in changes(board, &self.part_of) {
                    self.plan.push(if is_apart { Step::Cut(a, b) } else { Step::Heal(a, b) });
                }
                self.pass_time();
            }
            Action::Crash(colour) => {
                let of_colour = |node: &NodeId| view.colours[node.index()] == *colour;
                let node = self.draw(board.up().filter(of_colour));
                let keep = self.random.below(u64::from(board.node(node).unflushed) + 1) as u32;
                self.leave(node, sight);
                // Plans are done from their end: first it crashes, then its links are cut.
                self.plan.push(Step::Crash { node, keep });
            }
            Action::Restart => {
                let node = self.draw(board.down());
                self.plan.push(Step::Restart(node));
            }
            Action::Request => {
                let node = self.draw(serving(sight));
                let op = board.next_request().expect("a request is offered only when one is left");
                self.plan.push(Step::Request(node, Arc::clone(op)));
            }
        }
    }

    /// One of these nodes, each with equal chance.
    fn draw(&mut self, mut nodes: impl Iterator<Item = NodeId> + Clone) -> NodeId {
        let place = self.random.index(nodes.clone().count());
        nodes.nth(place).expect("an action is offered only when there is a node for it")
    }

    /// Puts the running nodes into parts by their colours; which of the nodes of one colour goes where is
    /// drawn.
    fn part(&mut self, parts: &[u8], view: &View) {
        let mut running = view.running.clone();
        let is_same = |a: &NodeId, b: &NodeId| view.colours[a.index()] == view.colours[b.index()];
        running.chunk_by_mut(is_same).for_each(|alike| self.random.shuffle(alike));
        // Nodes that are down keep parts of their own, beyond those of the others.
        let size = self.part_of.len() as u8;
        for (place, part) in (size..).zip(&mut self.part_of) {
            *part = place;
        }
        for (node, part) in running.iter().zip(parts) {
            self.part_of[node.index()] = *part;
        }
    }

    /// Takes a node into a part of its own.
    fn leave(&mut self, node: NodeId, sight: &Sight<'_>) {
        let used = |part: &u8| self.part_of.contains(part);
        self.part_of[node.index()] = (0..=u8::MAX).find(|part| !used(part)).unwrap_or(u8::MAX);
        for (a, b, is_apart) in changes(sight.board(), &self.part_of) {
            self.plan.push(if is_apart { Step::Cut(a, b) } else { Step::Heal(a, b) });
        }
    }

    fn pass_time(&mut self) {
        self.rounds_left = self.space.ticks;
        if self.rounds_left > 0 {
            self.stage = Stage::Opening;
        }
    }

    /// The next message of this round, if there is one left.
    fn message(&mut self, sight: &Sight<'_>) -> Option<MessageIndex> {
        let bound = self.bound;
        let mut left = sight.deliverable().iter().copied().filter(|&message| message < bound);
        match self.space.delivery {
            Delivery::Sent => left.min(),
            Delivery::Any => match left.clone().count() {
                0 => None,
                count => left.nth(self.random.index(count)),
            },
        }
    }

    /// What comes next in a round; nothing if a new stage was entered, or only planned.
    fn go_on(&mut self, sight: &Sight<'_>) -> Option<Step> {
        let board = sight.board();
        match self.stage {
            Stage::Choice => {}
            Stage::Opening => {
                self.bound = MessageIndex(board.messages().len() as u32);
                let unflushed = board.up().filter(|&node| board.node(node).unflushed > 0);
                self.plan.extend(unflushed.map(Step::Flush));
                self.stage = Stage::Deliveries;
            }
            Stage::Deliveries => match self.message(sight) {
                Some(message) => return Some(board.deliver(message)),
                None => self.stage = Stage::Ticks,
            },
            Stage::Ticks => {
                self.plan.extend(board.up().map(Step::Tick));
                self.plan.reverse();
                self.stage = Stage::Timers;
            }
            Stage::Timers => {
                let due = |node: NodeId| {
                    let info = board.node(node);
                    let is_due = |(_, due): &&(shakedown_cluster::Name, u64)| *due <= info.ticks;
                    info.timers.iter().filter(is_due).map(move |(timer, _)| Step::Fire(node, *timer))
                };
                self.plan.extend(board.up().flat_map(due));
                self.rounds_left -= 1;
                self.stage = if self.rounds_left == 0 { Stage::Choice } else { Stage::Opening };
            }
        }
        None
    }
}

impl<A: Agent> Strategy for Run<A> {
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step> {
        loop {
            if let Some(step) = self.plan.pop() {
                return Some(step);
            }
            if self.stage == Stage::Choice {
                if !self.choose(sight) {
                    return None;
                }
            } else if let Some(step) = self.go_on(sight) {
                return Some(step);
            }
        }
    }

    fn experience(self: Box<Self>, _trace: &Trace) -> Experience {
        Box::new(self.episode)
    }
}
