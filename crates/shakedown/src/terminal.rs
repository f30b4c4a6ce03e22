//! Progress on a terminal, and in plain lines elsewhere.

/// Prints a line. Whoever reads it may have gone away (`| head`): then there is nobody to tell, and nothing to panic about.
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($text)*);
    }};
}

/// The same without an end of the line.
macro_rules! say_part {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = write!(std::io::stdout(), $($text)*);
    }};
}

pub(crate) use {say, say_part};

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use shakedown_campaign::Progress;
use shakedown_report::{Paint, grouped};

/// How often a plain line is printed, at most.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Colours for what goes to standard output, if that is a terminal and nobody has asked for none.
pub(crate) fn paint() -> Paint {
    Paint::new(std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none())
}

/// The width of a page.
pub(crate) fn width() -> usize {
    std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).unwrap_or(120).clamp(80, 200)
}

/// Shows how far a campaign has come, on standard error.
pub(crate) enum Display {
    /// A bar that redraws itself.
    Bar(ProgressBar),
    /// A line now and then.
    Lines(Mutex<Instant>),
    /// Nothing.
    Nothing,
}

impl Display {
    pub fn new(total: u64, quiet: bool) -> Display {
        if quiet {
            return Display::Nothing;
        }
        if !std::io::stderr().is_terminal() {
            return Display::Lines(Mutex::new(Instant::now()));
        }
        let rate = |state: &ProgressState, out: &mut dyn Write| {
            let _ = write!(out, "{} a second", grouped(state.per_sec() as u64));
        };
        let style =
            ProgressStyle::with_template("  {bar:32} {pos}/{len} executions, {rate}, {eta} left  {msg}");
        let bar = ProgressBar::new(total);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).with_key("rate", rate));
        Display::Bar(bar)
    }

    pub fn finish(&self) {
        if let Display::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Display {
    fn executions(&self, done: u64, total: u64, findings: usize) {
        match self {
            Display::Bar(bar) => {
                bar.set_position(done);
                if findings > 0 {
                    bar.set_message(format!("{findings} found"));
                }
            }
            Display::Lines(last) => {
                let mut last = last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                if last.elapsed() >= LINE_EVERY {
                    *last = Instant::now();
                    eprintln!("{} of {} executions, {findings} found", grouped(done), grouped(total));
                }
            }
            Display::Nothing => {}
        }
    }

    fn shrinking(&self, property: &str, steps: usize) {
        match self {
            Display::Bar(bar) => bar.set_message(format!("shrinking {property} ({steps} steps)")),
            Display::Lines(_) => eprintln!("{property} is violated after {steps} steps; shrinking"),
            Display::Nothing => {}
        }
    }
}
