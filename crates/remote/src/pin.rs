//! Cores: a host and the thread that calls it share one, so that a call wakes up nobody on another core.

/// Puts the current thread, and what it starts, on one of the cores that this process was given; `number`
/// chooses which.
#[cfg(target_os = "linux")]
pub(crate) fn pin(number: usize) {
    use rustix::thread::{CpuSet, sched_setaffinity};

    let cores = cores();
    if cores.len() > 1 {
        // Programs that run side by side begin with different cores.
        let first = std::process::id() as usize;
        let mut set = CpuSet::new();
        set.set(cores[first.wrapping_add(number) % cores.len()]);
        // Without it everything works, only slower.
        let _ = sched_setaffinity(None, &set);
    }
}

/// Gives the current thread all cores of the process again.
#[cfg(target_os = "linux")]
pub(crate) fn unpin() {
    use rustix::thread::{CpuSet, sched_setaffinity};

    let mut set = CpuSet::new();
    cores().iter().for_each(|core| set.set(*core));
    let _ = sched_setaffinity(None, &set);
}

/// The cores that the process was given at first.
#[cfg(target_os = "linux")]
fn cores() -> &'static [usize] {
    use std::sync::OnceLock;

    use rustix::thread::{CpuSet, sched_getaffinity};

    static CORES: OnceLock<Vec<usize>> = OnceLock::new();
    CORES.get_or_init(|| {
        let set = sched_getaffinity(None).unwrap_or_default();
        (0..CpuSet::MAX_CPU).filter(|core| set.is_set(*core)).collect()
    })
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn pin(_number: usize) {}

#[cfg(not(target_os = "linux"))]
pub(crate) fn unpin() {}
