//! Clients: what asks the servers, each in a thread of its own, with the time-outs and the retries of an
//! application.
//!
//! A request is on the board before its client knows of it, and its answer comes to the board after the
//! client has it. So the interval of an operation on the board holds the one that it really had, and what an
//! oracle concludes from the order is true.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use shakedown_cluster::{NodeId, RequestId};

/// The most requests that are under way at once.
pub const REQUESTS_AT_ONCE_MAX: usize = 64;

/// What became of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It was answered: this, as JSON.
    Answer(String),
    /// It did not happen, and never will.
    Failed(String),
    /// It may have happened, or may yet.
    Unknown(String),
}

/// Asks servers, one request at a time.
pub trait Client: Send {
    /// Does a request, given as JSON; no longer than until then.
    fn call(&mut self, request: &str, until: Instant) -> Outcome;

    /// Whether it can do another request. One that cannot is replaced.
    fn is_usable(&self) -> bool {
        true
    }
}

/// Makes clients.
pub trait Clients: Send + Sync {
    /// A client of these servers, in the order of their numbers, that asks one of them first.
    fn client(&self, servers: &[SocketAddr], first: NodeId) -> Result<Box<dyn Client>, String>;
}

/// An outcome that has arrived.
pub(crate) struct Arrived {
    pub request: RequestId,
    pub node: NodeId,
    pub outcome: Outcome,
}

/// The clients of one execution.
type Idle = Arc<Mutex<Vec<(NodeId, Box<dyn Client>)>>>;

pub(crate) struct Callers {
    clients: Arc<dyn Clients>,
    servers: Vec<SocketAddr>,
    /// Clients that no request uses, by the server that they ask first.
    idle: Idle,
    sender: Sender<Arrived>,
    receiver: Receiver<Arrived>,
    threads: Vec<JoinHandle<()>>,
    is_over: Arc<AtomicBool>,
    under_way: usize,
}

impl Callers {
    pub fn new(clients: Arc<dyn Clients>, servers: Vec<SocketAddr>) -> Callers {
        let (sender, receiver) = channel();
        Callers {
            clients,
            servers,
            idle: Arc::default(),
            sender,
            receiver,
            threads: Vec::new(),
            is_over: Arc::default(),
            under_way: 0,
        }
    }

    /// How many requests are under way.
    pub fn under_way(&self) -> usize {
        self.under_way
    }

    /// Sends a request. The error is one of an operation that never began.
    pub fn send(&mut self, request: RequestId, node: NodeId, op: &str, time: Duration) -> Result<(), String> {
        self.threads.retain(|thread| !thread.is_finished());
        if self.threads.len() >= REQUESTS_AT_ONCE_MAX {
            return Err(format!("{REQUESTS_AT_ONCE_MAX} requests are under way already"));
        }
        let known = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            let place = idle.iter().position(|(first, _)| *first == node);
            place.map(|place| idle.swap_remove(place).1)
        };
        let mut client = match known {
            Some(client) => client,
            None => self.clients.client(&self.servers, node)?,
        };
        let (op, sender, idle) = (op.to_owned(), self.sender.clone(), Arc::clone(&self.idle));
        let is_over = Arc::clone(&self.is_over);
        let thread = std::thread::Builder::new().name("client".to_owned()).spawn(move || {
            let outcome = client.call(&op, Instant::now() + time);
            if client.is_usable() && !is_over.load(Ordering::Relaxed) {
                idle.lock().unwrap_or_else(PoisonError::into_inner).push((node, client));
            }
            // Without a receiver the execution is over.
            let _ = sender.send(Arrived { request, node, outcome });
        });
        self.threads.push(thread.map_err(|error| error.to_string())?);
        self.under_way += 1;
        Ok(())
    }

    /// An outcome that has arrived since the last time.
    pub fn arrived(&mut self) -> Option<Arrived> {
        let arrived = self.receiver.try_recv().ok()?;
        self.under_way -= 1;
        Some(arrived)
    }

    /// Waits for all threads. To be called when the servers are gone, so that none of them waits for an
    /// answer: otherwise one might ask the servers of another execution that have got the same ports.
    pub fn end(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
        for thread in self.threads.drain(..) {
            // A client that panicked has no outcome: its request stays open.
            let _ = thread.join();
        }
    }
}

impl Drop for Callers {
    fn drop(&mut self) {
        self.end();
    }
}
