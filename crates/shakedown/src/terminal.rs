//! The one way to standard output and standard error, and progress on a terminal or in plain lines.
//!
//! Everything that people look at is a [`Text`], in which foreign text can neither control the terminal nor
//! begin a line of its own; [`print`] and [`print_error`] take nothing else. `println!` and its kin are lints
//! in this crate. Neither stream can make the command panic: whoever reads it may have gone away (`| head`),
//! or a disk may be full.

/// Prints one line on standard output; line breaks at the beginning of its format are empty lines before it.
/// The format `{:#}` alone is for JSON, which may have several lines.
macro_rules! print_line {
    ($format:literal $($content:tt)*) => {
        $crate::terminal::write_line($format, ::std::format_args!($format $($content)*))
    };
}

/// Prints one line on standard error.
macro_rules! remark {
    ($($content:tt)*) => {{
        let mut text = ::shakedown_report::Text::new();
        text.line(::std::format_args!($($content)*));
        $crate::terminal::print_error(&text);
    }};
}

pub(crate) use {print_line, remark};

use std::fmt;
use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::pace::Pace;
use anstream::{AutoStream, ColorChoice};
use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};
use shakedown_campaign::{Failure, Now, Progress, Worker};
use shakedown_report::{Paint, Text, grouped, line, per_second, safe_json, safe_json_text};

/// What stands for JSON in [`print_line!`].
const JSON: &str = "{:#}";

/// Whether something could not be printed though it is waited for, as on a disk that is full.
static UNPRINTED: AtomicBool = AtomicBool::new(false);

/// Prints text on standard output, in colours if that is a terminal that has them, or if the environment asks
/// for them: `NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE` and `TERM` count, and `--color` before all of them.
pub(crate) fn print(text: &Text) {
    let has_colours = AutoStream::choice(&std::io::stdout()) != ColorChoice::Never;
    write_out(&if has_colours { text.coloured() } else { text.to_string() });
}

/// Takes a choice of colours in place of what the terminal and the environment say.
pub(crate) fn choose_colours(choice: clap::ColorChoice) {
    match choice {
        clap::ColorChoice::Auto => {}
        clap::ColorChoice::Always => ColorChoice::Always.write_global(),
        clap::ColorChoice::Never => ColorChoice::Never.write_global(),
    }
}

/// Prints JSON on standard output. What a terminal would obey is escaped in it.
pub(crate) fn print_json(value: &serde_json::Value) {
    write_out(&(safe_json(value) + "\n"));
}

/// See [`print_line!`].
pub(crate) fn write_line(format: &str, content: fmt::Arguments<'_>) {
    let content = Content { content, breaks: format.len() - format.trim_start_matches('\n').len() };
    if format == JSON {
        return write_out(&(safe_json_text(&content.content.to_string()) + "\n"));
    }
    let mut text = Text::new();
    (0..content.breaks).for_each(|_| text.blank());
    line!(text, "{content}");
    print(&text);
}

/// A line without the line breaks that its format begins with.
struct Content<'a> {
    content: fmt::Arguments<'a>,
    breaks: usize,
}

impl fmt::Display for Content<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Passes on all but the first so many characters.
        struct Without<'a, 'b>(&'a mut fmt::Formatter<'b>, usize);
        impl fmt::Write for Without<'_, '_> {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                let skipped = self.1.min(text.len());
                self.1 -= skipped;
                self.0.write_str(&text[skipped..])
            }
        }
        fmt::Write::write_fmt(&mut Without(f, self.breaks), self.content)
    }
}

/// Writes a file for another program to standard output. Nothing of it comes from a target.
pub(crate) fn write_raw(bytes: &[u8]) {
    note(std::io::stdout().write_all(bytes));
}

fn write_out(text: &str) {
    note(std::io::stdout().write_all(text.as_bytes()));
}

