//! Conversations of etcd's servers, as they are on the wire.

#![allow(clippy::unwrap_used)] // Everything here is a test; what fails should panic.

use shakedown_wire::{Connection, Decoder, End, Frame, Handling, Limits, Loss, Protocol};

const GET_MESSAGES: &[u8] =
    b"GET /raft/stream/message/8211f1d0f64f3269 HTTP/1.1\r\nHost: 127.0.0.1:1\r\nX-Server-From: 8211f1d0f64f3269\r\n\r\n";
const GET_APPENDS: &[u8] = b"GET /raft/stream/msgapp/8211f1d0f64f3269 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n";
const STREAM: &[u8] = b"HTTP/1.1 200 OK\r\nX-Server-Version: 3.6.16\r\nTransfer-Encoding: chunked\r\n\r\n";

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// A message of raft: numbered fields, and entries with these indices.
fn message(fields: &[(u64, u64)], entries: &[u64]) -> Vec<u8> {
    let number = |(field, value): &(u64, u64)| [varint(field << 3), varint(*value)].concat();
    let mut bytes: Vec<u8> = fields.iter().flat_map(number).collect();
    for entry in entries.iter().map(|index| entry(*index)) {
        bytes.extend([varint(7 << 3 | 2), varint(entry.len() as u64), entry].concat());
    }
    bytes
}

fn entry(index: u64) -> Vec<u8> {
    [&[0x08, 0, 0x10, 5, 0x18][..], &varint(index), &[0x22, 2, b'h', b'i']].concat()
}

/// Bytes behind their length.
fn with_length(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u64).to_be_bytes()[..], bytes].concat()
}

fn chunk(bytes: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}

fn decoder() -> Box<dyn Decoder> {
    Protocol::EtcdPeer.decoder(&Connection::default(), Limits::default())
}

/// The frames of a request, and of its answer in pieces of this size.
fn frames(request: &[u8], answer: &[u8], size: usize) -> Vec<Frame> {
    let (mut decoder, mut frames) = (decoder(), Vec::new());
    decoder.decode(End::Opener, request, &mut frames).unwrap();
    for piece in answer.chunks(size) {
        decoder.decode(End::Acceptor, piece, &mut frames).unwrap();
    }
    // The end of the last chunk belongs to no message.
    assert!(decoder.pending(End::Acceptor) <= 2);
    frames
}

fn messages(frames: &[Frame]) -> Vec<String> {
    let messages = frames.iter().filter(|frame| frame.handling != Handling::Plumbing);
    messages
        .map(|frame| format!("{} {}", frame.kind, serde_json::Value::from(frame.fields.clone())))
        .collect()
}

fn forwarded(frames: &[Frame], from: End) -> Vec<u8> {
    frames.iter().filter(|frame| frame.from == from).flat_map(|frame| frame.bytes.clone()).collect()
}

/// Messages of a stream: two in one chunk, one in two chunks, and a sign of life between them.
fn message_stream() -> Vec<u8> {
    let vote = with_length(&message(&[(1, 5), (2, 11), (3, 12), (4, 7), (5, 6), (6, 300)], &[]));
    let reply = with_length(&message(&[(1, 6), (2, 11), (3, 12), (4, 7), (10, 1)], &[]));
    let alive = with_length(&message(&[(1, 8), (2, 0), (3, 0)], &[]));
    let (front, back) = vote.split_at(5);
    [
        STREAM,
        &chunk(&[vote.clone(), reply].concat()),
        &chunk(&alive),
        &chunk(front),
        &chunk(back),
        b"0\r\n\r\n",
    ]
    .concat()
}

#[test]
fn messages_of_a_stream_are_cut_whatever_the_chunks_are() {
    let answer = message_stream();
    let whole = frames(GET_MESSAGES, &answer, answer.len());
    let vote = r#"MsgVote {"commit":0,"entries":0,"index":300,"log_term":6,"reject":false,"term":7}"#;
    let reply = r#"MsgVoteResp {"commit":0,"entries":0,"index":0,"log_term":0,"reject":true,"term":7}"#;
    assert_eq!(messages(&whole), [vote, reply, vote]);
    assert!(whole.iter().all(|frame| frame.handling != Handling::Message(Loss::WithConnection)));
    for size in 1..answer.len() {
        assert_eq!(messages(&frames(GET_MESSAGES, &answer, size)), messages(&whole), "pieces of {size}");
    }
    // What is forwarded is the same stream, in other chunks.
    let again = forwarded(&whole, End::Acceptor);
    assert_eq!(messages(&frames(GET_MESSAGES, &again, again.len())), messages(&whole));
    assert!(again.ends_with(b"\r\n0\r\n\r\n"));
}

