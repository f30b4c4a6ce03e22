//! `completions` and `man`: the command line described for shells and for `man`.

use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_complete::Shell;

use crate::command_error::CommandError;
use crate::exit_status::ExitStatus;
use crate::terminal::{print_line, write_raw};

#[derive(Args)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

#[derive(Args)]
pub(crate) struct Man {
    /// The folder to write, one page for each command
    folder: PathBuf,
}

/// Prints the completions of a shell.
pub(crate) fn completions(mut command: Command, options: &Completions) -> ExitStatus {
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut command, name, &mut script);
    write_raw(&script);
    ExitStatus::Pass
}

/// Writes a manual page for every command.
pub(crate) fn man(mut command: Command, options: &Man) -> Result<ExitStatus, CommandError> {
    // Names of commands below others, and how each is called.
    command.build();
    let io = |error: std::io::Error| CommandError(format!("{}: {error}", options.folder.display()));
    std::fs::create_dir_all(&options.folder).map_err(io)?;
    let pages = write_pages(&command, command.get_name(), &options.folder).map_err(io)?;
    print_line!("{pages} pages are in {}", options.folder.display());
    Ok(ExitStatus::Pass)
}

fn write_pages(command: &Command, name: &str, folder: &Path) -> std::io::Result<usize> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).title(name.to_uppercase()).render(&mut page)?;
    std::fs::write(folder.join(format!("{name}.1")), page)?;
    let mut pages = 1;
    for below in command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help")
    {
        pages += write_pages(below, &format!("{name}-{}", below.get_name()), folder)?;
    }
    Ok(pages)
}
