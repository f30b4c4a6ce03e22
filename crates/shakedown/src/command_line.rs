//! The command line, for any set of targets: what commands there are, and which room each is in.

use std::error::Error as _;
use std::ffi::OsString;
use std::num::{ParseFloatError, ParseIntError};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ColorChoice, CommandFactory as _, Parser, Subcommand};
use shakedown_campaign::{AnyTarget, own_process};
use shakedown_report::{Style, Text};

pub(crate) use crate::command_error::CommandError;
#[cfg(feature = "store")]
use crate::compare_command::{Compare, compare as compare_strategies};
#[cfg(feature = "tla")]
use crate::conform_command::{Conform, conform};
use crate::corpus_command::{CorpusCommand, corpus};
use crate::diff_command::{Diff, diff};
pub(crate) use crate::exit_status::ExitStatus;
use crate::explain_command::{Explain, explain_file};
#[cfg(not(feature = "remote"))]
use crate::features::REMOTE;
use crate::features::missing_command;
#[cfg(feature = "fleet")]
use crate::fleet_command::{FleetCommand, Worker, fleet, worker};
use crate::help_command::{Completions, Man, completions, man};
use crate::history_command::{CheckHistory, check_history};
#[cfg(feature = "remote")]
use crate::host_command::{HostSubcommand, described, host};
#[cfg(feature = "remote")]
use crate::init_command::{Init, init};
#[cfg(feature = "store")]
use crate::kept_command::{Merge, Resume, merge, resume};
#[cfg(feature = "store")]
use crate::list_campaigns::{List, list};
use crate::list_command::{Strategies, Targets, list_strategies, list_targets};
#[cfg(feature = "maelstrom")]
use crate::maelstrom_command::{Maelstrom, maelstrom};
use crate::near::did_you_mean;
use crate::printing::remember_target_files;
#[cfg(feature = "remote")]
use crate::profile::with_profile;
use crate::replay_command::{Replay, replay};
#[cfg(all(feature = "html", feature = "store"))]
use crate::report_command::{Report, report};
use crate::run_command::{Run, explore};
use crate::scenario_command::{ScenarioCommand, scenario};
#[cfg(all(feature = "html", feature = "store"))]
use crate::serve_command::{Serve, serve};
#[cfg(feature = "store")]
use crate::show_command::{Show, show};
use crate::shrink_command::{Shrink, shrink_file};
use crate::space_command::{Space, print_space};
use crate::terminal::{all_was_printed, choose_colours, note, print_error};
#[cfg(feature = "tla")]
use crate::tla_command::TlaCommand;
#[cfg(feature = "tla")]
use crate::validate_command::{Validate, validate};

/// What the help of every command has last.
const GLOBAL: &str = "Global options";
/// The most lines of an error that are printed.
const ERROR_LINES_MAX: usize = 40;

/// Tests implementations of distributed protocols.
///
/// Controls the network, the clocks, the disks and the crashes of a cluster, explores executions, and returns
/// a failing one that is small, readable and replays every time.
#[derive(Parser)]
#[command(version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Exit codes: 0 pass, 1 a failure was found, 2 inconclusive or could not run.")]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
    /// A file that describes a target; may be given several times [default: shakedown.toml, if it is there]
    #[arg(long, global = true, value_name = "FILE", help_heading = GLOBAL)]
    target_file: Vec<PathBuf>,
    /// When to print in colours
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto, help_heading = GLOBAL)]
    color: ColorChoice,
}

