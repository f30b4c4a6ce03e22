//! The messages, and how they are read: a mark, a version, and MessagePack. Whatever comes is hostile until
//! it is one of these.

use std::ops::Range;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::bytes::Bytes;

/// The version of all messages. It is part of the build id, so workers and coordinators of different ones
/// never meet.
pub(crate) const VERSION: u8 = 2;
/// What every message begins with.
const MARK: &[u8] = b"shakedown fleet ";
/// What fits into a message of a server with NATS' own limits (1 MiB), with room for headers.
pub(crate) const INLINE_MAX: usize = 768 << 10;
/// What fits into a batch, of which the queue holds two for each worker.
pub(crate) const PIECES_INLINE_MAX: usize = 256 << 10;
/// The most bytes of something that is kept as an object.
pub(crate) const OBJECT_MAX: usize = 1 << 30;
/// The most executions of a batch.
pub(crate) const BATCH_MAX: u64 = 1 << 14;
/// The most characters of a text in a message.
pub(crate) const TEXT_MAX: usize = 64 << 10;

/// Executions or other pieces of work for a worker.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct BatchMessage {
    pub campaign: String,
    pub first: u64,
    pub end: u64,
    /// Everything before this execution is to be learned first; nothing if the strategy does not learn.
    pub learned: Option<u64>,
    /// Where reports and refusals go: the campaign's own name, but for pieces of other work.
    pub reply: String,
    /// What the pieces say ([`PieceList`], encoded), if they are no executions of the plan.
    pub pieces: Option<Blob>,
    /// Which life of the coordinator gives it out, and how many times it has done so.
    pub epoch: u64,
    pub times: u32,
}

/// What pieces say, or what came of them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct PieceList(pub Vec<Bytes>);

/// What a coordinator says of a campaign, or of pieces of other work.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct PlanMessage {
    /// Which life of the coordinator.
    pub epoch: u64,
    /// Where it runs.
    pub coordinator: String,
    /// The most time that a call of a node may take, in milliseconds.
    pub step_time_ms: u64,
    /// What does the pieces; nothing for a campaign.
    pub bench: Option<String>,
    /// The job of a campaign, in JSON, or what the pieces have in common.
    pub plan: Blob,
}

/// Everything that was learned before an execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct SnapshotMessage {
    pub before: u64,
    pub learned: Blob,
}

/// What there is to learn of a generation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct LessonsMessage {
    pub first: u64,
    pub end: u64,
    /// [`LessonList`], encoded.
    pub lessons: Blob,
}

/// The lessons of a generation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct LessonList(pub Vec<LessonEntry>);

/// What there is to learn of an execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct LessonEntry {
    pub number: u64,
    pub experience: Bytes,
    pub failed: bool,
    /// What each guide saw, and the places of what was new in it.
    pub seen: Vec<(Vec<u64>, Vec<u32>)>,
}

/// What came of a batch.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct ReportsMessage {
    pub campaign: String,
    pub first: u64,
    pub end: u64,
    pub worker: String,
    /// How long the executions took, in microseconds.
    pub took_us: u64,
    /// [`crate::reports`] or [`PieceList`], encoded.
    pub reports: Blob,
}

/// Why a worker does not run a campaign.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct RefusalMessage {
    pub worker: String,
    pub reason: String,
}

/// A worker lives.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct PresenceMessage {
    pub worker: String,
    pub build: String,
    pub version: String,
    pub jobs: u32,
    /// How many executions it has run.
    pub executions: u64,
    /// How many batches it has finished, and how many came to it again.
    pub batches: u64,
    pub redelivered: u64,
    /// For how many milliseconds it has worked, and for how many it has lived.
    pub busy_ms: u64,
    pub alive_ms: u64,
    /// What it runs now.
    pub campaign: Option<String>,
    /// Whether this is its last word.
    pub leaves: bool,
}

/// Something that may be too large for a message.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Blob {
    /// It is here.
    Here(Bytes),
    /// It is an object of this name and this many bytes.
    Object(String, u64),
}

