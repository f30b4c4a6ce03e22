//! Connections: bytes in order, ends, resets.

use std::collections::{BTreeMap, VecDeque};
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr};
use std::os::fd::RawFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use shakedown_cluster::NodeId;

use super::{Network, address_of};
use crate::segment::{ConnectionId, Segment};
use crate::takeover::kernel;

/// The most bytes that are read from a socket at once.
const READ_MAX: usize = 1 << 16;

/// Whether a connection is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// The other node has not answered yet. This many bytes keep the socket from being writable.
    Connecting {
        junk: usize,
    },
    Open,
}

/// A part of a stream.
enum Piece {
    Bytes(Arc<[u8]>),
    End,
}

/// One end of a connection.
pub(super) struct Connection {
    pub peer: NodeId,
    /// The port that the opener connected to.
    port: u16,
    /// The descriptor that the target holds, if it has it yet, and still.
    pub fd: Option<RawFd>,
    ours: UnixStream,
    pub stage: Stage,
    /// How many segments have been sent, and how many have arrived in order.
    sent: u32,
    arrived: u32,
    /// What arrived before what comes before it.
    early: BTreeMap<u32, Piece>,
    /// What the target's socket has no room for yet.
    waiting: VecDeque<u8>,
    has_sent_end: bool,
    has_end_arrived: bool,
    is_end_shown: bool,
}

impl Connection {
    pub fn new(peer: NodeId, port: u16, fd: Option<RawFd>, ours: UnixStream, stage: Stage) -> Connection {
        Connection {
            peer,
            port,
            fd,
            ours,
            stage,
            sent: 0,
            arrived: 0,
            early: BTreeMap::new(),
            waiting: VecDeque::new(),
            has_sent_end: false,
            has_end_arrived: false,
            is_end_shown: false,
        }
    }

    /// Takes a segment in; what it completes is in order.
    fn take_in(&mut self, number: u32, piece: Piece) {
        if number >= self.arrived {
            self.early.insert(number, piece);
        }
        while let Some(piece) = self.early.remove(&self.arrived) {
            self.arrived += 1;
            match piece {
                Piece::Bytes(bytes) => self.waiting.extend(bytes.iter()),
                Piece::End => self.has_end_arrived = true,
            }
        }
    }

    /// Hands what has arrived to the target, as far as there is room. An error says that the target reads no
    /// more.
    fn hand_over(&mut self) -> Result<bool, ()> {
        let mut has_written = false;
        while !self.waiting.is_empty() {
            let (front, _) = self.waiting.as_slices();
            match self.ours.write(front) {
                Ok(written) => {
                    self.waiting.drain(..written);
                    has_written = true;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(has_written),
                Err(_) => return Err(()),
            }
        }
        if self.has_end_arrived && !self.is_end_shown {
            self.is_end_shown = true;
            has_written = true;
            // It fails only where the target has closed its end.
            let _ = self.ours.shutdown(Shutdown::Write);
        }
        Ok(has_written)
    }

    fn is_over(&self) -> bool {
        self.has_sent_end && self.is_end_shown
    }
}

/// What came of reading what the target wrote.
enum Taken {
    /// Nothing more for now; whether there was much, so that the target may have waited for room.
    All {
        much: bool,
    },
    Broken,
}

impl Network {
    /// A segment of a connection arrives.
    pub fn receive(&mut self, from: NodeId, segment: Segment) {
        match segment {
            Segment::Connect { connection, from: from_port, to } => {
                self.take_connection(from, connection, from_port, to);
            }
            Segment::Accepted(id) => self.open(from, id),
            Segment::Refused(id) => self.break_off(id, libc::ECONNREFUSED),
            Segment::Reset(id) => self.break_off(id, libc::ECONNRESET),
            Segment::Data { connection, number, bytes, .. } => {
                self.take_piece(from, connection, number, Piece::Bytes(bytes));
            }
            Segment::Fin { connection, number } => self.take_piece(from, connection, number, Piece::End),
            Segment::Datagram { from: from_port, to, bytes } => {
                self.take_datagram(from, from_port, to, &bytes);
            }
        }
    }

    fn take_connection(&mut self, from: NodeId, id: ConnectionId, from_port: u16, to: u16) {
        if self.connections.contains_key(&id) {
            return;
        }
        let end = self.listeners.get_mut(&to).and_then(|listener| {
            if listener.waiting.len() >= listener.backlog.max(1) {
                return None;
            }
            let ours = UnixStream::connect_addr(&listener.name).ok()?;
            ours.set_nonblocking(true).ok()?;
            listener.waiting.push_back((id, SocketAddr::new(address_of(from).into(), from_port)));
            Some(ours)
        });
        let Some(ours) = end else {
            return self.out.push((from, Segment::Refused(id.other_end())));
        };
        self.connections.insert(id, Connection::new(from, to, None, ours, Stage::Open));
        self.out.push((from, Segment::Accepted(id.other_end())));
    }

