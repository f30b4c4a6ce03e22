//! Catching a node's panic quietly: its message and place become a finding instead of noise on the terminal.
//!
//! The hook notes every panic while a call of a node runs, so that one which is caught inside the node's own
//! code (by an executor, a thread pool, a drop) is known as well. A call that went well costs nothing beyond
//! the flag that the hook sets.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

use crate::thread_panics;

/// The longest panic message that is kept, in characters.
const MESSAGE_LENGTH_MAX: usize = 2_000;

/// The longest place of another program's failure that is kept, in characters.
const PLACE_LENGTH_MAX: usize = 200;

/// What Rust panics with when a panic cannot unwind: the process ends after the hook.
const LAST_WORDS: [&str; 2] =
    ["panic in a destructor during cleanup", "panic in a function that cannot unwind"];

/// A call runs whose panics are caught.
const CATCHING: u8 = 1;
/// A panic happened in it.
const NOTED: u8 = 2;

thread_local! {
    static STATE: Cell<u8> = const { Cell::new(0) };
    static CAUGHT: RefCell<Panics> = const { RefCell::new(Panics { first: None, last: None }) };
}

/// The message and the place of a panic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caught {
    /// The text of the panic.
    pub message: String,
    /// File, line and column.
    pub place: String,
}

/// What to panic with (`std::panic::panic_any`) when code of another program failed: its message and its
/// place are reported, and not those of the panic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignPanic {
    /// What the program reported.
    pub message: String,
    /// Where it failed, as far as it is known.
    pub place: String,
}

/// The panics of one call; `last` only if there were several.
struct Panics {
    first: Option<Caught>,
    last: Option<Caught>,
}

/// Whether a panic that a target's own code catches is a finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CaughtPanics {
    /// It is a finding: the panic of a task or a thread is a bug, whatever an executor makes of it.
    #[default]
    Findings,
    /// It is not: the target catches panics on purpose. A panic that leaves a node's call still is one.
    Tolerated,
}

/// Calls `work` and catches its panic. One that is caught inside does not count.
#[inline(always)]
pub fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, Caught> {
    let (result, _) = watched(work);
    result.map_err(|payload| {
        discard(payload);
        let Panics { first, last } = take_noted();
        known(last.or(first))
    })
}

/// Calls `work`, which runs code of a target on a thread of its own. Gives what it came to, unless a panic
/// left it, and the first panic, also if it was caught inside. The caller reports it as a [`ForeignPanic`].
pub fn note_panics<T>(work: impl FnOnce() -> T) -> (Option<T>, Option<Caught>) {
    let (result, state) = watched(work);
    let noted = (state & NOTED != 0).then(|| known(take_noted().first));
    match result {
        Ok(value) => (Some(value), noted),
        Err(payload) => {
            discard(payload);
            (None, Some(known(noted)))
        }
    }
}

/// How a panic of a node's code came to be known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// It left the call.
    Unwound,
    /// Code of the target caught it in the call.
    Inside,
    /// It happened on a thread that the execution started.
    OnThread,
}

/// Calls `work`, which runs code of a node. The first panic counts, also if it was caught inside, or happened
/// on a thread that the execution started.
#[inline(always)]
pub(crate) fn catch_every_panic(caught: CaughtPanics, work: impl FnOnce()) -> Result<(), (Caught, Way)> {
    let (result, state) = watched(work);
    if result.is_ok() && state & NOTED == 0 && !thread_panics::are_pending() {
        return Ok(());
    }
    judge(caught, result, state)
}

#[cold]
fn judge(
    caught: CaughtPanics,
    result: Result<(), Box<dyn Any + Send>>,
    state: u8,
) -> Result<(), (Caught, Way)> {
    let has_unwound = result.is_err();
    if let Err(payload) = result {
        discard(payload);
    }
    if caught == CaughtPanics::Tolerated {
        while thread_panics::claim().is_some() {}
        let Panics { first, last } = take_noted();
        return if has_unwound { Err((known(last.or(first)), Way::Unwound)) } else { Ok(()) };
    }
    // A thread that the call waited for panicked before the call did.
    if let Some(panic) = thread_panics::claim() {
        take_noted();
        return Err((panic, Way::OnThread));
    }
    match (has_unwound, state & NOTED != 0) {
        (true, _) => Err((known(take_noted().first), Way::Unwound)),
        (false, true) => Err((known(take_noted().first), Way::Inside)),
        (false, false) => Ok(()),
    }
}

/// Calls `work` under the hook. Gives its result, and the state that it left.
#[inline(always)]
fn watched<T>(work: impl FnOnce() -> T) -> (std::thread::Result<T>, u8) {
    install_hook();
    // It may be called inside such a call.
    let outer = STATE.replace(CATCHING);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    (result, STATE.replace(outer))
}

