//! Whether a server is ready: by its log, by a port that accepts connections, or by an answer to a request of
//! HTTP.
//!
//! Nothing here blocks for long: while servers become ready, what they send each other has to be passed on.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use crate::deployment::Ready;
use crate::server::Server;

/// How long a connection may take.
const CONNECT_TIME: Duration = Duration::from_millis(100);
/// How long an answer is waited for before it is asked for again.
const ANSWER_TIME: Duration = Duration::from_secs(1);
/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(20);
/// The longest answer, in bytes.
const ANSWER_MAX: usize = 64 << 10;

/// Looks whether one server is ready.
pub(crate) struct Probe {
    ready: Ready,
    address: Option<SocketAddr>,
    asked: Option<(TcpStream, Vec<u8>, Instant)>,
    next: Instant,
}

impl Probe {
    /// The address is that of the port that is looked at, if there is one.
    pub fn new(ready: Ready, address: Option<SocketAddr>) -> Probe {
        Probe { ready, address, asked: None, next: Instant::now() }
    }

    /// What is waited for.
    pub fn condition(&self) -> String {
        let address = self.address.map_or_else(String::new, |address| address.to_string());
        match (&self.ready.log, &self.ready.http) {
            (Some(text), _) => format!("`{text}` in its log"),
            (None, Some(path)) => format!("status 200 for http://{address}{path}"),
            (None, None) => format!("a connection to {address}"),
        }
    }

    /// Whether the server is ready.
    pub fn is_ready(&mut self, server: &Server) -> bool {
        if let Some(text) = &self.ready.log {
            return server.has_logged(text);
        }
        let Some(address) = self.address else { return true };
        let now = Instant::now();
        if self.asked.is_none() {
            if now < self.next {
                return false;
            }
            self.next = now + PAUSE;
            let Ok(stream) = TcpStream::connect_timeout(&address, CONNECT_TIME) else { return false };
            let Some(path) = &self.ready.http else { return true };
            let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
            if stream.set_nonblocking(true).is_err() || (&stream).write_all(request.as_bytes()).is_err() {
                return false;
            }
            self.asked = Some((stream, Vec::new(), now));
        }
        self.has_answered()
    }

    fn has_answered(&mut self) -> bool {
        let Some((stream, answer, began)) = &mut self.asked else { return false };
        let mut chunk = [0; 4096];
        let is_over = loop {
            match stream.read(&mut chunk) {
                Ok(0) => break true,
                Ok(read) => answer.extend_from_slice(&chunk[..read]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break false,
                Err(_) => break true,
            }
            if answer.len() > ANSWER_MAX {
                break true;
            }
        };
        let text = String::from_utf8_lossy(answer);
        let is_good = text.split_whitespace().nth(1) == Some("200")
            && self.ready.contains.as_ref().is_none_or(|part| text.contains(part.as_str()));
        if is_over || began.elapsed() > ANSWER_TIME {
            self.asked = None;
        }
        is_good && is_over
    }
}
