//! The parent: starts a child, watches its time and its memory, saves what ended it, and starts it again
//! after that.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::Reader;
use crate::child::{Files, note};

/// How often the child is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// Ticks of processor time in a second, as `/proc` counts them.
const TICKS: u64 = 100;

/// What a child may take.
#[derive(Clone, Copy)]
pub struct Limits {
    /// How long cases are read in all.
    pub time: Duration,
    /// How many cases are read, at most.
    pub cases: u64,
    /// The most processor time for one case.
    pub case_time: Duration,
    /// The most address space of the process; the stacks of threads, which are seldom used, count.
    pub address_space_bytes: u64,
    /// The most resident memory of the process.
    pub resident_bytes: u64,
}

/// What came of watching.
pub struct Watched {
    /// How many inputs were read.
    pub cases: u64,
    /// How many of them were taken for what they claim to be.
    pub taken: u64,
    /// How many seeds there were at the end.
    pub seeds: u64,
    /// What was found: why, and the saved input.
    pub findings: Vec<(String, PathBuf)>,
}

/// Reads cases of a seed in child processes until a limit is reached. Inputs with a bad end are saved in the
/// folder.
pub fn watch(reader: &Reader, seed: u64, limits: Limits, folder: &Path) -> io::Result<Watched> {
    fs::create_dir_all(folder)?;
    let files = Files { folder, reader: reader.name };
    for old in [files.findings(), files.input()] {
        if old.exists() {
            fs::remove_file(old)?;
        }
    }
    let start = Instant::now();
    let (mut next, mut taken, mut seeds) = (0, 0, 0);
    while start.elapsed() < limits.time && next < limits.cases {
        let mut child = start_child(reader, seed, next, limits, folder)?;
        let end = look_after(&mut child, &files, next, limits, limits.time.saturating_sub(start.elapsed()));
        let _ = child.kill();
        let _ = child.wait();
        let progress = files.read_progress();
        taken += progress.taken;
        seeds = progress.seeds;
        match end {
            End::Over => next = limits.cases.min(progress.case + 1),
            End::Time => {
                next = progress.case;
                break;
            }
            End::Bad(reason) => {
                note(&files, progress.case, &reason, &fs::read(files.input()).unwrap_or_default())?;
                next = progress.case + 1;
            }
        }
    }
    let text = fs::read_to_string(files.findings()).unwrap_or_default();
    let finding = |line: &str| {
        let case = line.strip_prefix("case ")?.split(':').next()?.parse().ok()?;
        Some((line.to_owned(), files.found(case)))
    };
    Ok(Watched { cases: next, taken, seeds, findings: text.lines().filter_map(finding).collect() })
}

/// This program as a child. The shell sets the limit of address space, for that takes a system call.
fn start_child(reader: &Reader, seed: u64, first: u64, limits: Limits, folder: &Path) -> io::Result<Child> {
    let kib = (limits.address_space_bytes >> 10).to_string();
    Command::new("sh")
        .args(["-c", r#"ulimit -v "$0" && exec "$@""#, &kib])
        .arg(std::env::current_exe()?)
        .args(["--child", reader.name, "--seed", &seed.to_string(), "--first", &first.to_string()])
        .args(["--cases", &limits.cases.saturating_sub(first).to_string(), "--out"])
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

/// How a child ended.
enum End {
    /// It has read all its cases.
    Over,
    /// The time is over.
    Time,
    /// A case ended it.
    Bad(String),
}

fn look_after(child: &mut Child, files: &Files<'_>, first: u64, limits: Limits, time: Duration) -> End {
    let start = Instant::now();
    let mut case = first;
    let mut began = 0;
    loop {
        match child.try_wait() {
            Ok(None) => {}
            Ok(Some(status)) if status.success() => return End::Over,
            Ok(Some(status)) => return End::Bad(format!("the process ended: {status}")),
            Err(error) => return End::Bad(format!("the process cannot be watched: {error}")),
        }
        let (ticks, resident) = usage(child);
        let now = files.read_progress().case;
        if now != case {
            (case, began) = (now, ticks);
        }
        if resident > limits.resident_bytes {
            return End::Bad(format!("{} MiB of memory", resident >> 20));
        }
        if ticks.saturating_sub(began) > limits.case_time.as_secs() * TICKS {
            return End::Bad(format!("more than {} s of processor time", limits.case_time.as_secs()));
        }
        if start.elapsed() >= time {
            return End::Time;
        }
        std::thread::sleep(LOOK);
    }
}

/// Processor time in ticks and resident memory in bytes of a process, where the system shows them.
fn usage(child: &Child) -> (u64, u64) {
    let read = |file: &str| fs::read_to_string(format!("/proc/{}/{file}", child.id())).unwrap_or_default();
    let stat = read("stat");
    let fields: Vec<u64> =
        stat.rsplit(')').next().unwrap_or("").split_whitespace().map(|f| f.parse().unwrap_or(0)).collect();
    let ticks = fields.get(11).copied().unwrap_or(0) + fields.get(12).copied().unwrap_or(0);
    let pages: u64 = read("statm").split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
    (ticks, pages * 4096)
}
