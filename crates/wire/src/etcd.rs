//! The port at which etcd's servers talk to each other: messages of raft in streams and requests of HTTP.
//!
//! The receiver of a stream opens the connection and asks for it (`GET /raft/stream/message/…`,
//! `…/msgapp/…`); the answer never ends, and its chunks hold messages one after the other. Snapshots and what
//! a stream had no room for come as requests (`POST /raft`, `POST /raft/snapshot`). Everything else on this
//! port (versions, members, probes) is plumbing.
//!
//! Each message of a stream is forwarded as a chunk of its own, so that it can be left out. In the stream
//! `msgapp` a message may be abbreviated: its term and index follow from the one before. Such a message is
//! forwarded in full, so it does not depend on one that was left out; the receiver reads the same message
//! either way. A request is lost with its connection, for its sender waits for an answer.

mod chunks;
mod raft;

use serde_json::{Map, Value};

use self::chunks::Chunks;
use self::raft::{Append, Message, append};
use crate::{Cut, End, Fault, Framer, Handling, Limits, Loss, Stop};

/// The longest head of a request or an answer, in bytes.
const HEAD_MAX: usize = 64 << 10;
/// What a connection of HTTP/2 begins with: gRPC, which carries no messages of raft.
const HTTP2: &[u8] = b"PRI * HTTP/2";

/// What a stream is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stream {
    /// Messages behind their lengths.
    Messages,
    /// Appends, some of them abbreviated.
    Appends,
}

/// What the next bytes of the opener are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Request {
    Head,
    /// So many bytes of a body.
    Body(usize),
    /// A body in chunks.
    Chunked(Chunks),
    /// Nothing that this decoder reads.
    Opaque,
}

/// What the next bytes of the acceptor are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answer {
    /// Nothing that this decoder reads.
    Opaque,
    /// The head of the answer that is a stream.
    Head(Stream),
    Stream(Stream, Chunks),
}

/// Cuts the messages of a connection between two servers of etcd.
#[derive(Clone, Debug)]
pub struct Peer {
    limit: usize,
    request: Request,
    answer: Answer,
    /// What an abbreviated append begins with.
    last: Option<Append>,
}

impl Peer {
    /// A framer for a new connection.
    pub fn new(limits: Limits) -> Self {
        Self { limit: limits.frame_bytes_max, request: Request::Head, answer: Answer::Opaque, last: None }
    }

    fn cut_request(&mut self, bytes: &[u8]) -> Result<Cut, Stop> {
        match self.request {
            Request::Opaque => Ok(plumbing(bytes.len())),
            Request::Body(left) => {
                let length = left.min(bytes.len());
                self.request = if length == left { Request::Head } else { Request::Body(left - length) };
                Ok(plumbing(length))
            }
            Request::Chunked(mut chunks) => {
                let piece = chunks.pass(bytes)?;
                self.request = if piece.is_last { Request::Head } else { Request::Chunked(chunks) };
                Ok(plumbing(piece.length))
            }
            Request::Head if bytes.starts_with(&HTTP2[..HTTP2.len().min(bytes.len())]) => {
                if bytes.len() < HTTP2.len() {
                    return Err(Stop::Incomplete);
                }
                self.request = Request::Opaque;
                Ok(plumbing(bytes.len()))
            }
            Request::Head => self.cut_head(bytes),
        }
    }

    fn cut_head(&mut self, bytes: &[u8]) -> Result<Cut, Stop> {
        let head = Head::read(bytes)?;
        let mut words = head.first.split(' ');
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let stream = match path {
            _ if method != "GET" => None,
            path if path.starts_with("/raft/stream/message/") => Some(Stream::Messages),
            path if path.starts_with("/raft/stream/msgapp/") => Some(Stream::Appends),
            _ => None,
        };
        if let Some(stream) = stream {
            self.answer = Answer::Head(stream);
            return Ok(plumbing(head.length));
        }
        match (method, path, head.body) {
            ("POST", "/raft", Body::Length(length)) => self.cut_post(bytes, head.length, length),
            ("POST", "/raft/snapshot", Body::Chunked) => self.cut_snapshot(bytes, head.length),
            (_, _, body) => {
                self.request = match body {
                    Body::Length(0) => Request::Head,
                    Body::Length(length) => Request::Body(length),
                    Body::Chunked => Request::Chunked(Chunks::default()),
                };
                Ok(plumbing(head.length))
            }
        }
    }

