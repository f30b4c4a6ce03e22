//! The variables of a state of the specification.

use shakedown_tla::Value;

/// A value of the specification is not what the mapping takes it for.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{what} is not {wanted} but {found}: the mapping and the specification do not belong together")]
pub struct Misread {
    what: String,
    wanted: &'static str,
    found: String,
}

impl Misread {
    /// `what` should have been `wanted`.
    pub fn new(what: impl Into<String>, wanted: &'static str, found: impl ToString) -> Misread {
        let found: String = found.to_string().chars().take(200).collect();
        Misread { what: what.into(), wanted, found }
    }
}

/// The variables of a state of the specification.
pub struct Variables {
    values: Vec<(String, Value)>,
}

impl Variables {
    pub(super) fn new(values: Vec<(String, Value)>) -> Variables {
        Variables { values }
    }

    /// A variable.
    pub fn get(&self, name: &str) -> Result<&Value, Misread> {
        let known = self.values.iter().find(|(known, _)| known == name);
        known.map(|(_, value)| value).ok_or_else(|| Misread::new(name, "a variable", "missing"))
    }
}