#[test]
fn an_abbreviated_append_is_forwarded_in_full() {
    let full = message(&[(1, 3), (2, 11), (3, 12), (4, 5), (5, 5), (6, 20), (8, 20)], &[21, 22]);
    let entries: Vec<u8> = [23, 24].iter().flat_map(|index| with_length(&entry(*index))).collect();
    let short = [&[1][..], &2u64.to_be_bytes(), &entries, &22u64.to_be_bytes()].concat();
    let empty = [&[1][..], &0u64.to_be_bytes(), &24u64.to_be_bytes()].concat();
    let full = [&[2][..], &with_length(&full)].concat();
    let answer = [STREAM, &chunk(&full), &chunk(&[0]), &chunk(&short), &chunk(&empty)].concat();
    let cut = frames(GET_APPENDS, &answer, answer.len());
    let expected = [
        r#"MsgApp {"commit":20,"entries":2,"index":20,"log_term":5,"reject":false,"term":5}"#,
        r#"MsgApp {"commit":22,"entries":2,"index":22,"log_term":5,"reject":false,"term":5}"#,
        r#"MsgApp {"commit":24,"entries":0,"index":24,"log_term":5,"reject":false,"term":5}"#,
    ];
    assert_eq!(messages(&cut), expected);
    // One that is left out changes nothing for those behind it.
    let left: Vec<Frame> =
        cut.into_iter().filter(|frame| frame.fields.get("commit") != Some(&22.into())).collect();
    let again = forwarded(&left, End::Acceptor);
    assert_eq!(messages(&frames(GET_APPENDS, &again, again.len())), [expected[0], expected[2]]);
}

#[test]
fn requests_hold_messages_too_and_are_lost_with_their_connection() {
    let body = message(&[(1, 4), (2, 11), (3, 12), (4, 5), (6, 22)], &[]);
    let head = format!("POST /raft HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n", body.len());
    let snapshot = with_length(&message(&[(1, 7), (2, 11), (3, 12), (4, 5)], &[]));
    let snapshot_head = b"POST /raft/snapshot HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    let probe = b"GET /raft/probing HTTP/1.1\r\nHost: x\r\n\r\n";
    let request = [
        &probe[..],
        head.as_bytes(),
        &body,
        snapshot_head,
        &chunk(&[&snapshot[..], b"the database"].concat()),
        &chunk(b" and more of it"),
        b"0\r\n\r\n",
        probe,
    ]
    .concat();
    for size in 1..request.len() {
        let (mut decoder, mut frames) = (decoder(), Vec::new());
        for piece in request.chunks(size) {
            decoder.decode(End::Opener, piece, &mut frames).unwrap();
        }
        let kinds: Vec<_> =
            messages(&frames).iter().map(|text| text.split(' ').next().unwrap().to_owned()).collect();
        assert_eq!(kinds, ["MsgAppResp", "MsgSnap"], "pieces of {size}");
        assert!(frames.iter().all(|frame| frame.handling != Handling::Message(Loss::Alone)));
        assert_eq!(forwarded(&frames, End::Opener), request, "requests are forwarded as they are");
    }
}

#[test]
fn an_answer_that_is_no_stream_and_another_protocol_pass_as_they_are() {
    let refusal = b"HTTP/1.1 412 Precondition Failed\r\nContent-Length: 3\r\n\r\nno\n";
    let cut = frames(GET_MESSAGES, refusal, 7);
    assert_eq!(forwarded(&cut, End::Acceptor), refusal);
    assert!(messages(&cut).is_empty());
    let grpc = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00";
    let mut frames = Vec::new();
    decoder().decode(End::Opener, grpc, &mut frames).unwrap();
    assert_eq!(forwarded(&frames, End::Opener), grpc);
}

#[test]
fn what_is_no_conversation_of_etcd_is_refused_with_its_place() {
    let fault = |from: End, request: &[u8], bytes: &[u8]| {
        let (mut decoder, mut frames) = (decoder(), Vec::new());
        decoder.decode(End::Opener, request, &mut frames).unwrap();
        decoder.decode(from, bytes, &mut frames).unwrap_err().to_string()
    };
    let garbage = fault(End::Opener, b"", b"hello\r\n\r\n");
    assert!(garbage.contains("the head of HTTP is hello"), "{garbage}");
    let long = [STREAM, &chunk(&u64::MAX.to_be_bytes())].concat();
    let long = fault(End::Acceptor, GET_MESSAGES, &long);
    assert!(long.contains("a message of 18446744073709551615"), "{long}");
    let short = [STREAM, &chunk(&[1])].concat();
    let short = fault(End::Acceptor, GET_APPENDS, &short);
    assert!(short.contains("the first message of a stream is abbreviated"), "{short}");
    let wild = [STREAM, &chunk(&with_length(&message(&[(1, 99)], &[])))].concat();
    let wild = fault(End::Acceptor, GET_MESSAGES, &wild);
    assert!(wild.contains("the type of a message is 99"), "{wild}");
    let no_chunk = fault(End::Acceptor, GET_MESSAGES, &[STREAM, b"zz\r\n"].concat());
    assert!(no_chunk.contains("the length of a chunk is zz"), "{no_chunk}");
}
