//! One connection of a session: requests and replies in Jute, ZooKeeper's encoding, each behind its length.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use shakedown_wire::{Reader, Stop};
use thiserror::Error;

use crate::target::SESSION_TIME;
use crate::vocabulary::Held;

/// The longest reply, in bytes: ours are registers of a few bytes.
const REPLY_BYTES_MAX: usize = 1 << 20;
/// The most replies that are skipped because no one waits for them.
const SKIPPED_MAX: usize = 64;
/// The length of the secret that a session is taken up again with.
const PASSWORD_BYTES: usize = 16;
/// Everybody may do everything: one entry, all five permissions.
const OPEN_TO_ALL: (i32, i32, &str, &str) = (1, 31, "world", "anyone");

/// The numbers of operations.
const CREATE: i32 = 1;
const GET_DATA: i32 = 4;
const SET_DATA: i32 = 5;
const SYNC: i32 = 9;

/// Why a request has no answer.
#[derive(Debug, Error)]
pub(super) enum SessionError {
    /// The connection is gone.
    #[error("the connection is lost: {0}")]
    Connection(#[from] io::Error),
    /// The session is gone.
    #[error("the session has expired")]
    Expired,
    /// A server answered with an error.
    #[error("error {0}")]
    Refused(i32),
    /// A server answered with something else.
    #[error("the reply cannot be read")]
    Unreadable,
}

/// There is no such node.
pub(super) const NO_NODE: i32 = -101;
/// The version is another one.
pub(super) const BAD_VERSION: i32 = -103;
/// There is such a node already.
pub(super) const NODE_EXISTS: i32 = -110;
/// The session has expired.
const SESSION_EXPIRED: i32 = -112;

impl From<Stop> for SessionError {
    fn from(_: Stop) -> SessionError {
        SessionError::Unreadable
    }
}

/// What a session is taken up again with, on another connection.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Ticket {
    /// The number of the session; 0 before there is one.
    pub session: i64,
    password: [u8; PASSWORD_BYTES],
    /// The last transaction that the session has seen: a server that has not is refused, so that reads do not
    /// go back.
    last_seen: i64,
}

/// A connection.
pub(super) struct Connection {
    stream: TcpStream,
    next: i32,
    last_seen: i64,
}

/// Puts values behind each other.
#[derive(Default)]
struct Jute(Vec<u8>);

impl Jute {
    fn int(mut self, number: i32) -> Jute {
        self.0.extend(number.to_be_bytes());
        self
    }

    fn long(mut self, number: i64) -> Jute {
        self.0.extend(number.to_be_bytes());
        self
    }

    fn truth(mut self, is_so: bool) -> Jute {
        self.0.push(is_so.into());
        self
    }

    fn buffer(self, bytes: &[u8]) -> Jute {
        let length = i32::try_from(bytes.len()).expect("requests are short");
        let mut all = self.int(length);
        all.0.extend_from_slice(bytes);
        all
    }

    fn path(self, key: u8) -> Jute {
        self.buffer(format!("/r{key}").as_bytes())
    }
}

impl Connection {
    /// Opens a session at a server, or takes one up again; until then.
    pub fn open(server: SocketAddr, ticket: &mut Ticket, until: Instant) -> Result<Connection, SessionError> {
        let stream = TcpStream::connect_timeout(&server, left(until)?)?;
        stream.set_nodelay(true)?;
        let mut connection = Connection { stream, next: 1, last_seen: ticket.last_seen };
        let time_ms = i32::try_from(SESSION_TIME.as_millis()).expect("a session lasts seconds");
        let request = Jute::default().int(0).long(ticket.last_seen).int(time_ms).long(ticket.session);
        connection.send(request.buffer(&ticket.password).truth(false), until)?;
        let reply = connection.frame(until)?;
        let mut reader = Reader::new(&reply, REPLY_BYTES_MAX);
        let (_version, granted_ms, session) = (reader.i32()?, reader.i32()?, reader.i64()?);
        let password = reader.buffer("a password")?.and_then(|bytes| bytes.try_into().ok());
        if granted_ms <= 0 || session == 0 {
            return Err(SessionError::Expired);
        }
        ticket.session = session;
        ticket.password = password.ok_or(SessionError::Unreadable)?;
        Ok(connection)
    }

