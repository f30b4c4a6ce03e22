//! Whether a process is quiet: all its threads, and those of its children, sleep, and none ran between two
//! looks.
//!
//! A write into a pipe makes its reader runnable before the write returns, and so does every lock and every
//! channel between threads. As long as there is work, some thread of the group is runnable. One look is not
//! atomic: a thread may wake up another that was looked at already, and go to sleep before it is looked at
//! itself. So there are two looks. If every thread sleeps in both, and the kernel has counted no run of it in
//! between, then there was a time at which all of them slept.

use std::fs;
use std::path::{Path, PathBuf};

/// If more processes than this were started since the last search, all are looked at.
const FRESH_MAX: u64 = 500;

/// A thread and what the kernel has counted of it: the time that it ran, and how often.
type Count = (u32, Option<(u64, u64)>);

/// Looks at the processes of one group.
pub struct Sleepers {
    group: u32,
    /// The processes of the group, as of the last search.
    members: Vec<u32>,
    /// The last number that any process or thread of this system was given, when they were searched.
    last_number: Option<u64>,
}

impl Sleepers {
    /// For the group that this process leads.
    pub fn new(group: u32) -> Sleepers {
        Sleepers { group, members: vec![group], last_number: None }
    }

    /// Whether all threads of the group sleep, and none ran while they were looked at.
    pub fn all_sleep(&mut self) -> bool {
        self.search();
        let Some(first) = self.look() else { return false };
        let Some(second) = self.look() else { return false };
        first == second
    }

    /// The processes of the group, as of the last look.
    pub fn members(&self) -> &[u32] {
        &self.members
    }

    /// The most memory that a process of the group uses, in bytes.
    pub fn memory(&self) -> u64 {
        self.members.iter().filter_map(|pid| memory_of(*pid)).max().unwrap_or(0)
    }

    /// Looks for new processes of the group, if any process or thread was started since the last time.
    /// Numbers are given in rising order, so only those above the last one are new.
    fn search(&mut self) {
        let last = last_number();
        let before = std::mem::replace(&mut self.last_number, last);
        match (before, last) {
            (Some(before), Some(last)) if before == last => {}
            (Some(before), Some(last)) if before < last && last - before <= FRESH_MAX => {
                let is_member = |number: &u32| group_of(*number) == Some(self.group);
                let fresh =
                    ((before + 1)..=last).filter_map(|number| number.try_into().ok()).filter(is_member);
                let fresh: Vec<u32> = fresh.filter(|number| !self.is_thread(*number)).collect();
                self.members.extend(fresh);
            }
            _ => self.search_all(),
        }
    }

    fn search_all(&mut self) {
        let Ok(entries) = fs::read_dir("/proc") else { return };
        self.members = entries
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .filter(|pid| group_of(*pid) == Some(self.group))
            .collect();
    }

    /// Whether the number is that of a thread of a process that is known.
    fn is_thread(&self, number: u32) -> bool {
        self.members.iter().any(|member| Path::new(&format!("/proc/{member}/task/{number}")).exists())
    }

    /// The threads of the group, if all of them sleep.
    fn look(&self) -> Option<Vec<Count>> {
        let mut counts = Vec::new();
        for member in &self.members {
            // A process that has ended since is asleep for good.
            let Ok(threads) = fs::read_dir(format!("/proc/{member}/task")) else { continue };
            for thread in threads.filter_map(Result::ok) {
                let Some(number) = thread.file_name().to_str().and_then(|name| name.parse().ok()) else {
                    continue;
                };
                let path = thread.path();
                let Some(stat) = Stat::read(path.join("stat")) else { continue };
                if !stat.sleeps() {
                    return None;
                }
                counts.push((number, runs_of(&path)));
            }
        }
        counts.sort_unstable();
        Some(counts)
    }
}

/// The last number that a process or a thread was given: as long as it stays, nothing was started.
fn last_number() -> Option<u64> {
    fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().last()?.parse().ok()
}

/// The time that a thread has run, and how often it was given a processor.
fn runs_of(thread: &Path) -> Option<(u64, u64)> {
    let text = fs::read_to_string(thread.join("schedstat")).ok()?;
    let mut numbers = text.split_whitespace().map(str::parse);
    let run = numbers.next()?.ok()?;
    let slices = numbers.nth(1)?.ok()?;
    Some((run, slices))
}

fn group_of(pid: u32) -> Option<u32> {
    Stat::read(format!("/proc/{pid}/stat"))?.field(4)?.parse().ok()
}

fn memory_of(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

/// What the kernel shows of a process or a thread.
struct Stat(String);

impl Stat {
    fn read(path: impl Into<PathBuf>) -> Option<Stat> {
        fs::read_to_string(path.into()).ok().map(Stat)
    }

    /// A field behind the name, which may hold spaces and brackets: the state is field 2, the group field 4.
    fn field(&self, number: usize) -> Option<&str> {
        let (_, rest) = self.0.rsplit_once(')')?;
        rest.split_whitespace().nth(number - 2)
    }

    /// Whether it waits for something that is not the disk, was stopped, or has ended.
    fn sleeps(&self) -> bool {
        matches!(self.field(2), Some("S" | "I" | "T" | "t" | "Z" | "X") | None)
    }
}
