//! Bounded liveness: what has to come about within so many calm rounds after the faults stop (Drăgoi and
//! others 2020, section 7.2: P1 a leader is elected, P2 all logs are equal, P3 every request is answered).
//!
//! These oracles are asked at the end, and judge only executions that end with enough calm rounds (see
//! [`crate::Calm`]); others pass. How many are enough is measured: run without faults, in lock step and with
//! the same pace of deliveries, note with [`FirstHeld`] when the property came about, and [`calibrate`].

use std::fmt::Debug;

use shakedown_cluster::{Board, Happening};

use crate::calm::CalmEnough;
use crate::{Calm, Doubt, LogState, Oracle, Seen};

/// The fewest calm rounds that are allowed for.
pub const BOUND_MIN: u64 = 10;

/// How much longer it may take after faults than without.
pub const BOUND_FACTOR: u64 = 4;

/// The bound for a property that came about after so many calm rounds in runs without faults: four times the
/// longest, and at least ten.
pub fn calibrate(rounds: &[u64]) -> u64 {
    let longest = rounds.iter().copied().max().unwrap_or(0);
    longest.saturating_mul(BOUND_FACTOR).max(BOUND_MIN)
}

/// Tells in an execution under way after how many calm rounds a property first held.
#[derive(Clone, Debug, Default)]
pub struct FirstHeld {
    calm: Calm,
    /// After which step the calm began that this is about, and the calm rounds when the property first held
    /// in it.
    held: Option<(usize, u64)>,
}

impl FirstHeld {
    /// To be told after every step whether the property holds.
    pub fn observe(&mut self, board: &Board, holds: bool) {
        self.calm.observe(board);
        let began = self.calm.began();
        if self.held.is_some_and(|(of, _)| of != began) {
            self.held = None;
        }
        if holds {
            self.held.get_or_insert((began, self.calm.rounds()));
        }
    }

    /// After how many rounds of the present calm the property first held, if it did.
    pub fn rounds(&self) -> Option<u64> {
        self.held.map(|(_, rounds)| rounds)
    }
}

/// P1: some running node is leader.
pub struct LeaderElected<F> {
    is_leader: F,
    calm: CalmEnough,
    judged: u64,
}

impl<F> LeaderElected<F> {
    /// Within so many calm rounds, given whether a node in this state is leader.
    pub fn new<S>(bound: u64, is_leader: F) -> LeaderElected<F>
    where
        F: FnMut(&S) -> bool,
    {
        LeaderElected { is_leader, calm: CalmEnough::after(bound), judged: 0 }
    }
}

impl<S, F: FnMut(&S) -> bool> Oracle<S> for LeaderElected<F> {
    fn name(&self) -> &str {
        "leader-elected"
    }

    fn about(&self) -> &str {
        "after enough calm rounds there is a leader"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.judged)
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        self.calm.observe(seen.board());
        Ok(())
    }

    fn at_end(&mut self, seen: &Seen<'_, S>) -> Result<(), Doubt> {
        let Some(rounds) = self.calm.judge(seen.board()) else { return Ok(()) };
        self.judged += 1;
        if seen.up().any(|(_, state)| (self.is_leader)(state)) {
            return Ok(());
        }
        Err(Doubt::Violated(format!("no node is leader after {rounds} calm rounds")))
    }
}

/// P2: the logs of all running nodes are equal.
pub struct LogsEqual<F> {
    log: F,
    calm: CalmEnough,
    judged: u64,
}

impl<F> LogsEqual<F> {
    /// Within so many calm rounds after the last request, given something that is equal for equal logs only:
    /// [`end_of_decided_log`], `end_of_log` of a Raft, or the log itself.
    pub fn new<S, L>(bound: u64, log: F) -> LogsEqual<F>
    where
        F: FnMut(&S) -> L,
        L: PartialEq + Debug,
    {
        LogsEqual { log, calm: CalmEnough::after_requests(bound), judged: 0 }
    }
}

/// How many entries are decided, and the last one of them.
pub fn end_of_decided_log<S: LogState>(state: &S) -> (u64, Option<S::Entry>) {
    (state.decided(), state.decided_entry(state.decided()))
}

impl<S, L: PartialEq + Debug, F: FnMut(&S) -> L> Oracle<S> for LogsEqual<F> {
    fn name(&self) -> &str {
        "logs-equal"
    }

