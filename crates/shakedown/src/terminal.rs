//! Progress on a terminal, and in plain lines elsewhere.

/// Prints a line. Whoever reads it may have gone away (`| head`): then there is nobody to tell, and nothing to panic about.
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        $crate::terminal::note(writeln!(std::io::stdout(), $($text)*));
    }};
}

/// The same without an end of the line.
macro_rules! say_part {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        $crate::terminal::note(write!(std::io::stdout(), $($text)*));
    }};
}

pub(crate) use {say, say_part};

use std::fmt::Write;
use std::io::{ErrorKind, IsTerminal, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use shakedown_campaign::{Now, Progress, Worker};
use shakedown_report::{Paint, grouped};

/// Whether something could not be printed though somebody waits for it, as on a disk that is full.
static UNSAID: AtomicBool = AtomicBool::new(false);

/// Notes what came of printing.
pub(crate) fn note(printed: std::io::Result<()>) {
    if printed.is_err_and(|error| error.kind() != ErrorKind::BrokenPipe) {
        UNSAID.store(true, Ordering::Relaxed);
    }
}

/// Whether everything that was to be printed was, or nobody was there to read it.
pub(crate) fn all_was_said() -> bool {
    note(std::io::stdout().flush());
    !UNSAID.load(Ordering::Relaxed)
}

/// How often a plain line is printed, at most.
const LINE_EVERY: Duration = Duration::from_secs(5);
/// How often the view on a terminal is drawn, at most.
const DRAW_EVERY: Duration = Duration::from_millis(100);
/// How many findings and workers it shows.
const FINDINGS_SHOWN: usize = 5;
const WORKERS_SHOWN: usize = 8;

/// Colours for what goes to standard output, if that is a terminal and nobody has asked for none.
pub(crate) fn paint() -> Paint {
    Paint::new(std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none())
}

/// The width of a page: what `COLUMNS` says, otherwise that of the terminal if there is one.
pub(crate) fn width() -> usize {
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let seen = || terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0));
    told.or_else(seen).unwrap_or(120).clamp(80, 200)
}

/// Shows how far a campaign has come, on standard error.
pub(crate) enum Display {
    /// A few lines that redraw themselves.
    Live(Live),
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
        Display::Live(Live::new(total))
    }

    pub fn finish(&self) {
        if let Display::Live(live) = self {
            live.bar.finish_and_clear();
        }
    }
}

impl Progress for Display {
    fn executions(&self, done: u64, total: u64, findings: usize) {
        match self {
            Display::Live(live) => {
                live.bar.set_position(done);
                if findings > 0 {
                    live.bar.set_message(format!("  {findings} found"));
                }
            }
            Display::Lines(last) => {
                let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
                if last.elapsed() >= LINE_EVERY {
                    *last = Instant::now();
                    eprintln!("{} of {} executions, {findings} found", grouped(done), grouped(total));
                }
            }
            Display::Nothing => {}
        }
    }

    fn standing(&self, now: &Now<'_>) {
        match self {
            Display::Live(live) => live.show(now),
            _ => {
                self.executions(now.standing.executions, now.campaign.executions, now.standing.findings.len())
            }
        }
    }

    fn shrinking(&self, property: &str, steps: usize) {
        match self {
            Display::Live(live) => live.bar.set_message(format!("  shrinking {property} ({steps} steps)")),
            Display::Lines(_) => eprintln!("{property} is violated after {steps} steps; shrinking"),
            Display::Nothing => {}
        }
    }
}

/// The view of a campaign on a terminal: a bar, and below it coverage, findings and workers.
pub(crate) struct Live {
    bar: ProgressBar,
    /// When it was drawn last.
    drawn: Mutex<Instant>,
}

impl Live {
    fn new(total: u64) -> Live {
        let rate = |state: &ProgressState, out: &mut dyn Write| {
            let _ = write!(out, "{} a second", grouped(state.per_sec() as u64));
        };
        let count = |state: &ProgressState, out: &mut dyn Write| {
            let _ = write!(out, "{} of {}", grouped(state.pos()), grouped(state.len().unwrap_or(0)));
        };
        let style =
            ProgressStyle::with_template("  {bar:32} {count} executions · {rate} · {eta} left\n{msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(total);
        bar.set_style(style.with_key("rate", rate).with_key("count", count));
        Live { bar, drawn: Mutex::new(Instant::now()) }
    }

    fn show(&self, now: &Now<'_>) {
        {
            let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
            if drawn.elapsed() < DRAW_EVERY {
                return;
            }
            *drawn = Instant::now();
        }
        self.bar.set_position(now.standing.executions);
        self.bar.set_message(below_the_bar(now));
    }
}

/// What is to be seen below the bar.
fn below_the_bar(now: &Now<'_>) -> String {
    let Now { standing, .. } = now;
    let mut lines = Vec::new();
    for coverage in &standing.coverage {
        let since = standing.executions.saturating_sub(coverage.last_new);
        let last = match since {
            0 => "the last execution saw something new".to_owned(),
            since => format!("nothing new for {} executions", grouped(since)),
        };
        lines.push(format!("  {:<9} {} seen · {last}", coverage.guide, grouped(coverage.covered())));
    }
    for finding in standing.findings.iter().rev().take(FINDINGS_SHOWN) {
        let found = &finding.failure.found;
        lines.push(format!(
            "  found     {} · execution {} · {} times",
            finding.failure.violation.property,
            grouped(found.execution),
            grouped(finding.hits)
        ));
    }
    if standing.findings.len() > FINDINGS_SHOWN {
        lines.push(format!("            and {} more", standing.findings.len() - FINDINGS_SHOWN));
    }
    let workers = now.workers();
    if workers.len() > 1 {
        let of = |worker: &Worker| match worker.execution {
            Some(execution) => format!("{} step {}", grouped(execution), worker.step),
            None => "waits".to_owned(),
        };
        let texts: Vec<_> = workers.iter().take(WORKERS_SHOWN).map(of).collect();
        lines.push(format!("  workers   {}", texts.join(" · ")));
    }
    lines.join("\n")
}
