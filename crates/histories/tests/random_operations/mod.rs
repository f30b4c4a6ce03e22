//! Random small histories of operations.

use shakedown_histories::{Item, Operation, Outcome};

/// How many histories are tried: 100 000, or what the environment says.
pub fn histories() -> u64 {
    let text = std::env::var("HISTORIES").ok();
    text.map_or(100_000, |text| text.parse().expect("HISTORIES is a number"))
}

/// Numbers that follow from a seed.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ mixed >> 31) % bound
    }

    fn outcome(&mut self) -> Outcome {
        match self.below(10) {
            0 => Outcome::Fail,
            1 => Outcome::Info,
            _ => Outcome::Ok,
        }
    }
}

pub fn number(number: u64) -> Item {
    Item::Number(number as i64)
}

/// Clients that do one thing after another; what they do is drawn by `draw`: name, what was asked, what was
/// answered.
pub fn random_history(
    random: &mut Random,
    clients: u64,
    mut draw: impl FnMut(&mut Random, u64) -> (&'static str, Item, Item),
) -> Vec<Operation> {
    let count = 2 + random.below(4);
    let mut free = vec![0_u32; clients as usize];
    let mut now = 0;
    let mut history = Vec::new();
    for line in 1..=count {
        let process = random.below(clients);
        let (f, asked, answered) = draw(random, process);
        let outcome = random.outcome();
        // Each begins at a time of its own; many overlap.
        let began = free[process as usize].max(now) + 1;
        let ended = began + 1 + random.below(8) as u32;
        now = began + random.below(3) as u32;
        free[process as usize] = if outcome == Outcome::Info { 1_000 + line as u32 } else { ended };
        let answered = if outcome == Outcome::Ok { answered } else { Item::Nil };
        history.push(Operation {
            process: process as i64,
            f: f.to_owned(),
            asked,
            answered,
            outcome,
            began,
            ended: (outcome != Outcome::Info).then_some(ended),
            times: (None, None),
            line: line as usize,
        });
    }
    history.sort_by_key(|operation| operation.began);
    history
}
