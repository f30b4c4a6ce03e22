//! Lock step: carries out the rounds of an execution, one step at a time.
//!
//! A round begins with a mark that names its kernel; then links break or heal, clients ask and clocks tick;
//! then everything that belongs to the round is received or lost. Three levels of control, as in section 7 of
//! the paper: every round in lock step; only phases in lock step, their messages in any order and lost by
//! their round; and nothing but cutting off or stopping processes at the boundaries of phases.

use std::collections::VecDeque;
use std::sync::Arc;

use shakedown_cluster::{
    Board, Fate, Loss, MessageIndex, Name, NodeId, NodeSet, Order, Random, Step, StepKind, derive_seed,
};

use super::clients::Clients;
use super::rounds::Rounds;
use super::{HarnessMaker, Isolation, Occasion, Pace, Phase, Placed, Shape, When};
use crate::{Execution, Explorer, Sight, Strategy};

/// How closely an execution is controlled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Control {
    /// Every round in lock step: messages are held until their round, and received in it or lost.
    Rounds,
    /// Phases in lock step: within a phase messages come in any order, and are lost by the round they belong
    /// to.
    Phases,
    /// Processes are cut off or stopped at the beginning of a phase, and nothing is known of rounds.
    Boundaries(Stopping),
    /// Steps of two stages, with the rounds `start` and `work` for a phase: those in the kernel of the first
    /// are started; if they are a majority, a leader is waited for, and clients ask; more processes are
    /// stopped, and the rest works on. Between two steps all are stopped, as far as the contract allows.
    Steps(Stopping),
}

/// How a process is isolated by who sees no rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopping {
    /// Its links are cut.
    Cut,
    /// It crashes, and restarts when it joins again. Where the contract allows no more crashes, its links are
    /// cut.
    Crash,
}

/// What goes wrong.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Faults {
    /// Processes are isolated: Algorithm 1.
    Isolations(Control),
    /// Baseline: each message is lost with this probability.
    Loss(f64),
    /// Baseline: crashes at intervals of so many rounds on average, each for so many rounds on average.
    /// Rounds are whole numbers, so the intervals have a geometric distribution, which is the exponential one
    /// of whole numbers.
    Crashes {
        /// Between crashes.
        interval: u32,
        /// Until the restart.
        down: u32,
    },
}

/// Explores executions in lock step.
#[derive(Clone)]
pub struct LockStep {
    /// What a phase is.
    pub phase: Arc<Phase>,
    /// Nodes, rounds, period, isolations.
    pub shape: Shape,
    /// What goes wrong.
    pub faults: Faults,
    /// How the target's network loses messages.
    pub loss: Loss,
    /// Which requests are sent when; nothing to spread the target's own over the phases, each to a random
    /// node.
    pub harness: Option<HarnessMaker>,
    /// After how many phases without an answer a client asks another node, where clients ask again.
    pub patience: u32,
    /// Where rounds are stages: whether clients ask in the second one, when its processes are stopped, and
    /// not at the end of the first. All processes are stopped after the last step then, as after every other.
    pub asks_late: bool,
}

impl LockStep {
    fn run(&self, execution: &Execution, isolations: Option<Vec<Isolation>>) -> Run {
        // What is isolated, what is asked and what else is random have seeds of their own, so that an
        // execution with fewer isolations asks the same.
        let drawn = || self.shape.draw(&mut Random::new(derive_seed(execution.seed, 0)));
        let isolations = match self.faults {
            Faults::Isolations(_) => isolations.unwrap_or_else(drawn),
            _ => Vec::new(),
        };
        let mut kernels = self.shape.kernels(&isolations);
        if let Faults::Isolations(Control::Boundaries(_)) = self.faults {
            // Whoever is isolated in a period is isolated from its beginning.
            for period in kernels.chunks_mut(self.shape.period) {
                let kernel = *period.last().expect("no chunk is empty");
                period.fill(kernel);
            }
        }
        let mut occasion = Occasion {
            execution: execution.number,
            nodes: self.shape.nodes,
            random: &mut Random::new(derive_seed(execution.seed, 1)),
        };
        let rounds = Rounds::new(Arc::clone(&self.phase), self.shape, kernels);
        Run {
            requests: self.harness.as_ref().map(|make| make(&mut occasion).into()),
            faults: self.faults,
            pace: self.phase.pace(),
            nodes: self.shape.nodes,
            random: Random::new(derive_seed(execution.seed, 2)),
            stage: Stage::Opening,
            at: 0,
            first: 0,
            plan: Vec::with_capacity(32),
            done: 0,
            exchanged: Vec::with_capacity(16),
            done_exchanges: 0,
            round_of: Vec::with_capacity(64),
            held: Vec::with_capacity(16),
            last_of_link: vec![0; self.shape.nodes * self.shape.nodes],
            clients: Clients::new(self.patience),
            beats: 0,
            asks_late: self.asks_late,
            rounds,
        }
    }
}

