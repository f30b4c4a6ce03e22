//! The child: reads case after case in this process.
//!
//! It writes the input that it is about to read to a file, and then its number to another: whoever watches
//! knows what was read when the process died. What readers print goes nowhere, so files are the only way to
//! speak.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use shakedown_counters::Counters;

use crate::{Outcome, Reader, Room, Seeds, quietly, read};

/// How many findings of one process are saved.
const FINDINGS_MAX: u64 = 20;

/// What a child is to do.
pub struct ChildOptions<'a> {
    /// Where all randomness comes from.
    pub seed: u64,
    /// The number of the first case.
    pub first: u64,
    /// How many cases, at most.
    pub cases: u64,
    /// The folder for what it writes.
    pub folder: &'a Path,
}

/// What a child has written about itself.
#[derive(Default)]
pub(crate) struct Progress {
    /// The case that it is reading.
    pub case: u64,
    /// How many it took for what they claim to be.
    pub taken: u64,
    /// How many seeds there are, with those that coverage has added.
    pub seeds: u64,
}

/// The files through which a child is watched.
pub(crate) struct Files<'a> {
    pub folder: &'a Path,
    pub reader: &'a str,
}

impl Files<'_> {
    /// The input that is being read.
    pub fn input(&self) -> PathBuf {
        self.folder.join(format!("{}.input", self.reader))
    }

    fn progress(&self) -> PathBuf {
        self.folder.join(format!("{}.progress", self.reader))
    }

    /// What was found: a line each, with the number of the case.
    pub fn findings(&self) -> PathBuf {
        self.folder.join(format!("{}.findings", self.reader))
    }

    /// The input of a finding.
    pub fn found(&self, case: u64) -> PathBuf {
        self.folder.join(format!("{}-{case}", self.reader))
    }

    /// How far the child is.
    pub fn read_progress(&self) -> Progress {
        let bytes = fs::read(self.progress()).unwrap_or_default();
        let (words, _) = bytes.as_chunks();
        let word = |at: usize| words.get(at).map_or(0, |word| u64::from_le_bytes(*word));
        Progress { case: word(0), taken: word(1), seeds: word(2) }
    }
}

/// Reads cases until there are no more of them.
pub fn read_cases(reader: &Reader, options: &ChildOptions<'_>) -> io::Result<()> {
    let files = Files { folder: options.folder, reader: reader.name };
    let room = Room::new()?;
    let mut seeds = Seeds::of(reader, &room);
    let input_file = File::create(files.input())?;
    let progress_file = File::create(files.progress())?;
    let mut coverage = Coverage::new();
    let (mut taken, mut findings) = (0u64, 0);
    quietly();
    for number in options.first..options.first.saturating_add(options.cases) {
        let case = seeds.case(reader, options.seed, number);
        input_file.set_len(case.input.len() as u64)?;
        input_file.write_all_at(&case.input, 0)?;
        let progress: Vec<u8> =
            [number, taken, seeds.count() as u64].iter().flat_map(|word| word.to_le_bytes()).collect();
        progress_file.write_all_at(&progress, 0)?;
        match read(reader, &room, &case.input) {
            Ok(Outcome::Taken) => taken += 1,
            Ok(Outcome::Refused) => {}
            Err(reason) => {
                findings += 1;
                note(&files, number, &reason, &case.input)?;
                if findings >= FINDINGS_MAX {
                    return Ok(());
                }
            }
        }
        if coverage.as_mut().is_some_and(Coverage::is_new) {
            seeds.add(case.input);
        }
    }
    Ok(())
}

/// Saves an input that was read with a bad end.
pub(crate) fn note(files: &Files<'_>, case: u64, reason: &str, input: &[u8]) -> io::Result<()> {
    use std::io::Write;
    fs::write(files.found(case), input)?;
    let reason: String = reason.chars().map(|c| if c.is_control() { ' ' } else { c }).take(400).collect();
    let mut file = File::options().append(true).create(true).open(files.findings())?;
    writeln!(file, "case {case}: {reason}")
}

/// The blocks of instrumented code that were ever run, each with the magnitude of how often.
struct Coverage {
    counters: Counters,
    seen: Vec<u8>,
}

impl Coverage {
    /// Nothing if the program is not instrumented; `scripts/fuzz.sh --guided` builds one that is.
    fn new() -> Option<Coverage> {
        let counters = Counters::get()?;
        counters.clear();
        Some(Coverage { counters, seen: vec![0; counters.count()] })
    }

    /// Whether what has been run since the last call holds something that never was.
    fn is_new(&mut self) -> bool {
        let mut new = false;
        for (block, hits) in self.counters.hits() {
            // Once, twice, up to 7, up to 63, more: what is run more often is another magnitude, not another
            // number.
            let magnitude = match hits {
                1 => 1,
                2 => 2,
                3..8 => 4,
                8..64 => 8,
                _ => 16,
            };
            new |= self.seen[block] & magnitude == 0;
            self.seen[block] |= magnitude;
        }
        self.counters.clear();
        new
    }
}
