//! What goes wrong besides delays: nothing, or some of partitions, kills, losses and duplicates.

use std::fmt;
use std::str::FromStr;

use shakedown_cluster::{Contract, Crashes, Loss};

/// The faults of an execution, as in `partition,kill`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Nemesis {
    /// Links break and heal.
    pub partition: bool,
    /// Nodes are killed and started again.
    pub kill: bool,
    /// Messages are lost one by one.
    pub loss: bool,
    /// Messages arrive twice.
    pub duplicate: bool,
}

impl Nemesis {
    /// What the network may do. Messages always come in any order.
    pub(crate) fn contract(self) -> Contract {
        let loss = match (self.loss, self.partition) {
            (true, _) => Loss::Message,
            // A link that breaks takes along what is under way.
            (false, true) => Loss::Session,
            (false, false) => Loss::Never,
        };
        let crashes = if self.kill { Crashes::Minority } else { Crashes::Never };
        Contract { loss, crashes, duplication: self.duplicate, ..Contract::asynchronous() }
    }
}

impl FromStr for Nemesis {
    type Err = String;

    fn from_str(text: &str) -> Result<Nemesis, String> {
        let mut nemesis = Nemesis::default();
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty() && *word != "none") {
            match word {
                "partition" => nemesis.partition = true,
                "kill" => nemesis.kill = true,
                "loss" => nemesis.loss = true,
                "duplicate" => nemesis.duplicate = true,
                _ => return Err("it is none, or some of partition, kill, loss, duplicate".to_owned()),
            }
        }
        Ok(nemesis)
    }
}

impl fmt::Display for Nemesis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = [
            (self.partition, "partition"),
            (self.kill, "kill"),
            (self.loss, "loss"),
            (self.duplicate, "duplicate"),
        ];
        let words: Vec<_> = words.into_iter().filter(|(is_on, _)| *is_on).map(|(_, word)| word).collect();
        f.write_str(if words.is_empty() { "none" } else { "" })?;
        f.write_str(&words.join(","))
    }
}
