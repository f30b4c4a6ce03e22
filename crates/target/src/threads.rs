//! Which threads a target starts, so that a panic on one of them is a finding of the execution that started
//! it.
//!
//! Rust does not report which thread started another. On Linux a new thread has the name of the thread that
//! started it until it is given one of its own, so the thread that runs executions is renamed meanwhile: an
//! unnamed thread with that name was started by it, directly or by another such thread. A panic of any other
//! thread may be that of another test in the same process, and is a finding only where the process runs
//! nothing but Shakedown ([`own_process`]). The main thread is not renamed, for its name is that of the
//! process.
//!
//! Renaming costs some microseconds. So a worker is renamed once, for all its executions; once a thread of
//! the target has panicked, for each.

use std::cell::{Cell, RefCell};
use std::fs::{self, File};
use std::io::Write;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use shakedown_cluster::{
    Owner, attribute_threads_by, has_thread_panicked, is_thread_panic_pending_here, running_execution,
    set_running_execution,
};

/// What a mark begins with. With thirteen digits it is as long as a name may be on Linux.
const MARK: &str = "sd";
/// No thread of a target: a thread of Shakedown's own.
const OURS: u64 = u64::MAX;
/// How often it is looked whether threads are still there, and how many times before that without a pause.
const LOOK_EVERY: Duration = Duration::from_millis(1);
const LOOKS_AT_ONCE: usize = 50;
/// How long threads are waited for when some have not ended before.
const STAYING_TIME: Duration = Duration::from_millis(5);

static NEXT: AtomicU64 = AtomicU64::new(1);
static OWNS_PROCESS: AtomicBool = AtomicBool::new(false);

thread_local! {
    static NAME: RefCell<Option<ThreadName>> = const { RefCell::new(None) };
    /// How many threads had the name of this thread before executions ran on it.
    static NAMESAKES: Cell<usize> = const { Cell::new(1) };
}

/// Declares that this process runs nothing but Shakedown and its targets: a panic on a thread that nothing
/// else is known of is then a target's.
pub fn own_process() {
    OWNS_PROCESS.store(true, Ordering::Relaxed);
}

/// A time in which executions run on this thread: threads that it starts are theirs.
pub struct Tenure {
    outer: u64,
    /// It belongs to the thread that it began on.
    not_send: PhantomData<*const ()>,
}

impl Tenure {
    /// Begins such a time on this thread.
    pub fn begin() -> Tenure {
        attribute_threads_by(owner);
        let outer = set_running_execution(new_number());
        let is_marked = NAME.with_borrow(|name| name.as_ref().is_some_and(|name| name.file.is_some()));
        if outer == 0 {
            // A mark is this thread's alone.
            NAMESAKES.set(if is_marked { 1 } else { namesakes() });
        }
        Tenure { outer, not_send: PhantomData }
    }

    /// The time of one execution: a part of one that goes on for longer, or one of its own.
    pub fn of_execution() -> Option<Tenure> {
        if running_execution() == 0 {
            return Some(Tenure::begin());
        }
        if has_thread_panicked() {
            set_running_execution(new_number());
        }
        None
    }
}

impl Drop for Tenure {
    fn drop(&mut self) {
        set_running_execution(self.outer);
        mark(self.outer);
    }
}

/// The current thread is one of Shakedown's own, which no target has started.
pub fn is_ours() {
    set_running_execution(OURS);
}

/// Waits until no thread is left that executions of this thread started, but no longer than this, nor when
/// one of them has panicked.
pub fn wait_for_threads(longest: Duration) {
    static SEEN_STAYING: AtomicBool = AtomicBool::new(false);
    // A target whose threads stay, say those of a pool, is not waited for in full every time.
    let longest = if SEEN_STAYING.load(Ordering::Relaxed) { longest.min(STAYING_TIME) } else { longest };
    let began = Instant::now();
    let mut looks = 0;
    while namesakes() > NAMESAKES.get() && !is_thread_panic_pending_here() {
        if began.elapsed() >= longest {
            return SEEN_STAYING.store(true, Ordering::Relaxed);
        }
        looks += 1;
        if looks < LOOKS_AT_ONCE { thread::yield_now() } else { thread::sleep(LOOK_EVERY) }
    }
}

fn new_number() -> u64 {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    mark(number);
    number
}

fn mark_of(number: u64) -> String {
    format!("{MARK}{number:013x}")
}

/// Names the current thread after this number; 0 for the name that it had.
fn mark(number: u64) {
    NAME.with_borrow_mut(|name| {
        if let Some(name) = name.get_or_insert_with(ThreadName::open).file.as_mut() {
            // Without a mark, its threads are not known; nothing else depends on it.
            let _ = match number {
                0 | OURS => name.0.write_all(name.1.as_bytes()),
                number => name.0.write_all(mark_of(number).as_bytes()),
            };
        }
    });
}

/// Where the name of a thread is changed, and what it was. None for the main thread, and on other systems
/// than Linux.
struct ThreadName {
    file: Option<(File, String)>,
}

impl ThreadName {
    fn open() -> ThreadName {
        ThreadName { file: ThreadName::try_open() }
    }

    fn try_open() -> Option<(File, String)> {
        // The link reads `PROCESS/task/THREAD`; the main thread has the number of the process.
        let link = fs::read_link("/proc/thread-self").ok()?;
        let (process, thread) = (link.iter().next()?, link.file_name()?);
        if process == thread {
            return None;
        }
        let path = fs::canonicalize("/proc/thread-self").ok()?.join("comm");
        let before = fs::read_to_string(&path).ok()?.trim_end().to_owned();
        Some((File::options().write(true).open(path).ok()?, before))
    }
}

/// Which execution started the current thread.
fn owner() -> Owner {
    let name = fs::read_to_string("/proc/thread-self/comm").unwrap_or_default();
    let digits = name.trim_end().strip_prefix(MARK).filter(|digits| digits.len() == 13);
    match digits.and_then(|digits| u64::from_str_radix(digits, 16).ok()) {
        // A mark that was never given is the name of some other thread.
        Some(number) if (1..NEXT.load(Ordering::Relaxed)).contains(&number) => Owner::Execution(number),
        _ if OWNS_PROCESS.load(Ordering::Relaxed) => Owner::Any,
        _ => Owner::Unknown,
    }
}

/// How many threads have the name of this one, with itself: threads that it started have it too.
fn namesakes() -> usize {
    let Ok(mine) = fs::read_to_string("/proc/thread-self/comm") else { return 1 };
    let Ok(tasks) = fs::read_dir("/proc/self/task") else { return 1 };
    let name = |task: fs::DirEntry| fs::read_to_string(task.path().join("comm")).ok();
    tasks.flatten().filter_map(name).filter(|name| *name == mine).count()
}