impl Explorer for LockStep {
    fn strategy(&self, execution: &Execution) -> Box<dyn Strategy> {
        Box::new(self.run(execution, None))
    }

    fn uses_weights(&self) -> bool {
        false
    }

    fn wants(&self, kind: StepKind) -> bool {
        let (drops, cuts, stops) = match self.faults {
            Faults::Isolations(_) if self.shape.isolations == Some(0) => (false, false, false),
            Faults::Isolations(Control::Boundaries(by) | Control::Steps(by)) => {
                (false, by == Stopping::Cut, by == Stopping::Crash)
            }
            Faults::Isolations(_) => (self.loss == Loss::Message, self.loss == Loss::Session, false),
            Faults::Loss(probability) => (probability > 0.0, false, false),
            Faults::Crashes { .. } => (false, false, true),
        };
        match kind {
            StepKind::Deliver | StepKind::Tick | StepKind::Request | StepKind::Round => true,
            StepKind::Flush | StepKind::Retry => true,
            StepKind::Drop => drops,
            StepKind::Cut | StepKind::Heal => cuts,
            StepKind::Crash | StepKind::Restart => stops,
            StepKind::Duplicate | StepKind::Tamper | StepKind::Inject | StepKind::Fire => false,
        }
    }

    /// With one isolation less, or with one that begins a round later.
    fn simpler(&self, execution: &Execution, steps: &[Step]) -> Vec<Box<dyn Strategy>> {
        if self.faults != Faults::Isolations(Control::Rounds) {
            return Vec::new();
        }
        let kernels: Vec<_> = steps
            .iter()
            .filter_map(|step| match step {
                Step::Round { phase: 1.., kernel, .. } => Some(*kernel),
                _ => None,
            })
            .collect();
        let seen = self.shape.isolations_in(&kernels);
        let without = (0..seen.len()).map(|gone| {
            let mut rest = seen.clone();
            rest.remove(gone);
            rest
        });
        let later = (0..seen.len()).filter_map(|place| {
            let mut rest = seen.clone();
            rest[place].start += 1;
            (rest[place].start < self.shape.length(rest[place].period)).then_some(rest)
        });
        let run = |isolations| Box::new(self.run(execution, Some(isolations))) as Box<dyn Strategy>;
        without.chain(later).map(run).collect()
    }
}

/// Where an execution stands in its round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// The mark, the links, the requests, the ticks.
    Opening,
    /// What belongs to the round is received or lost.
    Exchange,
    /// The round is over.
    Over,
    /// Everything is.
    Closed,
    /// All nodes are stopped, as far as the contract allows, before the next step.
    Stop,
}

