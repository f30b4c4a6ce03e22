//! Values that stay as MessagePack until they are looked at: what a node in a shared library sends is seldom
//! read by anyone but its receiver.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::mem::discriminant;
use std::rc::Rc;

use crate::msgpack::{Head, Reader, check_depth};
use crate::wire::unpack;
use crate::{FRAME_MAX, Value};

/// How many bytes of a value need no memory of their own.
const SHORT_MAX: usize = 47;

/// A value as MessagePack. The bytes are known to be one value within the limits of the protocol.
#[derive(Clone)]
pub struct Packed(Rc<Inner>);

struct Inner {
    bytes: Bytes,
    value: OnceCell<Value>,
}

/// Most messages are short.
enum Bytes {
    Short(u8, [u8; SHORT_MAX]),
    Long(Box<[u8]>),
}

impl Packed {
    /// Takes bytes that are one value.
    pub fn new(bytes: &[u8]) -> Result<Packed, String> {
        check_packed(bytes)?;
        let kept = match u8::try_from(bytes.len()) {
            Ok(length) if bytes.len() <= SHORT_MAX => {
                let mut short = [0; SHORT_MAX];
                short[..bytes.len()].copy_from_slice(bytes);
                Bytes::Short(length, short)
            }
            _ => Bytes::Long(bytes.into()),
        };
        Ok(Packed(Rc::new(Inner { bytes: kept, value: OnceCell::new() })))
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        match &self.0.bytes {
            Bytes::Short(length, bytes) => &bytes[..usize::from(*length)],
            Bytes::Long(bytes) => bytes,
        }
    }

    /// The value.
    pub fn value(&self) -> &Value {
        self.0.value.get_or_init(|| unpack(self.bytes()).unwrap_or_default())
    }
}

impl PartialEq for Packed {
    fn eq(&self, other: &Packed) -> bool {
        self.bytes() == other.bytes() || self.value() == other.value()
    }
}

impl fmt::Debug for Packed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value().fmt(f)
    }
}

/// As the value that it stands for, without making it.
impl Hash for Packed {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let read = walk(self.bytes(), state);
        debug_assert!(read.is_ok(), "the bytes were read before");
    }
}

/// Whether these bytes are one value within the limits of the protocol.
pub fn check_packed(bytes: &[u8]) -> Result<(), String> {
    if bytes.len() > FRAME_MAX {
        return Err(too_large(bytes));
    }
    walk(bytes, &mut Nowhere)
}

/// Takes in nothing.
struct Nowhere;

impl Hasher for Nowhere {
    fn finish(&self) -> u64 {
        0
    }

    fn write(&mut self, _: &[u8]) {}
}

/// Reads the value and hashes it as `Value` would.
fn walk<H: Hasher>(bytes: &[u8], hasher: &mut H) -> Result<(), String> {
    let mut reader = Reader::new(bytes);
    walk_value(&mut reader, 0, hasher)?;
    if reader.left() == 0 { Ok(()) } else { Err(more_follows(&reader)) }
}

/// As `str` does it.
#[inline]
fn hash_text<H: Hasher>(text: &[u8], hasher: &mut H) {
    hasher.write(text);
    hasher.write_u8(0xff);
}

#[cold]
fn too_large(bytes: &[u8]) -> String {
    format!("has {} bytes; at most {FRAME_MAX} are allowed", bytes.len())
}

#[cold]
fn more_follows(reader: &Reader<'_>) -> String {
    format!("{} bytes follow the value", reader.left())
}

fn walk_value<H: Hasher>(reader: &mut Reader<'_>, depth: usize, hasher: &mut H) -> Result<(), String> {
    check_depth(depth)?;
    match reader.next()? {
        Head::Scalar(value) => value.hash(hasher),
        Head::Text(text) => {
            discriminant(&Value::Text(String::new())).hash(hasher);
            hash_text(text, hasher);
        }
        Head::Bytes(bytes) => Value::Bytes(bytes.to_owned()).hash(hasher),
        Head::List(length) => {
            discriminant(&Value::List(Vec::new())).hash(hasher);
            hasher.write_usize(length);
            for _ in 0..length {
                walk_value(reader, depth + 1, hasher)?;
            }
        }
        Head::Map(length) => {
            discriminant(&Value::Map(Vec::new())).hash(hasher);
            hasher.write_usize(length);
            for _ in 0..length {
                hash_text(reader.key()?, hasher);
                walk_value(reader, depth + 1, hasher)?;
            }
        }
    }
    Ok(())
}

