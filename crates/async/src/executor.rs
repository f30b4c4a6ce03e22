//! The executor of one life of a node: its tasks, its clock and its sleeps.

use std::cell::{Cell, RefCell, RefMut};
use std::collections::BTreeMap;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use shakedown_cluster::{Name, Random};

use crate::waker::{Ready, TaskWaker};
use crate::{Instant, Settings, TaskOrder};

type Work = Pin<Box<dyn Future<Output = ()>>>;

/// A place for a task. What wakes it stays when the task is done, for the next one.
struct Place {
    work: Option<Work>,
    waker: Option<Waker>,
    flag: Arc<TaskWaker>,
}

/// What a sleep is known by: when it ends, and a number that makes it unique.
pub(crate) type SleepKey = (Instant, u64);

/// A timer of the tester for a sleep.
pub(crate) enum TimerChange {
    Set(Name, Instant),
    Cancel(Name),
}

struct Sleeper {
    waker: Waker,
    /// The number of its timer, where sleeps are timers of the tester.
    timer: Option<usize>,
}

/// The sleeps of a node, the earliest first.
#[derive(Default)]
struct Sleeps {
    sleepers: BTreeMap<SleepKey, Sleeper>,
    /// The sleeps that have a timer, by its number less one. Numbers are used again, the smallest first.
    timers: Vec<Option<SleepKey>>,
    changes: Vec<TimerChange>,
}

/// See the module's text. No borrow is held while code of the target runs.
pub(crate) struct Executor {
    settings: Settings,
    /// Whether sleeps are timers of the tester.
    has_timers: bool,
    now: Cell<Instant>,
    random: RefCell<Random>,
    places: RefCell<Vec<Place>>,
    free: RefCell<Vec<usize>>,
    ready: Arc<Ready>,
    sleeps: RefCell<Sleeps>,
    sleeps_made: Cell<u64>,
    is_closed: Cell<bool>,
}

impl Executor {
    pub fn new(settings: Settings, now: Instant, has_timers: bool, random: Random) -> Executor {
        Executor {
            settings,
            has_timers,
            now: Cell::new(now),
            random: RefCell::new(random),
            places: RefCell::default(),
            free: RefCell::default(),
            ready: Arc::default(),
            sleeps: RefCell::default(),
            sleeps_made: Cell::new(0),
            is_closed: Cell::new(false),
        }
    }

    pub fn now(&self) -> Instant {
        self.now.get()
    }

