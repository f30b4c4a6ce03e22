//! Foreign text inside HTML, SVG, XML and JSON.
//!
//! Kinds, contents, states, reasons and names of properties come from a target or a file and may hold
//! anything. Each of them goes through [`text`] before it is put into markup, and through [`script_json`]
//! before it is put into a script.

use std::fmt::{self, Display, Formatter, Write};

use crate::harmful::is_harmful;

/// Foreign text, cut to a number of characters, safe as the contents of an element and inside a quoted
/// attribute.
pub(crate) fn text(text: &str, most: usize) -> Escaped<'_> {
    Escaped { text, most }
}

/// See [`text`].
#[derive(Clone, Copy)]
pub(crate) struct Escaped<'a> {
    text: &'a str,
    most: usize,
}

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut characters = self.text.chars();
        for c in characters.by_ref().take(self.most) {
            match harmless(c) {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                c => f.write_char(c)?,
            }
        }
        if characters.next().is_some() { f.write_char('…') } else { Ok(()) }
    }
}

/// The text with nothing in it that XML forbids or that turns the direction of writing, cut to a number of
/// characters.
pub(crate) fn plain(text: &str, most: usize) -> String {
    let mut characters = text.chars();
    let mut kept: String = characters.by_ref().take(most).map(harmless).collect();
    if characters.next().is_some() {
        kept.push('…');
    }
    kept
}

/// Control characters are not allowed in XML, and those that turn the direction of writing make a text look
/// like another.
fn harmless(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        c if is_harmful(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

/// JSON that may stand in a `script` element: nothing in it can end the element or open a comment.
#[cfg(feature = "html")]
pub(crate) fn script_json(value: &serde_json::Value) -> String {
    value
        .to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_foreign_text_is_text() {
        assert_eq!(
            text("<b onclick='x'>\"&amp;", 100).to_string(),
            "&lt;b onclick=&#39;x&#39;&gt;&quot;&amp;amp;"
        );
        assert_eq!(text("a\u{0}b\u{202e}c\nd", 100).to_string(), "a\u{fffd}b\u{fffd}c\nd");
    }

    #[test]
    fn what_is_too_long_is_cut_between_characters() {
        assert_eq!(text("ééé", 2).to_string(), "éé…");
        assert_eq!(text("éé", 2).to_string(), "éé");
        assert_eq!(plain("<<<", 2), "<<…");
    }

    #[cfg(feature = "html")]
    #[test]
    fn json_cannot_leave_its_script() {
        let hostile = serde_json::json!({ "a": "</script><!--<script>\u{2028}&" });
        let safe = script_json(&hostile);
        assert!(!safe.contains(['<', '>', '&', '\u{2028}']), "{safe}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap(), hostile);
    }
}