/// Remembers what came of printing. That the reader has gone away is no error.
pub(crate) fn note(printed: std::io::Result<()>) {
    if printed.is_err_and(|error| error.kind() != ErrorKind::BrokenPipe) {
        UNPRINTED.store(true, Ordering::Relaxed);
    }
}

/// Whether everything that was to be printed was, or its reader has gone away.
pub(crate) fn all_was_printed() -> bool {
    note(std::io::stdout().flush());
    !UNPRINTED.load(Ordering::Relaxed)
}

/// Prints text on standard error. If that cannot be written, there is nowhere left to report it.
pub(crate) fn print_error(text: &Text) {
    let _ = std::io::stderr().write_all(text.to_string().as_bytes());
}

/// How often a plain line is printed, at most.
const LINE_EVERY: Duration = Duration::from_secs(5);
/// How often the view on a terminal is drawn, at most.
const DRAW_EVERY: Duration = Duration::from_millis(100);
/// How many findings and workers it shows.
const FINDINGS_SHOWN: usize = 5;
const WORKERS_SHOWN: usize = 8;
/// How many lines of a schedule that is being shrunk are shown.
const SHORT_LINES_MAX: usize = 40;
/// A short schedule that was found faster than this is not shown: the shrunk one will be there in a few
/// seconds.
const SHORT_AFTER: Duration = Duration::from_millis(100);

/// Styles for what is printed.
pub(crate) fn paint() -> Paint {
    Paint
}

/// The width of a page: what `COLUMNS` says, otherwise that of the terminal if there is one.
pub(crate) fn width() -> usize {
    let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let seen = || terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0));
    asked.or_else(seen).unwrap_or(120).clamp(60, 200)
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
    /// Shows a campaign of `total` executions that ends after `time` at the latest.
    pub fn new(total: u64, time: Option<Duration>, quiet: bool) -> Display {
        if quiet {
            return Display::Nothing;
        }
        if !std::io::stderr().is_terminal() {
            return Display::Lines(Mutex::new(Instant::now()));
        }
        Display::Live(Live::new(total, time))
    }

    /// Shows how a failure is shrunk.
    pub fn of_shrinking(quiet: bool) -> Display {
        if quiet { Display::Nothing } else { Display::Lines(Mutex::new(Instant::now())) }
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
                live.pace.end_shrinking();
                live.bar.set_position(done);
                if findings > 0 {
                    live.bar.set_message(format!("  {findings} found"));
                }
            }
            Display::Lines(last) => {
                let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
                if last.elapsed() >= LINE_EVERY {
                    *last = Instant::now();
                    remark!("{} of {} executions, {findings} found", grouped(done), grouped(total));
                }
            }
            Display::Nothing => {}
        }
    }

    fn standing(&self, now: &Now<'_>) {
        match self {
            Display::Live(live) => live.show(now),
            _ => self.executions(
                now.standing.executions,
                now.campaign.plan.executions,
                now.standing.findings.len(),
            ),
        }
    }

    fn shrinking(&self, property: &str, steps: usize) {
        match self {
            Display::Live(live) => {
                live.pace.begin_shrinking();
                *live.shrinking_since.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
                let mut text = Text::new();
                line!(text, "  shrinking {property} ({steps} steps)");
                live.bar.set_message(text.to_string().trim_end().to_owned());
            }
            Display::Lines(last) => {
                *last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
                remark!("failure after {steps} steps: {property}; shrinking");
            }
            Display::Nothing => {}
        }
    }

    fn shrunk(&self, failure: &Failure, executions: u64) {
        let since = match self {
            Display::Live(live) => &live.shrinking_since,
            Display::Lines(last) => last,
            Display::Nothing => return,
        };
        if since.lock().unwrap_or_else(PoisonError::into_inner).elapsed() < SHORT_AFTER {
            return;
        }
        let text = short_schedule(failure, executions);
        match self {
            Display::Live(live) => live.bar.suspend(|| print_error(&text)),
            _ => print_error(&text),
        }
    }
}

