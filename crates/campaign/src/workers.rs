//! Worker threads: they run executions side by side, in any order, and hand the results over in order. And
//! the guard that watches that every call of a node comes back.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use shakedown_cluster::running_execution;
use shakedown_target::{Tenure, is_ours, wait_for_threads};

use crate::progress::{Progress, Stuck, Worker};
use crate::{AnyTarget, Beat};

/// The most workers, however many are asked for: few enough to be started anywhere.
const WORKERS_MAX: usize = 256;

/// How long threads that executions left behind may take to end.
pub(crate) const THREADS_TIME: Duration = Duration::from_millis(500);

/// How much memory is left for work when no more threads can be started, in bytes.
const RESERVE: usize = 64 << 20;

/// How many executions are remembered with the thread that ran them.
const RECENT_MAX: usize = 256;

/// What cut a campaign or the shrinking of a failure short that a user has interrupted.
pub(crate) const INTERRUPTED: &str = "an interruption";

/// What one worker is doing, for the guard.
#[derive(Default)]
struct Desk {
    beat: Beat,
    /// The execution that it runs, plus 1; 0 when it has none.
    execution: AtomicU64,
    /// The beat at which that execution began.
    began: AtomicU64,
}

impl Desk {
    fn begin(&self, execution: u64) {
        self.began.store(self.beat.count(), Ordering::Relaxed);
        // A failure file may hold the largest number there is.
        self.execution.store(execution.saturating_add(1), Ordering::Relaxed);
    }

    fn end(&self) {
        self.execution.store(0, Ordering::Relaxed);
    }
}

/// Who works, how long a call of a node may take, and until when executions are begun.
pub(crate) struct Crew<'a> {
    pub jobs: usize,
    pub step_time: Duration,
    pub deadline: Option<Instant>,
    /// Set when a user interrupts the campaign.
    pub stop: Option<&'a AtomicBool>,
    pub progress: &'a dyn Progress,
}

/// Pieces of work, one for each number.
struct Line<'a> {
    numbers: Range<u64>,
    /// The execution that all of them are about; nothing if each is an execution itself.
    about: Option<u64>,
    /// Until when they are begun.
    deadline: Option<Instant>,
    /// Set when none is to be begun any more.
    stop: Option<&'a AtomicBool>,
}

impl Line<'_> {
    fn execution(&self, number: u64) -> u64 {
        self.about.unwrap_or(number)
    }

    fn is_late(&self) -> bool {
        let is_stopped = self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        is_stopped || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// What is left of a line: workers take one number after the other.
struct Queue<'a> {
    line: &'a Line<'a>,
    next: AtomicU64,
    /// Set when no more results are wanted.
    is_closed: AtomicBool,
}

impl<'a> Queue<'a> {
    fn new(line: &'a Line<'a>) -> Queue<'a> {
        Queue { line, next: AtomicU64::new(line.numbers.start), is_closed: AtomicBool::new(false) }
    }

    fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    /// Does the next piece of work at this desk, unless there is none or it is too late.
    fn do_one<T>(&self, desk: &Desk, work: impl Fn(u64, &Beat) -> T) -> Option<(u64, T)> {
        if self.is_closed.load(Ordering::Relaxed) || self.line.is_late() {
            return None;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        if number >= self.line.numbers.end {
            return None;
        }
        desk.begin(self.line.execution(number));
        let result = work(number, &desk.beat);
        desk.end();
        Some((number, result))
    }
}

/// Hands results over in the order of their numbers.
struct InOrder<T> {
    /// The number that is handed over next.
    next: u64,
    early: BTreeMap<u64, T>,
}

impl<T> InOrder<T> {
    fn new(line: &Line) -> InOrder<T> {
        InOrder { next: line.numbers.start, early: BTreeMap::new() }
    }

    fn add(
        &mut self,
        number: u64,
        result: T,
        take: &mut impl FnMut(u64, T) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.early.insert(number, result);
        while let Some(result) = self.early.remove(&self.next) {
            self.next += 1;
            take(self.next - 1, result)?;
        }
        ControlFlow::Continue(())
    }
}

/// A crew at work, under guard.
pub(crate) struct Shift<'a> {
    crew: &'a Crew<'a>,
    desks: &'a [Desk],
    /// Whether it was reported that workers are missing.
    is_short: AtomicBool,
    /// The executions of late, each with the number that panics on its threads are recorded under.
    recent: Mutex<VecDeque<(u64, u64)>>,
}