    fn about(&self) -> &str {
        "after enough calm rounds all running nodes hold the same log"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.judged)
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        self.calm.observe(seen.board());
        Ok(())
    }

    fn at_end(&mut self, seen: &Seen<'_, S>) -> Result<(), Doubt> {
        let Some(rounds) = self.calm.judge(seen.board()) else { return Ok(()) };
        let logs: Vec<_> = seen.up().map(|(node, state)| (node, (self.log)(state))).collect();
        let Some((first, rest)) = logs.split_first() else { return Ok(()) };
        self.judged += u64::from(!rest.is_empty());
        match rest.iter().find(|(_, log)| *log != first.1) {
            Some((node, log)) => Err(Doubt::Violated(format!(
                "{} and {node} have different logs {rounds} calm rounds after the last request: {:?}, {log:?}",
                first.0, first.1
            ))),
            None => Ok(()),
        }
    }
}

/// P3: every request is answered. A node that has crashed since it was asked is excused, unless clients ask
/// again ([`EveryRequestAnswered::whatever_crashed`]).
pub struct EveryRequestAnswered {
    calm: CalmEnough,
    /// For how many rounds it must have been calm when a request was sent; nothing for all requests.
    calm_before: Option<u64>,
    /// Whether a crash of the node that was asked excuses that there is no answer.
    crashes_excuse: bool,
    judged: u64,
}

impl EveryRequestAnswered {
    /// Within so many calm rounds after the last request.
    pub fn new(bound: u64) -> EveryRequestAnswered {
        let calm = CalmEnough::after_requests(bound);
        EveryRequestAnswered { calm, calm_before: None, crashes_excuse: true, judged: 0 }
    }

    /// Every request, whatever became of the nodes that were asked: for clients that ask again.
    #[must_use]
    pub fn whatever_crashed(mut self) -> EveryRequestAnswered {
        self.crashes_excuse = false;
        self
    }

    /// Only requests that were sent when the faults had stopped: for protocols that may lose a request
    /// together with a message.
    #[must_use]
    pub fn asked_in_calm(mut self) -> EveryRequestAnswered {
        self.calm_before = Some(0);
        self
    }

    /// Only requests that were sent when the faults had stopped for so many rounds: for protocols that may
    /// lose a request also while they elect a leader.
    #[must_use]
    pub fn asked_after(mut self, rounds: u64) -> EveryRequestAnswered {
        self.calm_before = Some(rounds);
        self
    }
}

impl<S> Oracle<S> for EveryRequestAnswered {
    fn name(&self) -> &str {
        "every-request-answered"
    }

    fn about(&self) -> &str {
        "after enough calm rounds every request has an answer"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.judged)
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        self.calm.observe(seen.board());
        Ok(())
    }

    fn at_end(&mut self, seen: &Seen<'_, S>) -> Result<(), Doubt> {
        let board = seen.board();
        let Some(rounds) = self.calm.judge(board) else { return Ok(()) };
        let first = match self.calm_before {
            None => 0,
            Some(0) => self.calm.calm().requests_before(),
            Some(rounds) => self.calm.calm().requests_before_round(rounds),
        };
        let crashes = last_crashes(board);
        let judged = board.requests().iter().skip(first).filter(|request| {
            request.answered.is_some()
                || !self.crashes_excuse
                || crashes[request.node.index()].is_none_or(|at| at < request.requested)
        });
        self.judged += judged.clone().count() as u64;
        let open = judged.into_iter().find(|request| request.answered.is_none());
        match open {
            Some(request) => Err(Doubt::Violated(format!(
                "{} has not answered `{}`{} {rounds} calm rounds after the last request",
                request.asked,
                request.op,
                if request.tries > 1 { format!(", asked {} times,", request.tries) } else { String::new() }
            ))),
            None => Ok(()),
        }
    }
}

/// For every node the place of its last crash in the order of events, if it ever crashed.
fn last_crashes(board: &Board) -> Vec<Option<u32>> {
    let mut crashes = vec![None; board.size()];
    for (place, event) in (0..).zip(board.events()) {
        if matches!(event.what, Happening::Crashed { .. }) {
            crashes[board.moments()[event.moment as usize].node.index()] = Some(place);
        }
    }
    crashes
}