/// What a message holds: a value, or the bytes of one.
#[derive(Clone, Debug)]
pub(crate) enum Contents {
    Value(Value),
    Packed(Packed),
}

impl Contents {
    pub fn value(&self) -> &Value {
        match self {
            Contents::Value(value) => value,
            Contents::Packed(packed) => packed.value(),
        }
    }
}

impl PartialEq for Contents {
    fn eq(&self, other: &Contents) -> bool {
        match (self, other) {
            (Contents::Packed(one), Contents::Packed(other)) => one == other,
            _ => self.value() == other.value(),
        }
    }
}

impl Hash for Contents {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Contents::Value(value) => value.hash(state),
            Contents::Packed(packed) => packed.hash(state),
        }
    }
}

/// Changes one field; null takes it away.
fn put(fields: &mut BTreeMap<String, Value>, name: &str, value: Value) -> bool {
    match (fields.get_mut(name), value) {
        (_, Value::Null) => fields.remove(name).is_some(),
        (Some(old), value) if *old == value => false,
        (Some(old), value) => {
            *old = value;
            true
        }
        (None, value) => fields.insert(name.to_owned(), value).is_none(),
    }
}

/// Takes the fields of a packed map in; whether anything is different now.
pub(crate) fn change_fields(fields: &mut BTreeMap<String, Value>, bytes: &[u8]) -> Result<bool, String> {
    if bytes.len() > FRAME_MAX {
        return Err(too_large(bytes));
    }
    let mut reader = Reader::new(bytes);
    let Head::Map(length) = reader.next()? else { return Err("is not a map of fields".to_owned()) };
    let mut changed = false;
    for _ in 0..length {
        let name = str::from_utf8(reader.key()?).unwrap_or_default();
        changed |= put(fields, name, reader.value()?);
    }
    if reader.left() == 0 { Ok(changed) } else { Err(more_follows(&reader)) }
}

#[cfg(test)]
mod tests {
    use std::hash::DefaultHasher;

    use proptest::prelude::*;

    use super::*;
    use crate::{Encoding, decode};

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Truth),
            any::<i64>().prop_map(Value::Integer),
            (i64::MAX as u64 + 1..).prop_map(Value::Large),
            any::<f64>().prop_map(Value::Float),
            ".{0,40}".prop_map(Value::Text),
            prop::collection::vec(any::<u8>(), 0..40).prop_map(Value::Bytes),
        ];
        leaf.prop_recursive(4, 30, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::List),
                prop::collection::vec((".{0,9}", inner), 0..5).prop_map(Value::Map),
            ]
        })
    }

    fn hash(value: &impl Hash) -> u64 {
        let mut hasher = DefaultHasher::new();
        value.hash(&mut hasher);
        hasher.finish()
    }

    proptest! {
        #[test]
        fn packed_bytes_hash_as_the_value_that_they_stand_for(value in values()) {
            let bytes = rmp_serde::to_vec(&value).expect("it can be written");
            let packed = Packed::new(&bytes).expect("it can be read");
            prop_assert_eq!(hash(&packed), hash(&value));
        }

        #[test]
        fn bytes_that_are_no_value_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let read = decode::<Value>(Encoding::MsgPack, &bytes);
            prop_assert_eq!(check_packed(&bytes).is_ok(), read.is_ok());
        }
    }

    #[test]
    fn fields_are_changed_in_place() {
        let mut fields = Default::default();
        let pack = |json: &str| {
            let value: Value = serde_json::from_str(json).expect("it is JSON");
            rmp_serde::to_vec(&value).expect("it can be written")
        };
        for (json, changed, left) in [
            (r#"{"a":1,"b":"x"}"#, true, 2),
            (r#"{"a":1}"#, false, 2),
            (r#"{"a":2}"#, true, 2),
            (r#"{"b":null}"#, true, 1),
            (r#"{"b":null}"#, false, 1),
        ] {
            assert_eq!(change_fields(&mut fields, &pack(json)), Ok(changed), "{json}");
            assert_eq!(fields.len(), left, "{json}");
        }
        assert!(change_fields(&mut fields, &pack("[1]")).is_err());
    }
}