    /// What the session has seen, for the next connection.
    pub fn keep(&self, ticket: &mut Ticket) {
        ticket.last_seen = self.last_seen;
    }

    /// Makes a register that holds 0.
    pub fn create(&mut self, key: u8, until: Instant) -> Result<(), SessionError> {
        let (entries, permissions, scheme, identity) = OPEN_TO_ALL;
        let body = |head: Jute| {
            let list = head.path(key).buffer(b"0").int(entries).int(permissions);
            list.buffer(scheme.as_bytes()).buffer(identity.as_bytes()).int(0)
        };
        self.ask(CREATE, body, until).map(drop)
    }

    /// Reads a register where the session is.
    pub fn get(&mut self, key: u8, until: Instant) -> Result<Held, SessionError> {
        let reply = self.ask(GET_DATA, |head| head.path(key).truth(false), until)?;
        let mut reader = Reader::new(&reply, REPLY_BYTES_MAX);
        let data = reader.buffer("the data of a node")?.unwrap_or_default();
        let value = std::str::from_utf8(data).ok().and_then(|text| text.parse().ok());
        Ok(Held { value: value.ok_or(SessionError::Unreadable)?, version: version(&mut reader)? })
    }

    /// Writes a register, if its version is this one or none is given; the version that this makes.
    pub fn set(
        &mut self,
        key: u8,
        value: u64,
        version_before: Option<i32>,
        until: Instant,
    ) -> Result<i32, SessionError> {
        let text = value.to_string();
        let body = |head: Jute| head.path(key).buffer(text.as_bytes()).int(version_before.unwrap_or(-1));
        let reply = self.ask(SET_DATA, body, until)?;
        Ok(version(&mut Reader::new(&reply, REPLY_BYTES_MAX))?)
    }

    /// Waits until the server has caught up with the leader.
    pub fn sync(&mut self, key: u8, until: Instant) -> Result<(), SessionError> {
        self.ask(SYNC, |head| head.path(key), until).map(drop)
    }

    /// Does a request; what stands behind the head of the reply.
    fn ask(
        &mut self,
        operation: i32,
        body: impl FnOnce(Jute) -> Jute,
        until: Instant,
    ) -> Result<Vec<u8>, SessionError> {
        let number = self.next;
        self.next += 1;
        self.send(body(Jute::default().int(number).int(operation)), until)?;
        for _ in 0..SKIPPED_MAX {
            let reply = self.frame(until)?;
            let mut reader = Reader::new(&reply, REPLY_BYTES_MAX);
            let (answered, zxid, error) = (reader.i32()?, reader.i64()?, reader.i32()?);
            // Numbers below zero are of pings and watches.
            if answered != number {
                continue;
            }
            self.last_seen = self.last_seen.max(zxid);
            return match error {
                0 => Ok(reader.remaining().to_vec()),
                SESSION_EXPIRED => Err(SessionError::Expired),
                error => Err(SessionError::Refused(error)),
            };
        }
        Err(SessionError::Unreadable)
    }

    fn send(&mut self, request: Jute, until: Instant) -> Result<(), SessionError> {
        self.stream.set_write_timeout(Some(left(until)?))?;
        let framed = Jute::default().buffer(&request.0);
        Ok(self.stream.write_all(&framed.0)?)
    }

    fn frame(&mut self, until: Instant) -> Result<Vec<u8>, SessionError> {
        let mut length = [0; 4];
        self.read(&mut length, until)?;
        let length = usize::try_from(i32::from_be_bytes(length)).map_err(|_| SessionError::Unreadable)?;
        if length > REPLY_BYTES_MAX {
            return Err(SessionError::Unreadable);
        }
        let mut reply = vec![0; length];
        self.read(&mut reply, until)?;
        Ok(reply)
    }

    fn read(&mut self, mut bytes: &mut [u8], until: Instant) -> Result<(), SessionError> {
        while !bytes.is_empty() {
            self.stream.set_read_timeout(Some(left(until)?))?;
            match self.stream.read(bytes)? {
                0 => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
                read => bytes = &mut bytes[read..],
            }
        }
        Ok(())
    }
}

/// The version in what is known of a node: it stands behind four long numbers.
fn version(reader: &mut Reader<'_>) -> Result<i32, Stop> {
    reader.bytes(4 * 8)?;
    reader.i32()
}

/// How much time is left.
fn left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}
