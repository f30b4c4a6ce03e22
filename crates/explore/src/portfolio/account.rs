//! What an arm of a portfolio has spent and brought.

use crate::fuzz::saved::{Reader, Writer};

/// What is left of a number after one more execution of any arm: half of it after some 350.
const FADING: f64 = 0.998;

/// See the module's text.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Account {
    /// What the arm is given beside others where nothing is known of either.
    pub weight: f64,
    /// The same in the first generation.
    pub first_weight: f64,
    /// How many new cells its executions entered, in all.
    pub new: u64,
    /// How many executions it had, of late.
    pub executions: f64,
    /// How many steps they took.
    pub steps: f64,
    /// What was new by each measure, of late.
    pub measures: Vec<Measure>,
}

/// What was new by one measure.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Measure {
    /// How much was new.
    pub new: f64,
    /// In how many steps, of executions that were watched.
    pub steps: f64,
}

impl Measure {
    /// How much was new per step; nothing if there was no step.
    pub fn rate(&self) -> Option<f64> {
        (self.steps > 0.0).then(|| self.new / self.steps)
    }
}

impl Account {
    pub fn new(measures: usize, (weight, first_weight): (f64, f64)) -> Account {
        Account {
            weight,
            first_weight,
            new: 0,
            executions: 0.0,
            steps: 0.0,
            measures: vec![Measure::default(); measures],
        }
    }

    /// Another execution of any arm is over: what was before counts for less.
    pub fn fade(&mut self) {
        self.executions *= FADING;
        self.steps *= FADING;
        for measure in &mut self.measures {
            measure.new *= FADING;
            measure.steps *= FADING;
        }
    }

    /// Takes in an execution of this many steps, and how much was new by each measure that watched it.
    pub fn take(&mut self, steps: usize, found: &[Option<usize>]) {
        // An execution without a step was not for nothing, but nearly.
        let steps = steps.max(1) as f64;
        self.new += found.first().copied().flatten().unwrap_or_default() as u64;
        self.executions += 1.0;
        self.steps += steps;
        for (measure, found) in self.measures.iter_mut().zip(found) {
            if let Some(found) = found {
                measure.new += *found as f64;
                measure.steps += steps;
            }
        }
    }

    pub fn save(&self, writer: &mut Writer) {
        writer.number(self.new);
        writer.number(self.executions.to_bits());
        writer.number(self.steps.to_bits());
        writer.number(self.measures.len() as u64);
        for measure in &self.measures {
            writer.number(measure.new.to_bits());
            writer.number(measure.steps.to_bits());
        }
    }

    /// Takes up what was saved of an arm with these weights.
    pub fn load(reader: &mut Reader<'_>, measures: usize, weights: (f64, f64)) -> Result<Account, String> {
        let mut account = Account::new(measures, weights);
        account.new = reader.number()?;
        (account.executions, account.steps) = (reader.real()?, reader.real()?);
        let count = reader.number()?;
        if count != measures as u64 {
            return Err(format!("an arm was measured in {count} ways, this one is in {measures}"));
        }
        for measure in &mut account.measures {
            *measure = Measure { new: reader.real()?, steps: reader.real()? };
        }
        Ok(account)
    }
}
