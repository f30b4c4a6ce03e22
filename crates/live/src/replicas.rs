//! Servers that others start: where they register, for all executions of a target.
//!
//! One listener outlives the executions. A server that has taken part in one gets `end`, and
//! registers again for the next one, as new: nothing else can be done to a process that is not ours.

use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde::{Deserialize, Deserializer};
use shakedown_http::random_token;

use crate::hub::VARIABLES;

/// Is called with what a user has to know: where servers register, and what is waited for.
type Notice = Box<dyn Fn(&str) + Send + Sync>;

/// See the module's text. In a target file it is an address of this machine.
#[derive(Clone)]
pub struct Replicas(Arc<Shared>);

struct Shared {
    address: SocketAddr,
    token: String,
    listener: Mutex<Option<TcpListener>>,
    /// Whether they take part in an execution.
    is_taken: AtomicBool,
    notice: OnceLock<Notice>,
}

impl Replicas {
    /// Servers register at this address. The secret word is that of this program's environment, if it has
    /// one.
    pub fn new(address: SocketAddr) -> Result<Replicas, String> {
        if !address.ip().is_loopback() {
            return Err(format!("{address} is no address of this machine alone, such as 127.0.0.1:7700"));
        }
        let token = std::env::var(VARIABLES[1]).ok().filter(|token| !token.is_empty());
        Ok(Replicas(Arc::new(Shared {
            address,
            token: token.unwrap_or_else(random_token),
            listener: Mutex::default(),
            is_taken: AtomicBool::new(false),
            notice: OnceLock::new(),
        })))
    }

    /// What prints where servers register. The first call counts.
    pub fn on_notice(&self, notice: impl Fn(&str) + Send + Sync + 'static) {
        let _ = self.0.notice.set(Box::new(notice));
    }

    /// The secret word that servers register with.
    pub fn token(&self) -> &str {
        &self.0.token
    }

    /// The listener, for one execution. The first one says where servers register.
    pub(crate) fn listen(&self, nodes: usize) -> io::Result<TcpListener> {
        let mut listener = self.0.listener.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listener) = &*listener {
            return listener.try_clone();
        }
        let bound = TcpListener::bind(self.0.address)?;
        let copy = bound.try_clone()?;
        if let Some(notice) = self.0.notice.get() {
            let [live, token, node, _] = VARIABLES;
            notice(&format!(
                "waiting for {nodes} servers: start them with {live}={} {token}={} {node}=1 to {nodes}",
                bound.local_addr()?,
                self.0.token
            ));
        }
        *listener = Some(bound);
        Ok(copy)
    }

    /// The turn of an execution, unless another one has it.
    pub(crate) fn turn(&self) -> Option<Turn> {
        let was_taken = self.0.is_taken.swap(true, Ordering::AcqRel);
        (!was_taken).then(|| Turn(Arc::clone(&self.0)))
    }
}

/// Lasts as long as an execution that servers of others take part in.
pub(crate) struct Turn(Arc<Shared>);

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.is_taken.store(false, Ordering::Release);
    }
}

impl fmt::Debug for Replicas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Replicas({})", self.0.address)
    }
}

impl<'de> Deserialize<'de> for Replicas {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Replicas, D::Error> {
        let address = SocketAddr::deserialize(deserializer)?;
        Replicas::new(address).map_err(serde::de::Error::custom)
    }
}
