//! Values as both encodings carry them, for protocols that this program knows nothing of.

use std::fmt;
use std::hash::{Hash, Hasher};

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

/// A value of the node protocol.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Value {
    /// Nothing.
    #[default]
    Null,
    /// A truth value.
    Truth(bool),
    /// An integer that fits into 64 bits with a sign.
    Integer(i64),
    /// A larger integer.
    Large(u64),
    /// A number that is not an integer.
    Float(f64),
    /// A text.
    Text(String),
    /// Bytes; JSON has none.
    Bytes(Vec<u8>),
    /// A list.
    List(Vec<Value>),
    /// A map, in the order in which it came.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// The value of a field, if this is a map that has it.
    pub fn get(&self, field: &str) -> Option<&Value> {
        match self {
            Value::Map(fields) => fields.iter().find(|(name, _)| name == field).map(|(_, value)| value),
            _ => None,
        }
    }
}

/// As JSON. Bytes are in base64.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

/// Equal values have equal hashes, also floating point numbers of equal bits, and bytes and the text that
/// stands for them in JSON: an execution has the same fingerprint in both encodings.
impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        if let Value::Bytes(bytes) = self {
            return Value::Text(data_encoding::BASE64.encode(bytes)).hash(state);
        }
        std::mem::discriminant(self).hash(state);
        match self {
            Value::Null => {}
            Value::Truth(truth) => truth.hash(state),
            Value::Integer(number) => number.hash(state),
            Value::Large(number) => number.hash(state),
            Value::Float(number) => number.to_bits().hash(state),
            Value::Text(text) => text.hash(state),
            Value::Bytes(_) => {}
            Value::List(values) => values.hash(state),
            Value::Map(fields) => fields.hash(state),
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_unit(),
            Value::Truth(truth) => serializer.serialize_bool(*truth),
            Value::Integer(number) => serializer.serialize_i64(*number),
            Value::Large(number) => serializer.serialize_u64(*number),
            Value::Float(number) => serializer.serialize_f64(*number),
            Value::Text(text) => serializer.serialize_str(text),
            Value::Bytes(bytes) => serialize_bytes(bytes, serializer),
            Value::List(values) => {
                let mut list = serializer.serialize_seq(Some(values.len()))?;
                values.iter().try_for_each(|value| list.serialize_element(value))?;
                list.end()
            }
            Value::Map(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                fields.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?;
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_bool<E: de::Error>(self, truth: bool) -> Result<Value, E> {
        Ok(Value::Truth(truth))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Integer(number))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Value, E> {
        Ok(i64::try_from(number).map_or(Value::Large(number), Value::Integer))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Float(number))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Value, E> {
        Ok(Value::Text(text))
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Value, E> {
        Ok(Value::Bytes(bytes.to_owned()))
    }

    fn visit_byte_buf<E: de::Error>(self, bytes: Vec<u8>) -> Result<Value, E> {
        Ok(Value::Bytes(bytes))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = seq.next_element()? {
            values.push(value);
        }
        Ok(Value::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Value::Map(fields))
    }
}

/// Bytes in a typed message: in MessagePack as they are, in JSON as base64.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Bytes(pub Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_bytes(&self.0, serializer)
    }
}

fn serialize_bytes<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    if serializer.is_human_readable() {
        serializer.serialize_str(&data_encoding::BASE64.encode(bytes))
    } else {
        serializer.serialize_bytes(bytes)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        if deserializer.is_human_readable() {
            let text = String::deserialize(deserializer)?;
            return data_encoding::BASE64.decode(text.as_bytes()).map(Bytes).map_err(de::Error::custom);
        }
        deserializer.deserialize_byte_buf(BytesVisitor)
    }
}

struct BytesVisitor;

impl Visitor<'_> for BytesVisitor {
    type Value = Bytes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
        Ok(Bytes(bytes.to_owned()))
    }

    fn visit_byte_buf<E: de::Error>(self, bytes: Vec<u8>) -> Result<Bytes, E> {
        Ok(Bytes(bytes))
    }
}
