//! Ctrl-C: a campaign that is interrupted ends with its summary, its findings and the line that goes on.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use shakedown_campaign::Summary;

use crate::printing::{program, shell_word};
use crate::terminal::{paint, print_line};

/// The exit code of a process that is interrupted a second time, as shells have it.
#[cfg(unix)]
const INTERRUPTED_TWICE: i32 = 130;

/// What is set when the process is interrupted or asked to end. A second time ends it at once.
#[cfg(unix)]
pub(crate) fn interruptions() -> Option<Arc<AtomicBool>> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::flag::{register, register_conditional_shutdown};

    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the first signal finds the flag unset, and sets it. Without a handler, a signal ends
        // the process.
        register_conditional_shutdown(signal, INTERRUPTED_TWICE, Arc::clone(&stop)).ok()?;
        register(signal, Arc::clone(&stop)).ok()?;
    }
    Some(stop)
}

/// Elsewhere a signal ends the process.
#[cfg(not(unix))]
pub(crate) fn interruptions() -> Option<Arc<AtomicBool>> {
    None
}

/// Prints how to go on with a campaign that was cut short.
pub(crate) fn print_line_that_goes_on(result: &Summary, folder: Option<&Path>) {
    if result.cut_short.is_none() {
        return;
    }
    match folder {
        Some(folder) => {
            let (program, folder) = (shell_word(&program()), shell_word(&folder.to_string_lossy()));
            print_line!("  {}      {program} resume {folder}", paint().faint("go on"));
        }
        None => print_line!(
            "  {}      it is not stored: a campaign that was begun with --keep DIR can be resumed",
            paint().faint("go on")
        ),
    }
}
