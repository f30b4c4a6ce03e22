//! Printing, where nobody may be left to read it.

use std::io::{BufWriter, ErrorKind, Result, Write};

use super::harmless::{Harmless, harmless};

/// What a process exits with when its result is good and could not be printed.
const EXIT_UNPRINTED: u8 = 2;

/// Prints a text on standard output, and gives what the process should exit with: the code, unless it is 0
/// and the text could not be written. A reader that has gone away (`| head`) is no error.
pub fn print_out(text: &str, code: u8) -> u8 {
    print_with(code, |out| out.write_all(text.as_bytes()))
}

/// The same for what is written piece by piece.
pub(super) fn print_with(code: u8, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> u8 {
    let mut out = Harmless::new(BufWriter::new(std::io::stdout().lock()));
    let written = write(&mut out).and_then(|()| out.flush());
    // What could not be written must not be tried again.
    let _ = out.into_inner().into_parts();
    let unprinted = exit_code_of_printing(written);
    if code == 0 { unprinted } else { code }
}

/// What a process should exit with that had nothing else to do than to print something.
pub fn exit_code_of_printing(printed: Result<()>) -> u8 {
    match printed {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            print_error(&format!("Error: not everything could be printed: {error}"));
            EXIT_UNPRINTED
        }
        _ => 0,
    }
}

/// Prints a line on standard error; if that is impossible, there is nowhere to report it.
pub(super) fn print_error(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", harmless(line));
}