/// One execution.
pub(super) struct Run {
    pub(super) rounds: Rounds,
    pub(super) faults: Faults,
    pace: Pace,
    pub(super) nodes: usize,
    /// The harness's requests that are still to be sent; nothing if the target's own are sent.
    requests: Option<VecDeque<Placed>>,
    random: Random,
    stage: Stage,
    /// The round, or the first of the phase where only phases are in lock step.
    pub(super) at: usize,
    /// The round in which what is sent now can be received at the earliest.
    first: usize,
    /// Steps to be done, of which the first `done` were.
    pub(super) plan: Vec<Step>,
    done: usize,
    /// Messages to be received or lost after these, of which the first `done_exchanges` were.
    exchanged: Vec<(MessageIndex, bool)>,
    done_exchanges: usize,
    /// The round of every message, by its index.
    round_of: Vec<u32>,
    /// Messages that are under way.
    held: Vec<MessageIndex>,
    /// The latest round of any message of a link: where links are first in, first out, later ones cannot be
    /// earlier.
    last_of_link: Vec<u32>,
    /// Clients that wait for answers.
    pub(super) clients: Clients,
    /// How many beats the round has had, where rounds are stages.
    pub(super) beats: u32,
    /// Whether clients ask in the second stage.
    pub(super) asks_late: bool,
}

impl Strategy for Run {
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step> {
        let board = sight.board();
        self.take_in(board);
        loop {
            if let Some(step) = self.plan.get(self.done) {
                self.done += 1;
                if matches!(step, Step::Retry(_, op) if !is_waited_for(board, op)) {
                    // It was answered since this was planned.
                    continue;
                }
                return Some(step.clone());
            }
            if let Some(&(message, is_received)) = self.exchanged.get(self.done_exchanges) {
                self.done_exchanges += 1;
                return Some(receive_or_lose(board, message, is_received));
            }
            self.plan.clear();
            self.exchanged.clear();
            self.done_exchanges = 0;
            self.done = 0;
            match self.stage {
                Stage::Opening => {
                    self.first = self.at;
                    self.open(board);
                    self.stage = Stage::Exchange;
                }
                Stage::Exchange if self.is_ordered() => {
                    self.first = self.at + 1;
                    self.exchange(sight);
                    self.stage = Stage::Over;
                }
                Stage::Exchange => match self.any_of_phase(sight) {
                    Some(step) => return Some(step),
                    None if self.is_staged() && self.beat(sight) => {}
                    None => self.stage = Stage::Over,
                },
                Stage::Stop => {
                    self.stop_all(board);
                    self.stage = Stage::Opening;
                }
                Stage::Over => self.go_on(board),
                Stage::Closed => return None,
            }
        }
    }
}

impl Run {
    /// Whether messages come round by round.
    fn is_ordered(&self) -> bool {
        matches!(self.faults, Faults::Isolations(Control::Rounds) | Faults::Loss(_) | Faults::Crashes { .. })
    }

    /// How many rounds are done at once.
    fn span(&self) -> usize {
        if self.is_ordered() || self.is_staged() { 1 } else { self.rounds.phase_length() }
    }

    /// Gives every message that was sent since the last time its round.
    fn take_in(&mut self, board: &Board) {
        let is_fifo = board.contract().order == Order::Fifo;
        // Who sees no rounds takes messages as they come.
        let knows_rounds =
            !matches!(self.faults, Faults::Isolations(Control::Boundaries(_) | Control::Steps(_)));
        for (number, message) in board.messages().iter().enumerate().skip(self.round_of.len()) {
            let mut round = if knows_rounds {
                self.rounds.round_of(message.kind, self.first) as u32
            } else {
                self.first as u32
            };
            if is_fifo {
                let link = message.id.from.index() * self.nodes + message.id.to.index();
                round = round.max(self.last_of_link[link]);
                self.last_of_link[link] = round;
            }
            self.round_of.push(round);
            if message.fate != Fate::Lost {
                self.held.push(MessageIndex(number as u32));
            }
        }
    }

    fn round(&self, message: MessageIndex) -> usize {
        self.round_of[message.index()] as usize
    }

