//! What the page shows now, in parts, each with the version in which it changed last; those who wait for a
//! change are woken.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use shakedown_campaign::Failure;
use shakedown_report::html::live::{LivePage, LiveReplay};

/// What the page shows now.
#[derive(Default)]
pub(super) struct Board {
    now: Mutex<Now>,
    changed: Condvar,
}

#[derive(Default)]
struct Now {
    version: u64,
    page: LivePage,
    order: (u64, Vec<String>),
    parts: BTreeMap<String, (u64, String)>,
    /// What can be shown of each campaign, by its name.
    campaigns: BTreeMap<String, Browsable>,
    /// What replays have come to, by the file names of failures.
    replays: BTreeMap<String, LiveReplay>,
    /// Counts the changes of `replays`.
    replays_version: u64,
}

/// What is needed to show what a campaign has.
#[derive(Clone)]
pub(super) struct Browsable {
    /// Its folder.
    pub folder: std::path::PathBuf,
    /// Its place among the campaigns of the folder, counted from 1.
    pub place: usize,
    /// Its findings.
    pub findings: Arc<[Failure]>,
    /// The executions that can be looked at, or why none can.
    pub browse: Result<(u64, u64), String>,
}

impl Board {
    fn now(&self) -> MutexGuard<'_, Now> {
        // A thread that panicked has left whole values behind.
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows another page.
    pub fn show(&self, page: LivePage, campaigns: BTreeMap<String, Browsable>) {
        let mut now = self.now();
        let version = now.version + 1;
        let mut is_changed = false;
        let order = page.order();
        if now.order.1 != order {
            now.order = (version, order);
            is_changed = true;
        }
        let mut parts = BTreeMap::new();
        for (name, html) in page.parts() {
            let part = match now.parts.remove(&name) {
                Some(known) if known.1 == html => known,
                _ => {
                    is_changed = true;
                    (version, html)
                }
            };
            parts.insert(name, part);
        }
        (now.parts, now.page, now.campaigns) = (parts, page, campaigns);
        if is_changed {
            now.version = version;
            self.changed.notify_all();
        }
    }

    /// The whole page.
    pub fn page(&self) -> String {
        let now = self.now();
        now.page.render(now.version)
    }

    /// A campaign by its name.
    pub fn campaign(&self, id: &str) -> Option<Browsable> {
        self.now().campaigns.get(id).cloned()
    }

    /// What has changed since a version, and the version now. Waits for a change, but not longer than this.
    pub fn changes(&self, after: u64, patience: Duration) -> Option<(u64, Value)> {
        let now = self.now();
        let is_old = |now: &mut Now| now.version <= after;
        let (now, _) =
            self.changed.wait_timeout_while(now, patience, is_old).unwrap_or_else(PoisonError::into_inner);
        if now.version <= after {
            return None;
        }
        let parts: BTreeMap<&str, &str> = now
            .parts
            .iter()
            .filter(|(_, (version, _))| *version > after)
            .map(|(name, (_, html))| (name.as_str(), html.as_str()))
            .collect();
        let mut change = json!({ "version": now.version, "parts": parts });
        if now.order.0 > after {
            change["order"] = json!(now.order.1);
        }
        Some((now.version, change))
    }

    /// What replays have come to, and how often that has changed.
    pub fn replays(&self) -> (u64, BTreeMap<String, LiveReplay>) {
        let now = self.now();
        (now.replays_version, now.replays.clone())
    }

    /// Takes note of a replay. `false` if one of the same failure is under way, and this would be another.
    pub fn note_replay(&self, name: &str, replay: LiveReplay) -> bool {
        let mut now = self.now();
        let is_waiting = now.replays.get(name) == Some(&LiveReplay::Waiting);
        if is_waiting && replay == LiveReplay::Waiting {
            return false;
        }
        now.replays.insert(name.to_owned(), replay);
        now.replays_version += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(folder: &str, errors: &[&str]) -> LivePage {
        let errors = errors.iter().map(|&error| error.to_owned()).collect();
        LivePage { folder: folder.to_owned(), errors, ..LivePage::default() }
    }

    #[test]
    fn only_what_has_changed_is_sent_and_nothing_is_sent_twice() {
        let board = Board::default();
        assert!(board.changes(0, Duration::ZERO).is_none());
        board.show(page("here", &[]), BTreeMap::new());
        let (first, change) = board.changes(0, Duration::ZERO).expect("all is new");
        assert_eq!(change["parts"].as_object().map(serde_json::Map::len), Some(3), "{change}");
        board.show(page("here", &[]), BTreeMap::new());
        assert!(board.changes(first, Duration::ZERO).is_none(), "it is the same");
        board.show(page("here", &["<oh>"]), BTreeMap::new());
        let (second, change) = board.changes(first, Duration::ZERO).expect("a part is new");
        let parts: Vec<_> = change["parts"].as_object().expect("parts").keys().cloned().collect();
        assert_eq!((parts, change["order"].is_null()), (vec!["front".to_owned()], true));
        assert!(second > first && change["version"] == second);
    }

    #[test]
    fn who_waits_is_woken_by_a_change() {
        let board = Board::default();
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| board.changes(0, Duration::from_secs(60)));
            board.show(page("here", &[]), BTreeMap::new());
            assert!(waits.join().expect("it does not panic").is_some());
        });
    }

    #[test]
    fn one_failure_is_replayed_once_at_a_time() {
        let board = Board::default();
        let done = || LiveReplay::Done { word: "fixed".to_owned(), detail: String::new() };
        assert!(board.note_replay("a", LiveReplay::Waiting));
        assert!(!board.note_replay("a", LiveReplay::Waiting));
        assert!(board.note_replay("b", LiveReplay::Waiting));
        assert!(board.note_replay("a", done()));
        assert!(board.note_replay("a", LiveReplay::Waiting), "it may be asked for again");
        assert_eq!(board.replays().0, 4);
    }
}
