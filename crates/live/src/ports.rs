//! Ports for servers. They are taken from below the range that the system gives to connections, so that no
//! connection of a server or a client can be in the way of a server that starts again.

use std::collections::BTreeSet;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// The ports that are tried: from the first one up to the last one.
const RANGE: (u16, u16) = (15_000, 32_000);

/// The ports that this program has given to servers.
static TAKEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());

/// Ports that nothing listens on. Another program may take one before the server does; the server then
/// reports it.
#[derive(Debug, Default)]
pub(crate) struct Ports(Vec<u16>);

impl Ports {
    pub fn take(count: usize) -> io::Result<Ports> {
        let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut ports = Ports::default();
        let size = RANGE.1 - RANGE.0;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.subsec_nanos());
        let first = (now.wrapping_add(std::process::id() * 7919) % u32::from(size)) as u16;
        for port in (0..size).map(|step| RANGE.0 + (first + step) % size) {
            if ports.0.len() == count {
                break;
            }
            if !taken.contains(&port) && TcpListener::bind(address(port)).is_ok() {
                taken.insert(port);
                ports.0.push(port);
            }
        }
        match ports.0.len() == count {
            true => Ok(ports),
            false => {
                Err(io::Error::other(format!("fewer than {count} ports of {}-{} are free", RANGE.0, RANGE.1)))
            }
        }
    }

    pub fn get(&self, place: usize) -> u16 {
        self.0[place]
    }
}

impl Drop for Ports {
    fn drop(&mut self) {
        let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        for port in &self.0 {
            taken.remove(port);
        }
    }
}

/// A port of this machine that no other machine reaches.
pub(crate) fn address(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}
