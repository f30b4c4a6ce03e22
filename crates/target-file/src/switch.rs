//! What can be switched on with `true`, or described by a table.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

/// `true` stands for the table that leaves everything out, `false` for no table.
pub(crate) struct Switch<T>(pub Option<T>);

impl<T> Default for Switch<T> {
    fn default() -> Switch<T> {
        Switch(None)
    }
}

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for Switch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Switch<T>, D::Error> {
        struct Reader<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de> + Default> Visitor<'de> for Reader<T> {
            type Value = Switch<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false or a table")
            }

            fn visit_bool<E: Error>(self, is_on: bool) -> Result<Switch<T>, E> {
                Ok(Switch(is_on.then(T::default)))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Switch<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(|table| Switch(Some(table)))
            }
        }
        deserializer.deserialize_any(Reader(PhantomData))
    }
}
