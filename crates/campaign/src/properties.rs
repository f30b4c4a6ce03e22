//! Which properties were checked: on how many executions the premise of each held, and what came of it.

use serde::{Deserialize, Serialize};
use shakedown_target::{CheckOutcome, Checked};

/// What came of one property in many executions.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PropertyTally {
    /// The property.
    pub name: String,
    /// How many evaluations could have failed.
    pub evaluations: u64,
    /// In how many executions there was at least one: its premise held in them.
    pub premise: u64,
    /// In how many of these it held.
    pub held: u64,
    /// In how many executions it was violated.
    pub violated: u64,
    /// In how many executions it was inconclusive.
    pub inconclusive: u64,
}

impl PropertyTally {
    fn new(name: &str) -> PropertyTally {
        PropertyTally { name: name.to_owned(), ..PropertyTally::default() }
    }

    fn count(&mut self, checked: &Checked) {
        self.evaluations += checked.evaluations;
        let counter = match checked.outcome {
            CheckOutcome::Violated => &mut self.violated,
            CheckOutcome::Unknown => &mut self.inconclusive,
            CheckOutcome::Held if checked.evaluations == 0 => return,
            CheckOutcome::Held => &mut self.held,
        };
        *counter += 1;
        self.premise += 1;
    }

    fn add(&mut self, other: &PropertyTally) {
        self.evaluations += other.evaluations;
        self.premise += other.premise;
        self.held += other.held;
        self.violated += other.violated;
        self.inconclusive += other.inconclusive;
    }
}

/// The properties of a campaign, in the order in which they were first checked.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Properties {
    /// How many executions were counted: fewer than there were if some are of a version that did not count.
    pub executions: u64,
    /// A line for each.
    pub tallies: Vec<PropertyTally>,
}

impl Properties {
    /// Counts one more execution.
    pub(crate) fn count(&mut self, checked: &[Checked]) {
        self.executions += 1;
        for (place, checked) in checked.iter().enumerate() {
            // They nearly always come in the same order.
            let is_next = self.tallies.get(place).is_some_and(|tally| *tally.name == *checked.property);
            let tally = if is_next { &mut self.tallies[place] } else { self.of(&checked.property) };
            tally.count(checked);
        }
    }

    /// Adds those of another campaign.
    pub fn add(&mut self, other: &Properties) {
        self.executions += other.executions;
        for tally in &other.tallies {
            self.of(&tally.name).add(tally);
        }
    }

    /// Adds a line for a property that no oracle checks, such as that no node panics.
    pub(crate) fn imply(&mut self, name: &str, violated: u64) {
        let executions = self.executions;
        let held = executions.saturating_sub(violated);
        let (evaluations, premise) = (executions, executions);
        *self.of(name) =
            PropertyTally { name: name.to_owned(), evaluations, premise, held, violated, inconclusive: 0 };
    }

    fn of(&mut self, name: &str) -> &mut PropertyTally {
        let place = self.tallies.iter().position(|tally| tally.name == name).unwrap_or_else(|| {
            self.tallies.push(PropertyTally::new(name));
            self.tallies.len() - 1
        });
        &mut self.tallies[place]
    }
}
