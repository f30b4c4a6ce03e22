//! The protocol's messages as Shakedown sees them.

use std::hash::Hasher;

use shakedown_cluster::Message as Sent;

use crate::protocol::{Entry, Message};

impl Sent for Message {
    /// The kinds are those of the target `raft` where they correspond.
    fn kind(&self) -> &'static str {
        match self {
            Message::RequestVote { .. } => "RequestVote",
            Message::RequestVoteResponse { .. } => "RequestVoteResponse",
            Message::Append { entries, .. } if entries.is_empty() => "Heartbeat",
            Message::Append { .. } => "Append",
            Message::AppendResponse { .. } => "AppendResponse",
            Message::InstallSnapshot { .. } => "Snapshot",
            Message::SnapshotResponse { .. } => "SnapshotResponse",
        }
    }

    fn describe(&self) -> String {
        match self {
            Message::RequestVote { term, last_index, last_term } => {
                format!("term {term} last {last_index}/{last_term}")
            }
            Message::RequestVoteResponse { term, granted } => {
                format!("term {term} {}", if *granted { "granted" } else { "refused" })
            }
            Message::Append { term, prev_index, prev_term, entries, commit } => {
                let entries = range(*prev_index, entries);
                format!("term {term} prev {prev_index}/{prev_term}{entries} commit {commit}")
            }
            Message::AppendResponse { term, success: true, match_index }
            | Message::SnapshotResponse { term, match_index } => format!("term {term} matched {match_index}"),
            Message::AppendResponse { term, success: false, match_index } => {
                format!("term {term} refused hint {match_index}")
            }
            Message::InstallSnapshot { term, snapshot } => {
                format!("term {term} snapshot {}/{}", snapshot.index, snapshot.term)
            }
        }
    }

    /// Every message is digested when it is sent, so small numbers share a word.
    fn digest<H: Hasher>(&self, hasher: &mut H) {
        match self {
            Message::RequestVote { term, last_index, last_term } => {
                hasher.write_u64(term << 8 | 1);
                hasher.write_u64(last_index << 32 ^ last_term);
            }
            Message::RequestVoteResponse { term, granted } => {
                hasher.write_u64(term << 8 | 2 | u64::from(*granted) << 7);
            }
            Message::Append { term, prev_index, prev_term, entries, commit } => {
                hasher.write_u64(term << 8 | 3);
                hasher.write_u64(prev_index << 32 ^ prev_term);
                hasher.write_u64(*commit);
                for entry in entries {
                    hasher.write_u64(entry.term);
                    hasher.write_u64(entry.command.digest());
                }
            }
            Message::AppendResponse { term, success, match_index } => {
                hasher.write_u64(term << 8 | 4 | u64::from(*success) << 7);
                hasher.write_u64(*match_index);
            }
            Message::InstallSnapshot { term, snapshot } => {
                hasher.write_u64(term << 8 | 5);
                hasher.write_u64(snapshot.index << 32 ^ snapshot.term);
                hasher.write_u64(snapshot.voters.bits());
                hasher.write_u64(snapshot.machine.digest());
            }
            Message::SnapshotResponse { term, match_index } => {
                hasher.write_u64(term << 8 | 6);
                hasher.write_u64(*match_index);
            }
        }
    }

    fn encode(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }

    fn decode(text: &str) -> Result<Message, String> {
        serde_json::from_str(text).map_err(|error| format!("this is no message of raft: {error}"))
    }
}

/// The indexes of the entries of a message, for people.
fn range(prev_index: u64, entries: &[Entry]) -> String {
    match entries.len() as u64 {
        0 => String::new(),
        1 => format!(" entry {}", prev_index + 1),
        count => format!(" entries {}..{}", prev_index + 1, prev_index + count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Command, Server, Servers, Snapshot};

    fn append(entries: Vec<Entry>) -> Message {
        Message::Append { term: 3, prev_index: 4, prev_term: 2, entries, commit: 4 }
    }

    #[test]
    fn messages_are_told_in_a_few_words() {
        let put = Entry { term: 3, command: Command::Put(1, 5) };
        let noop = Entry { term: 3, command: Command::Noop };
        let reported = |message: Message| format!("{} {}", message.kind(), message.describe());
        assert_eq!(reported(append(vec![])), "Heartbeat term 3 prev 4/2 commit 4");
        assert_eq!(reported(append(vec![noop])), "Append term 3 prev 4/2 entry 5 commit 4");
        assert_eq!(reported(append(vec![noop, put])), "Append term 3 prev 4/2 entries 5..6 commit 4");
    }

    #[test]
    fn the_text_form_of_a_message_reads_back_as_the_same_message() {
        let remove = Entry { term: 3, command: Command::Remove(Server::from_index(2)) };
        let snapshot = Snapshot { index: 2, term: 1, voters: Servers::first(2), ..Snapshot::default() };
        let messages = [
            append(vec![remove]),
            Message::InstallSnapshot { term: 1, snapshot: Box::new(snapshot) },
            Message::RequestVoteResponse { term: 1, granted: true },
        ];
        for message in messages {
            let text = message.encode().expect("every message has a text form");
            assert_eq!(Message::decode(&text), Ok(message), "{text}");
        }
        assert!(Message::decode("{}").is_err());
    }
}
