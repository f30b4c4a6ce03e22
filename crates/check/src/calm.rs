//! Calm: how long everything has gone well at the end of an execution.
//!
//! "In the end a leader is elected" can be asked only of executions that give the nodes a chance to elect
//! one. A **calm round** is one in which they had it: every node ticked once, nothing was lost, invented or
//! crashed, and what was sent before the previous round has been received. Calm rounds are counted from the
//! last disturbance on. Disturbances are
//!
//! - a step that is a fault, or the end of one: drop, duplicate, tamper, inject, crash, restart, cut, heal;
//!   there is no calm while a node is down or a link is cut;
//! - clocks out of step: a node ticks again before all others have ticked once;
//! - a message that lingers: one that was not received by the end of the round after the one it was sent in
//!   (what was under way when the calm began counts as sent then). There is calm again only after it was
//!   received;
//! - a timer that lingers in the same way after it was due, and a write that is not flushed in time where
//!   disks need it.
//!
//! Whoever takes deliveries, ticks, timers or flushes out of a calm execution gets one with fewer calm
//! rounds, not one that stands still in calm: so a shrinker cannot make a property of the end fail for want
//! of them.
//!
//! The board remembers steps and messages, but not past timers and unflushed writes. Asked after every step,
//! [`Calm`] sees these too; asked at the end only, it sees those that are there in the end. Where the
//! contract lets timers go off at any time, one that goes off early is no disturbance.

use shakedown_cluster::{Board, DiskModel, Fate, MessageIndex, NodeId, Step};

/// The number of calm rounds at the end of this execution; see the module's text.
pub fn calm_rounds(board: &Board) -> u64 {
    let mut calm = Calm::default();
    calm.observe(board);
    calm.rounds()
}

/// Counts calm rounds while an execution goes on. Each step is looked at once.
#[derive(Clone, Debug, Default)]
pub struct Calm {
    /// How many steps have been looked at.
    steps: usize,
    /// How many requests there were among them.
    requests: usize,
    /// How many nodes are down, and how many links cut.
    down: usize,
    cuts: usize,
    /// The message that has to be received before there can be calm again.
    lingering: Option<MessageIndex>,
    /// How many messages were sent before the step that is looked at.
    sent: usize,
    /// All messages before this one have been received or lost.
    oldest: usize,
    rounds: Rounds,
}

/// What is counted since the calm began.
#[derive(Clone, Debug, Default)]
struct Rounds {
    /// The step after which it began.
    began: usize,
    /// How many requests had been sent then.
    requests_before: usize,
    /// The number of the present round; 0 before the first tick.
    round: u64,
    /// How often each node has ticked: as often as the present round says, or once less.
    ticks: Vec<u64>,
    /// How many nodes have yet to tick in the present round.
    behind: usize,
    /// How many messages had been sent when the present round began.
    sent_before_round: usize,
    /// How many requests had been sent when each round began, the first one's place being 0.
    requests_before_round: Vec<usize>,
    /// The round of the last request.
    last_request: u64,
    /// For every node, the round since which it has had unflushed writes.
    unflushed_since: Vec<Option<u64>>,
}

impl Calm {
    /// Looks at all steps that were done since it was last asked.
    pub fn observe(&mut self, board: &Board) {
        if self.rounds.ticks.len() != board.size() {
            self.begin(board);
        }
        while let Some(step) = board.steps().get(self.steps) {
            let sent_at = |message: usize| board.moments()[board.messages()[message].sent_at as usize].step;
            while self.sent < board.messages().len() && sent_at(self.sent) as usize <= self.steps {
                self.sent += 1;
            }
            self.steps += 1;
            self.take(step, board);
        }
        if self.has_lingering_timer(board) || self.has_lingering_write(board) {
            self.begin(board);
        }
    }

    /// How many rounds have been calm up to now.
    pub fn rounds(&self) -> u64 {
        let Rounds { round, behind, .. } = self.rounds;
        if self.is_disturbed() { 0 } else { round - u64::from(behind > 0) }
    }

    /// How many rounds have been calm up to now and came after the last request.
    pub fn rounds_since_request(&self) -> u64 {
        self.rounds().saturating_sub(self.rounds.last_request)
    }

    /// After how many steps the present calm began.
    pub fn began(&self) -> usize {
        self.rounds.began
    }

    /// How many requests had been sent when the present calm began.
    pub fn requests_before(&self) -> usize {
        self.rounds.requests_before
    }

    /// How many requests had been sent when the present calm had lasted for so many rounds; all of them, if
    /// it has not.
    pub fn requests_before_round(&self, round: u64) -> usize {
        let place = usize::try_from(round).unwrap_or(usize::MAX);
        self.rounds.requests_before_round.get(place).copied().unwrap_or(self.requests)
    }

    fn is_disturbed(&self) -> bool {
        self.down > 0 || self.cuts > 0 || self.lingering.is_some()
    }

    /// The calm begins anew after the steps that were looked at.
    fn begin(&mut self, board: &Board) {
        let unflushed_since = match board.contract().disk {
            DiskModel::Synchronous => Vec::new(),
            DiskModel::Buffered => vec![None; board.size()],
        };
        self.rounds = Rounds {
            began: self.steps,
            requests_before: self.requests,
            ticks: vec![0; board.size()],
            unflushed_since,
            ..Rounds::default()
        };
    }

