//! Datagrams. Each is handed to the target behind a header of ours, which tells where it came from.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::fd::RawFd;

use shakedown_cluster::NodeId;

use super::{Network, address_of};
use crate::segment::Segment;

/// The bytes of an address of version 4 and of a port.
pub(crate) const HEADER: usize = 6;
/// The longest datagram, in bytes.
pub(crate) const DATAGRAM_MAX: usize = 65_507;

impl Network {
    pub(super) fn connect_datagrams(
        &mut self,
        fd: RawFd,
        local: SocketAddr,
        peer: SocketAddr,
    ) -> Result<(), i32> {
        let is_bound = self.sockets.get(&fd).is_some_and(|socket| socket.local.is_some());
        if !is_bound {
            self.bind(fd, local)?;
        }
        if let Some(socket) = self.sockets.get_mut(&fd) {
            socket.peer = Some(peer);
        }
        Ok(())
    }

    /// Whether the socket is one for datagrams.
    pub fn is_datagram(&self, fd: RawFd) -> bool {
        self.sockets.get(&fd).is_some_and(|socket| !socket.is_stream)
    }

    /// The target sends a datagram, to this address or to the one that it is connected to.
    pub fn send_datagram(&mut self, fd: RawFd, bytes: &[u8], to: Option<SocketAddr>) -> Result<usize, i32> {
        let socket = self.sockets.get(&fd).ok_or(libc::EBADF)?;
        let to = to.or(socket.peer).ok_or(libc::EDESTADDRREQ)?;
        if bytes.len() > DATAGRAM_MAX {
            return Err(libc::EMSGSIZE);
        }
        if socket.local.is_none() {
            self.bind(fd, SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), 0))?;
        }
        let from = self.local(fd)?.port();
        let node = self.node_at(to.ip()).ok_or(libc::ENETUNREACH)?;
        self.out.push((node, Segment::Datagram { from, to: to.port(), bytes: bytes.into() }));
        Ok(bytes.len())
    }

    /// A datagram arrives. Where nothing takes it, it is lost, as on any network.
    pub(super) fn take_datagram(&mut self, from: NodeId, from_port: u16, to: u16, bytes: &[u8]) {
        let Some(port) = self.datagram_ports.get(&to) else { return };
        let mut whole = Vec::with_capacity(HEADER + bytes.len());
        whole.extend(address_of(from).octets());
        whole.extend(from_port.to_be_bytes());
        whole.extend(bytes);
        let _ = self.datagrams.set_nonblocking(true);
        let _ = self.datagrams.send_to_addr(&whole, &port.name);
    }

    /// The address that a header stands for, as the socket's family writes it.
    pub fn sender(&self, fd: RawFd, header: [u8; HEADER]) -> SocketAddr {
        let [a, b, c, d, high, low] = header;
        let ip = IpAddr::V4(Ipv4Addr::new(a, b, c, d));
        self.in_family(fd, SocketAddr::new(ip, u16::from_be_bytes([high, low])))
    }
}
