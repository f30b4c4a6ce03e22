//! What etcd's library sends, in the types of `raft`.

use raft::eraftpb::{Entry, EntryType};
use shakedown_raft::{RaftMessage, RaftView, Request};
use shakedown_remote::{Bytes, Vocabulary};

use crate::changes::Changes;

/// The request that an entry came from, at the end of its data.
const ID_LENGTH: usize = 4;

/// The vocabulary of etcd's library.
///
/// Its entries have no room for the request that they came from, as those of `raft` have (`context`). So the
/// host puts the request's number at the end of an entry's data, and here it is taken from there and put
/// back.
pub struct EtcdRaft;

impl Vocabulary for EtcdRaft {
    type Message = RaftMessage;
    type Contents = Bytes;
    type Request = Request;
    type State = RaftView;
    type Changes = Changes;

    fn read_message(_kind: &str, contents: Bytes, _text: Option<String>) -> Result<RaftMessage, String> {
        let mut message = RaftMessage::from_bytes(&contents.0)?;
        // Release 3.5 writes an empty snapshot into every message.
        if message.0.has_snapshot() && message.0.get_snapshot().get_metadata().index == 0 {
            message.0.clear_snapshot();
        }
        if !message.0.entries.is_empty() {
            message.0.entries.iter_mut().for_each(split_request);
        }
        Ok(message)
    }

    fn contents(message: &RaftMessage) -> Bytes {
        if message.0.entries.is_empty() {
            return Bytes(message.to_bytes());
        }
        let mut message = message.clone();
        message.0.entries.iter_mut().for_each(join_request);
        Bytes(message.to_bytes())
    }

    fn change(view: &mut RaftView, changes: Changes) -> Result<(), String> {
        changes.apply(view)
    }
}

/// Takes the number of the request from the end of the data.
pub(crate) fn split_request(entry: &mut Entry) {
    if entry.get_entry_type() == EntryType::EntryNormal && entry.data.len() >= ID_LENGTH {
        let end = entry.data.len() - ID_LENGTH;
        entry.context = entry.data.slice(end..);
        entry.data = entry.data.slice(..end);
    }
}

/// Puts the number of the request to the end of the data.
fn join_request(entry: &mut Entry) {
    if !entry.context.is_empty() {
        entry.data = [&entry.data[..], &entry.context[..]].concat().into();
        entry.context.clear();
    }
}

#[cfg(test)]
mod tests {
    use raft::eraftpb::{Message, MessageType};

    use super::*;

    #[test]
    fn the_request_of_an_entry_travels_at_the_end_of_its_data() {
        let entry = |data: &[u8], context: &[u8]| Entry {
            data: data.to_vec().into(),
            context: context.to_vec().into(),
            ..Entry::default()
        };
        let mut message = Message::default();
        message.set_msg_type(MessageType::MsgAppend);
        message.set_entries(vec![entry(b"", b""), entry(b"payload", &[7, 0, 0, 0])].into());
        let wire = EtcdRaft::contents(&RaftMessage(message.clone()));
        let on_wire = RaftMessage::from_bytes(&wire.0).expect("it is a message");
        assert_eq!(on_wire.0.entries[1].data[..], b"payload\x07\0\0\0"[..]);
        let read = EtcdRaft::read_message("Append", wire, None).expect("it is a message");
        assert_eq!(read, RaftMessage(message));
    }
}
