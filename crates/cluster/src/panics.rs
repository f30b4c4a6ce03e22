//! Catching a node's panic quietly: its message and place become a finding instead of noise on the terminal.

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

/// The longest panic message that is kept, in characters.
const MESSAGE_LENGTH_MAX: usize = 2_000;

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
    static CAUGHT: RefCell<Option<Caught>> = const { RefCell::new(None) };
}

/// What a panic said, and where.
#[derive(Debug)]
pub struct Caught {
    /// The text of the panic.
    pub message: String,
    /// File, line and column.
    pub place: String,
}

/// Calls `work` and catches its panic. Panics of other threads, and outside such a call, are reported as ever.
#[inline(always)]
pub fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, Caught> {
    install_hook();
    // It may be called inside such a call.
    let is_inside = CATCHING.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    CATCHING.set(is_inside);
    result.map_err(|_| {
        CAUGHT.take().unwrap_or_else(|| Caught { message: "unknown".to_owned(), place: "unknown".to_owned() })
    })
}

fn install_hook() {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !CATCHING.get() {
                return previous(info);
            }
            let payload = info.payload();
            let text = payload
                .downcast_ref::<&str>()
                .copied()
                .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
                .unwrap_or("a panic without a text");
            let caught = Caught {
                message: text.chars().take(MESSAGE_LENGTH_MAX).collect(),
                place: info.location().map_or_else(|| "unknown".to_owned(), place),
            };
            CAUGHT.set(Some(caught));
        }));
    });
}

/// File, line and column, without the machine's own folders: what stands before the crate is cut off, so that the text
/// is the same wherever the crate's source lies.
fn place(location: &panic::Location<'_>) -> String {
    let file = location.file().replace('\\', "/");
    let file = match file.find("/registry/src/") {
        Some(at) => {
            let rest = &file[at + "/registry/src/".len()..];
            rest.split_once('/').map_or(rest, |(_, inside)| inside).to_owned()
        }
        None => file,
    };
    format!("{file}:{}:{}", location.line(), location.column())
}