    fn open(&mut self, from: NodeId, id: ConnectionId) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return self.out.push((from, Segment::Reset(id.other_end())));
        };
        let Stage::Connecting { junk } = connection.stage else { return };
        connection.stage = Stage::Open;
        let mut thrown_away = vec![0; junk];
        if connection.ours.read_exact(&mut thrown_away).is_err() {
            return self.break_off(id, libc::ECONNABORTED);
        }
        let (fd, port) = (connection.fd, connection.port);
        if let Some(fd) = fd {
            // A small buffer would only make more segments.
            let _ = kernel::open(fd);
            if let Some(socket) = self.sockets.get_mut(&fd) {
                socket.peer = Some(SocketAddr::new(address_of(from).into(), port));
            }
        }
    }

    /// The connection is over for the target, with this error.
    fn break_off(&mut self, id: ConnectionId, error: i32) {
        let Some(connection) = self.connections.remove(&id) else { return };
        let socket = connection.fd.and_then(|fd| self.sockets.get_mut(&fd));
        if let Some(socket) = socket {
            socket.error = Some(error);
            socket.is_reset = true;
        }
        // Dropping our end wakes the target.
    }

    fn take_piece(&mut self, from: NodeId, id: ConnectionId, number: u32, piece: Piece) {
        match self.connections.get_mut(&id) {
            Some(connection) => connection.take_in(number, piece),
            None => self.out.push((from, Segment::Reset(id.other_end()))),
        }
        self.hand_over(id);
    }

    fn hand_over(&mut self, id: ConnectionId) -> bool {
        let Some(connection) = self.connections.get_mut(&id) else { return false };
        match connection.hand_over() {
            Ok(has_written) => has_written,
            Err(()) => {
                let peer = connection.peer;
                self.out.push((peer, Segment::Reset(id.other_end())));
                self.connections.remove(&id);
                false
            }
        }
    }

    /// Takes what the target has written, and hands over what it has room for. Gives whether the target may
    /// go on for that.
    pub fn exchange(&mut self) -> bool {
        let ids: Vec<ConnectionId> = self.connections.keys().copied().collect();
        let mut may_go_on = false;
        for id in ids {
            match self.take_from_target(id) {
                Some(Taken::All { much }) => may_go_on |= much,
                Some(Taken::Broken) => {
                    if let Some(connection) = self.connections.remove(&id) {
                        self.out.push((connection.peer, Segment::Reset(id.other_end())));
                    }
                }
                None => {}
            }
            may_go_on |= self.hand_over(id);
            if self.connections.get(&id).is_some_and(Connection::is_over) {
                self.connections.remove(&id);
            }
        }
        may_go_on
    }

    fn take_from_target(&mut self, id: ConnectionId) -> Option<Taken> {
        let connection = self.connections.get_mut(&id)?;
        if connection.stage != Stage::Open || connection.has_sent_end {
            return None;
        }
        let mut buffer = vec![0; READ_MAX];
        let mut much = false;
        loop {
            match connection.ours.read(&mut buffer) {
                Ok(0) => {
                    connection.has_sent_end = true;
                    let fin = Segment::Fin { connection: id.other_end(), number: connection.sent };
                    connection.sent += 1;
                    self.out.push((connection.peer, fin));
                    return Some(Taken::All { much });
                }
                Ok(read) => {
                    much |= read == READ_MAX;
                    for bytes in buffer[..read].chunks(self.segment_max) {
                        let data = Segment::Data {
                            connection: id.other_end(),
                            port: connection.port,
                            number: connection.sent,
                            bytes: bytes.into(),
                        };
                        connection.sent += 1;
                        self.out.push((connection.peer, data));
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Some(Taken::All { much }),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Some(Taken::Broken),
            }
        }
    }

    /// The session with a peer is lost: its connections are broken off, and none can be opened.
    pub fn lose(&mut self, peer: NodeId) {
        self.lost.insert(peer);
        let of_peer = |(id, connection): (&ConnectionId, &Connection)| {
            let error = match connection.stage {
                Stage::Connecting { .. } => libc::EHOSTUNREACH,
                Stage::Open => libc::ECONNRESET,
            };
            (connection.peer == peer).then_some((*id, error))
        };
        let broken: Vec<(ConnectionId, i32)> = self.connections.iter().filter_map(of_peer).collect();
        for (id, error) in broken {
            self.break_off(id, error);
        }
    }

    /// The session with a peer is back.
    pub fn find_again(&mut self, peer: NodeId) {
        self.lost.remove(peer);
    }
}
