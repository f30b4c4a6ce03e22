//! Worker threads: they run executions side by side, in any order, and hand the results back in order.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::execute::Beat;
use crate::progress::{Progress, Stuck};

/// What one worker is doing, for the guard.
struct Desk {
    beat: Beat,
    /// The execution that it runs, plus 1; 0 when it has none.
    execution: AtomicU64,
    /// The beat at which that execution began.
    began: AtomicU64,
}

/// Calls `work` for every number of the range on this many threads, and gives the results in the order of numbers.
/// A guard watches that no call of a node lasts longer than `step_time`.
pub(crate) fn in_order<T: Send>(
    numbers: std::ops::Range<u64>,
    jobs: usize,
    step_time: Duration,
    progress: &dyn Progress,
    work: impl Fn(u64, &Beat) -> T + Sync,
) -> Vec<T> {
    let count = (numbers.end - numbers.start) as usize;
    let jobs = jobs.clamp(1, count.max(1));
    let desks: Vec<_> = (0..jobs)
        .map(|_| Desk { beat: Beat::default(), execution: AtomicU64::new(0), began: AtomicU64::new(0) })
        .collect();
    let next = AtomicUsize::new(0);
    let done: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let over = (Mutex::new(false), Condvar::new());
    thread::scope(|scope| {
        let workers: Vec<_> = desks
            .iter()
            .map(|desk| {
                scope.spawn(|| {
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        if at >= count {
                            break;
                        }
                        let number = numbers.start + at as u64;
                        desk.began.store(desk.beat.count(), Ordering::Relaxed);
                        desk.execution.store(number + 1, Ordering::Relaxed);
                        let result = work(number, &desk.beat);
                        desk.execution.store(0, Ordering::Relaxed);
                        *done[at].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
                    }
                })
            })
            .collect();
        scope.spawn(|| guard(&desks, step_time, progress, &over));
        let mut panicked = None;
        for worker in workers {
            panicked = worker.join().err().or(panicked);
        }
        *over.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        over.1.notify_all();
        if let Some(panic) = panicked {
            std::panic::resume_unwind(panic);
        }
    });
    let result = |slot: Mutex<Option<T>>| slot.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.into_iter().map(|slot| result(slot).expect("every number was worked on")).collect()
}

/// Looks now and then whether every worker goes on.
fn guard(desks: &[Desk], step_time: Duration, progress: &dyn Progress, over: &(Mutex<bool>, Condvar)) {
    let mut seen: Vec<(u64, u64, Instant)> = desks.iter().map(|_| (0, 0, Instant::now())).collect();
    let mut is_over = over.0.lock().unwrap_or_else(PoisonError::into_inner);
    while !*is_over {
        is_over = over.1.wait_timeout(is_over, step_time / 4).unwrap_or_else(PoisonError::into_inner).0;
        for (desk, (execution, beat, since)) in desks.iter().zip(&mut seen) {
            let now = (desk.execution.load(Ordering::Relaxed), desk.beat.count());
            if now != (*execution, *beat) {
                (*execution, *beat, *since) = (now.0, now.1, Instant::now());
            } else if *execution > 0 && since.elapsed() > step_time && !*is_over {
                let step = beat.saturating_sub(desk.began.load(Ordering::Relaxed));
                progress.stuck(&Stuck {
                    execution: *execution - 1,
                    step,
                    seconds: since.elapsed().as_secs(),
                });
            }
        }
    }
}
