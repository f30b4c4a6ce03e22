//! Changes of the tokens of a text.

use super::HOSTILE_TEXTS;
use crate::Random;

/// Numbers at the edges of types, and beyond.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "64",
    "1000000",
    "2147483648",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "1e999",
    "0.0000001",
];
const BRACKETS: &[(&str, &str)] =
    &[("(", ")"), ("{", "}"), ("<<", ">>"), ("SUBSET (", ")"), ("~(", ")"), ("[", "]")];

/// The input with one token or a few changed; nothing if it is no text.
pub(crate) fn mutate(input: &[u8], donor: &[u8], words: &[&str], random: &mut Random) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(input).ok()?;
    let donor = String::from_utf8_lossy(donor);
    let mut list: Vec<String> = tokens(text).into_iter().map(String::from).collect();
    let donor = tokens(&donor);
    let at = random.below(list.len());
    match random.below(13) {
        0 => {
            list.remove(at);
        }
        1 => list.insert(at, list[at].clone()),
        2 => {
            let second = random.below(list.len());
            list.swap(at, second);
        }
        3 | 4 => list[at] = (*random.pick(words)).to_owned(),
        5 => list.insert(at, format!(" {} ", random.pick(words))),
        6 => list[at] = (*random.pick(&donor)).to_owned(),
        7 => {
            let from = random.below(donor.len());
            let to = (from + 1 + random.below(20)).min(donor.len());
            list.splice(at..at, donor[from..to].iter().map(|token| (*token).to_owned()));
        }
        8 => {
            let end = (at + 1 + random.below(10)).min(list.len());
            list.drain(at..end);
        }
        9 => {
            let (open, close) = random.pick(BRACKETS);
            let depth = 1 + random.below(3_000);
            list[at] = format!("{}{}{}", open.repeat(depth), list[at], close.repeat(depth));
        }
        10 => {
            let is_number = |token: &String| token.bytes().all(|byte| byte.is_ascii_digit());
            let numbers: Vec<usize> = (0..list.len()).filter(|i| is_number(&list[*i])).collect();
            if !numbers.is_empty() {
                list[*random.pick(&numbers)] = (*random.pick(NUMBERS)).to_owned();
            }
        }
        11 => list[at] = (*random.pick(HOSTILE_TEXTS)).to_owned(),
        _ => list.truncate(at),
    }
    Some(list.concat().into_bytes())
}

/// Words, numbers, blanks, and symbols of one or two characters.
fn tokens(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut tokens = Vec::new();
    let (mut start, mut before) = (0, None);
    for (index, c) in text.char_indices() {
        if before.is_some_and(|k| k != kind(c) || (k == 2 && index - start >= 2)) {
            tokens.push(&text[start..index]);
            start = index;
        }
        before = Some(kind(c));
    }
    tokens.push(&text[start..]);
    tokens
}
