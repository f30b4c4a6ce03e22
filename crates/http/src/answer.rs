//! Answers.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

/// How much of what a peer still sends is thrown away after a refusal, in bytes, and how long that may take.
const REST_BYTES_MAX: u64 = 64 << 10;
const REST_TIME: Duration = Duration::from_millis(200);

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status: 200, 404, ….
    pub status: u16,
    /// What the body is.
    pub content_type: &'static str,
    /// Further headers: name and value. None of them may come from outside.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Answer {
    /// A body of this type.
    pub fn new(content_type: &'static str, body: impl Into<Vec<u8>>) -> Answer {
        Answer { status: 200, content_type, headers: Vec::new(), body: body.into() }
    }

    /// An error: its reason is a line of text.
    pub fn error(status: u16, reason: impl AsRef<str>) -> Answer {
        let body = format!("{}\n", reason.as_ref());
        Answer { status, ..Answer::new("text/plain; charset=utf-8", body) }
    }

    /// The same with one more header.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Answer {
        self.headers.push((name, value.into()));
        self
    }

    /// The head of the answer. With a length, the connection is closed after the body; without one, the body
    /// goes on until the connection is closed.
    pub fn head(&self, length: Option<usize>) -> String {
        let Answer { status, content_type, headers, .. } = self;
        let mut head =
            format!("HTTP/1.1 {status} {}\r\nContent-Type: {content_type}\r\n", reason_of(*status));
        if let Some(length) = length {
            head.push_str(&format!("Content-Length: {length}\r\n"));
        }
        for (name, value) in headers {
            // A value that breaks its line would be two headers.
            let value: String = value.chars().filter(|c| !c.is_control()).collect();
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("Connection: close\r\n\r\n");
        head
    }

    /// Writes the answer. A peer that has gone needs none.
    pub fn write(&self, mut stream: &TcpStream) {
        let _ = stream
            .write_all(self.head(Some(self.body.len())).as_bytes())
            .and_then(|()| stream.write_all(&self.body))
            .and_then(|()| stream.flush());
    }

    /// Writes the answer to a request that was not read to its end. What still comes is thrown away for a
    /// moment: a connection that is closed before that may take the answer with it.
    pub fn refuse(&self, mut stream: &TcpStream) {
        self.write(stream);
        if stream.shutdown(Shutdown::Write).is_err() || stream.set_read_timeout(Some(REST_TIME)).is_err() {
            return;
        }
        let _ = std::io::copy(&mut Read::by_ref(&mut stream).take(REST_BYTES_MAX), &mut std::io::sink());
    }
}

fn reason_of(status: u16) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        303 => "See Other",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        411 => "Length Required",
        413 => "Content Too Large",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_cannot_become_two() {
        let answer = Answer::error(404, "no").with("Location", "/a\r\nSet-Cookie: b");
        let head = answer.head(Some(3));
        assert_eq!(head.lines().filter(|line| line.starts_with("Set-Cookie")).count(), 0, "{head}");
        assert!(head.starts_with("HTTP/1.1 404 Not Found\r\n") && head.ends_with("\r\n\r\n"), "{head}");
    }
}
