//! What peers may send, over a real connection.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use shakedown_http::{Answer, Limits, Request};

const LIMITS: Limits =
    Limits { head_bytes_max: 400, headers_max: 4, body_bytes_max: 8, time_max: Duration::from_millis(300) };

/// What a server answers that repeats the request; `None` if it closes the connection without a word.
fn answer(send: &[&[u8]]) -> Option<String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("there is a port");
    let address = listener.local_addr().expect("it has an address");
    thread::scope(|scope| {
        scope.spawn(|| {
            let (stream, _) = listener.accept().expect("a peer comes");
            match Request::read(&stream, &LIMITS) {
                Ok(request) => {
                    let Request { method, path, query, body, .. } = &request;
                    let host = request.header("host").unwrap_or("-");
                    let body = String::from_utf8_lossy(body);
                    Answer::new("text/plain", format!("{method} {path} {query} {host} {body}"))
                        .write(&stream);
                }
                Err(Some(answer)) => answer.refuse(&stream),
                Err(None) => {}
            }
        });
        let mut stream = TcpStream::connect(address).expect("the server listens");
        for part in send {
            // A peer that was refused may find the connection closed.
            let _ = stream.write_all(part);
        }
        if send.last().is_some_and(|last| last.is_empty()) {
            stream.shutdown(std::net::Shutdown::Write).expect("it is open");
        }
        let mut text = String::new();
        let _ = stream.read_to_string(&mut text);
        (!text.is_empty()).then_some(text)
    })
}

#[track_caller]
fn check(send: &str, status: u16, part: &str) {
    let text = answer(&[send.as_bytes()]).expect("there is an answer");
    assert!(text.starts_with(&format!("HTTP/1.1 {status} ")), "{send}: {text}");
    assert!(text.contains(part), "{send}: {text}");
}

#[test]
fn a_request_is_taken_apart() {
    check("GET /a/b?c=d HTTP/1.1\r\nHost: here\r\n\r\n", 200, "GET /a/b c=d here ");
    check("POST / HTTP/1.0\nHost:there\nContent-Length: 3\n\nabcdef", 200, "POST /  there abc");
    check("PUT / HTTP/1.1\r\nExpect: 100-Continue\r\n\r\n", 100, "PUT /");
}

#[test]
fn what_is_wrong_has_a_status() {
    check("hello\r\n\r\n", 400, "no HTTP/1");
    check("GET / HTTP/2\r\n\r\n", 400, "no HTTP/1");
    check("GET / b HTTP/1.1\r\n\r\n", 400, "no HTTP/1");
    check("\r\n", 400, "no request");
    check("GET / HTTP/1.1\r\nHost\r\n\r\n", 400, "no colon");
    check("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400, "no number");
    check("POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n123456789", 413, "at most 8 bytes");
    check("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411, "Content-Length");
    check(&format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(500)), 431, "too long");
    check(&format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(5)), 431, "too long");
}

#[test]
fn a_peer_that_drips_is_late_and_one_that_leaves_gets_nothing() {
    check("GET / HTTP/1.1\r\nHost: a", 408, "too long");
    check("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\na", 408, "too long");
    assert_eq!(answer(&[b"GET / HT", b""]), None);
    assert_eq!(answer(&[b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\na", b""]), None);
    assert_eq!(answer(&[b""]), None);
}