    /// A message as the body of a request.
    fn cut_post(&self, bytes: &[u8], head: usize, length: usize) -> Result<Cut, Stop> {
        let end = head.saturating_add(length);
        check("the body of a request", end as u64, self.limit)?;
        let body = bytes.get(head..end).ok_or(Stop::Incomplete)?;
        let message = Message::read(body)?;
        Ok(message.cut(end, Loss::WithConnection))
    }

    /// A message at the beginning of a body; the data of the snapshot follows it as plumbing.
    fn cut_snapshot(&mut self, bytes: &[u8], head: usize) -> Result<Cut, Stop> {
        let mut chunks = Chunks::default();
        let mut at = head;
        let length = chunks.number(bytes, &mut at)?;
        check("a message", length, self.limit)?;
        let body = chunks.take(bytes, &mut at, length as usize)?;
        let message = Message::read(&body)?;
        self.request = Request::Chunked(chunks);
        Ok(message.cut(at, Loss::WithConnection))
    }

    fn cut_answer(&mut self, bytes: &[u8]) -> Result<Cut, Stop> {
        match self.answer {
            Answer::Opaque => Ok(plumbing(bytes.len())),
            Answer::Head(stream) => {
                let head = Head::read(bytes)?;
                let is_stream = head.first.split(' ').nth(1) == Some("200") && head.body == Body::Chunked;
                self.answer =
                    if is_stream { Answer::Stream(stream, Chunks::default()) } else { Answer::Opaque };
                Ok(plumbing(head.length))
            }
            Answer::Stream(stream, mut chunks) => {
                let mut at = 0;
                if chunks.is_over(bytes, &mut at)? {
                    self.answer = Answer::Opaque;
                    return Ok(Cut { instead: Some(b"0\r\n\r\n".to_vec()), ..plumbing(at) });
                }
                let (cut, last) = match stream {
                    Stream::Messages => (self.cut_message(bytes, &mut chunks, &mut at)?, None),
                    Stream::Appends => self.cut_append(bytes, &mut chunks, &mut at)?,
                };
                self.answer = Answer::Stream(stream, chunks);
                self.last = last.or(self.last);
                Ok(cut)
            }
        }
    }

    /// A message behind its length.
    fn cut_message(&self, bytes: &[u8], chunks: &mut Chunks, at: &mut usize) -> Result<Cut, Stop> {
        let length = chunks.number(bytes, at)?;
        check("a message", length, self.limit)?;
        let body = chunks.take(bytes, at, length as usize)?;
        let message = Message::read(&body)?;
        let mut data = length.to_be_bytes().to_vec();
        data.extend(body);
        let instead = Some(chunks::chunk(&data));
        if message.is_link_heartbeat() {
            return Ok(Cut { instead, ..plumbing(*at) });
        }
        Ok(Cut { instead, ..message.cut(*at, Loss::Alone) })
    }

