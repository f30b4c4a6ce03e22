//! The network of one life of a node: what its sockets stand for, and what came in and goes out.
//!
//! A target holds one end of a local socket for each of its connections, and this holds the other. Whatever
//! the target writes is read here when the step is over, and becomes segments; segments that arrive are
//! written here for the target to read.

mod connection;
mod datagrams;

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::fd::RawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{self as local, UnixDatagram, UnixListener, UnixStream};
use std::sync::atomic::{AtomicU64, Ordering};

use shakedown_cluster::{NodeId, NodeSet};

use crate::segment::{ConnectionId, Segment};
use crate::takeover::kernel;
use connection::{Connection, Stage};
pub(crate) use datagrams::{DATAGRAM_MAX, HEADER};

/// The first port that is given to sockets which ask for none.
const PORT_MIN: u16 = 49_152;
/// The most connections of a node at once.
const CONNECTIONS_MAX: usize = 10_000;

/// A socket of the target.
#[derive(Debug)]
struct Socket {
    is_stream: bool,
    is_v6: bool,
    local: Option<SocketAddr>,
    peer: Option<SocketAddr>,
    connection: Option<ConnectionId>,
    /// What the next question for an error is answered with.
    error: Option<i32>,
    is_reset: bool,
}

/// A port where a socket listens, or where datagrams arrive.
#[derive(Debug)]
struct Port {
    fd: RawFd,
    name: local::SocketAddr,
    /// The most connections that wait to be taken, and those that do.
    backlog: usize,
    waiting: VecDeque<(ConnectionId, SocketAddr)>,
}

/// See the module's text.
pub(crate) struct Network {
    id: NodeId,
    nodes: usize,
    life: u32,
    segment_max: usize,
    sockets: BTreeMap<RawFd, Socket>,
    listeners: BTreeMap<u16, Port>,
    datagram_ports: BTreeMap<u16, Port>,
    connections: BTreeMap<ConnectionId, Connection>,
    /// Where sockets of the target are connected to, to have our end of them.
    hub: UnixListener,
    hub_name: local::SocketAddr,
    datagrams: UnixDatagram,
    /// Peers whose sessions are lost.
    lost: NodeSet,
    connections_made: u32,
    port_next: u16,
    out: Vec<(NodeId, Segment)>,
}

/// The address of a node.
pub(crate) fn address_of(node: NodeId) -> Ipv4Addr {
    let number = node.index() as u32 + 1;
    Ipv4Addr::from(u32::from(Ipv4Addr::new(10, 0, 0, 0)) + number)
}

