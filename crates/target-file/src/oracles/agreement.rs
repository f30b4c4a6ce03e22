//! `agreement`: no two nodes decide differently, over a list that nodes show.

use serde::Deserialize;
use shakedown_check::LogState;
use shakedown_remote::{PlainState, Value};

use crate::path::Path;

/// Where the decided entries stand in a state.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct AgreementTable {
    /// The list of entries.
    log: Path,
    /// How many of them are decided; without it, all are.
    decided: Option<Path>,
}

impl Default for AgreementTable {
    fn default() -> AgreementTable {
        AgreementTable { log: Path::field("log"), decided: None }
    }
}

impl AgreementTable {
    /// The decided entries of a state. A node that shows none has none.
    pub fn view(&self, state: &PlainState) -> Result<DecidedLog, String> {
        let mut entries = match in_state(state, &self.log) {
            Some(Value::List(entries)) => entries.clone(),
            None | Some(Value::Null) => Vec::new(),
            Some(other) => return Err(format!("the log is no list, but {other}")),
        };
        if let Some(decided) = &self.decided {
            match in_state(state, decided) {
                Some(Value::Integer(count @ 0..)) => {
                    if *count as u64 > entries.len() as u64 {
                        return Err(format!(
                            "{count} entries are decided, and the log has {}",
                            entries.len()
                        ));
                    }
                    entries.truncate(*count as usize);
                }
                None | Some(Value::Null) => entries.clear(),
                Some(other) => return Err(format!("the number of decided entries is {other}")),
            }
        }
        Ok(DecidedLog(entries))
    }
}

/// The value at a path into a state.
pub(super) fn in_state<'s>(state: &'s PlainState, path: &Path) -> Option<&'s Value> {
    let (field, rest) = path.split_first()?;
    rest.get(state.get(field)?)
}

/// Decided entries, in order.
pub(crate) struct DecidedLog(Vec<Value>);

impl LogState for DecidedLog {
    type Entry = Value;

    fn decided(&self) -> u64 {
        self.0.len() as u64
    }

    fn decided_entry(&self, number: u64) -> Option<Value> {
        self.0.get(usize::try_from(number.checked_sub(1)?).ok()?).cloned()
    }
}
