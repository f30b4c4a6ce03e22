//! The bench of bugs (docs/effectiveness.md): how many steps each strategy takes to find each bug that this
//! repository knows.
//!
//! `effectiveness run FILE [--half tuning|judging] [--seeds N] [--limit STEPS] [--bugs A,B] STRATEGY …` adds
//! a line of JSON to the file for every bug, strategy and seed that it does not have yet, so it may be
//! stopped and begun again. `effectiveness report FILE [--half …] [STRATEGY …]` prints the tables.
//! `effectiveness coverage [--seeds N] [--limit STEPS] STRATEGY …` compares how many states of the model
//! strategies cover.

mod bugs;
mod coverage;
mod runs;
mod tables;

use std::process::ExitCode;

use runs::Wanted;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next().unwrap_or_default();
    let file = if command == "coverage" { Some(String::new()) } else { arguments.next() };
    let Some(file) = file else {
        eprintln!("effectiveness coverage|run FILE|report FILE [--half tuning|judging] [--seeds N] …");
        return ExitCode::FAILURE;
    };
    let wanted = match Wanted::read(arguments) {
        Ok(wanted) => wanted,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let done = match command.as_str() {
        "run" => runs::run(&file, &wanted),
        "coverage" => coverage::print(&wanted),
        "report" => runs::read(&file).map(|runs| tables::print(&runs, &wanted)),
        other => Err(format!("`{other}` is none of run, report and coverage")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
