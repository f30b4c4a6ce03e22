//! Changes of inputs: of the tree of a JSON document, of the tokens of a text, of the cells and pages of an
//! SQLite file, and of plain bytes whatever the form.

mod bytes;
mod json;
mod sqlite;
mod text;

use crate::{Form, Random};

/// Texts that are seldom expected: escapes, line breaks, bidirectional controls, paths, numbers beyond every
/// limit.
pub(crate) const HOSTILE_TEXTS: &[&str] = &[
    "",
    " ",
    "\u{1b}[31m\u{1b}]0;title\u{7}",
    "\u{1b}[2J\u{1b}[H",
    "\r\nPASS: no property was violated\n",
    "\u{202e}gnp.exe",
    "\u{2066}\u{2069}\u{200b}",
    "\u{0}",
    "\u{9b}31m",
    "../../../etc/passwd",
    "/dev/zero",
    "n0",
    "n1>n1#1",
    "n99999>n1#18446744073709551615 Append",
    "deliver",
    "é\u{301}\u{1f980}",
    "<script>alert(1)</script>",
    "]]>",
    "%s%n%d",
    "9223372036854775808",
    "-1",
    "NaN",
    "1e400",
];

/// Changes inputs of one form.
pub struct Mutator<'a> {
    /// What the input is built of.
    pub form: Form,
    /// Another input: parts of it are put into this one.
    pub donor: &'a [u8],
}

impl Mutator<'_> {
    /// The input with one change.
    pub fn mutate(&self, input: &[u8], random: &mut Random) -> Vec<u8> {
        if random.one_in(5) {
            return bytes::mutate(input, self.donor, random);
        }
        let changed = match self.form {
            Form::Json => json::mutate(input, self.donor, random),
            Form::Text(words) => text::mutate(input, self.donor, words, random),
            Form::Sqlite => sqlite::mutate(input, random),
            Form::Bytes => None,
        };
        // An input whose form is broken already is bytes.
        changed.unwrap_or_else(|| bytes::mutate(input, self.donor, random))
    }

    /// The input with some of its bytes changed, whatever its form.
    pub fn bytes(&self, input: &[u8], random: &mut Random) -> Vec<u8> {
        bytes::mutate(input, self.donor, random)
    }
}
