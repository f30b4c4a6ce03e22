//! Messages of raft as etcd encodes them, in protocol buffers: the fields that are shown, and appends in
//! full.

use crate::{Fault, Stop};

/// The kinds of messages, by number.
const KINDS: [&str; 19] = [
    "MsgHup",
    "MsgBeat",
    "MsgProp",
    "MsgApp",
    "MsgAppResp",
    "MsgVote",
    "MsgVoteResp",
    "MsgSnap",
    "MsgHeartbeat",
    "MsgHeartbeatResp",
    "MsgUnreachable",
    "MsgSnapStatus",
    "MsgCheckQuorum",
    "MsgTransferLeader",
    "MsgTimeoutNow",
    "MsgReadIndex",
    "MsgReadIndexResp",
    "MsgPreVote",
    "MsgPreVoteResp",
];
const APPEND: u64 = 3;
const HEARTBEAT: u64 = 8;

/// What is read of a message.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Message {
    pub number: u64,
    pub to: u64,
    pub from: u64,
    pub term: u64,
    pub log_term: u64,
    pub index: u64,
    pub commit: u64,
    pub entries: u64,
    pub reject: bool,
    /// The index of the last entry.
    last_index: u64,
}

/// What an abbreviated append begins with: it follows from the append before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Append {
    to: u64,
    from: u64,
    term: u64,
    index: u64,
}

impl Message {
    pub fn read(bytes: &[u8]) -> Result<Message, Stop> {
        let mut message = Message::default();
        let mut fields = Fields(bytes);
        while let Some((field, value)) = fields.next()? {
            match (field, value) {
                (1, Field::Number(number)) => message.number = number,
                (2, Field::Number(number)) => message.to = number,
                (3, Field::Number(number)) => message.from = number,
                (4, Field::Number(number)) => message.term = number,
                (5, Field::Number(number)) => message.log_term = number,
                (6, Field::Number(number)) => message.index = number,
                (7, Field::Bytes(entry)) => {
                    message.entries += 1;
                    message.last_index = entry_index(entry)?;
                }
                (8, Field::Number(number)) => message.commit = number,
                (10, Field::Number(number)) => message.reject = number != 0,
                _ => {}
            }
        }
        if message.number as usize >= KINDS.len() {
            let found = message.number.to_string();
            return Err(Fault::Unexpected { what: "the type of a message", found }.into());
        }
        Ok(message)
    }

    pub fn kind(&self) -> &'static str {
        KINDS[self.number as usize]
    }

    /// Whether it only shows that the connection is there.
    pub fn is_link_heartbeat(&self) -> bool {
        self.number == HEARTBEAT && self.from == 0 && self.to == 0
    }

    /// What the next abbreviated append begins with.
    pub fn next_append(&self) -> Append {
        let index = if self.entries > 0 { self.last_index } else { self.index };
        Append { to: self.to, from: self.from, term: self.term, index }
    }
}

/// An append in full.
pub(super) fn append(last: &Append, entries: &[Vec<u8>], commit: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let fields = [(1, APPEND), (2, last.to), (3, last.from), (4, last.term), (5, last.term), (6, last.index)];
    for (field, value) in fields {
        put(&mut bytes, field << 3);
        put(&mut bytes, value);
    }
    for entry in entries {
        put(&mut bytes, 7 << 3 | 2);
        put(&mut bytes, entry.len() as u64);
        bytes.extend_from_slice(entry);
    }
    put(&mut bytes, 8 << 3);
    put(&mut bytes, commit);
    bytes
}

fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn entry_index(bytes: &[u8]) -> Result<u64, Stop> {
    let mut index = 0;
    let mut fields = Fields(bytes);
    while let Some((field, value)) = fields.next()? {
        if let (3, Field::Number(number)) = (field, value) {
            index = number;
        }
    }
    Ok(index)
}

/// The value of a field.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// A number of a fixed width, which no message of raft has.
    Other,
}

/// The fields of a message, in order. A message that is there in full and still ends too early is wrong.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn next(&mut self) -> Result<Option<(u64, Field<'a>)>, Stop> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let key = self.varint()?;
        let value = match key & 7 {
            0 => Field::Number(self.varint()?),
            1 => self.skip(8)?,
            2 => {
                let length = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
                Field::Bytes(self.bytes(length)?)
            }
            5 => self.skip(4)?,
            wire => return Err(unexpected(format!("of wire type {wire}"))),
        };
        Ok(Some((key >> 3, value)))
    }

    fn varint(&mut self) -> Result<u64, Stop> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first().ok_or_else(|| unexpected("cut off".to_owned()))?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(unexpected("a number without end".to_owned()))
    }

    fn bytes(&mut self, length: usize) -> Result<&'a [u8], Stop> {
        if length > self.0.len() {
            return Err(unexpected("cut off".to_owned()));
        }
        let (bytes, rest) = self.0.split_at(length);
        self.0 = rest;
        Ok(bytes)
    }

    fn skip(&mut self, length: usize) -> Result<Field<'a>, Stop> {
        self.bytes(length).map(|_| Field::Other)
    }
}

fn unexpected(found: String) -> Stop {
    Fault::Unexpected { what: "a field of a message", found }.into()
}