    /// An append: in full, abbreviated, or a sign of life.
    fn cut_append(
        &self,
        bytes: &[u8],
        chunks: &mut Chunks,
        at: &mut usize,
    ) -> Result<(Cut, Option<Append>), Stop> {
        let kind = chunks.take(bytes, at, 1)?[0];
        let body = match kind {
            0 => return Ok((Cut { instead: Some(chunks::chunk(&[0])), ..plumbing(*at) }, None)),
            1 => {
                let last = self.last.ok_or(Fault::Unexpected {
                    what: "the first message of a stream",
                    found: "abbreviated".to_owned(),
                })?;
                let mut entries = Vec::new();
                let mut size = 0;
                for _ in 0..chunks.number(bytes, at)? {
                    let length = chunks.number(bytes, at)?;
                    size += length;
                    check("the entries of a message", size, self.limit)?;
                    entries.push(chunks.take(bytes, at, length as usize)?);
                }
                append(&last, &entries, chunks.number(bytes, at)?)
            }
            2 => {
                let length = chunks.number(bytes, at)?;
                check("a message", length, self.limit)?;
                chunks.take(bytes, at, length as usize)?
            }
            kind => {
                return Err(
                    Fault::Unexpected { what: "the type of an append", found: kind.to_string() }.into()
                );
            }
        };
        let message = Message::read(&body)?;
        let mut data = vec![2];
        data.extend((body.len() as u64).to_be_bytes());
        data.extend(body);
        let last = Some(message.next_append());
        Ok((Cut { instead: Some(chunks::chunk(&data)), ..message.cut(*at, Loss::Alone) }, last))
    }
}

impl Framer for Peer {
    const PROTOCOL: &'static str = "etcd-peer";

    fn cut(&mut self, from: End, bytes: &[u8]) -> Result<Cut, Stop> {
        match from {
            End::Opener => self.cut_request(bytes),
            End::Acceptor => self.cut_answer(bytes),
        }
    }
}

fn plumbing(length: usize) -> Cut {
    Cut::new(length, "Http", Handling::Plumbing)
}

fn check(what: &'static str, length: u64, limit: usize) -> Result<(), Fault> {
    let limit = limit as u64;
    if length > limit { Err(Fault::TooLong { what, length, limit }) } else { Ok(()) }
}

impl Message {
    fn cut(&self, length: usize, loss: Loss) -> Cut {
        let mut fields = Map::new();
        let mut set = |name: &str, value: Value| drop(fields.insert(name.to_owned(), value));
        set("term", self.term.into());
        set("index", self.index.into());
        set("log_term", self.log_term.into());
        set("commit", self.commit.into());
        set("entries", self.entries.into());
        set("reject", self.reject.into());
        Cut { fields, ..Cut::new(length, self.kind(), Handling::Message(loss)) }
    }
}

/// How a body is divided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Body {
    Length(usize),
    Chunked,
}

/// The head of a request or an answer.
struct Head<'a> {
    first: &'a str,
    body: Body,
    length: usize,
}

impl Head<'_> {
    fn read(bytes: &[u8]) -> Result<Head<'_>, Stop> {
        let window = &bytes[..bytes.len().min(HEAD_MAX)];
        let Some(end) = window.windows(4).position(|four| four == b"\r\n\r\n") else {
            check("the head of HTTP", bytes.len() as u64, HEAD_MAX)?;
            return Err(Stop::Incomplete);
        };
        let unexpected =
            |found: &str| Fault::Unexpected { what: "the head of HTTP", found: found.to_owned() };
        let text = std::str::from_utf8(&window[..end]).map_err(|_| unexpected("not text"))?;
        let mut lines = text.split("\r\n");
        let first = lines.next().unwrap_or_default();
        if !first.contains("HTTP/1.") {
            return Err(unexpected(&first.chars().take(40).collect::<String>()).into());
        }
        let mut body = Body::Length(0);
        for (name, value) in lines.filter_map(|line| line.split_once(':')) {
            let value = value.trim();
            if name.eq_ignore_ascii_case("content-length") {
                body = Body::Length(value.parse().map_err(|_| unexpected(value))?);
            } else if name.eq_ignore_ascii_case("transfer-encoding") && value.eq_ignore_ascii_case("chunked")
            {
                body = Body::Chunked;
            }
        }
        Ok(Head { first, body, length: end + 4 })
    }
}