impl Network {
    pub fn new(id: NodeId, nodes: usize, life: u32, segment_max: usize) -> io::Result<Network> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("shakedown.{}.{number}", std::process::id());
        let hub_name = local::SocketAddr::from_abstract_name(name)?;
        Ok(Network {
            id,
            nodes,
            life,
            segment_max: segment_max.max(1),
            sockets: BTreeMap::new(),
            listeners: BTreeMap::new(),
            datagram_ports: BTreeMap::new(),
            connections: BTreeMap::new(),
            hub: UnixListener::bind_addr(&hub_name)?,
            hub_name,
            datagrams: UnixDatagram::unbound()?,
            lost: NodeSet::default(),
            connections_made: 0,
            port_next: PORT_MIN,
            out: Vec::new(),
        })
    }

    /// The node that has this address.
    fn node_at(&self, ip: IpAddr) -> Option<NodeId> {
        match ip.to_canonical() {
            ip if ip.is_loopback() || ip.is_unspecified() => Some(self.id),
            IpAddr::V4(v4) => NodeId::first(self.nodes).find(|&node| address_of(node) == v4),
            IpAddr::V6(_) => None,
        }
    }

    fn new_port(&mut self) -> u16 {
        let port = self.port_next;
        self.port_next = self.port_next.checked_add(1).unwrap_or(PORT_MIN);
        port
    }

    /// The address as the socket's family writes it.
    fn in_family(&self, fd: RawFd, address: SocketAddr) -> SocketAddr {
        match (self.sockets.get(&fd), address.ip()) {
            (Some(socket), IpAddr::V4(v4)) if socket.is_v6 => {
                SocketAddr::new(v4.to_ipv6_mapped().into(), address.port())
            }
            _ => address,
        }
    }

    /// Whether the descriptor is a socket of this network.
    pub fn owns(&self, fd: RawFd) -> bool {
        self.sockets.contains_key(&fd)
    }

    /// The target makes a socket.
    pub fn socket(&mut self, domain: i32, kind: i32) -> Result<RawFd, i32> {
        let is_stream = kind & 0xff == libc::SOCK_STREAM;
        if !is_stream && kind & 0xff != libc::SOCK_DGRAM {
            return Err(libc::EPROTONOSUPPORT);
        }
        let fd = kernel::socket(kind).map_err(errno)?;
        let socket = Socket {
            is_stream,
            is_v6: domain == libc::AF_INET6,
            local: None,
            peer: None,
            connection: None,
            error: None,
            is_reset: false,
        };
        self.sockets.insert(fd, socket);
        Ok(fd)
    }

    /// The target gives its socket an address.
    pub fn bind(&mut self, fd: RawFd, address: SocketAddr) -> Result<(), i32> {
        if self.node_at(address.ip()) != Some(self.id) {
            return Err(libc::EADDRNOTAVAIL);
        }
        let is_stream = self.sockets.get(&fd).is_some_and(|socket| socket.is_stream);
        let ports = if is_stream { &self.listeners } else { &self.datagram_ports };
        if ports.contains_key(&address.port()) {
            return Err(libc::EADDRINUSE);
        }
        let port = if address.port() == 0 { self.new_port() } else { address.port() };
        if let Some(socket) = self.sockets.get_mut(&fd) {
            socket.local = Some(SocketAddr::new(address.ip(), port));
        }
        if !is_stream {
            let name = kernel::name(fd).map_err(errno)?;
            self.datagram_ports.insert(port, Port { fd, name, backlog: 0, waiting: VecDeque::new() });
        }
        Ok(())
    }

    /// The target takes connections on its socket.
    pub fn listen(&mut self, fd: RawFd, backlog: i32) -> Result<(), i32> {
        let local = self.sockets.get(&fd).and_then(|socket| socket.local);
        let port = local.ok_or(libc::EINVAL)?.port();
        let name = kernel::name(fd).map_err(errno)?;
        kernel::listen(fd, backlog).map_err(errno)?;
        let backlog = usize::try_from(backlog).unwrap_or(0);
        self.listeners.insert(port, Port { fd, name, backlog, waiting: VecDeque::new() });
        Ok(())
    }

    /// The target takes the next connection.
    pub fn accept(&mut self, fd: RawFd, flags: i32) -> Result<(RawFd, SocketAddr), i32> {
        let (local, is_v6) = match self.sockets.get(&fd) {
            Some(socket) => (socket.local.ok_or(libc::EINVAL)?, socket.is_v6),
            None => return Err(libc::EBADF),
        };
        let new = kernel::accept(fd, flags).map_err(errno)?;
        let listener = self.listeners.get_mut(&local.port()).ok_or(libc::EINVAL)?;
        let (id, peer) = listener.waiting.pop_front().ok_or(libc::ECONNABORTED)?;
        let connection = self.connections.get_mut(&id);
        let is_reset = connection.is_none();
        if let Some(connection) = connection {
            connection.fd = Some(new);
        }
        let socket = Socket {
            is_stream: true,
            is_v6,
            local: Some(SocketAddr::new(address_of(self.id).into(), local.port())),
            peer: Some(peer),
            connection: Some(id),
            error: None,
            is_reset,
        };
        self.sockets.insert(new, socket);
        Ok((new, self.in_family(new, peer)))
    }

    /// The target opens a connection. It is under way when this returns.
    pub fn connect(&mut self, fd: RawFd, address: SocketAddr) -> Result<(), i32> {
        let Some(socket) = self.sockets.get(&fd) else { return Err(libc::EBADF) };
        let (is_stream, known_port) = (socket.is_stream, socket.local.map(|local| local.port()));
        let Some(node) = self.node_at(address.ip()) else { return Err(libc::EHOSTUNREACH) };
        if socket.connection.is_some() {
            return Err(if socket.peer.is_some() { libc::EISCONN } else { libc::EALREADY });
        }
        let port = known_port.unwrap_or_else(|| self.new_port());
        let local = SocketAddr::new(address_of(self.id).into(), port);
        let peer = SocketAddr::new(address_of(node).into(), address.port());
        if !is_stream {
            return self.connect_datagrams(fd, local, peer);
        }
        if self.lost.contains(node) {
            return Err(libc::EHOSTUNREACH);
        }
        if self.connections.len() >= CONNECTIONS_MAX {
            return Err(libc::ENOBUFS);
        }
        let ours = self.other_end(fd).map_err(errno)?;
        let junk = kernel::fill(fd).map_err(errno)?;
        self.connections_made += 1;
        let id =
            ConnectionId { opener: self.id, life: self.life, number: self.connections_made, is_opener: true };
        let stage = Stage::Connecting { junk };
        self.connections.insert(id, Connection::new(node, peer.port(), Some(fd), ours, stage));
        if let Some(socket) = self.sockets.get_mut(&fd) {
            (socket.local, socket.connection) = (Some(local), Some(id));
        }
        self.out
            .push((node, Segment::Connect { connection: id.other_end(), from: port, to: address.port() }));
        Err(libc::EINPROGRESS)
    }

    /// Our end of a socket of the target.
    fn other_end(&self, fd: RawFd) -> io::Result<UnixStream> {
        kernel::connect(fd, &self.hub_name)?;
        let (ours, _) = self.hub.accept()?;
        ours.set_nonblocking(true)?;
        Ok(ours)
    }

    /// The address of a socket.
    pub fn local(&self, fd: RawFd) -> Result<SocketAddr, i32> {
        let socket = self.sockets.get(&fd).ok_or(libc::EBADF)?;
        let any = SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), 0);
        Ok(self.in_family(fd, socket.local.unwrap_or(any)))
    }

    /// Whom a socket is connected to.
    pub fn peer(&self, fd: RawFd) -> Result<SocketAddr, i32> {
        let peer = self.sockets.get(&fd).and_then(|socket| socket.peer).ok_or(libc::ENOTCONN)?;
        Ok(self.in_family(fd, peer))
    }

    /// The error of a socket, once.
    pub fn take_error(&mut self, fd: RawFd) -> i32 {
        self.sockets.get_mut(&fd).and_then(|socket| socket.error.take()).unwrap_or(0)
    }

    /// Whether the connection of this socket was broken off.
    pub fn is_reset(&self, fd: RawFd) -> bool {
        self.sockets.get(&fd).is_some_and(|socket| socket.is_reset)
    }

    /// The target closes a descriptor. The end of its connection shows at our end of it.
    pub fn close(&mut self, fd: RawFd) {
        let Some(socket) = self.sockets.remove(&fd) else { return };
        self.listeners.retain(|_, port| port.fd != fd);
        self.datagram_ports.retain(|_, port| port.fd != fd);
        let connection = socket.connection.and_then(|id| self.connections.get_mut(&id));
        if let Some(connection) = connection {
            connection.fd = None;
        }
    }

    /// What goes out.
    pub fn take_out(&mut self) -> Vec<(NodeId, Segment)> {
        std::mem::take(&mut self.out)
    }
}

/// The number of an error, for a caller of the C library.
fn errno(error: io::Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EIO)
}
