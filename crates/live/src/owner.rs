//! Which process has opened a connection, by what the kernel shows in `/proc`.

use std::fs;
use std::net::SocketAddr;

/// The files in which the kernel lists sockets. A program in Java has sockets of IPv6 for addresses of IPv4.
const TABLES: [&str; 2] = ["/proc/net/tcp", "/proc/net/tcp6"];
/// The most sockets of a process that are looked at.
const SOCKETS_MAX: usize = 4096;

/// The place, among these lists of processes, of the one that has opened the connection from `local` to
/// `remote`.
pub(crate) fn owner(local: SocketAddr, remote: SocketAddr, processes: &[Vec<u32>]) -> Option<usize> {
    let socket = TABLES
        .iter()
        .find_map(|table| socket(&fs::read_to_string(table).ok()?, local.port(), remote.port()))?;
    let link = format!("socket:[{socket}]");
    processes.iter().position(|members| members.iter().any(|process| has_open(*process, &link)))
}

/// The number of the socket with these ports on this machine.
fn socket(table: &str, local: u16, remote: u16) -> Option<u64> {
    // 127.0.0.1 as both tables end it, and the port.
    let (local, remote) = (format!("0100007F:{local:04X}"), format!("0100007F:{remote:04X}"));
    table.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let is_it = fields.get(1)?.ends_with(&local) && fields.get(2)?.ends_with(&remote);
        is_it.then(|| fields.get(9)?.parse().ok()).flatten()
    })
}

fn has_open(process: u32, link: &str) -> bool {
    let Ok(files) = fs::read_dir(format!("/proc/{process}/fd")) else { return false };
    files
        .take(SOCKETS_MAX)
        .filter_map(Result::ok)
        .any(|file| fs::read_link(file.path()).is_ok_and(|target| target.as_os_str() == link))
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn the_process_that_opened_a_connection_is_found() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
        let address = listener.local_addr().expect("it is bound");
        let stream = TcpStream::connect(address).expect("it listens");
        let local = stream.local_addr().expect("it is connected");
        let mine = std::process::id();
        assert_eq!(owner(local, address, &[vec![1], vec![mine]]), Some(1));
        assert_eq!(owner(local, address, &[vec![]]), None);
        drop(stream);
    }
}
