//! Who works: every worker reports once a second that it lives, what it has done and what it does.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;

use crate::FleetTrouble;
use crate::link::Link;
use crate::subjects::PRESENCE;
use crate::wire::{PresenceMessage, decode};

/// How often a worker reports.
pub(crate) const EVERY: Duration = Duration::from_secs(1);
/// After this long without a word, a worker is gone.
const GONE: Duration = Duration::from_secs(5);
/// The most workers that are remembered.
const WORKERS_MAX: usize = 1 << 16;
/// The most bytes of such a report.
const BYTES_MAX: usize = 4 << 10;

/// The workers that were heard of.
#[derive(Clone, Default)]
pub(crate) struct Roll(Arc<Mutex<BTreeMap<String, (Instant, PresenceMessage)>>>);

impl Roll {
    /// Begins to listen.
    pub fn listen(link: &Link) -> Result<Roll, FleetTrouble> {
        let refused = |reason: String| FleetTrouble::Refused { what: "a subscription", reason };
        let mut heard = link
            .wait(link.client.subscribe(format!("{PRESENCE}.*")))
            .map_err(|error| refused(error.to_string()))?;
        let roll = Roll::default();
        let mine = roll.clone();
        link.beside(async move {
            while let Some(message) = heard.next().await {
                // What cannot be read is not a worker.
                if message.payload.len() <= BYTES_MAX
                    && let Ok(presence) = decode::<PresenceMessage>(&message.payload)
                {
                    mine.take_in(presence, Instant::now());
                }
            }
        });
        Ok(roll)
    }

    fn take_in(&self, presence: PresenceMessage, now: Instant) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, (heard, _)| now.duration_since(*heard) < GONE);
        if presence.leaves {
            known.remove(&presence.worker);
        } else if known.len() < WORKERS_MAX || known.contains_key(&presence.worker) {
            known.insert(presence.worker.clone(), (now, presence));
        }
    }

    /// Those that live.
    pub fn workers(&self) -> Vec<PresenceMessage> {
        let now = Instant::now();
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lives = known.values().filter(|(heard, _)| now.duration_since(*heard) < GONE);
        lives.map(|(_, presence)| presence.clone()).collect()
    }
}