    pub fn random(&self) -> RefMut<'_, Random> {
        self.random.borrow_mut()
    }

    /// Whether the life is over: nothing runs any more.
    pub fn is_closed(&self) -> bool {
        self.is_closed.get()
    }

    /// Adds a task, which runs before the step is over.
    pub fn spawn(&self, work: Work) {
        if self.is_closed() {
            return;
        }
        let mut places = self.places.borrow_mut();
        let place = self.free.borrow_mut().pop().unwrap_or_else(|| {
            let flag = Arc::new(TaskWaker::new(places.len(), &self.ready));
            places.push(Place { work: None, waker: Some(Waker::from(Arc::clone(&flag))), flag });
            places.len() - 1
        });
        places[place].work = Some(work);
        places[place].flag.wake_by_ref();
    }

    /// The task that runs next.
    fn next(&self) -> Option<usize> {
        let mut ready = self.ready.queue();
        if self.settings.order == TaskOrder::Drawn && ready.len() > 1 {
            let drawn = self.random().index(ready.len());
            ready.swap(0, drawn);
        }
        ready.pop_front()
    }

    /// Runs tasks until none can go on.
    ///
    /// # Panics
    /// If that takes more polls than a step may: a finding.
    pub fn settle(&self) {
        let mut polls = 0;
        while let Some(place) = self.next() {
            polls += 1;
            assert!(
                polls <= self.settings.polls_max,
                "it never goes quiet: after {} polls in one step, tasks can go on still",
                self.settings.polls_max
            );
            self.poll(place);
        }
    }

    fn poll(&self, place: usize) {
        let (mut work, waker) = {
            let place = &mut self.places.borrow_mut()[place];
            place.flag.begin();
            // Something that is done was woken.
            let Some(work) = place.work.take() else { return };
            (work, place.waker.take().expect("a place has its waker unless it is being polled"))
        };
        let is_done = work.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
        let mut places = self.places.borrow_mut();
        places[place].waker = Some(waker);
        if is_done {
            drop(places);
            drop(work);
            self.free.borrow_mut().push(place);
        } else {
            places[place].work = Some(work);
        }
    }

    /// The clock goes on; sleeps end in order, and what one of them wakes runs before the next one ends.
    pub fn advance(&self, by: Duration) {
        self.advance_to(self.now() + by);
    }

    fn advance_to(&self, end: Instant) {
        while let Some(due) = self.next_due(end) {
            self.now.set(due.0.max(self.now()));
            if let Some(waker) = self.forget_sleep(due) {
                waker.wake();
            }
            self.settle();
        }
        self.now.set(end.max(self.now()));
        self.settle();
    }

    fn next_due(&self, end: Instant) -> Option<SleepKey> {
        let sleeps = self.sleeps.borrow();
        sleeps.sleepers.first_key_value().map(|(key, _)| *key).filter(|(at, _)| *at <= end)
    }

    /// A timer of the tester goes off: the clock jumps to the end of its sleep.
    pub fn fire(&self, timer: Name) {
        let is_it = |place: &usize| Name::numbered(place + 1) == Some(timer);
        let count = self.sleeps.borrow().timers.len();
        let place = (0..count).find(is_it);
        let key = place.and_then(|place| self.sleeps.borrow().timers[place]);
        if let Some((end, _)) = key {
            self.advance_to(end);
        }
    }

    /// A number that no other sleep has.
    pub fn sleep_number(&self) -> u64 {
        self.sleeps_made.set(self.sleeps_made.get() + 1);
        self.sleeps_made.get()
    }

    /// Whom to wake when the sleep ends.
    pub fn remember_sleep(&self, key: SleepKey, waker: &Waker) {
        if self.is_closed() {
            return;
        }
        let mut sleeps = self.sleeps.borrow_mut();
        let Sleeps { sleepers, timers, changes } = &mut *sleeps;
        if let Some(known) = sleepers.get_mut(&key) {
            let before =
                (!known.waker.will_wake(waker)).then(|| std::mem::replace(&mut known.waker, waker.clone()));
            drop(sleeps);
            drop(before);
            return;
        }
        let timer = self.has_timers.then(|| {
            let place = timers.iter().position(Option::is_none).unwrap_or_else(|| {
                timers.push(None);
                timers.len() - 1
            });
            timers[place] = Some(key);
            changes.push(TimerChange::Set(timer_name(place), key.0));
            place
        });
        sleepers.insert(key, Sleeper { waker: waker.clone(), timer });
    }

    /// Nobody waits for the sleep any more. Gives who did.
    pub fn forget_sleep(&self, key: SleepKey) -> Option<Waker> {
        let mut sleeps = self.sleeps.borrow_mut();
        let sleeper = sleeps.sleepers.remove(&key)?;
        if let Some(place) = sleeper.timer {
            sleeps.timers[place] = None;
            sleeps.changes.push(TimerChange::Cancel(timer_name(place)));
        }
        Some(sleeper.waker)
    }

    /// What became of timers since this was last asked.
    pub fn take_timer_changes(&self) -> Vec<TimerChange> {
        std::mem::take(&mut self.sleeps.borrow_mut().changes)
    }

    /// How far one tick moves the clock.
    pub fn tick(&self) -> Duration {
        self.settings.tick
    }

    /// Ends the life: every task is dropped, and nothing that this sets off ever runs. Tasks are dropped one
    /// by one, for two panics at once would end the process; the first panic goes on when all are gone.
    pub fn close(&self) {
        self.is_closed.set(true);
        let mut panicked = None;
        let count = self.places.borrow().len();
        for place in 0..count {
            let work = self.places.borrow_mut()[place].work.take();
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(work))) {
                panicked.get_or_insert(panic);
            }
        }
        drop(std::mem::take(&mut *self.sleeps.borrow_mut()));
        self.ready.queue().clear();
        if let Some(panic) = panicked {
            resume_unwind(panic);
        }
    }
}

/// The name of a sleep's timer.
///
/// # Panics
/// If a node sleeps in too many places at once: a finding.
fn timer_name(place: usize) -> Name {
    Name::numbered(place + 1).unwrap_or_else(|| panic!("a node has more than {place} sleeps at once"))
}
