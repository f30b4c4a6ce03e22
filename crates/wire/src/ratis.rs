//! Apache Ratis with Netty: requests and replies of protobuf, each behind its length as a varint.

use crate::{Cut, End, Fault, Framer, Handling, Limits, Loss, Stop};

/// The most bytes of a length.
const LENGTH_BYTES_MAX: usize = 5;
/// What requests are, by the number of their only field.
const REQUESTS: [&str; 12] = [
    "RequestVote",
    "AppendEntries",
    "InstallSnapshot",
    "ClientRequest",
    "SetConfiguration",
    "GroupManagement",
    "GroupList",
    "GroupInfo",
    "TransferLeadership",
    "StartLeaderElection",
    "SnapshotManagement",
    "LeaderElectionManagement",
];
/// What replies are.
const REPLIES: [&str; 8] = [
    "RequestVoteReply",
    "AppendEntriesReply",
    "InstallSnapshotReply",
    "ClientReply",
    "GroupListReply",
    "GroupInfoReply",
    "ExceptionReply",
    "StartLeaderElectionReply",
];

/// Cuts requests and replies. Each may be lost alone: the frames behind it are whole without it.
#[derive(Clone, Debug)]
pub struct RatisNetty {
    limit: usize,
}

impl RatisNetty {
    /// A framer within these limits.
    pub fn new(limits: Limits) -> RatisNetty {
        RatisNetty { limit: limits.frame_bytes_max }
    }
}

impl Framer for RatisNetty {
    const PROTOCOL: &'static str = "ratis-netty";

    fn cut(&mut self, from: End, bytes: &[u8]) -> Result<Cut, Stop> {
        let (body, head) = varint(bytes)?;
        let length = body.saturating_add(head as u64);
        if length > self.limit as u64 {
            return Err(Fault::TooLong { what: "a frame", length, limit: self.limit as u64 }.into());
        }
        let length = usize::try_from(length).expect("at most the limit");
        let body = bytes.get(head..length).ok_or(Stop::Incomplete)?;
        // A message with one field begins with its number and the type of what has a length.
        let number = varint(body).ok().filter(|(tag, _)| tag & 7 == 2).map_or(0, |(tag, _)| tag >> 3);
        let names: &[&str] = match from {
            End::Opener => &REQUESTS,
            End::Acceptor => &REPLIES,
        };
        let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let kind = place.and_then(|place| names.get(place)).copied().unwrap_or("Unknown");
        Ok(Cut::new(length, kind, Handling::Message(Loss::Alone)).with("length", length))
    }
}

/// A number of seven bits a byte, the least significant first, and how many bytes it takes.
fn varint(bytes: &[u8]) -> Result<(u64, usize), Stop> {
    let mut number = 0;
    for (place, byte) in bytes.iter().take(LENGTH_BYTES_MAX).enumerate() {
        number |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Ok((number, place + 1));
        }
    }
    match bytes.len() < LENGTH_BYTES_MAX {
        true => Err(Stop::Incomplete),
        false => {
            Err(Fault::Unexpected { what: "a length", found: "one of more than 5 bytes".to_owned() }.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Decoder, Framed};

    #[test]
    fn requests_and_replies_are_cut_and_named() {
        let mut decoder = Framed::new(RatisNetty::new(Limits::default()), Limits::default());
        let mut frames = Vec::new();
        // Field 2 of 200 bytes, which takes a tag and a length of two bytes; and field 7, empty.
        let mut append = vec![0xcb, 0x01, 0x12, 0xc8, 0x01];
        append.extend([7; 200]);
        for byte in &append {
            decoder.decode(End::Opener, &[*byte], &mut frames).expect("it is a frame");
        }
        decoder.decode(End::Acceptor, &[2, 0x3a, 0, 0], &mut frames).expect("two frames");
        let seen: Vec<_> = frames.iter().map(|frame| (frame.kind.as_str(), frame.bytes.len())).collect();
        assert_eq!(seen, [("AppendEntries", 205), ("ExceptionReply", 3), ("Unknown", 1)]);
        assert_eq!(frames[0].bytes, append);
        assert!(frames.iter().all(|frame| frame.handling == Handling::Message(Loss::Alone)));
    }

    #[test]
    fn a_length_without_end_or_beyond_the_limit_is_refused() {
        let decode = |bytes: &[u8]| {
            let mut decoder = Framed::new(RatisNetty::new(Limits::default()), Limits::default());
            decoder.decode(End::Opener, bytes, &mut Vec::new())
        };
        assert!(decode(&[0xff; 4]).is_ok());
        assert!(decode(&[0xff; 5]).is_err_and(|lost| lost.to_string().contains("more than 5 bytes")));
        assert!(
            decode(&[0xff, 0xff, 0xff, 0xff, 0x0f])
                .is_err_and(|lost| lost.to_string().contains("the limit is"))
        );
    }
}