    /// The opening of a round.
    fn open(&mut self, board: &Board) {
        let is_phase = self.rounds.begins_phase(self.at);
        let mut kernel = self.rounds.kernel(self.at);
        if let Faults::Crashes { interval, down } = self.faults {
            self.plan_crashes(board, interval, down);
            kernel = self.will_be_up(board);
        }
        let name = if self.is_ordered() || self.is_staged() {
            self.rounds.name(self.at)
        } else {
            Name::new("phase")
        };
        self.plan.insert(0, Step::Round { phase: self.rounds.phase_number(self.at), name, kernel });
        match self.faults {
            Faults::Isolations(Control::Boundaries(Stopping::Crash) | Control::Steps(Stopping::Crash)) => {
                self.stop_and_start(board, kernel)
            }
            Faults::Isolations(control) => {
                let is_cut_off = matches!(control, Control::Boundaries(_) | Control::Steps(_))
                    || board.contract().loss == Loss::Session;
                if is_cut_off {
                    self.cut_off(board, kernel);
                }
            }
            Faults::Loss(_) | Faults::Crashes { .. } => {}
        }
        self.settle(board);
        if self.is_staged() {
            self.beats = 0;
            if self.asks_late && !is_phase {
                self.ask_late(board);
            }
            return;
        }
        if is_phase {
            let up = self.will_be_up(board);
            self.clients.ask_again(board, up, &mut self.plan);
            self.ask(board);
        }
        let ticks = match self.pace {
            Pace::EveryRound(ticks) => ticks * self.span() as u32,
            Pace::EveryPhase(ticks) if is_phase => ticks,
            Pace::EveryPhase(_) => 0,
        };
        self.tick(board, ticks);
    }

    /// Disks are flushed, and timers that are due go off.
    pub(super) fn settle(&mut self, board: &Board) {
        let up = self.will_be_up(board);
        for node in NodeId::first(self.nodes).filter(|&node| up.contains(node) && board.is_up(node)) {
            let info = board.node(node);
            if info.unflushed > 0 {
                self.plan.push(Step::Flush(node));
            }
            let due = info.timers.iter().filter(|(_, due)| *due <= info.ticks);
            self.plan.extend(due.map(|(timer, _)| Step::Fire(node, *timer)));
        }
    }

    pub(super) fn tick(&mut self, board: &Board, times: u32) {
        if times == 0 {
            return;
        }
        let up = self.will_be_up(board);
        for _ in 0..times {
            self.plan.extend(NodeId::first(self.nodes).filter(|&node| up.contains(node)).map(Step::Tick));
        }
    }

    /// The nodes that run once what is planned is done.
    pub(super) fn will_be_up(&self, board: &Board) -> NodeSet {
        let mut up = if board.down_count() == 0 { NodeSet::first(self.nodes) } else { board.up().collect() };
        for step in &self.plan {
            match step {
                Step::Crash { node, .. } => up.remove(*node),
                Step::Restart(node) => up.insert(*node),
                _ => {}
            }
        }
        up
    }

    /// Breaks and heals links, so that nodes outside the kernel are cut off.
    fn cut_off(&mut self, board: &Board, kernel: NodeSet) {
        let pairs = NodeId::first(self.nodes)
            .flat_map(|a| NodeId::first(self.nodes).filter(move |&b| a < b).map(move |b| (a, b)));
        for (a, b) in pairs {
            let is_wanted = !(kernel.contains(a) && kernel.contains(b));
            match (board.is_cut(a, b), is_wanted) {
                (false, true) => self.plan.push(Step::Cut(a, b)),
                (true, false) => self.plan.push(Step::Heal(a, b)),
                _ => {}
            }
        }
    }

    /// Restarts nodes of the kernel, and stops those outside of it as far as the contract allows; others are
    /// cut off.
    fn stop_and_start(&mut self, board: &Board, kernel: NodeSet) {
        self.plan.extend(board.down().filter(|&node| kernel.contains(node)).map(Step::Restart));
        let outside = NodeSet::first(self.nodes).without(kernel);
        let mut down: NodeSet = board.down().filter(|&node| outside.contains(node)).collect();
        for node in outside.without(down).iter() {
            if down.len() < board.contract().down_max(self.nodes) {
                down.insert(node);
                self.plan.push(Step::Crash { node, keep: 0 });
            }
        }
        let connected = NodeSet::first(self.nodes).without(outside.without(down));
        self.cut_off(board, connected);
    }

