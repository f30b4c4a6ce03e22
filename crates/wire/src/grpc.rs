//! gRPC in plain text: frames of HTTP/2, of which those with data are messages.
//!
//! What a call sends is a message of its own: it may be lost alone, because later ones of the same call are
//! whole without it. Headers change what both ends know of later headers, so they always pass, as settings,
//! pings and windows do. A reply to a call of one message is lost by its data: the call then ends without a
//! result. Small messages that were sent at once may share a frame.

use crate::{Cut, End, Fault, Framer, Handling, Limits, Loss, Stop};

/// What the opener sends first.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// The bytes before the contents of a frame.
const HEAD: usize = 9;
/// The frames of HTTP/2, by their number.
const FRAMES: [&str; 10] = [
    "Data",
    "Headers",
    "Priority",
    "Reset",
    "Settings",
    "Push",
    "Ping",
    "GoAway",
    "WindowUpdate",
    "Continuation",
];

/// Cuts frames of HTTP/2.
#[derive(Clone, Debug)]
pub struct Grpc {
    limit: usize,
    has_begun: bool,
}

impl Grpc {
    /// A framer within these limits.
    pub fn new(limits: Limits) -> Grpc {
        Grpc { limit: limits.frame_bytes_max, has_begun: false }
    }
}

impl Framer for Grpc {
    const PROTOCOL: &'static str = "grpc";

    fn cut(&mut self, from: End, bytes: &[u8]) -> Result<Cut, Stop> {
        if from == End::Opener && !self.has_begun {
            let there = bytes.len().min(PREFACE.len());
            if bytes[..there] != PREFACE[..there] {
                let found = bytes[..there].escape_ascii().to_string();
                return Err(Fault::Unexpected { what: "the start of HTTP/2", found }.into());
            }
            if there < PREFACE.len() {
                return Err(Stop::Incomplete);
            }
            self.has_begun = true;
            return Ok(Cut::new(PREFACE.len(), "Preface", Handling::Plumbing));
        }
        let head = bytes.get(..HEAD).ok_or(Stop::Incomplete)?;
        let contents = head[..3].iter().fold(0usize, |length, byte| length << 8 | usize::from(*byte));
        let length = HEAD + contents;
        if length > self.limit {
            return Err(
                Fault::TooLong { what: "a frame", length: length as u64, limit: self.limit as u64 }.into()
            );
        }
        if bytes.len() < length {
            return Err(Stop::Incomplete);
        }
        let stream = head[5..].iter().fold(0u32, |number, byte| number << 8 | u32::from(*byte)) & 0x7fff_ffff;
        let kind = FRAMES.get(usize::from(head[3])).copied().unwrap_or("Other");
        // A frame without contents only says that no more will come.
        let is_message = head[3] == 0 && contents > 0;
        let handling = if is_message { Handling::Message(Loss::Alone) } else { Handling::Plumbing };
        Ok(Cut::new(length, kind, handling).with("stream", stream).with("length", contents))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Decoder, Framed};

    fn frame(kind: u8, stream: u8, contents: &[u8]) -> Vec<u8> {
        let mut frame = vec![0, 0, contents.len() as u8, kind, 0, 0, 0, 0, stream];
        frame.extend(contents);
        frame
    }

    #[test]
    fn data_may_be_lost_and_everything_else_passes() {
        let mut decoder = Framed::new(Grpc::new(Limits::default()), Limits::default());
        let mut sent = PREFACE.to_vec();
        for part in [frame(4, 0, &[]), frame(1, 3, b"headers"), frame(0, 3, b"request"), frame(0, 3, &[])] {
            sent.extend(part);
        }
        let mut frames = Vec::new();
        for byte in &sent {
            decoder.decode(End::Opener, &[*byte], &mut frames).expect("it is HTTP/2");
        }
        let kinds: Vec<_> = frames.iter().map(|frame| frame.kind.as_str()).collect();
        assert_eq!(kinds, ["Preface", "Settings", "Headers", "Data", "Data"]);
        let messages: Vec<_> = frames.iter().map(|frame| frame.handling != Handling::Plumbing).collect();
        assert_eq!(messages, [false, false, false, true, false]);
        assert_eq!(frames[3].fields["stream"], 3);
        let forwarded: Vec<u8> = frames.into_iter().flat_map(|frame| frame.bytes).collect();
        assert_eq!(forwarded, sent);
    }

    #[test]
    fn what_is_not_http_2_is_refused_at_its_first_byte() {
        let mut decoder = Framed::new(Grpc::new(Limits::default()), Limits::default());
        let lost = decoder.decode(End::Opener, b"GET", &mut Vec::new()).expect_err("it is HTTP/1");
        assert!(lost.to_string().contains("the start of HTTP/2"), "{lost}");
    }
}
