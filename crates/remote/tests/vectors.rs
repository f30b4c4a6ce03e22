//! The vectors that the client libraries share: this side reads the same values from MessagePack, writes them
//! as the same bytes, and refuses the same.

use serde_json::Value as Json;
use shakedown_remote::{Encoding, Value, decode};

const VECTORS: &str = include_str!("../../../clients/vectors/msgpack.json");

fn vectors(name: &str) -> Vec<Json> {
    let all: Json = serde_json::from_str(VECTORS).expect("the vectors are JSON");
    let some = all[name].as_array().expect("they are lists").clone();
    assert!(!some.is_empty(), "there are no vectors `{name}`");
    some
}

fn bytes(hex: &Json) -> Vec<u8> {
    let hex = hex.as_str().expect("bytes are hexadecimal");
    let byte = |place| u8::from_str_radix(&hex[place..place + 2], 16).expect("bytes are hexadecimal");
    (0..hex.len()).step_by(2).map(byte).collect()
}

/// The value that a vector describes: a map of one field, its kind.
fn value(described: &Json) -> Value {
    let (kind, what) = described.as_object().and_then(|map| map.iter().next()).expect("it has a kind");
    let text = || what.as_str().expect("it is a text");
    match kind.as_str() {
        "null" => Value::Null,
        "bool" => Value::Truth(what.as_bool().expect("it is a truth value")),
        "int" => match text().parse() {
            Ok(number) => Value::Integer(number),
            Err(_) => Value::Large(text().parse().expect("it is a number")),
        },
        "float" => Value::Float(text().parse().expect("it is a number")),
        "text" => Value::Text(text().to_owned()),
        "bytes" => Value::Bytes(bytes(what)),
        "list" => Value::List(what.as_array().expect("it is a list").iter().map(value).collect()),
        "map" => {
            let pair = |pair: &Json| (pair[0].as_str().expect("a key is a text").to_owned(), value(&pair[1]));
            Value::Map(what.as_array().expect("it is a list of pairs").iter().map(pair).collect())
        }
        other => panic!("there is no kind `{other}`"),
    }
}

#[test]
fn values_are_read_and_written_as_the_vectors_have_them() {
    for vector in vectors("good") {
        let (packed, expected) = (bytes(&vector["hex"]), value(&vector["value"]));
        assert_eq!(decode::<Value>(Encoding::MsgPack, &packed), Ok(expected.clone()), "{vector}");
        assert_eq!(rmp_serde::to_vec(&expected).expect("it can be written"), packed, "{vector}");
    }
    for vector in vectors("also") {
        let read = decode::<Value>(Encoding::MsgPack, &bytes(&vector["hex"]));
        assert_eq!(read, Ok(value(&vector["value"])), "{vector}");
    }
}

#[test]
fn what_the_vectors_call_bad_is_an_error() {
    for vector in vectors("bad") {
        let read = decode::<Value>(Encoding::MsgPack, &bytes(&vector["hex"]));
        assert!(read.is_err(), "{vector}: {read:?}");
    }
}

#[test]
fn a_text_that_is_not_utf_8_is_an_error_also_within_a_value_and_in_a_field_that_nobody_reads() {
    #[derive(serde::Deserialize, Debug)]
    struct Reply {
        #[expect(dead_code, reason = "only whether it can be read matters")]
        seq: u64,
    }
    // {"seq": 1, "x": …}: a text of one byte that is no character, and the same byte as bytes.
    let frame = |tail: &[u8]| [&b"\x82\xa3seq\x01\xa1x"[..], tail].concat();
    let (text, plain) = (frame(b"\xa1\xff"), frame(b"\xc4\x01\xff"));
    assert_eq!(decode::<Value>(Encoding::MsgPack, &text).unwrap_err(), "a text is not UTF-8");
    assert_eq!(decode::<Reply>(Encoding::MsgPack, &text).unwrap_err(), "a text is not UTF-8");
    assert!(decode::<Value>(Encoding::MsgPack, &plain).is_ok());
    assert!(decode::<Reply>(Encoding::MsgPack, &plain).is_ok());
}