/// Drops what a panic carried. It is the target's own, and its drop may panic too.
fn discard(payload: Box<dyn Any + Send>) {
    if let (Err(second), _) = watched(|| drop(payload)) {
        // One more try could go on for ever.
        std::mem::forget(second);
    }
}

fn take_noted() -> Panics {
    CAUGHT.replace(Panics { first: None, last: None })
}

fn known(caught: Option<Caught>) -> Caught {
    // `resume_unwind` calls no hook.
    caught.unwrap_or_else(|| Caught { message: "unknown".to_owned(), place: "unknown".to_owned() })
}

pub(crate) fn install_hook() {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let state = STATE.get();
            if state & CATCHING != 0 {
                if LAST_WORDS.contains(&text(info)) {
                    report_last_words();
                    return previous(info);
                }
                return note(info, state);
            }
            if !thread_panics::record(|| caught(info)) {
                previous(info);
            }
        }));
    });
}

fn note(info: &PanicHookInfo<'_>, state: u8) {
    let panic = caught(info);
    CAUGHT.with_borrow_mut(|panics| match state & NOTED {
        0 => *panics = Panics { first: Some(panic), last: None },
        _ => panics.last = Some(panic),
    });
    STATE.set(state | NOTED);
}

/// Two panics at once end the process, and no verdict is given any more: the panics themselves must not be
/// lost.
fn report_last_words() {
    let Panics { first, last } = take_noted();
    for Caught { message, place } in first.into_iter().chain(last) {
        eprintln!("the target panicked at {place}: {message}");
    }
    eprintln!(
        "a drop panicked while another panic unwound: Rust ends the process, and no failure file is written"
    );
}

fn caught(info: &PanicHookInfo<'_>) -> Caught {
    if let Some(ForeignPanic { message, place }) = info.payload().downcast_ref() {
        let message = message.chars().take(MESSAGE_LENGTH_MAX).collect();
        return Caught { message, place: place.chars().take(PLACE_LENGTH_MAX).collect() };
    }
    Caught {
        message: text(info).chars().take(MESSAGE_LENGTH_MAX).collect(),
        place: info.location().map_or_else(|| "unknown".to_owned(), place),
    }
}

fn text<'a>(info: &'a PanicHookInfo<'_>) -> &'a str {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic without a text")
}

/// File, line and column, without the machine's own folders: what stands before the package is cut off, so
/// that the text is the same wherever the package's source lies.
fn place(location: &panic::Location<'_>) -> String {
    let file = location.file().replace('\\', "/");
    format!("{}:{}:{}", in_package(&file), location.line(), location.column())
}

/// The path of a source file from its package on. A path that is relative already is one inside the
/// workspace.
fn in_package(file: &str) -> &str {
    let after = |mark: &str, folders: usize| {
        let rest = &file[file.find(mark)? + mark.len()..];
        rest.splitn(folders + 1, '/').nth(folders)
    };
    let from_package = |folder: &str| {
        let before = &file[..file.rfind(folder)?];
        Some(&file[before.rfind('/')? + 1..])
    };
    let is_absolute = file.starts_with('/') || file.get(1..3) == Some(":/");
    after("/registry/src/", 1)
        // A checkout is named after the repository and its revision.
        .or_else(|| after("/git/checkouts/", 2))
        .or_else(|| file.starts_with("/rustc/").then(|| after("/rustc/", 1)).flatten())
        .or_else(|| {
            let folders = ["/src/", "/tests/", "/examples/", "/benches/"];
            is_absolute.then(|| folders.into_iter().find_map(from_package)).flatten()
        })
        .unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::in_package;

    #[test]
    fn the_place_of_a_panic_is_relative_to_its_package_on_every_machine() {
        for (file, expected) in [
            ("crates/raft/src/log.rs", "crates/raft/src/log.rs"),
            ("src/log.rs", "src/log.rs"),
            ("/home/u/.cargo/registry/src/index-1a2b/raft-0.7.0/src/raft.rs", "raft-0.7.0/src/raft.rs"),
            ("C:/u/.cargo/registry/src/index-1a2b/raft-0.7.0/src/raft.rs", "raft-0.7.0/src/raft.rs"),
            ("/home/u/.cargo/git/checkouts/kv-0f0f/3c3c/node/src/lib.rs", "node/src/lib.rs"),
            ("/rustc/59807616e/library/core/src/option.rs", "library/core/src/option.rs"),
            ("/home/u/src/protocols/paxos/src/ballot.rs", "paxos/src/ballot.rs"),
            ("D:/work/paxos/tests/agreement.rs", "paxos/tests/agreement.rs"),
            ("/generated.rs", "/generated.rs"),
        ] {
            assert_eq!(in_package(file), expected);
        }
    }
}
