//! The command line: `check`, `simulate`, `graph`, `run` and `fmt`.
//!
//! It is one clap subcommand with its own exit codes, so that a larger program can offer it as one of its
//! commands: parse a [`Command`], then [`Command::run`] it. Only this module of the crate reads files and
//! writes to the terminal.

mod access;
mod files;
mod folder;
mod gauge;
mod harmless;
mod output;
mod pcal;
mod print;
mod progress;
mod serve;
mod spilling;
mod tlc;
mod walk;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::{Args, Subcommand, ValueEnum};

use self::files::load;
pub use self::files::{CommandError, SpecSources, load_spec};
pub use self::harmless::harmless;
pub use self::output::{exit_code_of_printing, print_out};
use self::output::{print_error, print_with};
use self::print::{report_json, simulation_json, write_check, write_simulation};
use self::progress::Display;
pub use self::tlc::Tlc;
use crate::check::{Options, SimulationOptions, check_watched, simulate};

/// What goes wrong before there is anything to check.
const EXIT_USAGE: u8 = 153;

/// What the process exits with.
const EXIT_CODES: &str = "\
Exit codes, which are TLC's:
    0  no error             75  the specification cannot be evaluated
   10  assumption          150  the specification cannot be parsed
   11  deadlock            151  the configuration is wrong
   12  safety              152  a limit was reached
   13  liveness            153  a file cannot be used
   14  assertion";

/// Check, simulate and walk TLA+ specifications
#[derive(Subcommand)]
#[command(after_help = EXIT_CODES)]
pub enum Command {
    /// Explore all reachable states and check what the configuration lists
    Check(Check),
    /// Follow random behaviours and check them on the way
    Simulate(Simulate),
    /// Print the graph of all reachable states, with an edge for every action that leads from one to another
    Graph(Graph),
    /// Run a list of actions from the initial state: the states, and what blocked the actions that were not
    /// possible
    ///
    /// The file is a JSON array. An action is a text, "Restart", or an object,
    /// `{"action": "Timeout", "arguments": [1]}`. Values are written as `tla run --json` prints them:
    /// sequences are arrays, records are objects; others are {"#set": [..]}, {"#map": [[argument, value],
    /// ..]} and {"#model": "name"}.
    Run(Run),
    /// Translate the PlusCal algorithm of a module, in the file or to standard output
    Pcal(pcal::Pcal),
    /// Serve HTTP on the loopback interface: each request has a list of actions, and the answer has their
    /// states
    Serve(serve::Serve),
    /// Check a specification with TLC's own options, and print TLC's messages
    #[command(disable_help_flag = true)]
    Tlc(Tlc),
    /// Print states that are given as JSON in the syntax of TLA+
    Fmt(Fmt),
}

/// The specification and its configuration.
#[derive(Args)]
pub struct SpecFiles {
    /// The root module
    #[arg(value_name = "SPEC.tla")]
    spec: PathBuf,
    /// The configuration [default: the file beside the module that ends with .cfg]
    #[arg(long, short = 'c', value_name = "FILE")]
    config: Option<PathBuf>,
    /// Where else to look for modules and files
    #[arg(long, value_name = "FOLDER")]
    path: Vec<PathBuf>,
    /// A folder, or a file, that the specification may read though it is outside its own folders; may be
    /// repeated
    #[arg(long, value_name = "DIR")]
    allow_read: Vec<PathBuf>,
    /// A variable of the environment that the specification sees as `IOEnv`, as it is here or with this
    /// value; may be repeated
    #[arg(long, value_name = "NAME[=VALUE]")]
    env: Vec<String>,
    /// Stop when the process uses this much memory
    #[arg(long, default_value_t = MEMORY_MEBIBYTES, value_name = "MiB")]
    memory: usize,
}

/// How much memory a specification may take unless it is given, in mebibytes.
pub const MEMORY_MEBIBYTES: usize = 8_192;

