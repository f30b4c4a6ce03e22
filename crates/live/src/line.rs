//! One proxied connection: two sockets, what was read from each and not yet written to the other, and the
//! decoder between them.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Instant;

use serde_json::{Map, Value};
use shakedown_cluster::NodeId;
use shakedown_wire::{Decoder, End, Handling, Loss};

/// How many bytes are read at once.
const CHUNK: usize = 64 << 10;
/// How many bytes of one end may wait before no more are read from it.
pub(crate) const WAITING_MAX: usize = 16 << 20;

/// Something that waits to be written.
enum Item {
    /// It goes as soon as everything before it has gone.
    Plumbing(Vec<u8>),
    /// It goes at this time.
    Due(Instant, Vec<u8>),
    /// It goes when a step delivers it.
    Message(Vec<u8>),
}

impl Item {
    fn size(&self) -> usize {
        let (Item::Plumbing(bytes) | Item::Due(_, bytes) | Item::Message(bytes)) = self;
        bytes.len()
    }
}

/// One direction of a connection.
#[derive(Default)]
struct Direction {
    items: VecDeque<Item>,
    /// Bytes that are to be written now, and how many of the first ones are written.
    out: Vec<u8>,
    written: usize,
    /// Whether the sender has closed its end, and whether that was passed on.
    has_ended: bool,
    is_shut: bool,
}

impl Direction {
    fn waiting(&self) -> usize {
        self.items.iter().map(Item::size).sum::<usize>() + self.out.len() - self.written
    }

    fn is_empty(&self) -> bool {
        self.items.is_empty() && self.written == self.out.len()
    }
}

/// A message that an end has sent.
pub(crate) struct Sent {
    pub from: End,
    pub kind: String,
    pub fields: Map<String, Value>,
    pub loss: Loss,
}

/// What becomes of bytes between servers.
pub(crate) enum Passage<'a> {
    /// Messages wait for steps; what is sent is listed here.
    Held(&'a mut Vec<Sent>),
    /// Bytes go on at this time.
    At(Instant),
    /// Everything goes on at once.
    Free,
}

/// Why a connection is over.
#[derive(Debug)]
pub(crate) enum Over {
    /// Both ends closed it, or one was gone.
    Closed,
    /// Its bytes could not be read as messages.
    Undecodable(String),
}

/// See the module's text.
pub(crate) struct Line {
    /// The server that opened it, and the one that accepted it.
    pub opener: NodeId,
    pub acceptor: NodeId,
    streams: [TcpStream; 2],
    decoder: Option<Box<dyn Decoder>>,
    directions: [Direction; 2],
    /// Nothing moves any more, but the ends do not know it.
    pub is_severed: bool,
    /// Messages are left out as they come.
    pub is_lossy: bool,
}

impl Line {
    /// Both sockets are set not to block.
    pub fn new(
        nodes: (NodeId, NodeId),
        streams: [TcpStream; 2],
        decoder: Option<Box<dyn Decoder>>,
    ) -> io::Result<Line> {
        for stream in &streams {
            stream.set_nonblocking(true)?;
            stream.set_nodelay(true)?;
        }
        let (opener, acceptor) = nodes;
        Ok(Line {
            opener,
            acceptor,
            streams,
            decoder,
            directions: Default::default(),
            is_severed: false,
            is_lossy: false,
        })
    }

    /// The server at an end.
    pub fn node(&self, end: End) -> NodeId {
        match end {
            End::Opener => self.opener,
            End::Acceptor => self.acceptor,
        }
    }

    /// The socket of an end, whether there is room to read from it, and whether something is to be written to
    /// it.
    pub fn interest(&self, end: End) -> (&TcpStream, bool, bool) {
        let (mine, others) = (&self.directions[place(end)], &self.directions[place(end.other())]);
        let reads = !self.is_severed && !mine.has_ended && mine.waiting() < WAITING_MAX;
        let writes = !self.is_severed && others.written < others.out.len();
        (&self.streams[place(end)], reads, writes)
    }

    /// When the next bytes are due, if any wait for a time.
    pub fn due(&self) -> Option<Instant> {
        let due = |direction: &Direction| match direction.items.front() {
            Some(Item::Due(time, _)) => Some(*time),
            _ => None,
        };
        self.directions.iter().filter_map(due).min()
    }

    /// Reads and writes as much as is possible at once. Whether anything moved.
    pub fn pump(&mut self, mut passage: Passage<'_>) -> Result<bool, Over> {
        if self.is_severed {
            return Ok(false);
        }
        let mut has_moved = false;
        for end in End::BOTH {
            has_moved |= self.read(end, &mut passage)?;
        }
        for end in End::BOTH {
            has_moved |= self.write(end).map_err(|_| Over::Closed)?;
        }
        match self.directions.iter().all(|direction| direction.is_shut) {
            true => Err(Over::Closed),
            false => Ok(has_moved),
        }
    }

