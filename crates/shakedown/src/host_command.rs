//! `host check`, `host library`, and the targets that files describe.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use serde_json::json;
use shakedown_campaign::AnyTarget;
use shakedown_cluster::{DiskModel, Options};
use shakedown_native::serve_process;
use shakedown_remote::{HostCheck, HostCommand, Notice, Row, RowOutcome, check_host};
use shakedown_report::{Style, Text};
use shakedown_target_file::{FILE_NAME, load_if_described};

use crate::command_line::{CommandError, ExitStatus};
use crate::terminal::{paint, print, print_error, print_json, print_line};

/// The most lines of a notice that are printed.
const NOTICE_LINES_MAX: usize = 40;

#[derive(Subcommand)]
pub(crate) enum HostSubcommand {
    /// Check whether a program speaks the node protocol: handshake, every call, determinism, malformed frames
    Check(CheckOptions),
    /// Serve the nodes of a shared library (the C interface) over the node protocol, in a process of its own
    ///
    /// If the library crashes, only this process ends, and the campaign continues with a new one. In a target
    /// file: command = ["shakedown", "host", "library", "./libregister.so"].
    Library {
        /// The shared library
        file: PathBuf,
    },
}

#[derive(Args)]
pub(crate) struct CheckOptions {
    /// A request that clients ask, as JSON; may be given several times
    #[arg(long, value_name = "JSON")]
    request: Vec<String>,
    /// An option that nodes are given at boot; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Writes are durable when they are flushed [default: at once]
    #[arg(long)]
    buffered: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// The program and its arguments
    #[arg(required = true, last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

pub(crate) fn host(command: &HostSubcommand) -> Result<ExitStatus, CommandError> {
    match command {
        HostSubcommand::Check(options) => check(options),
        HostSubcommand::Library { file } => {
            serve_process(file).map_err(|error| CommandError(error.to_string()))?;
            Ok(ExitStatus::Pass)
        }
    }
}

fn check(options: &CheckOptions) -> Result<ExitStatus, CommandError> {
    let mut requests: Vec<Arc<str>> = Vec::new();
    for request in &options.request {
        serde_json::from_str::<serde_json::Value>(request)
            .map_err(|error| CommandError(format!("--request `{request}` is not JSON: {error}")))?;
        requests.push(request.as_str().into());
    }
    let mut settings = Options::default();
    for set in &options.set {
        let (name, value) =
            set.split_once('=').ok_or_else(|| CommandError(format!("--set `{set}` is not NAME=VALUE")))?;
        settings.set(name, value);
    }
    let [program, arguments @ ..] = &options.command[..] else {
        return Err(CommandError("no program is given".to_owned()));
    };
    let command = HostCommand::new(program).args(arguments);
    if !options.json {
        notice()(&format!("starts {command}"));
    }
    let disk = if options.buffered { DiskModel::Buffered } else { DiskModel::Synchronous };
    let rows = check_host(&command, &HostCheck { requests, options: settings, disk });
    let is_right = rows.iter().all(|row| row.outcome != RowOutcome::Fail);
    if options.json {
        let row = |row: &Row| json!({"what": row.what, "outcome": word(row.outcome), "detail": row.detail});
        print_json(&json!({"pass": is_right, "rows": rows.iter().map(row).collect::<Vec<_>>()}));
    } else {
        print_rows(&rows, is_right);
    }
    Ok(if is_right { ExitStatus::Pass } else { ExitStatus::Fail })
}

fn word(outcome: RowOutcome) -> &'static str {
    match outcome {
        RowOutcome::Pass => "pass",
        RowOutcome::Fail => "fail",
        RowOutcome::Skipped => "skipped",
    }
}

fn print_rows(rows: &[Row], is_right: bool) {
    let paint = paint();
    let width = rows.iter().map(|row| row.what.len()).max().unwrap_or(0);
    for row in rows {
        let outcome = format!("{:<7}", word(row.outcome));
        let outcome = match row.outcome {
            RowOutcome::Fail => paint.bad(outcome).to_string(),
            RowOutcome::Pass => paint.good(outcome).to_string(),
            RowOutcome::Skipped => outcome,
        };
        let mut text = Text::new();
        text.block(
            &format!("{outcome} {:<width$}  ", row.what),
            8 + width + 2,
            NOTICE_LINES_MAX,
            Style::Plain,
            &row.detail,
        );
        print(&text);
    }
    let verdict = if is_right { paint.good("PASS").to_string() } else { paint.bad("FAIL").to_string() };
    print_line!(
        "\n{verdict}  the program {} the node protocol",
        if is_right { "speaks" } else { "does not speak" }
    );
}

/// Prints what happens to hosts to standard error.
pub(crate) fn notice() -> Notice {
    Arc::new(|notice| {
        let mut text = Text::new();
        text.block("", 0, NOTICE_LINES_MAX, Style::Plain, notice);
        print_error(&text);
    })
}

/// The targets that these files describe; without any, that of `shakedown.toml`, if the current folder has
/// it. Nothing is started by this.
pub(crate) fn described(files: &[PathBuf]) -> Result<Vec<Box<dyn AnyTarget>>, CommandError> {
    let default = Path::new(FILE_NAME).to_owned();
    let files = match files {
        [] if default.is_file() => std::slice::from_ref(&default),
        files => files,
    };
    let target = |file: &PathBuf| {
        load_if_described(file, notice()).map_err(|error| CommandError(error.to_string())).transpose()
    };
    files.iter().filter_map(target).collect()
}
