//! Output that a terminal can show whatever a specification holds.
//!
//! Strings, comments and names of a specification come from others. A terminal obeys escape sequences, and
//! programs that show text obey characters that turn the direction of writing or take no room. All output of
//! the command passes this filter, so that none can be forgotten. The escapes are those of JSON, so that JSON
//! stays JSON.

use std::io::{Result, Write};

/// Whether a character can change what the text around it looks like.
fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fdd0}'..='\u{fdef}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
        || u32::from(c) & 0xfffe == 0xfffe
}

/// A text in which harmful characters are escaped, but for line breaks.
pub fn harmless(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' || !is_harmful(c) {
            safe.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            safe.push_str(&format!("\\u{unit:04x}"));
        }
    }
    safe
}

/// Passes on what is written, harmless. A character may come in pieces.
pub(super) struct Harmless<W: Write> {
    to: W,
    /// The beginning of a character.
    rest: Vec<u8>,
}

impl<W: Write> Harmless<W> {
    pub fn new(to: W) -> Harmless<W> {
        Harmless { to, rest: Vec::new() }
    }

    /// What it writes to.
    pub fn into_inner(self) -> W {
        self.to
    }
}

impl<W: Write> Write for Harmless<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.rest.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.rest) {
            Ok(text) => text.len(),
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            // It is no text at all: what can be shown of it is shown.
            Err(_) => self.rest.len(),
        };
        let text = String::from_utf8_lossy(&self.rest[..whole]);
        self.to.write_all(harmless(&text).as_bytes())?;
        self.rest.drain(..whole);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_in_pieces_is_one_character() {
        let text = "x \u{202e}y é\u{1b}[2J \u{e0041} z\n";
        let mut out = Harmless::new(Vec::new());
        for byte in text.as_bytes() {
            out.write_all(&[*byte]).expect("memory takes everything");
        }
        let written = String::from_utf8(out.into_inner()).expect("text");
        assert_eq!(written, "x \\u202ey é\\u001b[2J \\udb40\\udc41 z\n");
        assert_eq!(written, harmless(text));
    }

    #[test]
    fn bytes_that_are_no_text_do_not_stop_the_output() {
        let mut out = Harmless::new(Vec::new());
        out.write_all(b"a\xffb").expect("memory takes everything");
        assert_eq!(String::from_utf8(out.into_inner()).expect("text"), "a\u{fffd}b");
    }
}