    fn read(&mut self, end: End, passage: &mut Passage<'_>) -> Result<bool, Over> {
        let mut has_moved = false;
        let mut chunk = [0; CHUNK];
        while self.interest(end).1 {
            match (&self.streams[place(end)]).read(&mut chunk) {
                Ok(0) => {
                    self.directions[place(end)].has_ended = true;
                    has_moved = true;
                }
                Ok(read) => {
                    has_moved = true;
                    self.take(end, &chunk[..read], passage)?;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(_) => return Err(Over::Closed),
            }
        }
        Ok(has_moved)
    }

    /// Takes in bytes that an end has sent.
    fn take(&mut self, end: End, bytes: &[u8], passage: &mut Passage<'_>) -> Result<(), Over> {
        let Some(decoder) = &mut self.decoder else {
            let item = match passage {
                Passage::At(time) => Item::Due(*time, bytes.to_vec()),
                Passage::Held(_) | Passage::Free => Item::Plumbing(bytes.to_vec()),
            };
            self.directions[place(end)].items.push_back(item);
            return Ok(());
        };
        let mut frames = Vec::new();
        let decoded = decoder.decode(end, bytes, &mut frames);
        for frame in frames {
            match frame.handling {
                Handling::Message(Loss::Alone) if self.is_lossy => continue,
                Handling::Message(Loss::WithConnection) if self.is_lossy => return Err(Over::Closed),
                _ => {}
            }
            let item = match (&frame.handling, &mut *passage) {
                (Handling::Message(loss), Passage::Held(sent)) => {
                    sent.push(Sent { from: end, kind: frame.kind, fields: frame.fields, loss: *loss });
                    Item::Message(frame.bytes)
                }
                (_, Passage::At(time)) => Item::Due(*time, frame.bytes),
                _ => Item::Plumbing(frame.bytes),
            };
            self.directions[place(end)].items.push_back(item);
        }
        decoded.map_err(|error| Over::Undecodable(error.to_string()))
    }

    /// Delivers the oldest message of an end that waits.
    pub fn deliver(&mut self, from: End) {
        let direction = &mut self.directions[place(from)];
        direction.flush_ready();
        if let Some(Item::Message(_)) = direction.items.front()
            && let Some(Item::Message(bytes)) = direction.items.pop_front()
        {
            direction.out.extend(bytes);
        }
    }

    /// Leaves the oldest message of an end out.
    pub fn leave_out(&mut self, from: End) {
        let direction = &mut self.directions[place(from)];
        direction.flush_ready();
        if let Some(Item::Message(_)) = direction.items.front() {
            direction.items.pop_front();
        }
    }

    /// From now on messages are left out, and those that wait for steps too.
    pub fn lose_all(&mut self) {
        self.is_lossy = true;
        for direction in &mut self.directions {
            direction.items.retain(|item| !matches!(item, Item::Message(_)));
        }
    }

    /// Writes what an end has sent to the other one.
    fn write(&mut self, from: End) -> io::Result<bool> {
        let direction = &mut self.directions[place(from)];
        direction.flush_ready();
        let mut stream = &self.streams[place(from.other())];
        let mut has_moved = false;
        while direction.written < direction.out.len() {
            match stream.write(&direction.out[direction.written..]) {
                Ok(written) => {
                    direction.written += written;
                    has_moved = true;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        if direction.written == direction.out.len() {
            direction.out.clear();
            direction.written = 0;
        }
        if direction.has_ended && !direction.is_shut && direction.is_empty() {
            direction.is_shut = true;
            // The other end may be gone already.
            let _ = stream.shutdown(Shutdown::Write);
        }
        Ok(has_moved)
    }
}

impl Direction {
    /// What need not wait any longer is to be written.
    fn flush_ready(&mut self) {
        loop {
            match self.items.front() {
                Some(Item::Plumbing(_)) => {}
                Some(Item::Due(time, _)) if Instant::now() >= *time => {}
                _ => return,
            }
            if let Some(Item::Plumbing(bytes) | Item::Due(_, bytes)) = self.items.pop_front() {
                self.out.extend(bytes);
            }
        }
    }
}

fn place(end: End) -> usize {
    match end {
        End::Opener => 0,
        End::Acceptor => 1,
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::time::Duration;

    use shakedown_wire::{Connection, Limits, Protocol};

    use super::*;

    /// Both ends of a connection.
    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
        let near = TcpStream::connect(listener.local_addr().expect("it is bound")).expect("it listens");
        (near, listener.accept().expect("it was connected").0)
    }

    fn pump(line: &mut Line) -> Result<(), Over> {
        for _ in 0..20 {
            line.pump(Passage::Free)?;
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// What arrives when two messages are sent, the first of them while the line loses messages.
    fn arrived(protocol: &Protocol, messages: [&[u8]; 2]) -> Result<Vec<u8>, Over> {
        let ((mut sender, near), (far, mut receiver)) = (pair(), pair());
        let decoder = protocol.decoder(&Connection::default(), Limits::default());
        let nodes = (NodeId::from_index(0), NodeId::from_index(1));
        let mut line = Line::new(nodes, [near, far], Some(decoder)).expect("sockets can be set");
        line.lose_all();
        sender.write_all(messages[0]).expect("it is open");
        pump(&mut line)?;
        line.is_lossy = false;
        sender.write_all(messages[1]).expect("it is open");
        pump(&mut line)?;
        receiver.set_nonblocking(true).expect("it can be set");
        let mut bytes = vec![0; 64];
        let read = receiver.read(&mut bytes).expect("something has arrived");
        Ok(bytes[..read].to_vec())
    }

    #[test]
    fn a_line_that_loses_messages_stays_and_passes_later_ones() {
        let arrived = arrived(&Protocol::RatisNetty, [&[2, 0x12, 0], &[2, 0x0a, 0]]).expect("the line stays");
        assert_eq!(arrived, [2, 0x0a, 0]);
    }

    #[test]
    fn a_message_that_is_lost_only_with_its_connection_ends_it() {
        let framed = Protocol::LengthPrefixed(Default::default());
        let over = arrived(&framed, [&[0, 0, 0, 1, 7], &[0, 0, 0, 1, 8]]).expect_err("the line is over");
        assert!(matches!(over, Over::Closed), "{over:?}");
    }
}
