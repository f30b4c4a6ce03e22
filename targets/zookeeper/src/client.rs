//! Clients: sessions that are asked one thing at a time.
//!
//! A request whose connection is lost after a write was sent has an unknown outcome, and it stays unknown:
//! nothing is sent again. The session is taken up again on another connection, as ZooKeeper's own clients do,
//! with the last transaction that it has seen; one that has expired is replaced by a new one. Sessions
//! outlast an execution, so there are no pings.
//!
//! The client is our own: see ARCHITECTURE.md, "By hand, and why".

mod connection;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use shakedown_cluster::NodeId;
use shakedown_live::{Client, Clients, Outcome};

use crate::vocabulary::{Answer, Ask, Held, Told};
use connection::{BAD_VERSION, Connection, NO_NODE, NODE_EXISTS, SessionError, Ticket};

/// Makes sessions. Every second one stays at its server, so that it is known which server is asked; the
/// others go on to the next server when a connection is lost.
#[derive(Default)]
pub struct ZooKeeperClients {
    made: AtomicUsize,
}

impl Clients for ZooKeeperClients {
    fn client(&self, servers: &[SocketAddr], first: NodeId) -> Result<Box<dyn Client>, String> {
        let stays = self.made.fetch_add(1, Ordering::Relaxed).is_multiple_of(2);
        let mut servers = servers.to_vec();
        servers.rotate_left(first.index());
        servers.truncate(if stays { 1 } else { servers.len() });
        let ticket = Ticket::default();
        Ok(Box::new(Session { servers, at: 0, ticket, connection: None, stage: Stage::Harmless }))
    }
}

/// How far a request has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Nothing was sent that changes a register.
    Harmless,
    /// A write was sent, and its outcome is not known.
    Written,
}

struct Session {
    servers: Vec<SocketAddr>,
    /// The server that it is at, by its place.
    at: usize,
    ticket: Ticket,
    connection: Option<Connection>,
    stage: Stage,
}

impl Client for Session {
    fn call(&mut self, request: &str, until: Instant) -> Outcome {
        let ask: Ask = match serde_json::from_str(request) {
            Ok(ask) => ask,
            Err(error) => return Outcome::Failed(format!("no request to registers: {error}")),
        };
        self.stage = Stage::Harmless;
        let error = match self.answer(ask, until) {
            Ok(answer) => {
                return Outcome::Answer(serde_json::to_string(&answer).expect("answers are plain"));
            }
            Err(error) => error,
        };
        self.recover(&error);
        match self.stage {
            Stage::Harmless => Outcome::Failed(error.to_string()),
            Stage::Written => Outcome::Unknown(error.to_string()),
        }
    }
}

impl Session {
    /// What the session goes on with after an error.
    fn recover(&mut self, error: &SessionError) {
        if let SessionError::Refused(_) = error {
            return;
        }
        if let Some(connection) = self.connection.take() {
            connection.keep(&mut self.ticket);
        }
        self.at = (self.at + 1) % self.servers.len();
        if let SessionError::Expired = error {
            self.ticket = Ticket::default();
        }
    }

    fn opened(&mut self, until: Instant) -> Result<&mut Connection, SessionError> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => Connection::open(self.servers[self.at], &mut self.ticket, until)?,
        };
        Ok(self.connection.insert(connection))
    }

    fn answer(&mut self, ask: Ask, until: Instant) -> Result<Answer, SessionError> {
        self.opened(until)?;
        let session = format!("{:#x}", self.ticket.session);
        let key = ask.key();
        let told = match ask {
            Ask::Read(_) => Told::Value(self.read(key, until)?),
            Ask::Sync(_) => {
                self.opened(until)?.sync(key, until)?;
                Told::Value(self.read(key, until)?)
            }
            Ask::Set(_, value) => Told::Done(self.write(key, value, None, until)?),
            Ask::Swap(_, value) => {
                let held = self.read(key, until)?;
                match self.write(key, value, Some(held.version), until) {
                    Ok(_) => Told::Swapped(held),
                    Err(SessionError::Refused(BAD_VERSION)) => Told::Missed(held.version),
                    Err(error) => return Err(error),
                }
            }
        };
        Ok(Answer { told, session })
    }

    /// Reads a register where the session is. One that is not there yet holds 0.
    fn read(&mut self, key: u8, until: Instant) -> Result<Held, SessionError> {
        match self.opened(until)?.get(key, until) {
            Err(SessionError::Refused(NO_NODE)) => Ok(Held::default()),
            found => found,
        }
    }

    /// Writes a register; the version that this makes. A register that is not there yet is made first, and
    /// holds 0.
    fn write(
        &mut self,
        key: u8,
        value: u64,
        version: Option<i32>,
        until: Instant,
    ) -> Result<i32, SessionError> {
        loop {
            self.opened(until)?;
            self.stage = Stage::Written;
            let written = self.opened(until)?.set(key, value, version, until);
            // Everything but these leaves open whether it was written.
            if matches!(written, Ok(_) | Err(SessionError::Refused(BAD_VERSION | NO_NODE))) {
                self.stage = Stage::Harmless;
            }
            match written {
                Err(SessionError::Refused(NO_NODE)) => self.make(key, until)?,
                written => return written,
            }
        }
    }

    /// Makes a register that holds 0, unless there is one. If the outcome is unknown, nobody sees the
    /// difference.
    fn make(&mut self, key: u8, until: Instant) -> Result<(), SessionError> {
        match self.opened(until)?.create(key, until) {
            Err(SessionError::Refused(NODE_EXISTS)) => Ok(()),
            made => made,
        }
    }
}
