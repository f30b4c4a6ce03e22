//! The time-outs of a validator as timers of its node: one timer per kind, and a length that grows.

use malachitebft_core_types::{Round, Timeout, TimeoutKind};
use shakedown_cluster::{Context, Name};

use crate::{Settings, TendermintNode};

const KINDS: [TimeoutKind; 4] =
    [TimeoutKind::Propose, TimeoutKind::Prevote, TimeoutKind::Precommit, TimeoutKind::Rebroadcast];

/// The time-outs that are scheduled, and how long each kind is now.
#[derive(Debug)]
pub struct Timeouts {
    /// For which round each kind is scheduled. The library cancels everything when a round begins, so one is
    /// enough.
    scheduled: [Option<Round>; 4],
    /// How often each kind has gone off at this height.
    elapsed: [u64; 4],
}

impl Timeouts {
    pub fn new() -> Timeouts {
        Timeouts { scheduled: [None; 4], elapsed: [0; 4] }
    }

    /// A new height begins: time-outs have their first length again.
    pub fn reset(&mut self) {
        self.elapsed = [0; 4];
    }

    pub fn schedule(&mut self, timeout: Timeout, settings: &Settings, ctx: &mut Context<'_, TendermintNode>) {
        let place = place(timeout.kind);
        let is_stale = self.scheduled[place].is_some_and(|round| round > timeout.round);
        let is_wanted = settings.rebroadcast || timeout.kind != TimeoutKind::Rebroadcast;
        // The library lets the time-outs of past rounds pass without effect.
        if is_wanted && !is_stale {
            self.scheduled[place] = Some(timeout.round);
            ctx.set_timer(name(timeout.kind), self.ticks(timeout.kind, settings));
        }
    }

    pub fn cancel(&mut self, timeout: Timeout, ctx: &mut Context<'_, TendermintNode>) {
        if self.scheduled[place(timeout.kind)] == Some(timeout.round) {
            self.scheduled[place(timeout.kind)] = None;
            ctx.cancel_timer(name(timeout.kind));
        }
    }

    pub fn cancel_all(&mut self, ctx: &mut Context<'_, TendermintNode>) {
        for kind in KINDS {
            if self.scheduled[place(kind)].take().is_some() {
                ctx.cancel_timer(name(kind));
            }
        }
    }

    /// The time-out whose timer has gone off.
    pub fn fired(&self, timer: Name) -> Option<Timeout> {
        let kind = KINDS.into_iter().find(|kind| name(*kind) == timer.as_str())?;
        self.scheduled[place(kind)].map(|round| Timeout::new(round, kind))
    }

    /// A time-out has gone off, now or before a crash: the next one of its kind takes longer.
    pub fn elapse(&mut self, timeout: Timeout, ctx: &mut Context<'_, TendermintNode>) {
        self.cancel(timeout, ctx);
        self.elapsed[place(timeout.kind)] += 1;
    }

    /// The library's own engine has a rebroadcast take as long as the three others together.
    fn ticks(&self, kind: TimeoutKind, settings: &Settings) -> u64 {
        let of = |kind, first: u64| first + settings.delta * self.elapsed[place(kind)];
        match kind {
            TimeoutKind::Propose => of(kind, settings.propose),
            TimeoutKind::Prevote => of(kind, settings.prevote),
            TimeoutKind::Precommit => of(kind, settings.precommit),
            TimeoutKind::Rebroadcast => {
                KINDS[..3].iter().map(|kind| self.ticks(*kind, settings)).sum::<u64>()
            }
        }
    }
}

/// What the timer of this kind is called.
fn name(kind: TimeoutKind) -> &'static str {
    match kind {
        TimeoutKind::Propose => "propose",
        TimeoutKind::Prevote => "prevote",
        TimeoutKind::Precommit => "precommit",
        TimeoutKind::Rebroadcast => "rebroadcast",
    }
}

fn place(kind: TimeoutKind) -> usize {
    match kind {
        TimeoutKind::Propose => 0,
        TimeoutKind::Prevote => 1,
        TimeoutKind::Precommit => 2,
        TimeoutKind::Rebroadcast => 3,
    }
}