impl BatchMessage {
    pub fn range(&self) -> Range<u64> {
        self.first..self.end
    }

    /// What the server knows two copies by: of the batch, and of its report. Another life of the coordinator
    /// may want the same executions again, so it is part of it.
    pub fn id(&self) -> String {
        let BatchMessage { campaign, first, end, epoch, times, .. } = self;
        format!("{campaign}/{epoch:x}/{first}-{end}/{times}")
    }
}

/// Writes a message.
pub(crate) fn encode<T: Serialize>(message: &T) -> Vec<u8> {
    let mut bytes = MARK.to_vec();
    bytes.push(VERSION);
    rmp_serde::encode::write(&mut bytes, message)
        .expect("memory takes everything, and all lengths are known");
    bytes
}

/// Reads a message; the error says what is wrong with it.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let rest = bytes.strip_prefix(MARK).ok_or("it is no message of Shakedown")?;
    let (&version, mut rest) = rest.split_first().ok_or("it ends too early")?;
    if version != VERSION {
        return Err(format!("it is of version {version}, this is {VERSION}"));
    }
    let message = rmp_serde::from_read(&mut rest).map_err(|error| error.to_string())?;
    if rest.is_empty() { Ok(message) } else { Err(format!("{} bytes too many", rest.len())) }
}

/// Reads what pieces say, or what came of them, if there are so many of them.
pub(crate) fn decode_pieces(bytes: &[u8], count: u64) -> Result<Vec<Vec<u8>>, String> {
    let PieceList(pieces) = decode(bytes)?;
    match pieces.len() as u64 == count {
        true => Ok(pieces.into_iter().map(|Bytes(piece)| piece).collect()),
        false => Err(format!("{} pieces of {count}", pieces.len())),
    }
}

/// Writes what pieces say, or what came of them.
pub(crate) fn encode_pieces(pieces: impl IntoIterator<Item = Vec<u8>>) -> Vec<u8> {
    encode(&PieceList(pieces.into_iter().map(Bytes).collect()))
}

/// Checks the executions of a message.
pub(crate) fn check_range(first: u64, end: u64) -> Result<Range<u64>, String> {
    match end.checked_sub(first) {
        Some(1..=BATCH_MAX) => Ok(first..end),
        _ => Err(format!("executions {first} to {end} are no batch")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch() -> BatchMessage {
        BatchMessage {
            campaign: "c".to_owned(),
            first: 7,
            end: 9,
            learned: Some(7),
            reply: "c".to_owned(),
            pieces: None,
            epoch: 1,
            times: 1,
        }
    }

    #[test]
    fn a_message_is_read_as_it_was_written() {
        assert_eq!(decode(&encode(&batch())), Ok(batch()));
    }

    #[test]
    fn every_other_message_is_refused() {
        let good = encode(&batch());
        for end in 0..good.len() {
            assert!(decode::<BatchMessage>(&good[..end]).is_err(), "cut at {end}");
        }
        let mut longer = good.clone();
        longer.push(0);
        assert_eq!(decode::<BatchMessage>(&longer), Err("1 bytes too many".to_owned()));
        let mut newer = good.clone();
        newer[MARK.len()] = VERSION + 1;
        assert_eq!(decode::<BatchMessage>(&newer), Err("it is of version 3, this is 2".to_owned()));
        assert!(decode::<ReportsMessage>(&good).is_err(), "a message of another kind");
    }

    #[test]
    fn a_length_that_lies_takes_no_memory() {
        let mut liar = encode(&Bytes(vec![0; 300]));
        let length = MARK.len() + 1;
        // A byte string of 4 GiB that is not there.
        liar.splice(length..length + 3, [0xc6, 0xff, 0xff, 0xff, 0xff]);
        assert!(decode::<Bytes>(&liar).is_err());
    }

    #[test]
    fn batches_have_a_size() {
        assert_eq!(check_range(3, 4), Ok(3..4));
        assert!(check_range(3, 3).is_err());
        assert!(check_range(4, 3).is_err());
        assert!(check_range(0, BATCH_MAX + 1).is_err());
    }
}
