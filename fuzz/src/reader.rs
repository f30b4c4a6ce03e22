//! Readers: what is fuzzed.

use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use crate::{Form, Room};

/// Something that reads what strangers send.
pub struct Reader {
    /// Its name, and that of its folder of seeds.
    pub name: &'static str,
    /// What it reads.
    pub about: &'static str,
    /// What its inputs are built of.
    pub form: Form,
    /// Inputs that are in order, made by the program itself. Committed ones are added to them.
    pub make: fn(&Room) -> Vec<Vec<u8>>,
    /// Puts an input into the room, and says which command reads it. The fuzzer calls the command in its own
    /// process, the attack starts the program.
    pub command: fn(&Room, &[u8]) -> Vec<String>,
    /// Reads an input without the command line, where that is much faster or sees more. An error is an
    /// outcome that is wrong although nothing panicked.
    pub read: Option<Read>,
}

/// Reads an input.
pub type Read = fn(&[u8]) -> Result<Outcome, String>;

/// What came of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It was taken for what it claims to be.
    Taken,
    /// It was refused with an error.
    Refused,
}

/// Panics that no part of the program expected, on whatever thread.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// From now on panics are recorded for [`read`] and not printed.
pub fn quietly() {
    panic::set_hook(Box::new(|info| {
        PANICS.lock().unwrap_or_else(PoisonError::into_inner).push(info.to_string());
    }));
}

/// Reads an input; what was wrong, if something was. Needs [`quietly`] to see panics of other threads.
pub fn read(reader: &Reader, room: &Room, input: &[u8]) -> Result<Outcome, String> {
    room.clear();
    let outcome = catch_unwind(AssertUnwindSafe(|| match reader.read {
        Some(read) => read(input),
        None => Ok(room.command(&(reader.command)(room, input))),
    }));
    let panics = std::mem::take(&mut *PANICS.lock().unwrap_or_else(PoisonError::into_inner));
    match (outcome, panics.first()) {
        (_, Some(panic)) => Err(format!("a panic: {panic}")),
        (Err(_), None) => Err("a panic".to_owned()),
        (Ok(outcome), None) => outcome,
    }
}
