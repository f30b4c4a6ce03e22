//! How far a check has come: a line that redraws itself on a terminal, a plain line now and then elsewhere.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::harmless::harmless;
use super::output::print_error;
use crate::check::Progress;

/// How often the line on a terminal changes, and how often a plain line is printed.
const REDRAW_EVERY: Duration = Duration::from_millis(100);
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Shows progress on standard error.
pub(super) struct Display {
    bar: Option<ProgressBar>,
    every: Duration,
    start: Instant,
    last: Mutex<Instant>,
}

impl Display {
    pub(super) fn new(quiet: bool) -> Display {
        let terminal = std::io::stderr().is_terminal();
        let bar = (terminal && !quiet).then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
                bar.set_style(style);
            }
            bar
        });
        let every = if quiet {
            Duration::MAX
        } else if terminal {
            REDRAW_EVERY
        } else {
            LINE_EVERY
        };
        let start = Instant::now();
        Display { bar, every, start, last: Mutex::new(start) }
    }

    pub(super) fn show(&self, progress: &Progress) {
        let Ok(mut last) = self.last.try_lock() else { return };
        if last.elapsed() < self.every {
            return;
        }
        *last = Instant::now();
        let seconds = self.start.elapsed().as_secs_f64();
        let line = format!(
            "depth {}: {} states generated ({:.0} per second), {} distinct, {} left on queue",
            progress.depth,
            progress.generated,
            progress.generated as f64 / seconds,
            progress.distinct,
            progress.queue
        );
        match &self.bar {
            Some(bar) => {
                bar.set_message(harmless(&line));
                bar.tick();
            }
            None => print_error(&line),
        }
    }

    pub(super) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
