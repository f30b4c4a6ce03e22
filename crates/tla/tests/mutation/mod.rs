//! Specifications and configurations with something wrong: the texts of the tests' specifications, changed at
//! random.
//!
//! Changes respect tokens more often than not, so that what comes out gets past the parser and into the
//! compiler and the evaluator. One number fixes a case.

#![allow(clippy::unwrap_used)] // Of tests only; what fails should panic.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use shakedown_tla::check::{Options, Outcome, check};
use shakedown_tla::{Config, Error, Spec};

/// Most steps of evaluation in a case: a bound that has become a million would keep it busy for hours.
const STEPS_MAX: u64 = 10_000_000;

/// Tokens that mean something in TLA+ or in a configuration.
const WORDS: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<<",
    ">>",
    "/\\",
    "\\/",
    "~",
    "=",
    "#",
    "==",
    "\\in",
    "\\notin",
    "\\cup",
    "\\",
    "'",
    "UNCHANGED",
    "ENABLED",
    "CHOOSE",
    "x",
    "LET",
    "IN",
    "IF",
    "THEN",
    "ELSE",
    "CASE",
    "OTHER",
    "EXCEPT",
    "!",
    "@",
    "DOMAIN",
    "SUBSET",
    "UNION",
    "\\A",
    "\\E",
    ":",
    "|->",
    "->",
    "..",
    "1",
    "0",
    "-1",
    "2147483647",
    "99999999999999999999",
    "TRUE",
    "\"s\"",
    "RECURSIVE",
    "LAMBDA",
    "INSTANCE",
    "EXTENDS",
    "Nat",
    "Int",
    "BOOLEAN",
    "STRING",
    "[]",
    "<>",
    "~>",
    "WF_x",
    "\\X",
    "%",
    "\\div",
    "^",
    "+",
    "-",
    "*",
    ",",
    "_",
    "----",
    "====",
    "MODULE",
    "CONSTANT",
    "VARIABLE",
    "ASSUME",
    "\n",
    "INIT",
    "NEXT",
    "SPECIFICATION",
    "INVARIANT",
    "PROPERTY",
    "SYMMETRY",
    "VIEW",
    "<-",
    "CHECK_DEADLOCK",
    "(*",
    "*)",
    "\\*",
    "SUBSET (1..40)",
    "[1..9 -> 1..9]",
    "CHOOSE y \\in Nat : FALSE",
    "Seq(Nat)",
    "1..2147483647",
    "é",
    "\u{0}",
];

/// A small generator with a fixed algorithm.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

/// A specification of the tests.
pub struct Seed {
    pub name: String,
    pub text: String,
    pub config: String,
}

/// All specifications of the tests that have one module, in the order of their names.
pub fn seeds() -> Vec<Seed> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/specs");
    let mut seeds = Vec::new();
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|e| e == "tla")) {
        let config = path.with_extension("cfg");
        if let (Ok(text), Ok(config)) = (std::fs::read_to_string(path), std::fs::read_to_string(config)) {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            seeds.push(Seed { name, text, config });
        }
    }
    seeds
}

/// The specification of a case.
pub fn case(seeds: &[Seed], number: u64) -> Seed {
    let mut random = Random(number.wrapping_mul(0x5851_f42d_4c95_7f2d));
    let seed = &seeds[random.below(seeds.len())];
    let other = &seeds[random.below(seeds.len())];
    let (mut text, mut config) = (seed.text.clone(), seed.config.clone());
    for _ in 0..1 + random.below(4) {
        if random.below(4) == 0 {
            config = changed(&config, &other.config, &mut random);
        } else {
            text = changed(&text, &other.text, &mut random);
        }
    }
    Seed { name: seed.name.clone(), text, config }
}

/// Words, numbers, texts, blanks, and symbols of one or two characters.
fn tokens(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut tokens = Vec::new();
    let mut start = 0;
    let mut before = None;
    for (index, c) in text.char_indices() {
        let whole = before.is_some_and(|k| k != kind(c) || (k == 2 && index - start >= 2));
        if whole {
            tokens.push(&text[start..index]);
            start = index;
        }
        before = Some(kind(c));
    }
    tokens.push(&text[start..]);
    tokens
}

fn changed(text: &str, other: &str, random: &mut Random) -> String {
    let mut list: Vec<String> = tokens(text).into_iter().map(String::from).collect();
    let donor = tokens(other);
    let at = random.below(list.len());
    match random.below(12) {
        0 => {
            list.remove(at);
        }
        1 => list.insert(at, list[at].clone()),
        2 => {
            let second = random.below(list.len());
            list.swap(at, second);
        }
        3 | 4 => list[at] = WORDS[random.below(WORDS.len())].to_string(),
        5 => list.insert(at, format!(" {} ", WORDS[random.below(WORDS.len())])),
        6 => list[at] = donor[random.below(donor.len())].to_string(),
        7 => {
            let from = random.below(donor.len());
            let to = (from + 1 + random.below(20)).min(donor.len());
            let part: Vec<String> = donor[from..to].iter().map(|token| token.to_string()).collect();
            list.splice(at..at, part);
        }
        8 => {
            let end = (at + 1 + random.below(10)).min(list.len());
            list.drain(at..end);
        }
        9 => {
            // Something nested deeply.
            let (open, close) =
                [("(", ")"), ("{", "}"), ("<<", ">>"), ("SUBSET (", ")"), ("~(", ")")][random.below(5)];
            let depth = 1 + random.below(3_000);
            list[at] = format!("{}{}{}", open.repeat(depth), list[at], close.repeat(depth));
        }
        10 => {
            let number = ["2147483648", "9223372036854775808", "1000000", "64", "-5"][random.below(5)];
            let numbers: Vec<usize> =
                (0..list.len()).filter(|i| list[*i].bytes().all(|b| b.is_ascii_digit())).collect();
            if !numbers.is_empty() {
                list[numbers[random.below(numbers.len())]] = number.to_string();
            }
        }
        _ => list.truncate(at),
    }
    list.concat()
}

/// Loads and checks a case within limits; what went wrong that must not, if something did.
pub fn survives(case: &Seed, states_max: u64) -> Result<(), String> {
    let run = || {
        let config = Config::parse(&case.config)?;
        let modules = HashMap::from([(case.name.clone(), case.text.clone())]);
        let spec = Spec::load(&case.name, config, &modules)?;
        let options = Options {
            states_max,
            depth_max: 12,
            memory_bytes_max: 64 << 20,
            steps_max: STEPS_MAX,
            ..Options::default()
        };
        Ok::<_, Box<Error>>(check(&spec, &options))
    };
    match catch_unwind(AssertUnwindSafe(run)) {
        Err(_) => Err("a panic".to_string()),
        Ok(Ok(report)) => match report.outcome {
            Outcome::Error(error, _) if error.to_string().contains("a bug of the checker") => {
                Err(error.to_string())
            }
            _ => Ok(()),
        },
        Ok(Err(error)) if error.to_string().is_empty() => Err("an error without a message".to_string()),
        Ok(Err(_)) => Ok(()),
    }
}
