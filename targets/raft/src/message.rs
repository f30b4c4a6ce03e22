//! Raft's messages as Shakedown sees them.

use std::fmt::{self, Write as _};
use std::hash::Hasher;

use protobuf::Message as _;
use raft::eraftpb::{Entry, Message as Inner, MessageType};
use shakedown_cluster::Message;

use crate::view::node_of;

/// A message of the library.
#[derive(Clone, PartialEq)]
pub struct RaftMessage(pub Inner);

impl fmt::Debug for RaftMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind(), self.describe())
    }
}

impl Message for RaftMessage {
    fn kind(&self) -> &'static str {
        match self.0.get_msg_type() {
            MessageType::MsgHup => "Hup",
            MessageType::MsgBeat => "Beat",
            MessageType::MsgPropose => "Propose",
            MessageType::MsgAppend => "Append",
            MessageType::MsgAppendResponse => "AppendResponse",
            MessageType::MsgRequestVote => "RequestVote",
            MessageType::MsgRequestVoteResponse => "RequestVoteResponse",
            MessageType::MsgSnapshot => "Snapshot",
            MessageType::MsgHeartbeat => "Heartbeat",
            MessageType::MsgHeartbeatResponse => "HeartbeatResponse",
            MessageType::MsgUnreachable => "Unreachable",
            MessageType::MsgSnapStatus => "SnapshotStatus",
            MessageType::MsgCheckQuorum => "CheckQuorum",
            MessageType::MsgTransferLeader => "TransferLeader",
            MessageType::MsgTimeoutNow => "TimeoutNow",
            MessageType::MsgReadIndex => "ReadIndex",
            MessageType::MsgReadIndexResp => "ReadIndexResponse",
            MessageType::MsgRequestPreVote => "PreVote",
            MessageType::MsgRequestPreVoteResponse => "PreVoteResponse",
        }
    }

    fn describe(&self) -> String {
        let m = &self.0;
        let rest = match m.get_msg_type() {
            MessageType::MsgAppend => {
                format!("prev {}/{}{} commit {}", m.index, m.log_term, Range(&m.entries), m.commit)
            }
            MessageType::MsgAppendResponse if m.reject => {
                format!("rejects {} hint {}/{}", m.index, m.reject_hint, m.log_term)
            }
            MessageType::MsgAppendResponse => format!("matched {} commit {}", m.index, m.commit),
            MessageType::MsgRequestVote | MessageType::MsgRequestPreVote => {
                format!("last {}/{} commit {}", m.index, m.log_term, m.commit)
            }
            MessageType::MsgRequestVoteResponse | MessageType::MsgRequestPreVoteResponse => {
                (if m.reject { "refused" } else { "granted" }).to_owned()
            }
            MessageType::MsgHeartbeat | MessageType::MsgHeartbeatResponse => format!("commit {}", m.commit),
            MessageType::MsgSnapshot => {
                let metadata = m.get_snapshot().get_metadata();
                format!("snapshot {}/{}", metadata.index, metadata.term)
            }
            MessageType::MsgTransferLeader => match node_of(m.from) {
                Some(node) => format!("to {node}"),
                None => String::new(),
            },
            _ => String::new(),
        };
        match (m.term, rest.is_empty()) {
            // Forwarded proposals are of no term.
            (0, _) => rest,
            (term, true) => format!("term {term}"),
            (term, false) => format!("term {term} {rest}"),
        }
    }

    /// Every message is digested when it is sent, so numbers share a word: those of an execution are small.
    /// What most messages do not have is left out, and the first word says what is there.
    fn digest<H: Hasher>(&self, hasher: &mut H) {
        let m = &self.0;
        let rejection = m.reject_hint << 32 ^ m.commit_term;
        let there = u64::from(m.reject)
            | u64::from(rejection != 0) << 1
            | u64::from(!m.context.is_empty()) << 2
            | u64::from(m.has_snapshot()) << 3;
        hasher.write_u64(
            (m.get_msg_type() as u64) << 56 ^ there << 48 ^ (m.entries.len() as u64) << 16 ^ m.from,
        );
        hasher.write_u64(m.term << 32 ^ m.log_term);
        hasher.write_u64(m.index << 32 ^ m.commit);
        if rejection != 0 {
            hasher.write_u64(rejection);
        }
        for entry in m.entries.iter() {
            hasher.write_u64((entry.get_entry_type() as u64) << 56 ^ entry.index << 28 ^ entry.term);
            hasher.write(&entry.data);
            hasher.write(&entry.context);
        }
        if !m.context.is_empty() {
            hasher.write(&m.context);
        }
        if let Some(snapshot) = m.snapshot.as_ref() {
            let metadata = snapshot.get_metadata();
            hasher.write_u64(metadata.index);
            hasher.write_u64(metadata.term);
            metadata.get_conf_state().voters.iter().for_each(|voter| hasher.write_u64(*voter));
            hasher.write(&snapshot.data);
        }
    }

    fn encode(&self) -> Option<String> {
        Some(self.to_bytes().iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        }))
    }

    fn decode(text: &str) -> Result<RaftMessage, String> {
        let bytes = decode_hex(text).ok_or("a message is written in hexadecimal digits, two for a byte")?;
        RaftMessage::from_bytes(&bytes)
    }
}

impl RaftMessage {
    /// The message in the library's own encoding.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.write_to_bytes().unwrap_or_default()
    }

    /// Reads a message in the library's own encoding.
    pub fn from_bytes(bytes: &[u8]) -> Result<RaftMessage, String> {
        let mut message = Inner::default();
        message.merge_from_bytes(bytes).map_err(|error| format!("this is no raft message: {error}"))?;
        Ok(RaftMessage(message))
    }
}

/// The indexes of the entries of a message, for people.
struct Range<'a>(&'a [Entry]);

impl fmt::Display for Range<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => Ok(()),
            [only] => write!(f, " entry {}", only.index),
            [first, .., last] => write!(f, " entries {}..{}", first.index, last.index),
        }
    }
}

fn decode_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let pairs = text.as_bytes().chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    pairs.map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn append() -> RaftMessage {
        let entry = |index| Entry { index, term: 2, data: vec![1, 2, 3].into(), ..Entry::default() };
        let mut message =
            Inner { from: 1, to: 2, term: 3, log_term: 2, index: 4, commit: 4, ..Inner::default() };
        message.set_msg_type(MessageType::MsgAppend);
        message.set_entries(vec![entry(5), entry(6)].into());
        RaftMessage(message)
    }

    #[test]
    fn an_append_is_told_in_a_few_words() {
        assert_eq!(format!("{:?}", append()), "Append term 3 prev 4/2 entries 5..6 commit 4");
    }

    #[test]
    fn the_text_form_of_a_message_reads_back_as_the_same_message() {
        let text = append().encode().expect("every message has a text form");
        assert_eq!(RaftMessage::decode(&text), Ok(append()));
        assert!(RaftMessage::decode("0").is_err() && RaftMessage::decode("zz").is_err());
        assert!(RaftMessage::decode("ff").is_err());
    }
}
