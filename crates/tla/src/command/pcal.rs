//! `pcal`: translating PlusCal.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::access::text_of;
use super::files::CommandError;
use super::output::{exit_code_of_printing, print_error, print_out};
use crate::pluscal::{Fairness, Options, Status, status, translate};

/// Fairness on the command line.
#[derive(Clone, Copy, ValueEnum)]
enum FairnessArgument {
    /// Weak fairness of each process
    Wf,
    /// Strong fairness of each process
    Sf,
    /// Weak fairness of the whole next-state action
    WfNext,
    /// None
    Nof,
}

/// Arguments of `pcal`.
#[derive(Args)]
pub struct Pcal {
    /// The module with the algorithm
    #[arg(value_name = "FILE.tla")]
    file: PathBuf,
    /// Print the file with its translation, and leave the file as it is
    #[arg(long)]
    stdout: bool,
    /// Report whether the translation in the file is up to date, and change nothing
    #[arg(long, conflicts_with = "stdout")]
    check: bool,
    /// Add missing labels; an algorithm without processes and labels gets them anyway
    #[arg(long)]
    label: bool,
    /// How added labels start
    #[arg(long, value_name = "NAME", default_value = "Lbl_", value_parser = label_root)]
    label_root: String,
    /// Fairness of processes that have none of their own
    #[arg(long, value_name = "KIND")]
    fairness: Option<FairnessArgument>,
    /// Add no step `Terminating`, which lets an algorithm that has ended stutter
    #[arg(long)]
    no_done_disjunct: bool,
    /// Where long lines are broken
    #[arg(long, default_value_t = 78, value_name = "N", value_parser = clap::value_parser!(u16).range(60..=10_000))]
    line_width: u16,
}

fn label_root(text: &str) -> Result<String, String> {
    let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_name { Ok(text.to_string()) } else { Err("it is no name that starts with a letter".to_string()) }
}

impl Pcal {
    fn options(&self) -> Options {
        Options {
            label: self.label,
            label_root: self.label_root.clone(),
            fairness: match self.fairness {
                None => Fairness::Own,
                Some(FairnessArgument::Wf) => Fairness::Weak,
                Some(FairnessArgument::Sf) => Fairness::Strong,
                Some(FairnessArgument::WfNext) => Fairness::WeakNext,
                Some(FairnessArgument::Nof) => Fairness::Nothing,
            },
            omit_done: self.no_done_disjunct,
            line_width: usize::from(self.line_width),
            ..Options::default()
        }
    }

    pub(super) fn run(&self) -> Result<u8, CommandError> {
        let path = &self.file;
        let wrong = |reason: String| CommandError::usage(format!("{}{reason}", path.display()));
        let text = text_of(path).map_err(wrong)?;
        if self.check {
            return Ok(self.report(status(&text)));
        }
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let translation = translate(&name, &text, &self.options())?;
        for added in &translation.added {
            print_error(&format!("label {} added at {}", added.label, added.place));
        }
        if translation.is_renamed {
            print_error("names were changed: see the first lines of the translation");
        }
        if self.stdout {
            return Ok(print_text(&translation.text));
        }
        if translation.text != text {
            replace(path, &translation.text).map_err(|error| wrong(format!(": {error}")))?;
        }
        Ok(print_out(&format!("{}: {} lines of translation\n", path.display(), translation.lines.len()), 0))
    }

    fn report(&self, status: Status) -> u8 {
        let (words, code) = match status {
            Status::NoAlgorithm => ("there is no algorithm", 0),
            Status::Untranslated => ("the algorithm is not translated", 1),
            Status::Unknown => ("the translation has no checksums: nothing is known about it", 0),
            Status::AlgorithmChanged => ("the algorithm has changed since it was translated", 1),
            Status::TranslationChanged => ("the translation has changed since it was made", 1),
            Status::Current => ("the translation is up to date", 0),
        };
        print_out(&format!("{}: {words}\n", self.file.display()), code)
    }
}

/// Prints a text as it is, unless a terminal shows it: that would obey what is in it.
fn print_text(text: &str) -> u8 {
    let mut out = std::io::stdout().lock();
    if out.is_terminal() {
        return print_out(text, 0);
    }
    exit_code_of_printing(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Writes a file anew, all or nothing: a copy takes its place when it is complete.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let path = std::fs::canonicalize(path)?;
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.new", std::process::id()));
    let copy = path.with_file_name(name);
    let write = || {
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(&copy)?;
        file.set_permissions(std::fs::metadata(&path)?.permissions())?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&copy, &path)
    };
    write().inspect_err(|_| drop(std::fs::remove_file(&copy)))
}

/// What to say about a root module whose translation is missing or not up to date.
pub(super) fn remark(path: &Path) -> Option<String> {
    let text = text_of(path).ok()?;
    let what = match status(&text) {
        Status::Untranslated => "is not translated",
        Status::AlgorithmChanged => "has changed since it was translated",
        Status::TranslationChanged => "has a translation that was changed by hand",
        Status::NoAlgorithm | Status::Unknown | Status::Current => return None,
    };
    let path = path.display();
    Some(format!("the PlusCal algorithm of {path} {what}: `shakedown tla pcal {path}` translates it"))
}
