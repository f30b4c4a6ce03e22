//! Hosts for all threads: each thread that runs executions has one, and keeps it from one execution to the
//! next.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use shakedown_cluster::Environment;

use crate::host::CannotStart;
use crate::{Hello, Host, HostCommand, pin};

/// What is reported while hosts run: that a command is started, and what a host wrote to standard error
/// before it failed.
pub type Notice = Arc<dyn Fn(&str) + Send + Sync>;

/// The hosts of a target. Nothing is started before the first execution.
#[derive(Clone)]
pub struct HostPool(Arc<Shared>);

struct Shared {
    number: u64,
    command: HostCommand,
    /// Hosts that no thread uses, with the numbers of their cores.
    free: Mutex<Vec<(Host, usize)>>,
    started: AtomicUsize,
    notice: Notice,
}

/// The host of a thread.
struct Leased {
    pool: HostPool,
    host: Option<Rc<RefCell<Host>>>,
    core: usize,
}

impl Drop for Leased {
    fn drop(&mut self) {
        if self.pool.0.command.is_pinned {
            pin::unpin();
        }
        let host = self.host.take().map(Rc::try_unwrap);
        if let Some(Ok(host)) = host
            && !host.borrow().is_dead()
        {
            self.pool
                .0
                .free
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((host.into_inner(), self.core));
        }
    }
}

thread_local! {
    static LEASED: RefCell<Option<Leased>> = const { RefCell::new(None) };
}

impl HostPool {
    /// The hosts that this command starts. Before the first is started, the command is printed to standard
    /// error.
    pub fn new(command: HostCommand) -> HostPool {
        HostPool::with_notice(command, Arc::new(|text| eprintln!("{text}")))
    }

    /// The same, with another way to print.
    pub fn with_notice(command: HostCommand, notice: Notice) -> HostPool {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let (free, started) = (Mutex::default(), AtomicUsize::new(0));
        HostPool(Arc::new(Shared { number, command, free, started, notice }))
    }

    /// The host of this thread; it is started if there is none.
    pub fn host(&self) -> Result<Rc<RefCell<Host>>, CannotStart> {
        LEASED.with_borrow_mut(|leased| {
            if let Some(Leased { pool, host: Some(host), .. }) = leased
                && pool.0.number == self.0.number
                && !host.borrow().is_dead()
            {
                return Ok(Rc::clone(host));
            }
            // What the thread had goes back first.
            *leased = None;
            let (host, core) = self.lease()?;
            let host = Rc::new(RefCell::new(host));
            *leased = Some(Leased { pool: self.clone(), host: Some(Rc::clone(&host)), core });
            Ok(host)
        })
    }

    fn lease(&self) -> Result<(Host, usize), CannotStart> {
        let Shared { command, free, started, notice, .. } = &*self.0;
        let known = free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some((host, core)) = known {
            if command.is_pinned {
                pin::pin(core);
            }
            return Ok((host, core));
        }
        let core = started.fetch_add(1, Ordering::Relaxed);
        if core == 0 {
            notice(&format!("starts {command}"));
        }
        if command.is_pinned {
            // The process has the cores of the thread that starts it.
            pin::pin(core);
        }
        Host::start(command).map(|host| (host, core))
    }

    /// How many processes were started.
    pub fn started(&self) -> usize {
        self.0.started.load(Ordering::Relaxed)
    }

    /// What the host declares of itself. It is started for that, if none runs on this thread.
    pub fn hello(&self) -> Result<Hello, CannotStart> {
        Ok(self.host()?.borrow().hello().clone())
    }

    pub(crate) fn notify(&self, text: &str) {
        (self.0.notice)(text);
    }
}

impl Environment for HostPool {
    fn prepare(&self) -> Result<(), String> {
        self.host().map(drop).map_err(|error| error.to_string())
    }
}
