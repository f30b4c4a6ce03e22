//! Decoders of what real servers send each other.

use shakedown_wire::length_prefixed::Layout;
use shakedown_wire::{Connection, End, Limits, Protocol};

use crate::{Outcome, Room};

/// Bytes that real servers sent, and frames behind their lengths. The first byte chooses the protocol and the
/// end.
pub(super) fn streams(_: &Room) -> Vec<Vec<u8>> {
    let zookeeper: [(u8, &[u8]); 4] = [
        (2, include_bytes!("../../../crates/wire/tests/vectors/zookeeper-3.9.5/election-opener.bin")),
        (3, include_bytes!("../../../crates/wire/tests/vectors/zookeeper-3.9.5/election-acceptor.bin")),
        (4, include_bytes!("../../../crates/wire/tests/vectors/zookeeper-3.9.5/diff-opener.bin")),
        (5, include_bytes!("../../../crates/wire/tests/vectors/zookeeper-3.9.5/snapshot-acceptor.bin")),
    ];
    let prefixed: (u8, &[u8]) = (0, b"\0\0\0\x05hello\0\0\0\0\0\0\0\x01x");
    let streams = zookeeper.into_iter().chain([prefixed]);
    streams.map(|(choice, bytes)| [&[choice], bytes].concat()).collect()
}

/// No command reads the bytes of a connection.
pub(super) fn no_command(_: &Room, _: &[u8]) -> Vec<String> {
    vec!["--version".to_owned()]
}

/// Decodes a stream at once and byte by byte: the outcomes have to be the same, and no byte may be lost.
pub(super) fn read(input: &[u8]) -> Result<Outcome, String> {
    let Some((choice, bytes)) = input.split_first() else { return Ok(Outcome::Refused) };
    let protocol = match choice / 2 % 3 {
        0 => Protocol::LengthPrefixed(Layout::default()),
        1 => Protocol::ZookeeperElection,
        _ => Protocol::ZookeeperQuorum,
    };
    let from = End::BOTH[usize::from(choice % 2)];
    let decoder = || protocol.decoder(&Connection::default(), Limits { frame_bytes_max: 1 << 16 });
    let (mut at_once, mut by_bytes) = (decoder(), decoder());
    let (mut frames, mut same) = (Vec::new(), Vec::new());
    let outcome = at_once.decode(from, bytes, &mut frames);
    let by_bytes_outcome = bytes.iter().try_for_each(|byte| by_bytes.decode(from, &[*byte], &mut same));
    if outcome != by_bytes_outcome || frames != same {
        return Err(format!("{outcome:?} at once and {by_bytes_outcome:?} byte by byte"));
    }
    let rest = at_once.take_pending(from);
    if frames.iter().flat_map(|frame| &frame.bytes).chain(&rest).ne(bytes) {
        return Err("frames and rest are not the bytes that came".to_owned());
    }
    Ok(if frames.is_empty() { Outcome::Refused } else { Outcome::Taken })
}
