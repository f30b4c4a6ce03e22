//! Looks after a host process from two threads of its own: one ends it when it breaks a limit, one keeps the
//! end of what it writes to standard error.
//!
//! The thread that calls the host reads without a limit of time, which costs nothing per call. When the
//! process is ended, its pipe closes and the read returns.

use std::collections::VecDeque;
use std::io::Read;
use std::process::{Child, ChildStderr, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How often limits are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Memory is looked at once in this many times.
const MEMORY_LOOK_EVERY: u32 = 4;
/// How many bytes of standard error are kept.
const STDERR_KEPT: usize = 8 << 10;
/// How long a process that was asked to end is waited for.
const END_TIME: Duration = Duration::from_secs(2);
/// How long the rest of what an ended process wrote to standard error is waited for.
const STDERR_TIME: Duration = Duration::from_millis(500);

/// A limit that a host broke.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Broken {
    Time(Duration),
    Memory(u64),
}

/// What the watching threads share with the one that calls.
pub(crate) struct Watched {
    child: Mutex<Child>,
    /// The number of the call that waits for its reply; 0 if none does.
    waiting: AtomicU64,
    /// The time that it has, in milliseconds.
    time: AtomicU64,
    memory_max: u64,
    is_over: AtomicBool,
    broken: Mutex<Option<Broken>>,
    stderr: Mutex<VecDeque<u8>>,
}

/// A process that is looked after; it ends with this.
pub(crate) struct Watch {
    shared: Arc<Watched>,
    limits: Option<JoinHandle<()>>,
    errors: Option<JoinHandle<()>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watch {
    pub fn begin(mut child: Child, memory_max: u64) -> Watch {
        let stderr = child.stderr.take();
        let shared = Arc::new(Watched {
            child: Mutex::new(child),
            waiting: AtomicU64::new(0),
            time: AtomicU64::new(0),
            memory_max,
            is_over: AtomicBool::new(false),
            broken: Mutex::new(None),
            stderr: Mutex::new(VecDeque::new()),
        });
        let limits = spawn("host limits", &shared, |shared| look_at_limits(&shared));
        let errors = stderr
            .and_then(|stderr| spawn("host stderr", &shared, move |shared| keep_errors(&shared, stderr)));
        Watch { shared, limits, errors }
    }

    /// A call begins that has this much time.
    #[inline]
    pub fn begin_call(&self, number: u64, time: Duration) {
        self.shared.time.store(time.as_millis() as u64, Ordering::Relaxed);
        self.shared.waiting.store(number, Ordering::Release);
    }

    /// Its reply is there.
    #[inline]
    pub fn end_call(&self) {
        self.shared.waiting.store(0, Ordering::Release);
    }

    /// The limit that the host broke, if it did.
    pub fn broken(&self) -> Option<Broken> {
        *locked(&self.shared.broken)
    }

    /// The end of what it wrote to standard error. Of a process that has ended that is all that is in the
    /// pipe, unless another process that it started holds the pipe open.
    pub fn errors(&self) -> String {
        let began = Instant::now();
        let is_open = || self.errors.as_ref().is_some_and(|thread| !thread.is_finished());
        while self.shared.is_over.load(Ordering::Acquire) && is_open() && began.elapsed() < STDERR_TIME {
            thread::sleep(Duration::from_millis(1));
        }
        let kept = locked(&self.shared.stderr);
        let bytes: Vec<u8> = kept.iter().copied().collect();
        String::from_utf8_lossy(&bytes).trim_end().to_owned()
    }

    /// Ends the process, and waits until it has ended. How it ended, if it ended by itself.
    pub fn end(&mut self) -> Option<ExitStatus> {
        let by_itself = self.wait(Duration::ZERO);
        self.kill_and_join();
        by_itself
    }

    /// Waits for the end of a process whose pipes are closed; it is ended if it does not end soon.
    pub fn wait_for_end(&mut self) -> Option<ExitStatus> {
        let by_itself = self.wait(END_TIME);
        self.kill_and_join();
        by_itself
    }

    fn wait(&self, longest: Duration) -> Option<ExitStatus> {
        let began = Instant::now();
        loop {
            if let Ok(Some(status)) = locked(&self.shared.child).try_wait() {
                return Some(status);
            }
            if began.elapsed() >= longest {
                return None;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn kill_and_join(&mut self) {
        self.shared.is_over.store(true, Ordering::Release);
        {
            let mut child = locked(&self.shared.child);
            // It has ended already, or it ends now.
            let _ = child.kill();
            let _ = child.wait();
        }
        if let Some(thread) = self.limits.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
        // The thread of standard error is not waited for: a process that the host left behind may hold the
        // pipe open. Only `errors` waits for it, and not for ever.
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.kill_and_join();
    }
}

fn spawn(
    name: &str,
    shared: &Arc<Watched>,
    work: impl FnOnce(Arc<Watched>) + Send + 'static,
) -> Option<JoinHandle<()>> {
    let shared = Arc::clone(shared);
    // Threads of ours have names, so that they are not taken for threads of a target.
    thread::Builder::new().name(name.to_owned()).spawn(move || work(shared)).ok()
}

fn look_at_limits(shared: &Watched) {
    let pid = locked(&shared.child).id();
    let (mut seen, mut since) = (0, Instant::now());
    let mut looks = 0u32;
    while !shared.is_over.load(Ordering::Acquire) {
        thread::park_timeout(LOOK_EVERY);
        let waiting = shared.waiting.load(Ordering::Acquire);
        if waiting == 0 || waiting != seen {
            (seen, since) = (waiting, Instant::now());
        } else if since.elapsed() >= Duration::from_millis(shared.time.load(Ordering::Relaxed)) {
            let time = Duration::from_millis(shared.time.load(Ordering::Relaxed));
            return break_off(shared, Broken::Time(time));
        }
        looks = looks.wrapping_add(1);
        if looks.is_multiple_of(MEMORY_LOOK_EVERY)
            && memory_of(pid).is_some_and(|used| used > shared.memory_max)
        {
            return break_off(shared, Broken::Memory(shared.memory_max));
        }
    }
}

fn break_off(shared: &Watched, broken: Broken) {
    *locked(&shared.broken) = Some(broken);
    let _ = locked(&shared.child).kill();
}

/// The memory that a process uses, in bytes, where it can be known.
pub(crate) fn memory_of(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

impl Watch {
    /// The number of the process.
    pub fn pid(&self) -> u32 {
        locked(&self.shared.child).id()
    }
}

fn keep_errors(shared: &Watched, mut stderr: ChildStderr) {
    let mut chunk = [0; 4 << 10];
    while let Ok(read) = stderr.read(&mut chunk) {
        if read == 0 {
            return;
        }
        let mut kept = locked(&shared.stderr);
        kept.extend(&chunk[..read]);
        let surplus = kept.len().saturating_sub(STDERR_KEPT);
        kept.drain(..surplus);
    }
}
