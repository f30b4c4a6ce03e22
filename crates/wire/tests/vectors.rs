//! What real servers sent, frame by frame. How the bytes were captured is in `vectors/README.md`.

#![allow(clippy::unwrap_used)] // Everything here is a test; what fails should panic.

use std::fs;
use std::path::Path;

use expect_test::{ExpectFile, expect_file};
use shakedown_wire::{Connection, End, Frame, Handling, Limits, Protocol};

fn bytes(name: &str, from: End) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    fs::read(folder.join(format!("{name}-{from}.bin"))).unwrap()
}

/// One line for each frame.
fn shown(frames: &[Frame]) -> String {
    let line = |frame: &Frame| {
        let Frame { from, offset, kind, handling, .. } = frame;
        let how = match handling {
            Handling::Plumbing => "plumbing".to_owned(),
            Handling::Message(loss) => format!("message, lost {loss:?}"),
        };
        let fields = serde_json::to_string(&frame.fields).unwrap();
        format!("{from} {offset} {kind} ({how}) {fields}\n")
    };
    frames.iter().map(line).collect()
}

fn check(name: &str, protocol: &Protocol, expected: ExpectFile) {
    let mut decoder = protocol.decoder(&Connection::default(), Limits::default());
    let mut frames = Vec::new();
    for from in End::BOTH {
        let sent = bytes(name, from);
        let before = frames.len();
        decoder.decode(from, &sent, &mut frames).unwrap();
        // Servers were killed between two frames, never within one.
        assert_eq!(decoder.pending(from), 0, "{name} {from}");
        let forwarded: Vec<u8> = frames[before..].iter().flat_map(|frame| frame.bytes.clone()).collect();
        assert_eq!(forwarded, sent, "what is forwarded is what came");
    }
    expected.assert_eq(&shown(&frames));
}

#[test]
fn an_election_of_three_servers() {
    let name = "zookeeper-3.9.5/election";
    check(name, &Protocol::ZookeeperElection, expect_file!["vectors/zookeeper-3.9.5/election.txt"]);
}

#[test]
fn a_follower_that_is_brought_up_to_date_by_a_difference() {
    let name = "zookeeper-3.9.5/diff";
    check(name, &Protocol::ZookeeperQuorum, expect_file!["vectors/zookeeper-3.9.5/diff.txt"]);
}

#[test]
fn a_follower_that_lost_its_data_and_gets_a_snapshot() {
    let name = "zookeeper-3.9.5/snapshot";
    check(name, &Protocol::ZookeeperQuorum, expect_file!["vectors/zookeeper-3.9.5/snapshot.txt"]);
}

#[test]
fn a_handshake_is_forwarded_with_the_way_back() {
    let connection = Connection { way_back: Some("127.0.0.1:4001".to_owned()) };
    let mut decoder = Protocol::ZookeeperElection.decoder(&connection, Limits::default());
    let mut frames = Vec::new();
    decoder.decode(End::Opener, &bytes("zookeeper-3.9.5/election", End::Opener), &mut frames).unwrap();
    let mut again = Vec::new();
    let mut receiver = Protocol::ZookeeperElection.decoder(&Connection::default(), Limits::default());
    receiver.decode(End::Opener, &frames[0].bytes, &mut again).unwrap();
    assert_eq!(again[0].fields["addresses"], "127.0.0.1:4001");
    assert_eq!(again[0].fields["sid"], frames[0].fields["sid"]);
    assert_ne!(frames[0].fields["addresses"], "127.0.0.1:4001");
}

#[test]
fn a_client_of_the_wrong_port_is_reported_with_its_place() {
    let mut decoder = Protocol::ZookeeperQuorum.decoder(&Connection::default(), Limits::default());
    let error = decoder.decode(End::Opener, b"GET / HTTP/1.1\r\n", &mut Vec::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "zookeeper-quorum: lost the frame that begins after byte 0 of the opener: the type of a packet is \
         1195725856; is this the right protocol, without encryption or authentication?"
    );
    assert_eq!(decoder.take_pending(End::Opener), b"GET / HTTP/1.1\r\n");
}