#[derive(Subcommand)]
enum Command {
    /// List the targets, or all that one of them offers
    Targets(Targets),
    /// List the strategies, with their parameters
    Strategies(Strategies),
    /// Explore executions of a target
    Run(Box<Run>),
    /// Print how many executions the strategy `closure` samples from, and how many samples are needed to meet
    /// a given one
    Space(Space),
    /// List and run scenario unit tests: filters that steer messages, and a property
    #[command(subcommand)]
    Scenario(ScenarioCommand),
    /// Check a target against a specification: play every path of its state graph and compare all variables
    #[cfg(feature = "tla")]
    Conform(Box<Conform>),
    /// Check and simulate TLA+ specifications, and print their states and paths
    #[cfg(feature = "tla")]
    #[command(subcommand)]
    Tla(TlaCommand),
    /// Check a specification with TLC's own options, as in `tlc -config MC.cfg MC.tla`, and print TLC's
    /// messages
    #[cfg(feature = "tla")]
    #[command(disable_help_flag = true)]
    Tlc(shakedown_tla::command::Tlc),
    /// Check whether a recorded trace is a behaviour of a TLA+ specification
    #[cfg(feature = "tla")]
    Validate(Validate),
    /// Check programs that hold nodes in other languages
    #[cfg(feature = "remote")]
    #[command(subcommand)]
    Host(HostSubcommand),
    /// Test nodes written for Maelstrom, in any language, unmodified
    #[cfg(feature = "maelstrom")]
    Maelstrom(Box<Maelstrom>),
    /// Make a new project: a small protocol, its target and its properties
    #[cfg(feature = "remote")]
    Init(Init),
    /// Check a recorded history of transactions for isolation anomalies
    CheckHistory(CheckHistory),
    /// Replay a failing execution, or several
    Replay(Replay),
    /// Explain why an execution failed: the steps it needs, the chance of the violation after each step, the
    /// nearest execution that passes
    Explain(Explain),
    /// Print two failing executions side by side, with the first difference
    Diff(Diff),
    /// Look for a shorter schedule of the same failure
    Shrink(Shrink),
    /// Continue a campaign that is stored in a folder
    #[cfg(feature = "store")]
    Resume(Resume),
    /// Compare strategies: the same budget, several seeds each, and whether the differences are significant
    #[cfg(feature = "store")]
    Compare(Box<Compare>),
    /// Write a report of a campaign or a comparison that is stored in a folder
    #[cfg(all(feature = "html", feature = "store"))]
    Report(Report),
    /// Serve a live page of the campaigns in a folder, on this machine only
    #[cfg(all(feature = "html", feature = "store"))]
    Serve(Serve),
    /// Print a finding, or any execution of a stored campaign, with its diagram
    #[cfg(feature = "store")]
    Show(Show),
    /// List the campaigns in folders
    #[cfg(feature = "store")]
    List(List),
    /// Merge several campaigns into one folder
    #[cfg(feature = "store")]
    Merge(Merge),
    /// Minimise, merge and replay the inputs of a fuzzer
    #[command(subcommand)]
    Corpus(CorpusCommand),
    /// Run executions for the campaigns of a fleet, until it is asked to end
    #[cfg(feature = "fleet")]
    Worker(Worker),
    /// Look at a fleet
    #[cfg(feature = "fleet")]
    #[command(subcommand)]
    Fleet(FleetCommand),
    /// Print the completions of a shell
    Completions(Completions),
    /// Write manual pages
    Man(Man),
}

/// The whole command line, for these targets. Call it from a `main` of your own.
pub fn main(targets: Vec<Box<dyn AnyTarget>>) -> ExitCode {
    own_process();
    main_with(targets, std::env::args_os())
}

/// The same with arguments of the caller's own, the first of which is the name of the program.
pub fn main_with(
    targets: Vec<Box<dyn AnyTarget>>,
    arguments: impl IntoIterator<Item = OsString>,
) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    #[cfg(feature = "remote")]
    let arguments = match with_profile(arguments, &CommandLine::command()) {
        Ok(arguments) => arguments,
        Err(error) => return ended_with(Err(error)),
    };
    let command_line = match CommandLine::try_parse_from(&arguments) {
        Ok(command_line) => command_line,
        Err(error) => {
            if let Some(missing) = missing_command(&error) {
                return ended_with(Err(CommandError(missing)));
            }
            // Help and the version are errors to the parser, but not to the user.
            if !error.use_stderr() {
                note(error.print());
                return ended_with(Ok(ExitStatus::Pass));
            }
            let has_line_break =
                arguments.iter().any(|argument| argument.to_string_lossy().contains(['\n', '\r']));
            print_usage_error(&with_kind_of_number(error), has_line_break);
            return ended_with(Ok(ExitStatus::Unknown));
        }
    };
    remember_target_files(&command_line.target_file);
    choose_colours(command_line.color);
    let targets = match with_described(targets, &command_line.target_file) {
        Ok(targets) => targets,
        Err(error) => return ended_with(Err(error)),
    };
    let result = match command_line.command {
        Command::Targets(options) => list_targets(&targets, &options),
        Command::Strategies(options) => Ok(list_strategies(&options)),
        Command::Run(run) => explore(&targets, &run),
        Command::Space(options) => print_space(&targets, &options),
        Command::Scenario(command) => scenario(&targets, &command),
        #[cfg(feature = "tla")]
        Command::Conform(options) => conform(&targets, &options),
        // Its exit codes are TLC's.
        #[cfg(feature = "tla")]
        Command::Tla(command) => return command.run(),
        #[cfg(feature = "tla")]
        Command::Tlc(command) => return ExitCode::from(command.run()),
        #[cfg(feature = "tla")]
        Command::Validate(options) => validate(&options),
        #[cfg(feature = "remote")]
        Command::Host(command) => host(&command),
        #[cfg(feature = "maelstrom")]
        Command::Maelstrom(options) => maelstrom(&options),
        #[cfg(feature = "remote")]
        Command::Init(options) => init(&options),
        Command::CheckHistory(options) => check_history(&targets, &options),
        Command::Replay(options) => replay(&targets, &options),
        Command::Explain(options) => explain_file(&targets, &options),
        Command::Diff(options) => diff(&targets, &options),
        Command::Shrink(shrink) => shrink_file(&targets, &shrink),
        #[cfg(feature = "store")]
        Command::Resume(options) => resume(&targets, &options),
        #[cfg(feature = "store")]
        Command::Compare(options) => compare_strategies(&targets, &options),
        #[cfg(all(feature = "html", feature = "store"))]
        Command::Report(options) => report(&targets, &options),
        #[cfg(all(feature = "html", feature = "store"))]
        Command::Serve(options) => serve(&targets, &options),
        #[cfg(feature = "store")]
        Command::Show(options) => show(&targets, &options),
        #[cfg(feature = "store")]
        Command::List(options) => list(&targets, &options),
        #[cfg(feature = "store")]
        Command::Merge(options) => merge(&options),
        Command::Corpus(command) => corpus(&targets, &command),
        #[cfg(feature = "fleet")]
        Command::Worker(options) => worker(&targets, &options),
        #[cfg(feature = "fleet")]
        Command::Fleet(command) => fleet(&command),
        Command::Completions(options) => Ok(completions(described_as(&arguments), &options)),
        Command::Man(options) => man(described_as(&arguments), &options),
    };
    ended_with(result)
}

