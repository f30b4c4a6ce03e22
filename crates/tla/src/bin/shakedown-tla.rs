//! The TLA+ engine on the command line.

use std::process::ExitCode;

use clap::Parser;
use shakedown_tla::command::{Command, exit_code_of_printing};

/// A TLA+ engine without a JVM: checks, simulates and walks specifications.
#[derive(Parser)]
#[command(version, max_term_width = 100, arg_required_else_help = true)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    match CommandLine::try_parse() {
        Ok(line) => line.command.run(),
        Err(error) => {
            let printed = error.print();
            let code = if error.use_stderr() { 153 } else { exit_code_of_printing(printed) };
            ExitCode::from(code)
        }
    }
}