impl Crew<'_> {
    /// Does work that runs executions, under guard.
    pub fn shift<T>(&self, work: impl FnOnce(&Shift<'_>) -> T) -> T {
        let desks: Vec<_> = (0..self.jobs.clamp(1, WORKERS_MAX)).map(|_| Desk::default()).collect();
        let over = (Mutex::new(false), Condvar::new());
        thread::scope(|scope| {
            let guard = thread::Builder::new().name("shakedown-guard".to_owned());
            if let Err(error) = guard.spawn_scoped(scope, || self.guard(&desks, &over)) {
                self.progress.unguarded(&error);
            }
            // Whatever happens, the guard is sent home: a scope waits for its threads.
            let _home = Home(&over);
            let _tenure = Tenure::begin();
            work(&Shift {
                crew: self,
                desks: &desks,
                is_short: AtomicBool::new(false),
                recent: Mutex::new(VecDeque::new()),
            })
        })
    }

    /// Looks now and then whether every worker goes on.
    fn guard(&self, desks: &[Desk], over: &(Mutex<bool>, Condvar)) {
        is_ours();
        let mut seen: Vec<(u64, u64, Instant)> = desks.iter().map(|_| (0, 0, Instant::now())).collect();
        let mut is_over = over.0.lock().unwrap_or_else(PoisonError::into_inner);
        while !*is_over {
            is_over =
                over.1.wait_timeout(is_over, self.step_time / 4).unwrap_or_else(PoisonError::into_inner).0;
            for (desk, (execution, beat, since)) in desks.iter().zip(&mut seen) {
                let now = (desk.execution.load(Ordering::Relaxed), desk.beat.count());
                if now != (*execution, *beat) {
                    (*execution, *beat, *since) = (now.0, now.1, Instant::now());
                } else if *execution > 0 && since.elapsed() > self.step_time && !*is_over {
                    let step = beat.saturating_sub(desk.began.load(Ordering::Relaxed));
                    let seconds = since.elapsed().as_secs();
                    self.progress.stuck(&Stuck { execution: *execution - 1, step, seconds });
                }
            }
        }
    }
}

impl<'a> Shift<'a> {
    /// Calls `work` for every number of the range, and `take` with every result in the order of numbers, as
    /// soon as all before it are there. A break, or the deadline, ends the work; what was begun beyond it is
    /// thrown away.
    ///
    /// Gives the number after the last one that was taken.
    pub fn in_order<T: Send>(
        &self,
        numbers: Range<u64>,
        work: impl Fn(u64, &Beat) -> T + Sync,
        take: impl FnMut(u64, T) -> ControlFlow<()>,
    ) -> u64 {
        let line = Line { numbers, about: None, deadline: self.crew.deadline, stop: self.crew.stop };
        match self.desks_for(&line) {
            // A thread costs more than a short execution, and a generation may be one execution.
            [desk] => self.one_by_one(desk, line, work, take),
            desks => self.side_by_side(desks, line, work, take),
        }
    }

    /// The same for work that is all about one execution. The deadline does not matter; an interruption does.
    /// The pieces may be as short as a thread's turn, so the calling thread works too: one that only took
    /// results would wait for a processor while the others go on with what is not wanted any more.
    pub fn in_order_about<T: Send>(
        &self,
        execution: u64,
        numbers: Range<u64>,
        work: impl Fn(u64, &Beat) -> T + Sync,
        take: impl FnMut(u64, T) -> ControlFlow<()>,
    ) {
        let line = Line { numbers, about: Some(execution), deadline: None, stop: self.crew.stop };
        match self.desks_for(&line) {
            [desk] => self.one_by_one(desk, line, work, take),
            desks => self.together(desks, line, work, take),
        };
    }

    /// As many desks as are wanted for this work.
    fn desks_for(&self, line: &Line) -> &[Desk] {
        let count = usize::try_from(line.numbers.end - line.numbers.start).unwrap_or(usize::MAX);
        &self.desks[..self.desks.len().min(count.max(1))]
    }

    fn one_by_one<T>(
        &self,
        desk: &Desk,
        line: Line<'_>,
        work: impl Fn(u64, &Beat) -> T,
        mut take: impl FnMut(u64, T) -> ControlFlow<()>,
    ) -> u64 {
        for number in line.numbers.clone() {
            if line.is_late() {
                return number;
            }
            desk.begin(line.execution(number));
            let result = work(number, &desk.beat);
            desk.end();
            if take(number, result).is_break() {
                return number + 1;
            }
        }
        line.numbers.end
    }

    /// A worker for every desk, and the calling thread takes what they bring.
    fn side_by_side<T: Send>(
        &self,
        desks: &[Desk],
        line: Line<'_>,
        work: impl Fn(u64, &Beat) -> T + Sync,
        mut take: impl FnMut(u64, T) -> ControlFlow<()>,
    ) -> u64 {
        let queue = Queue::new(&line);
        let mut order = InOrder::new(&line);
        let started = thread::scope(|scope| {
            let (started, arrived) = self.start(scope, desks, &queue, &work);
            for (number, result) in arrived {
                if order.add(number, result, &mut take).is_break() {
                    queue.close();
                    break;
                }
            }
            started
        });
        match started {
            0 => self.one_by_one(&desks[0], line, work, take),
            _ => order.next,
        }
    }

    /// A worker for every desk but the first, at which the calling thread works between what it takes.
    fn together<T: Send>(
        &self,
        desks: &[Desk],
        line: Line<'_>,
        work: impl Fn(u64, &Beat) -> T + Sync,
        mut take: impl FnMut(u64, T) -> ControlFlow<()>,
    ) -> u64 {
        let queue = Queue::new(&line);
        let mut order = InOrder::new(&line);
        thread::scope(|scope| {
            let (_, arrived) = self.start(scope, &desks[1..], &queue, &work);
            loop {
                let result = match arrived.try_recv() {
                    Ok(result) => Some(result),
                    Err(_) => match queue.do_one(&desks[0], &work) {
                        None => arrived.recv().ok(),
                        own => own,
                    },
                };
                let Some((number, result)) = result else { break };
                if order.add(number, result, &mut take).is_break() {
                    queue.close();
                    break;
                }
            }
        });
        order.next
    }