    fn take(&mut self, step: &Step, board: &Board) {
        match step {
            Step::Tick(node) => self.tick(*node, board),
            Step::Request(..) => {
                self.requests += 1;
                self.rounds.last_request = self.rounds.round;
            }
            Step::Deliver(..) => {
                // Only a delivery can end the wait.
                if self.lingering.is_some_and(|message| self.is_gone(message.index(), board)) {
                    self.lingering = None;
                    self.begin(board);
                }
            }
            // A client that asks again has asked before.
            Step::Retry(..) | Step::Fire(..) | Step::Flush(..) | Step::Round { .. } => {}
            Step::Crash { .. } => {
                self.down += 1;
                self.disturb(board);
            }
            Step::Restart(_) => {
                self.down = self.down.saturating_sub(1);
                self.disturb(board);
            }
            Step::Cut(..) => {
                self.cuts += 1;
                self.disturb(board);
            }
            Step::Heal(..) => {
                self.cuts = self.cuts.saturating_sub(1);
                self.disturb(board);
            }
            Step::Drop(..) | Step::Duplicate(..) | Step::Tamper(..) | Step::Inject(..) => self.disturb(board),
        }
    }

    /// A fault, after which also a message that lingered counts as sent just now, if it is not lost.
    fn disturb(&mut self, board: &Board) {
        self.lingering = None;
        self.begin(board);
    }

    fn tick(&mut self, node: NodeId, board: &Board) {
        if self.is_disturbed() {
            return;
        }
        let Some(&ticks) = self.rounds.ticks.get(node.index()) else { return };
        if ticks < self.rounds.round {
            self.rounds.behind -= 1;
        } else {
            if self.rounds.behind > 0 {
                // Out of step: this tick is the first one of another calm.
                self.begin(board);
                self.rounds.began -= 1;
            }
            self.begin_round(board);
        }
        self.rounds.ticks[node.index()] = self.rounds.round;
    }

    /// A round begins: everything that was sent before the previous one must have been received by now.
    fn begin_round(&mut self, board: &Board) {
        while self.oldest < self.rounds.sent_before_round && self.is_gone(self.oldest, board) {
            self.oldest += 1;
        }
        if self.oldest < self.rounds.sent_before_round {
            self.lingering = Some(MessageIndex(self.oldest as u32));
            return;
        }
        self.rounds.round += 1;
        self.rounds.requests_before_round.push(self.requests);
        self.rounds.behind = self.rounds.ticks.len() - 1;
        // What is under way when the calm begins counts as sent in round 0, which ends with the beginning of
        // round 1.
        self.rounds.sent_before_round = self.sent;
    }

    /// Whether the message had been received, or was lost, when the step that is looked at was done. A loss
    /// is a disturbance of its own.
    fn is_gone(&self, message: usize, board: &Board) -> bool {
        match board.messages()[message].fate {
            Fate::Received(moment) => board.moments()[moment as usize].step as usize <= self.steps,
            Fate::Lost => true,
            Fate::InFlight | Fate::Parked => false,
        }
    }

    /// Whether some timer should have gone off in the last round at the latest.
    fn has_lingering_timer(&self, board: &Board) -> bool {
        board.up().any(|node| {
            let info = board.node(node);
            info.timers.iter().any(|(_, due)| due.saturating_add(2) <= info.ticks)
        })
    }

    /// Whether some node has had unflushed writes since before the last round.
    fn has_lingering_write(&mut self, board: &Board) -> bool {
        let round = self.rounds.round;
        let mut lingers = false;
        for (node, since) in self.rounds.unflushed_since.iter_mut().enumerate() {
            if board.node(NodeId::from_index(node)).unflushed == 0 {
                *since = None;
            } else {
                lingers |= *since.get_or_insert(round) + 2 <= round;
            }
        }
        lingers
    }
}

/// Whether an execution was calm for long enough to be judged.
#[derive(Clone, Debug)]
pub(crate) struct CalmEnough {
    calm: Calm,
    /// The fewest calm rounds; nothing if none are asked for.
    bound: Option<u64>,
    is_after_requests: bool,
}

impl CalmEnough {
    /// Every execution is judged.
    pub fn always() -> CalmEnough {
        CalmEnough { calm: Calm::default(), bound: None, is_after_requests: false }
    }

    /// After so many calm rounds.
    pub fn after(bound: u64) -> CalmEnough {
        CalmEnough { bound: Some(bound), ..CalmEnough::always() }
    }

    /// After so many calm rounds without requests.
    pub fn after_requests(bound: u64) -> CalmEnough {
        CalmEnough { is_after_requests: true, ..CalmEnough::after(bound) }
    }

    pub fn observe(&mut self, board: &Board) {
        if self.bound.is_some() {
            self.calm.observe(board);
        }
    }

    /// The calm rounds that count, if they are enough.
    pub fn judge(&mut self, board: &Board) -> Option<u64> {
        let Some(bound) = self.bound else { return Some(0) };
        self.calm.observe(board);
        let rounds =
            if self.is_after_requests { self.calm.rounds_since_request() } else { self.calm.rounds() };
        (rounds >= bound).then_some(rounds)
    }

    pub fn calm(&self) -> &Calm {
        &self.calm
    }
}