/// The command line by the name of the program.
fn described_as(arguments: &[OsString]) -> clap::Command {
    let program = arguments.first().map(PathBuf::from).unwrap_or_default();
    let name = program.file_stem().map_or_else(|| "shakedown".into(), |name| name.to_string_lossy());
    // A name lives as long as the program, as those of other commands do.
    let name: &'static str = Box::leak(name.into_owned().into_boxed_str());
    CommandLine::command().name(name).bin_name(name)
}

/// These targets, and before them those that files describe: they take the place of others of the same names.
fn with_described(
    targets: Vec<Box<dyn AnyTarget>>,
    files: &[PathBuf],
) -> Result<Vec<Box<dyn AnyTarget>>, CommandError> {
    #[cfg(feature = "remote")]
    {
        let mut all = described(files)?;
        for target in targets {
            if all.iter().all(|known| known.name() != target.name()) {
                all.push(target);
            }
        }
        Ok(all)
    }
    #[cfg(not(feature = "remote"))]
    {
        if !files.is_empty() {
            REMOTE.needed_for("--target-file").map_err(CommandError)?;
        }
        Ok(targets)
    }
}

/// The error with what was expected in place of the words of the standard library's parser.
fn with_kind_of_number(error: clap::Error) -> clap::Error {
    let expected = match error.source() {
        Some(cause) if cause.is::<ParseIntError>() => "a whole number is expected",
        Some(cause) if cause.is::<ParseFloatError>() => "a number is expected",
        _ => return error,
    };
    let mut plain = clap::Error::new(ErrorKind::InvalidValue).with_cmd(&CommandLine::command());
    for kind in [ContextKind::InvalidArg, ContextKind::InvalidValue] {
        if let Some(value) = error.get(kind) {
            plain.insert(kind, value.clone());
        }
    }
    plain.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![expected.into()]));
    plain
}

/// Prints what is wrong with the arguments. The error repeats them, so they are foreign text, which may break
/// lines; if there is nothing harmful in them, the parser's own colours stay. If standard error takes
/// nothing, there is nowhere to report that.
fn print_usage_error(error: &clap::Error, has_line_break: bool) {
    let rendered = error.render().to_string();
    let is_plain = |line: &str| {
        let mut text = Text::new();
        text.line(format_args!("{line}"));
        text.to_string().trim_end() == line.trim_end()
    };
    if !has_line_break && rendered.lines().all(is_plain) {
        let _ = error.print();
        return;
    }
    let mut text = Text::new();
    text.block("", 0, ERROR_LINES_MAX, Style::Plain, &rendered);
    print_error(&text);
}

/// The exit code of a command, and the error if there is one.
fn ended_with(result: Result<ExitStatus, CommandError>) -> ExitCode {
    let error = match result {
        Ok(status) if all_was_printed() => return status.into(),
        Ok(_) => "not all could be printed: standard output takes no more".to_owned(),
        Err(CommandError(text)) => text,
    };
    let mut text = Text::new();
    text.block("error: ", 7, ERROR_LINES_MAX, Style::Plain, &error);
    print_error(&text);
    ExitStatus::Unknown.into()
}

pub(crate) fn find<'a>(
    targets: &'a [Box<dyn AnyTarget>],
    name: &str,
) -> Result<&'a dyn AnyTarget, CommandError> {
    let target = targets.iter().find(|target| target.name() == name);
    target.map(AsRef::as_ref).ok_or_else(|| {
        let names: Vec<_> = targets.iter().map(|target| target.name()).collect();
        let meant = did_you_mean(name, names.iter().copied());
        CommandError(format!("there is no target `{name}`: choose one of {}{meant}", names.join(", ")))
    })
}
