//! What readers must not do.

use std::hint::black_box;

use crate::{Outcome, Room};

/// One input for each way to go wrong, and two that do not.
pub(super) fn make(_: &Room) -> Vec<Vec<u8>> {
    ["good", "panic", "thread", "hang", "memory", "stack", "wrong", "good"]
        .map(|word| word.as_bytes().to_vec())
        .into()
}

/// Does what the input asks for.
pub(super) fn read(input: &[u8]) -> Result<Outcome, String> {
    match input {
        b"panic" => panic!("the input asked for it"),
        b"thread" => drop(std::thread::spawn(|| panic!("on another thread")).join()),
        b"hang" => loop {
            black_box(input);
        },
        b"memory" => {
            let mut kept = Vec::new();
            loop {
                kept.push(black_box(vec![1_u8; 16 << 20]));
            }
        }
        b"stack" => drop(black_box(deep(1))),
        b"wrong" => return Err("a wrong outcome".to_owned()),
        _ => {}
    }
    Ok(Outcome::Taken)
}

fn deep(level: u64) -> u64 {
    let here = black_box([level; 64]);
    if level == 0 { 0 } else { deep(black_box(level + 1)) + here[0] }
}