/// Arguments of `check`.
#[derive(Args)]
pub struct Check {
    #[command(flatten)]
    files: SpecFiles,
    /// How many threads; never changes the counts
    #[arg(long, short = 'j', default_value_t = 1, value_name = "N")]
    workers: usize,
    /// A state without successors is no error, whatever the configuration says
    #[arg(long)]
    no_deadlock: bool,
    /// Stop after this many levels
    #[arg(long, value_name = "N")]
    depth: Option<u64>,
    /// Stop after the level in which this many distinct states are reached
    #[arg(long, value_name = "N")]
    states: Option<u64>,
    /// Stop when a worker has evaluated this many steps: elements of quantifiers and sets, calls of operators
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// The source of all randomness
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    #[command(flatten)]
    spilling: spilling::Spilling,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// Arguments of `simulate`.
#[derive(Args)]
pub struct Simulate {
    #[command(flatten)]
    files: SpecFiles,
    /// How many behaviours
    #[arg(long, short = 'n', default_value_t = 1_000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    behaviours: u64,
    /// The maximum number of steps of each, up to 1000000
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u64).range(..=1_000_000))]
    depth: u64,
    /// The source of all randomness
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    /// A state without successors is no error, whatever the configuration says
    #[arg(long)]
    no_deadlock: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How a graph is written.
#[derive(Clone, Copy, ValueEnum)]
enum GraphFormat {
    /// For Graphviz
    Dot,
    /// States and edges as objects
    Json,
}

/// Arguments of `graph`.
#[derive(Args)]
pub struct Graph {
    #[command(flatten)]
    files: SpecFiles,
    /// How to write it
    #[arg(long, short, default_value = "dot")]
    format: GraphFormat,
    /// Give up if there are more states
    #[arg(long, default_value_t = 100_000, value_name = "N")]
    states: usize,
}

/// Arguments of `run`.
#[derive(Args)]
pub struct Run {
    #[command(flatten)]
    files: SpecFiles,
    /// The actions; `-` for standard input
    #[arg(value_name = "ACTIONS.json")]
    actions: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Arguments of `fmt`.
#[derive(Args)]
pub struct Fmt {
    /// The state, an object of its variables, or an array of such; `-` for standard input
    #[arg(value_name = "STATE.json")]
    state: PathBuf,
}

impl Command {
    /// Runs the command, and says what the process should exit with.
    pub fn run(&self) -> ExitCode {
        let code = match self {
            Command::Check(command) => command.run(),
            Command::Simulate(command) => command.run(),
            Command::Graph(command) => command.run(),
            Command::Run(command) => command.run(),
            Command::Pcal(command) => command.run(),
            Command::Serve(command) => command.run(),
            Command::Tlc(command) => Ok(command.run()),
            Command::Fmt(command) => command.run(),
        };
        match code {
            Ok(code) => ExitCode::from(code),
            Err(error) => error.report(),
        }
    }
}

impl Check {
    fn run(&self) -> Result<u8, CommandError> {
        if let Some(remark) = pcal::remark(&self.files.spec).filter(|_| !self.quiet) {
            print_error(&format!("Warning: {remark}"));
        }
        let (spec, deadlock) = load(&self.files)?;
        let mut options = Options {
            workers: self.workers,
            deadlock: if self.no_deadlock { Some(false) } else { deadlock },
            memory_bytes_max: self.files.memory.saturating_mul(1 << 20),
            seed: self.seed,
            spill: self.spilling.spill(self.files.memory, self.workers)?,
            ..Options::default()
        };
        options.depth_max = self.depth.unwrap_or(options.depth_max);
        options.states_max = self.states.unwrap_or(options.states_max);
        options.steps_max = self.steps.unwrap_or(options.steps_max);
        let start = Instant::now();
        let display = Display::new(self.quiet || self.json);
        let report = check_watched(&spec, &options, &|progress| display.show(progress));
        display.clear();
        Ok(print_with(report.exit_code() as u8, |out| match self.json {
            true => writeln!(out, "{:#}", report_json(&report)),
            false => write_check(out, &report, start.elapsed()),
        }))
    }
}

impl Simulate {
    fn run(&self) -> Result<u8, CommandError> {
        let (spec, deadlock) = load(&self.files)?;
        let options = SimulationOptions {
            behaviours: self.behaviours,
            depth: self.depth,
            seed: self.seed,
            deadlock: !self.no_deadlock && deadlock.unwrap_or(true),
        };
        let start = Instant::now();
        let report = simulate(&spec, &options);
        Ok(print_with(report.exit_code() as u8, |out| match self.json {
            true => writeln!(out, "{:#}", simulation_json(&report)),
            false => write_simulation(out, &report, start.elapsed()),
        }))
    }
}
