//! When the standing of a campaign is kept in its ledger.

use std::time::{Duration, Instant};

use shakedown_explore::Explorer;

use crate::{Checkpoint, Coverage, Ledger, LedgerError, Room, Standing};

/// Keeping the standing may take at most this share of the time: one part in 40.
const KEEP_SHARE: u32 = 40;

/// When to keep the standing, and where.
pub(crate) struct Checkpoints<'a> {
    ledger: &'a mut dyn Ledger,
    every: Duration,
    kept: Instant,
    /// How long that took.
    took: Duration,
    /// How many findings there were then.
    findings: usize,
}

impl<'a> Checkpoints<'a> {
    /// The checkpoints of a campaign that stands here.
    pub fn new(ledger: &'a mut dyn Ledger, every: Duration, standing: &Standing) -> Checkpoints<'a> {
        let findings = standing.findings.len();
        Checkpoints { ledger, every, kept: Instant::now(), took: Duration::ZERO, findings }
    }

    /// Whether it is time for the next one.
    pub fn is_due(&self, standing: &Standing) -> bool {
        standing.findings.len() != self.findings
            || self.every.is_zero()
            || self.kept.elapsed() >= self.every.max(self.took.saturating_mul(KEEP_SHARE))
    }

    /// Keeps the standing, and what the explorer has learned.
    pub fn keep(
        &mut self,
        standing: &mut Standing,
        explorer: &dyn Explorer,
        is_over: bool,
    ) -> Result<Room, LedgerError> {
        let began = Instant::now();
        let fresh: Vec<_> = standing.coverage.iter_mut().map(Coverage::take_fresh).collect();
        let learned = explorer.save();
        let journal = std::mem::take(&mut standing.journal);
        let (fresh, learned, journal) = (&fresh[..], &learned[..], &journal[..]);
        let room = self.ledger.keep(&Checkpoint { standing, fresh, journal, learned, is_over })?;
        self.findings = standing.findings.len();
        (self.took, self.kept) = (began.elapsed(), Instant::now());
        standing.keeping += self.took;
        Ok(room)
    }
}