/// The schedule of a failure that is being shrunk, a step on a line; the same steps in a row are one line.
fn short_schedule(failure: &Failure, executions: u64) -> Text {
    let steps = &failure.schedule.steps;
    let mut text = Text::new();
    line!(
        text,
        "{} by {} steps, after {} executions; shrinking goes on",
        failure.violation.property,
        steps.len(),
        grouped(executions)
    );
    let mut runs = steps.chunk_by(|a, b| a == b);
    for run in runs.by_ref().take(SHORT_LINES_MAX) {
        match run.len() {
            1 => line!(text, "  {}", run[0]),
            times => line!(text, "  {} ×{times}", run[0]),
        }
    }
    match runs.map(<[_]>::len).sum() {
        0usize => {}
        left => line!(text, "  … and {left} more"),
    }
    text
}

/// The view of a campaign on a terminal: a bar, and below it coverage, findings and workers.
pub(crate) struct Live {
    bar: ProgressBar,
    pace: Arc<Pace>,
    /// When it was drawn last.
    drawn: Mutex<Instant>,
    /// When the last failure began to be shrunk.
    shrinking_since: Mutex<Instant>,
}

impl Live {
    fn new(total: u64, time: Option<Duration>) -> Live {
        let pace = Arc::new(Pace::new(time));
        let paced = Arc::clone(&pace);
        let rate = move |state: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = write!(out, "{} a second", per_second(paced.per_second(state.pos())));
        };
        let paced = Arc::clone(&pace);
        let left = move |state: &ProgressState, out: &mut dyn fmt::Write| {
            let left = paced.left(state.pos(), state.len().unwrap_or(0));
            let _ = match left {
                Some(left) => write!(out, "{} left", HumanDuration(left)),
                None => Ok(()),
            };
        };
        let count = |state: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = write!(out, "{} of {}", grouped(state.pos()), grouped(state.len().unwrap_or(0)));
        };
        let style = ProgressStyle::with_template("  {bar:32} {count} executions · {rate} · {left}\n{msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(total);
        bar.set_style(style.with_key("rate", rate).with_key("left", left).with_key("count", count));
        let (drawn, shrinking_since) = (Mutex::new(Instant::now()), Mutex::new(Instant::now()));
        Live { bar, pace, drawn, shrinking_since }
    }

    fn show(&self, now: &Now<'_>) {
        self.pace.end_shrinking();
        {
            let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
            if drawn.elapsed() < DRAW_EVERY {
                return;
            }
            *drawn = Instant::now();
        }
        self.bar.set_position(now.standing.executions);
        self.bar.set_message(below_the_bar(now).to_string().trim_end().to_owned());
    }
}

/// What is to be seen below the bar.
fn below_the_bar(now: &Now<'_>) -> Text {
    let Now { standing, .. } = now;
    let mut text = Text::new();
    for coverage in &standing.coverage {
        let since = standing.executions.saturating_sub(coverage.last_new);
        let last = match since {
            0 => "the last execution saw something new".to_owned(),
            since => format!("nothing new for {} executions", grouped(since)),
        };
        line!(text, "  {:<9} {} seen · {last}", coverage.guide, grouped(coverage.covered()));
    }
    for finding in standing.findings.iter().rev().take(FINDINGS_SHOWN) {
        let found = &finding.failure.found;
        line!(
            text,
            "  found     {} · execution {} · {} times",
            finding.failure.violation.property,
            grouped(found.execution),
            grouped(finding.hits)
        );
    }
    if standing.findings.len() > FINDINGS_SHOWN {
        line!(text, "            and {} more", standing.findings.len() - FINDINGS_SHOWN);
    }
    let workers = now.workers();
    if workers.len() > 1 {
        let of = |worker: &Worker| match worker.execution {
            Some(execution) => format!("{} step {}", grouped(execution), worker.step),
            None => "waits".to_owned(),
        };
        let texts: Vec<_> = workers.iter().take(WORKERS_SHOWN).map(of).collect();
        line!(text, "  workers   {}", texts.join(" · "));
    }
    text
}
