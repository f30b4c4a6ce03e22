//! `tlc`: TLC's command line, messages and exit codes, for editors and scripts that call TLC.

mod arguments;
mod messages;
mod places;
mod trace;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clap::Args;

use self::arguments::{Arguments, DumpFormat, TraceFormat, parse};
use self::messages::{Messages, Severity, now};
use self::places::Places;
use super::files::{CommandError, load};
use super::{MEMORY_MEBIBYTES, SpecFiles};
use crate::check::{
    Options, Outcome, Report, SimulationOptions, Trace, Violation, ViolationKind, check_watched, simulate,
};
use crate::model::{Model, Scope};
use crate::stack::CALLER_STACK_BYTES;
use crate::walk::Walker;
use crate::{Error, Spec};

/// How often progress is reported, as TLC does.
const PROGRESS_EVERY: Duration = Duration::from_secs(60);
/// Most states of a graph that is written.
const DUMPED_STATES_MAX: usize = 1_000_000;
/// How many behaviours are simulated when no number is given: TLC would never end.
const BEHAVIOURS_MAX: u64 = u64::MAX;

/// Arguments of `tlc`.
#[derive(Args)]
#[command(disable_help_flag = true)]
pub struct Tlc {
    /// TLC's own arguments
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

impl Tlc {
    /// Runs it, and gives TLC's exit code.
    pub fn run(&self) -> u8 {
        match parse(&self.arguments) {
            Ok(arguments) => run(arguments),
            Err(message) => {
                let is_tool = self.arguments.iter().any(|word| word == "-tool");
                let messages = Messages::new(is_tool, std::collections::HashSet::new());
                messages.send(1101, Severity::Error, &format!("{message}."));
                1
            }
        }
    }
}

/// One run.
struct Session {
    arguments: Arguments,
    messages: Messages,
    places: Places,
    start: Instant,
}

fn run(mut arguments: Arguments) -> u8 {
    let messages = Messages::new(arguments.tool, std::mem::take(&mut arguments.suppressed));
    let places = Places::of(&arguments.spec);
    let session = Session { arguments, messages, places, start: Instant::now() };
    session.greet();
    let code = session.work();
    let milliseconds = session.start.elapsed().as_millis();
    session.messages.tell(2186, &format!("Finished in {milliseconds}ms at ({})", now()));
    code
}

/// What is wrong with the names of a specification: TLC's parser reports it before anything is evaluated.
fn names_are_wrong(spec: &Spec) -> Option<Box<Error>> {
    let error = Model::new(spec, Scope::All, CALLER_STACK_BYTES).err()?;
    matches!(*error, Error::Syntax { .. } | Error::Semantic { .. }).then_some(error)
}

fn plural(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The whole environment, as `--env` takes it: scripts that call TLC name files of traces there.
fn environment() -> Vec<String> {
    let variables = std::env::vars_os();
    variables.filter_map(|(name, value)| Some(format!("{}={}", name.to_str()?, value.to_str()?))).collect()
}

/// The second argument of a failed `Assert` as TLC prints it: the engine has it without the quotes of a
/// string.
fn as_value(message: &str) -> String {
    let is_other =
        message.starts_with(['<', '[', '{', '(', '-']) || message.starts_with(|c: char| c.is_ascii_digit());
    if is_other || matches!(message, "TRUE" | "FALSE") {
        message.to_string()
    } else {
        format!("\"{message}\"")
    }
}

impl Session {
    fn greet(&self) {
        let version = env!("CARGO_PKG_VERSION");
        self.messages.tell(2262, &format!("TLC2 Version of shakedown-tla {version}"));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = plural(self.arguments.workers as u64, "worker", "workers");
        let seed = self.arguments.seed.unwrap_or(0);
        let machine = format!(
            "with {workers} on {cores} cores with {MEMORY_MEBIBYTES}MB heap and 0MB offheap memory [pid: {}] ({} {}, shakedown-tla {version})",
            std::process::id(),
            std::env::consts::OS,
            std::env::consts::ARCH
        );
        match self.arguments.simulate {
            Some(_) => {
                self.messages.tell(2188, &format!("Running Random Simulation with seed {seed} {machine}."))
            }
            None => {
                let fingerprint = self.arguments.fingerprint;
                let what = format!(
                    "Running breadth-first search Model-Checking with fp {fingerprint} and seed {seed}"
                );
                self.messages.tell(2187, &format!("{what} {machine}."));
            }
        }
    }

    /// Loads and checks; gives the exit code.
    fn work(&self) -> u8 {
        self.messages.tell(2220, "Starting SANY...");
        let spec = &self.arguments.spec;
        self.messages
            .line(&format!("Parsing file {}", std::path::absolute(spec).unwrap_or(spec.clone()).display()));
        let files = SpecFiles {
            spec: spec.clone(),
            config: self.arguments.config.clone(),
            path: Vec::new(),
            allow_read: Vec::new(),
            env: environment(),
            memory: MEMORY_MEBIBYTES,
        };
        if let Some(remark) = super::pcal::remark(spec).filter(|_| !self.arguments.no_warning) {
            self.messages.send(1000, Severity::Warning, &remark);
        }
        let loaded = load(&files).and_then(|(spec, deadlock)| match names_are_wrong(&spec) {
            Some(error) => Err(CommandError::from(error)),
            None => Ok((spec, deadlock)),
        });
        if let Err(error) = &loaded {
            self.refuse_module(error);
        }
        self.messages.tell(2219, "SANY finished.");
        self.messages.tell(2185, &format!("Starting... ({})", now()));
        match loaded {
            Err(error) => {
                let is_of_module = error.code == 150;
                let text = if is_of_module {
                    "Parsing or semantic analysis failed."
                } else {
                    error.message.as_str()
                };
                self.messages.send(if is_of_module { 3002 } else { 1000 }, Severity::Error, text);
                error.code
            }
            Ok((spec, deadlock)) => match self.arguments.simulate {
                Some(count) => self.simulate(&spec, deadlock, count),
                None => self.check(&spec, deadlock),
            },
        }
    }

    /// What is wrong with a module, in the words of TLC's parser.
    fn refuse_module(&self, error: &CommandError) {
        if error.code != 150 {
            return;
        }
        let message = &error.message;
        // The message starts with the module, the line and the column.
        let mut parts = message.splitn(4, ':');
        let place = (parts.next(), parts.next().map(str::parse::<u32>), parts.next().map(str::parse::<u32>));
        let rest = parts.next().unwrap_or("").trim();
        match place {
            (Some(module), Some(Ok(line)), Some(Ok(column))) => {
                let range =
                    format!("line {line}, col {column} to line {line}, col {column} of module {module}");
                self.messages.line(&format!("Semantic errors:\n\n*** Errors: 1\n\n{range}\n\n{rest}\n"));
            }
            _ => self.messages.line(&format!("*** Errors: 1\n\n{message}\n")),
        }
    }

    fn check(&self, spec: &Spec, deadlock: Option<bool>) -> u8 {
        self.messages.tell(2189, "Computing initial states...");
        let mut options = Options {
            workers: self.arguments.workers,
            deadlock: if self.arguments.no_deadlock { Some(false) } else { deadlock },
            memory_bytes_max: MEMORY_MEBIBYTES << 20,
            seed: self.arguments.seed.unwrap_or(0) as u64,
            ..Options::default()
        };
        options.depth_max = self.arguments.depth.unwrap_or(options.depth_max);
        let last = Mutex::new(Instant::now());
        let report = check_watched(spec, &options, &|progress| {
            let Ok(mut last) = last.try_lock() else { return };
            if last.elapsed() >= PROGRESS_EVERY {
                *last = Instant::now();
                self.progress(progress.depth, progress.generated, progress.distinct, progress.queue);
            }
        });
        self.report(&report);
        if let Some((format, path)) = &self.arguments.dump {
            self.dump(spec, *format, path);
        }
        self.exit_code(&report)
    }

    /// TLC's exit code: a false postcondition counts as a false assumption.
    fn exit_code(&self, report: &Report) -> u8 {
        match &report.outcome {
            Outcome::Violation(violation) if violation.kind == ViolationKind::Postcondition => 10,
            _ => report.exit_code() as u8,
        }
    }

    fn simulate(&self, spec: &Spec, deadlock: Option<bool>, count: Option<u64>) -> u8 {
        let seed = self.arguments.seed.unwrap_or(0);
        let options = SimulationOptions {
            behaviours: count.unwrap_or(BEHAVIOURS_MAX),
            depth: self.arguments.depth.unwrap_or(100),
            seed: seed as u64,
            deadlock: !self.arguments.no_deadlock && deadlock.unwrap_or(true),
        };
        let report = simulate(spec, &options);
        self.output(&report);
        self.outcome(&report);
        self.messages.tell(
            2210,
            &format!(
                "The number of states generated: {}\nSimulation using seed {seed} and aril 0",
                report.generated
            ),
        );
        self.exit_code(&report)
    }

    fn progress(&self, depth: u64, generated: u64, distinct: u64, queue: u64) {
        let minutes = self.start.elapsed().as_secs_f64() / 60.0;
        let rate = |count: u64| (count as f64 / minutes.max(1.0 / 60_000.0)) as u64;
        self.messages.tell(
            2200,
            &format!(
                "Progress({depth}) at {}: {generated} states generated ({} s/min), {distinct} distinct states found ({} ds/min), {queue} states left on queue.",
                now(),
                rate(generated),
                rate(distinct)
            ),
        );
    }

    /// What the specification printed, and warnings.
    fn output(&self, report: &Report) {
        for line in &report.output {
            self.messages.line(line);
        }
        for warning in report.warnings.iter().filter(|_| !self.arguments.no_warning) {
            self.messages.send(1000, Severity::Warning, warning);
        }
    }

    fn report(&self, report: &Report) {
        let made: u64 = report.actions.iter().map(|action| action.distinct).sum();
        let initial = report.distinct.saturating_sub(made);
        if report.distinct > 0 {
            let states = plural(initial, "distinct state", "distinct states");
            self.messages
                .tell(2190, &format!("Finished computing initial states: {states} generated at {}.", now()));
        }
        self.output(report);
        self.outcome(report);
        if self.arguments.coverage {
            self.coverage(report);
        }
        let Report { generated, distinct, queue, depth, .. } = report;
        self.progress(*depth, *generated, *distinct, *queue);
        self.messages.tell(
            2199,
            &format!("{generated} states generated, {distinct} distinct states found, {queue} states left on queue."),
        );
        self.messages.tell(2194, &format!("The depth of the complete state graph search is {depth}."));
    }

    fn outcome(&self, report: &Report) {
        match &report.outcome {
            Outcome::Success if self.arguments.simulate.is_some() => {}
            Outcome::Success => self.messages.tell(
                2193,
                &format!(
                    "Model checking completed. No error has been found.\n  Estimates of the probability that TLC did not check all reachable states\n  because two distinct states had the same fingerprint:\n  calculated (optimistic):  val = {:.1E}",
                    report.collision_probability()
                ),
            ),
            Outcome::Violation(violation) => self.violation(violation),
            Outcome::Error(error, trace) => self.error(error, trace),
            Outcome::Limit(message) => self.messages.send(1000, Severity::Error, message),
        }
    }

    fn violation(&self, violation: &Violation) {
        let Violation { kind, name, message, trace } = violation;
        let is_initial = trace.steps.len() == 1;
        let first = trace.steps.first().map(|step| trace::state_text(step, None)).unwrap_or_default();
        let (code, text) = match kind {
            ViolationKind::Invariant if is_initial => {
                (2107, format!("Invariant {name} is violated by the initial state:\n{first}"))
            }
            ViolationKind::InitialProperty => {
                (2108, format!("Property {name} is violated by the initial state:\n{first}"))
            }
            ViolationKind::Invariant => (2110, format!("Invariant {name} is violated.")),
            ViolationKind::Deadlock => (2114, "Deadlock reached.".to_string()),
            ViolationKind::Assumption => (2104, format!("Assumption {message} is false.")),
            ViolationKind::StepProperty => (2112, format!("Action property {name} is violated.")),
            ViolationKind::Liveness => (2116, format!("Temporal property {name} was violated.\n")),
            ViolationKind::Assertion => {
                let text = "The first argument of Assert evaluated to FALSE; the second argument was:";
                (2132, format!("{text}\n{}", as_value(message)))
            }
            ViolationKind::Postcondition => (2404, format!("Postcondition {name} is false.")),
        };
        self.messages.send(code, Severity::Error, &text);
        self.dump_trace(trace);
        if matches!(code, 2107 | 2108) || trace.steps.is_empty() {
            return;
        }
        match kind {
            ViolationKind::Liveness => {
                self.messages.send(
                    2264,
                    Severity::Error,
                    "The following behavior constitutes a counter-example:\n",
                );
            }
            _ => self.messages.send(2121, Severity::Error, "The behavior up to this point is:"),
        }
        trace::send(&self.messages, trace, &self.places, self.arguments.diff_trace);
    }

    fn error(&self, error: &Error, trace: &Trace) {
        self.messages.send(1000, Severity::Error, &error.to_string());
        self.dump_trace(trace);
        if !trace.steps.is_empty() {
            self.messages.send(2121, Severity::Error, "The behavior up to this point is:");
            trace::send(&self.messages, trace, &self.places, self.arguments.diff_trace);
        }
    }

    /// How often each action was taken: distinct states, then all.
    fn coverage(&self, report: &Report) {
        self.messages.tell(2201, &format!("The coverage statistics at {}", now()));
        for action in &report.actions {
            let place =
                self.places.get(action.name.as_str()).map(|definition| format!(" {}", definition.name));
            let (name, place) = (action.name, place.unwrap_or_default());
            self.messages.tell(2772, &format!("<{name}{place}>: {}:{}", action.distinct, action.generated));
        }
        self.messages.tell(2202, "End of statistics.");
    }

    fn module(&self) -> String {
        self.arguments.spec.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Writes the counterexample to the files that were asked for.
    fn dump_trace(&self, trace: &Trace) {
        if trace.steps.is_empty() {
            return;
        }
        for (format, path) in &self.arguments.dump_trace {
            let text = match format {
                TraceFormat::Json => trace::to_json(trace, &self.places, &self.module()).to_string(),
                TraceFormat::Tla => trace::to_tla(trace, &self.places, &self.module(), path),
            };
            match std::fs::write(path, text) {
                Ok(()) => self.messages.line(&format!("\"CounterExample written: {}\"", path.display())),
                Err(error) => self.unwritten(path, &error.to_string()),
            }
        }
    }

    fn unwritten(&self, path: &Path, reason: &str) {
        self.messages.send(1000, Severity::Error, &format!("{} cannot be written: {reason}", path.display()));
    }

    /// Writes the graph of all states, or all states.
    fn dump(&self, spec: &Spec, format: DumpFormat, path: &PathBuf) {
        let made = Walker::new(spec).and_then(|mut walker| {
            let graph = walker.graph(DUMPED_STATES_MAX)?;
            Ok(match format {
                DumpFormat::Dot => walker.to_dot(&graph),
                DumpFormat::Text => {
                    let states = graph.states.iter().enumerate();
                    let text = states
                        .map(|(index, state)| format!("State {}:\n{}\n\n", index + 1, walker.to_text(state)));
                    text.collect()
                }
            })
        });
        match made {
            Ok(text) => {
                if let Err(error) = std::fs::write(path, text) {
                    self.unwritten(path, &error.to_string());
                }
            }
            Err(error) => self.unwritten(path, &error.to_string()),
        }
    }
}
