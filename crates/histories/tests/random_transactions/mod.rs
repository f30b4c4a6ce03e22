//! Random small histories of transactions.
use shakedown_histories::{Element, History, HistoryBuilder, Key, Outcome};

/// Numbers that follow from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ mixed >> 31) % bound
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

const KEYS: [&str; 2] = ["x", "y"];

/// Two to four transactions on two keys. Reads return a version of a random order of the appends, so that
/// some histories are right and most are wrong in one way or another.
pub fn random_lists(seed: u64) -> History {
    let mut random = Random(seed);
    let transactions = 2 + random.below(3);
    // What each transaction does: for each operation whether it appends, and the key.
    let shapes: Vec<Vec<(bool, usize)>> = (0..transactions)
        .map(|_| (0..1 + random.below(3)).map(|_| (random.chance(50), random.below(2) as usize)).collect())
        .collect();
    let mut orders: [Vec<u32>; 2] = [Vec::new(), Vec::new()];
    let mut element = 0;
    let mut elements = Vec::new();
    for shape in &shapes {
        elements.push(Vec::new());
        for &(appends, key) in shape {
            element += 1;
            elements.last_mut().expect("just pushed").push(element);
            if appends {
                let place = random.below(orders[key].len() as u64 + 1) as usize;
                // Mostly at the end, so that the appends of one transaction stay in order.
                let place = if random.chance(70) { orders[key].len() } else { place };
                orders[key].insert(place, element);
            }
        }
    }
    let mut builder = HistoryBuilder::default();
    let keys: Vec<Key> = KEYS.iter().map(|name| builder.key(name)).collect();
    let mut position: u32 = 0;
    let mut busy_until: Vec<u32> = Vec::new();
    for (shape, elements) in shapes.iter().zip(&elements) {
        let outcome = match random.below(12) {
            0 => Outcome::Fail,
            1 => Outcome::Info,
            _ => Outcome::Ok,
        };
        let began = position + 1;
        // Every other transaction overlaps with the one before.
        let began = if random.chance(50) { began.saturating_sub(2) } else { began };
        position += 2;
        // A process does one thing after the other.
        let free = busy_until.iter().position(|until| *until < began).filter(|_| random.chance(70));
        let process = free.unwrap_or(busy_until.len());
        busy_until.resize(busy_until.len().max(process + 1), 0);
        busy_until[process] = if outcome == Outcome::Info { u32::MAX } else { position };
        let process = process as u32;
        builder.transaction(process, outcome, began, (outcome != Outcome::Info).then_some(position));
        let snapshot = orders.each_ref().map(|order| random.below(order.len() as u64 + 1) as usize);
        let mut own: [Vec<u32>; 2] = [Vec::new(), Vec::new()];
        for (&(appends, key), &element) in shape.iter().zip(elements) {
            if appends {
                builder.append(keys[key], Element(element));
                own[key].push(element);
            } else if outcome != Outcome::Ok {
                builder.read(keys[key], None);
            } else {
                let seen = orders[key][..snapshot[key]].iter().filter(|seen| !elements.contains(seen));
                let list: Vec<Element> = seen.chain(&own[key]).map(|element| Element(*element)).collect();
                let upto =
                    if random.chance(95) { list.len() } else { random.below(list.len() as u64 + 1) as usize };
                builder.read(keys[key], Some(&list[..upto]));
            }
        }
    }
    builder.finish()
}

/// Two to four transactions on two registers: the serial execution of some of them, with some reads changed.
pub fn random_registers(seed: u64) -> History {
    let mut random = Random(seed);
    let mut builder = HistoryBuilder::default();
    let keys: Vec<Key> = KEYS.iter().map(|name| builder.key(name)).collect();
    let mut value = 0;
    let mut values: [Vec<u32>; 2] = [Vec::new(), Vec::new()];
    let mut position: u32 = 0;
    for process in 0..2 + random.below(3) {
        let outcome = match random.below(12) {
            0 => Outcome::Fail,
            1 => Outcome::Info,
            _ => Outcome::Ok,
        };
        let began = if random.chance(50) { position.saturating_sub(1) } else { position + 1 };
        position += 2;
        let process = if random.chance(50) { 0 } else { process as u32 + 1 };
        // Process 0 does one thing after the other: its transactions do not overlap.
        let began = if process == 0 { position - 1 } else { began };
        builder.transaction(process, outcome, began, (outcome != Outcome::Info).then_some(position));
        for _ in 0..1 + random.below(3) {
            let key = random.below(2) as usize;
            if random.chance(50) {
                value += 1;
                builder.write(keys[key], Element(value));
                values[key].push(value);
            } else if outcome != Outcome::Ok {
                builder.read(keys[key], None);
            } else {
                // Mostly the last value, sometimes an older one or nothing.
                let back =
                    if random.chance(60) { 1 } else { random.below(values[key].len() as u64 + 2) as usize };
                match values[key].len().checked_sub(back).and_then(|place| values[key].get(place)) {
                    Some(seen) => builder.read_value(keys[key], Element(*seen)),
                    None => builder.read(keys[key], None),
                }
            }
        }
    }
    builder.finish()
}
