//! Where something stands in a value: names of fields and places in lists, as in `write.0`.

use serde::Deserialize;
use shakedown_remote::Value;

/// The most parts of a path.
const PARTS_MAX: usize = 32;

/// A path into a value. The empty path is the whole value.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Path(Vec<String>);

impl TryFrom<String> for Path {
    type Error = String;

    fn try_from(text: String) -> Result<Path, String> {
        if text.is_empty() {
            return Ok(Path::default());
        }
        let parts: Vec<_> = text.split('.').map(str::to_owned).collect();
        if parts.iter().any(String::is_empty) || parts.len() > PARTS_MAX {
            return Err(format!(
                "`{text}` is no path: it is names and places with dots between, such as `write.0`"
            ));
        }
        Ok(Path(parts))
    }
}

impl Path {
    /// A field of a map.
    pub fn field(name: &str) -> Path {
        Path(vec![name.to_owned()])
    }

    /// The value that stands there.
    pub fn get<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        get(value, self.0.iter().map(String::as_str))
    }

    /// Its first part, and the rest.
    pub fn split_first(&self) -> Option<(&str, Path)> {
        let (first, rest) = self.0.split_first()?;
        Some((first, Path(rest.to_vec())))
    }
}

/// The value at these fields and places.
pub(crate) fn get<'v, 'p>(value: &'v Value, parts: impl IntoIterator<Item = &'p str>) -> Option<&'v Value> {
    parts.into_iter().try_fold(value, |value, part| match value {
        Value::List(values) => values.get(part.parse::<usize>().ok()?),
        value => value.get(part),
    })
}