    /// Starts a worker for every desk. Gives how many could be started, and where their results arrive.
    fn start<'scope, T: Send + 'scope>(
        &self,
        scope: &'scope thread::Scope<'scope, '_>,
        desks: &'scope [Desk],
        queue: &'scope Queue<'_>,
        work: &'scope (impl Fn(u64, &Beat) -> T + Sync),
    ) -> (usize, mpsc::Receiver<(u64, T)>) {
        let (results, arrived) = mpsc::channel();
        // Where threads take all the memory that there is, work still needs some: it is set aside while they
        // start.
        let mut reserve: Vec<u8> = Vec::new();
        let _ = reserve.try_reserve_exact(RESERVE);
        let mut started = 0;
        for desk in desks {
            let results = results.clone();
            let labour = move || {
                let _tenure = Tenure::begin();
                while let Some(result) = queue.do_one(desk, work) {
                    // Nobody listens any more when the work is over.
                    let _ = results.send(result);
                }
                // This thread ends, and what its executions started is known by its name.
                wait_for_threads(THREADS_TIME);
            };
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, labour) {
                self.report_missing(started, desks.len(), &error);
                break;
            }
            started += 1;
        }
        (started, arrived)
    }

    /// Reports once that fewer workers than wanted could be started. Jobs never change a result, so the
    /// others go on.
    fn report_missing(&self, started: usize, wanted: usize, error: &io::Error) {
        if !self.is_short.swap(true, Ordering::Relaxed) {
            // The calling thread does the work where no other one can be started.
            self.crew.progress.short_of_workers(started.max(1), wanted, error);
        }
    }

    /// Remembers that this execution has run on the current thread.
    pub fn remember(&self, execution: u64) {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if recent.len() == RECENT_MAX {
            recent.pop_front();
        }
        recent.push_back((running_execution(), execution));
    }

    /// The executions whose threads panic under this number, the latest first; none if they were those of
    /// another shift, or too long ago.
    pub fn remembered(&self, number: u64) -> Vec<u64> {
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.iter().rev().filter(|(known, _)| *known == number).map(|(_, execution)| *execution).collect()
    }

    /// Whether the time is over, or a user has interrupted the work.
    pub fn is_late(&self) -> bool {
        self.is_stopped() || self.crew.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether a user has interrupted the work.
    pub fn is_stopped(&self) -> bool {
        self.crew.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// What cuts the work short, if it is late.
    pub fn limit(&self) -> &'static str {
        if self.is_stopped() { INTERRUPTED } else { "the limit of time" }
    }

    /// Until when executions are begun.
    pub fn deadline(&self) -> Option<Instant> {
        self.crew.deadline
    }

    /// How long a call of a node may take.
    pub fn step_time(&self) -> Duration {
        self.crew.step_time
    }

    /// Where progress is reported.
    pub fn progress(&self) -> &'a dyn Progress {
        self.crew.progress
    }

    /// What every worker does.
    pub fn workers(&self) -> Vec<Worker> {
        let look = |desk: &Desk| Worker {
            execution: desk.execution.load(Ordering::Relaxed).checked_sub(1),
            step: desk.beat.count().saturating_sub(desk.began.load(Ordering::Relaxed)),
        };
        self.desks.iter().map(look).collect()
    }

    /// Does one piece of work that runs executions. `execution` is the one that it is about.
    pub fn alone<T>(&self, execution: u64, work: impl FnOnce(&Beat) -> T) -> T {
        let desk = &self.desks[0];
        desk.begin(execution);
        let result = work(&desk.beat);
        desk.end();
        result
    }
}

/// How long one call of a node may take if nobody says otherwise. Where nodes are real processes, to start
/// them is a call, and so is the end of an execution, in which they may elect a leader first.
pub fn usual_step_time(target: &dyn AnyTarget) -> Duration {
    Duration::from_secs(if target.info().is_deterministic { 30 } else { 300 })
}

/// Does work that replays or shrinks, and ends the process by [`Progress::stuck`] when a call of a node in it
/// takes longer than `step_time`.
pub fn guarded<T>(
    step_time: Duration,
    progress: &dyn Progress,
    execution: u64,
    work: impl FnOnce(&Beat) -> T,
) -> T {
    Crew { jobs: 1, step_time, deadline: None, stop: None, progress }
        .shift(|shift| shift.alone(execution, work))
}

/// Sends the guard home when it is dropped.
struct Home<'a>(&'a (Mutex<bool>, Condvar));

impl Drop for Home<'_> {
    fn drop(&mut self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.1.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_number_of_an_execution_is_a_number() {
        let desk = Desk::default();
        desk.begin(u64::MAX);
        assert_eq!(desk.execution.load(Ordering::Relaxed), u64::MAX);
    }
}
