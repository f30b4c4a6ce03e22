//! Characters of foreign text that a reader must never meet as they are.
//!
//! Names, kinds, contents, states, reasons and options come from targets and from files of others, and may
//! hold anything. A terminal obeys escape sequences, and every program that shows text obeys the characters
//! that turn the direction of writing or take no room. All output goes by this one list:
//! [`Text`](crate::Text) for people at a terminal, `escape` for markup, [`safe_json`] for JSON.

use std::fmt::Write;

/// Whether a character can change what the text around it looks like: controls (C0, DEL and C1), what turns
/// the direction of writing, what takes no room, line separators, and code points that are no characters.
pub(crate) fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fdd0}'..='\u{fdef}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
        || u32::from(c) & 0xfffe == 0xfffe
}

/// JSON, indented, that is safe on a terminal: harmful characters are escaped, which means the same to its
/// readers. JSON itself demands that of C0 controls only.
pub fn safe_json(value: &serde_json::Value) -> String {
    safe_json_text(&format!("{value:#}"))
}

/// JSON on one line, with the same escapes.
pub fn safe_json_line(value: &serde_json::Value) -> String {
    safe_json_text(&value.to_string())
}

/// The same of JSON that is text already. Harmful characters stand inside of its strings only, but for line
/// breaks.
pub fn safe_json_text(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '\n' || !is_harmful(c) {
            safe.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(safe, "\\u{unit:04x}");
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn json_with_escapes_means_the_same() {
        let hostile = json!({ "a\u{1b}[2J": "\u{9b}31m\u{202e}\u{7f}\u{e0041}\r\n\u{feff}é│" });
        for text in [safe_json(&hostile), safe_json_line(&hostile)] {
            assert!(!text.chars().any(|c| c != '\n' && is_harmful(c)), "{text:?}");
            assert_eq!(serde_json::from_str::<Value>(&text).expect("it is JSON"), hostile);
        }
        assert!(!safe_json_line(&hostile).contains('\n'));
    }

    #[test]
    fn ordinary_text_is_harmless() {
        assert!(!"Größe, 大小, المقاس, é, │●▶…, 👍, Â₁₂ ± 5 %".chars().any(is_harmful));
    }
}
