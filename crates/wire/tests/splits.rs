//! How bytes are divided among calls makes no difference, and no bytes are lost, whatever they are.

#![allow(clippy::unwrap_used)] // Everything here is a test; what fails should panic.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use shakedown_wire::length_prefixed::{ByteOrder, Layout};
use shakedown_wire::{Connection, End, Frame, Limits, LostFrame, Protocol};

/// Less than some frames of the captured bytes have, so that the limit is met in pieces too.
const LIMITS: Limits = Limits { frame_bytes_max: 180 };

/// What came of bytes: the frames, the error, and the bytes in no frame.
type Outcome = (Vec<Frame>, Option<LostFrame>, Vec<u8>);

/// Feeds the bytes of one end, divided at these places.
fn decode(protocol: &Protocol, from: End, bytes: &[u8], places: &[usize]) -> Outcome {
    let mut decoder = protocol.decoder(&Connection::default(), LIMITS);
    let (mut frames, mut error) = (Vec::new(), None);
    let mut places: Vec<usize> = places.iter().map(|place| place % (bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    for pair in places.windows(2) {
        let found = decoder.decode(from, &bytes[pair[0]..pair[1]], &mut frames);
        if let Some(first) = &error {
            assert_eq!(found.as_ref(), Err(first), "an error is final");
        }
        error = error.or(found.err());
    }
    (frames, error, decoder.take_pending(from))
}

fn check(protocol: &Protocol, from: End, bytes: &[u8], places: &[usize]) {
    let (frames, error, rest) = decode(protocol, from, bytes, places);
    let (whole, whole_error, whole_rest) = decode(protocol, from, bytes, &[]);
    assert_eq!(frames, whole);
    assert_eq!((error, &rest), (whole_error, &whole_rest));
    let mut forwarded: Vec<u8> = frames.iter().flat_map(|frame| frame.bytes.clone()).collect();
    forwarded.extend(rest);
    assert_eq!(forwarded, bytes, "every byte is in a frame or pending");
}

fn captured() -> Vec<(Protocol, End, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/zookeeper-3.9.5");
    let names = [
        ("election", Protocol::ZookeeperElection),
        ("diff", Protocol::ZookeeperQuorum),
        ("snapshot", Protocol::ZookeeperQuorum),
    ];
    let read = |name: &str, from: End| fs::read(folder.join(format!("{name}-{from}.bin"))).unwrap();
    let both = |(name, protocol): (&str, Protocol)| {
        End::BOTH.map(|from| (protocol.clone(), from, read(name, from))).to_vec()
    };
    names.into_iter().flat_map(both).collect()
}

fn layouts() -> impl Strategy<Value = Layout> {
    let order = prop_oneof![Just(ByteOrder::Big), Just(ByteOrder::Little)];
    (1usize..=8, order, 0usize..6, any::<bool>()).prop_map(|(width, order, offset, whole)| Layout {
        width,
        order,
        offset,
        whole,
    })
}

/// A frame in a layout, as a server of it would write it.
fn framed(layout: &Layout, body: &[u8]) -> Vec<u8> {
    let head = layout.offset + layout.width;
    let length = (if layout.whole { head + body.len() } else { body.len() }) as u64;
    let mut written = length.to_be_bytes()[8 - layout.width..].to_vec();
    if layout.order == ByteOrder::Little {
        written.reverse();
    }
    [vec![7; layout.offset], written, body.to_vec()].concat()
}

proptest! {
    #[test]
    fn captured_bytes_in_any_pieces(places in proptest::collection::vec(any::<usize>(), 0..40)) {
        for (protocol, from, bytes) in captured() {
            check(&protocol, from, &bytes, &places);
        }
    }

    #[test]
    fn captured_bytes_with_one_changed(
        which in 0usize..6, at in any::<usize>(), to in any::<u8>(),
        places in proptest::collection::vec(any::<usize>(), 0..10),
    ) {
        let (protocol, from, mut bytes) = captured().swap_remove(which);
        let at = at % bytes.len();
        bytes[at] = to;
        check(&protocol, from, &bytes, &places);
    }

    #[test]
    fn arbitrary_bytes(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        places in proptest::collection::vec(any::<usize>(), 0..10),
        layout in layouts(),
    ) {
        for protocol in [Protocol::ZookeeperElection, Protocol::ZookeeperQuorum, Protocol::LengthPrefixed(layout)] {
            for from in End::BOTH {
                check(&protocol, from, &bytes, &places);
            }
        }
    }

    #[test]
    fn frames_behind_their_lengths_come_out_as_they_went_in(
        bodies in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..100), 0..8),
        places in proptest::collection::vec(any::<usize>(), 0..10),
        layout in layouts(),
    ) {
        let written: Vec<Vec<u8>> = bodies.iter().map(|body| framed(&layout, body)).collect();
        let protocol = Protocol::LengthPrefixed(layout);
        let (frames, error, _) = decode(&protocol, End::Opener, &written.concat(), &places);
        prop_assert_eq!(error, None);
        let read: Vec<Vec<u8>> = frames.into_iter().map(|frame| frame.bytes).collect();
        prop_assert_eq!(read, written);
    }
}

#[test]
fn a_length_over_the_limit_is_refused_before_its_bytes_come() {
    let protocol = Protocol::LengthPrefixed(Layout::default());
    let mut decoder = protocol.decoder(&Connection::default(), LIMITS);
    let error = decoder.decode(End::Acceptor, &500u32.to_be_bytes(), &mut Vec::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "length-prefixed: lost the frame that begins after byte 0 of the acceptor: a frame of 504, but the limit is 180"
    );
}

#[test]
fn a_protocol_is_read_from_a_configuration() {
    let text = r#"{"name":"length-prefixed","width":2,"order":"little","offset":1}"#;
    let protocol: Protocol = serde_json::from_str(text).unwrap();
    let layout = Layout { width: 2, order: ByteOrder::Little, offset: 1, whole: false };
    assert_eq!(protocol, Protocol::LengthPrefixed(layout));
    assert_eq!(protocol.trouble(), None);
    assert!(Protocol::LengthPrefixed(Layout { width: 9, ..layout }).trouble().is_some());
    assert!(serde_json::from_str::<Protocol>(r#"{"name":"length-prefixed","with":2}"#).is_err());
}