    /// Baseline: crashes and restarts at random.
    fn plan_crashes(&mut self, board: &Board, interval: u32, down: u32) {
        let back: Vec<_> = board.down().filter(|_| self.random.below(u64::from(down)) == 0).collect();
        self.plan.extend(back.iter().copied().map(Step::Restart));
        let is_faulty = self.rounds.phase_number(self.at) > 0;
        if is_faulty && self.random.below(u64::from(interval)) == 0 {
            let up: Vec<_> = self.will_be_up(board).iter().collect();
            if self.nodes - up.len() < board.contract().down_max(self.nodes) {
                let node = up[self.random.index(up.len())];
                self.plan.push(Step::Crash { node, keep: 0 });
            }
        }
        if !is_faulty {
            let still_down = board.down().filter(|node| !back.contains(node));
            self.plan.extend(still_down.map(Step::Restart));
        }
    }

    /// The requests of the phase that begins.
    pub(super) fn ask(&mut self, board: &Board) {
        let phase = self.rounds.phase_number(self.at);
        let recovery = self.rounds.recovery_number(self.at);
        let up = self.will_be_up(board);
        let sent = board.requests().len();
        let Some(requests) = &mut self.requests else {
            if phase == 0 {
                return;
            }
            // The target's own requests, spread over the phases.
            let count = board.workload().len();
            let due = (phase as usize * count).div_ceil(self.rounds.phases()).min(count);
            let up: Vec<_> = up.iter().collect();
            if !up.is_empty() {
                for op in &board.workload()[sent.min(due)..due] {
                    let node = up[self.random.index(up.len())];
                    self.plan.push(Step::Request(node, Arc::clone(op)));
                }
            }
            return;
        };
        if recovery > 0 {
            // What could not be sent in its phase is not sent any more.
            requests.retain(|request| matches!(request.when, When::Recovery(_)));
        }
        let mut are_answered = board.requests().iter().all(|request| request.answered.is_some());
        while let Some(request) = requests.front() {
            let is_due = match request.when {
                When::Phase(wanted) => phase > 0 && wanted <= phase,
                When::Answered => phase > 0 && are_answered,
                When::Recovery(wanted) => wanted <= recovery,
            };
            // A client that asks again goes to the next node at once if one refuses its connection.
            let node = match board.contract().clients.ask_again() {
                true => next_up(request.node, up, self.nodes),
                false => Some(request.node).filter(|&node| up.contains(node)),
            };
            let Some(node) = node.filter(|_| is_due) else { break };
            self.plan.push(Step::Request(node, Arc::clone(&request.op)));
            requests.pop_front();
            are_answered = false;
        }
    }

    /// Requests of phases before this one are not sent any more.
    pub(super) fn forget_before(&mut self, phase: u32) {
        if let Some(requests) = &mut self.requests {
            requests.retain(|request| !matches!(request.when, When::Phase(wanted) if wanted < phase));
        }
    }

    /// Everything that belongs to this round is received or lost, and what is late is lost.
    fn exchange(&mut self, sight: &Sight<'_>) {
        let board = sight.board();
        let kernel = self.rounds.kernel(self.at);
        let mut held = std::mem::take(&mut self.held);
        held.retain(|&message| {
            match board.message(message).fate {
                Fate::InFlight => {}
                Fate::Parked => return true,
                Fate::Received(_) | Fate::Lost => return false,
            }
            let round = self.round(message);
            if round > self.at {
                return true;
            }
            if is_withheld(sight, message) {
                // It is not late: whoever keeps it back decides when it may come.
                self.round_of[message.index()] = self.at as u32 + 1;
                return true;
            }
            let is_received = round == self.at && self.reaches(board, message, kernel);
            self.exchanged.push((message, is_received));
            false
        });
        self.held = held;
    }

    /// Whether a message of this round reaches its receiver.
    fn reaches(&mut self, board: &Board, message: MessageIndex, kernel: NodeSet) -> bool {
        let id = board.message(message).id;
        match self.faults {
            Faults::Isolations(_) => kernel.contains(id.from) && kernel.contains(id.to),
            Faults::Loss(probability) => {
                self.rounds.phase_number(self.at) == 0 || !self.random.chance(probability)
            }
            Faults::Crashes { .. } => true,
        }
    }

