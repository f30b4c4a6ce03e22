//! What a scenario declares, and what it refers to: everything that is named has to be there.

use std::collections::BTreeSet;

use super::BadScenarioText;
use super::tokens::Place;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Sort {
    Part,
    Set,
    Counter,
    Record,
    Note,
    State,
}

impl Sort {
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Sort::Part => ("part", "`parts`, `role`, `name` and `draw` make parts"),
            Sort::Set => ("set", "`store in` makes sets"),
            Sort::Counter => ("counter", "the action `count` makes counters"),
            Sort::Record => ("recorded message", "`record` makes them"),
            Sort::Note => ("noted value", "`note` makes them"),
            Sort::State => ("state", "`state` and `goto` make states"),
        }
    }
}

/// The names of one scenario.
#[derive(Default)]
pub(super) struct Names {
    made: BTreeSet<(Sort, &'static str)>,
    used: Vec<(Sort, &'static str, Place)>,
}

impl Names {
    pub fn make(&mut self, sort: Sort, name: &'static str) {
        self.made.insert((sort, name));
    }

    pub fn use_of(&mut self, sort: Sort, name: &'static str, place: Place) {
        self.used.push((sort, name, place));
    }

    /// Whether everything that is used is made somewhere.
    pub fn check(&self) -> Result<(), BadScenarioText> {
        let missing = self.used.iter().find(|(sort, name, _)| !self.made.contains(&(*sort, *name)));
        let Some((sort, name, place)) = missing else { return Ok(()) };
        let (what, how) = sort.words();
        let known: Vec<_> =
            self.made.iter().filter(|(known, _)| known == sort).map(|(_, name)| *name).collect();
        let known = if known.is_empty() { how.to_owned() } else { format!("there are {}", known.join(", ")) };
        Err(place.error(format!("there is no {what} `{name}`: {known}")))
    }
}