    /// Any message of the phase, received or lost by its round; nothing if there is none left.
    fn any_of_phase(&mut self, sight: &Sight<'_>) -> Option<Step> {
        let board = sight.board();
        self.held.retain(|&message| matches!(board.message(message).fate, Fate::InFlight | Fate::Parked));
        let end = self.at + self.span();
        let is_of_phase =
            |run: &Run, message: MessageIndex| sight.is_deliverable(message) && run.round(message) < end;
        let count = self.held.iter().filter(|&&message| is_of_phase(self, message)).count();
        if count == 0 {
            return None;
        }
        let place = self.random.index(count);
        let message = self.held.iter().copied().filter(|&message| is_of_phase(self, message)).nth(place)?;
        let round = self.round(message);
        // What comes late waited for a process that was down: it is lost. Where processes are cut off,
        // whatever else arrives is received.
        let is_received = match self.faults {
            Faults::Isolations(Control::Boundaries(_) | Control::Steps(_)) => round >= self.at,
            _ => round >= self.at && self.reaches(board, message, self.rounds.kernel(round)),
        };
        // A stage goes on until nothing is under way.
        self.first = if self.is_staged() { self.at } else { round.max(self.at) + 1 };
        Some(receive_or_lose(board, message, is_received))
    }

    /// To the next round, to the recovery if there is nothing more to be asked, or to the end.
    fn go_on(&mut self, board: &Board) {
        self.at += self.span();
        if self.rounds.begins_phase(self.at)
            && self.rounds.phase_number(self.at) > 1
            && self.is_answered(board)
        {
            self.at = self.rounds.recovery_begin();
        }
        if self.at < self.rounds.end() {
            let is_next_step = self.rounds.begins_phase(self.at) && self.rounds.phase_number(self.at) > 1;
            // What is on disks counts in the end: the recovery begins with a start of all nodes.
            let is_end = self.asks_late && self.at == self.rounds.recovery_begin();
            let stops = self.faults == Faults::Isolations(Control::Steps(Stopping::Crash));
            self.stage = if stops && (is_next_step || is_end) { Stage::Stop } else { Stage::Opening };
            return;
        }
        self.stage = Stage::Closed;
        if let Pace::EveryRound(ticks) = self.pace {
            // The last round ends with a tick, like every other.
            self.tick(board, ticks.min(1));
        }
    }

    /// Whether every request of a harness in which requests wait for each other has been answered.
    fn is_answered(&self, board: &Board) -> bool {
        let waits = |request: &Placed| matches!(request.when, When::Recovery(_));
        matches!(&self.requests, Some(rest) if rest.iter().all(waits))
            && !board.requests().is_empty()
            && board.requests().iter().all(|request| request.answered.is_some())
    }
}

/// The first node that runs, from this one on, in the order of their numbers and then from the first again.
pub(super) fn next_up(first: NodeId, up: NodeSet, nodes: usize) -> Option<NodeId> {
    let ring = (0..nodes).map(|step| NodeId::from_index((first.index() + step) % nodes));
    ring.into_iter().find(|&node| up.contains(node))
}

/// Whether a client may ask this again.
fn is_waited_for(board: &Board, op: &Arc<str>) -> bool {
    board.retriable().any(|(_, request)| request.op == *op)
}

/// Whether somebody above keeps the message back.
fn is_withheld(sight: &Sight<'_>, message: MessageIndex) -> bool {
    sight.board().is_deliverable(message) && !sight.is_deliverable(message)
}

fn receive_or_lose(board: &Board, message: MessageIndex, is_received: bool) -> Step {
    // Who names a message just before the step finds it again at once.
    let (id, kind) = board.name_of(message);
    if is_received || board.contract().loss != Loss::Message {
        Step::Deliver(id, kind)
    } else {
        Step::Drop(id, kind)
    }
}
