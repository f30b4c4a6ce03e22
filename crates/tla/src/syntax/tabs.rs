//! Tabs: the columns of conjunctions and disjunctions count, so a tab must be as wide as SANY takes it.

use std::borrow::Cow;

/// The columns between two tab stops.
const TAB_WIDTH: usize = 8;

/// The text with spaces in place of tabs, each up to the next multiple of eight. Tabs in strings stay.
pub(super) fn without_tabs(text: &str) -> Cow<'_, str> {
    if !text.contains('\t') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len() + text.len() / 2);
    let (mut column, mut in_string, mut escaped) = (0, false, false);
    for c in text.chars() {
        match c {
            '\n' => (column, in_string, escaped) = (0, false, false),
            '\t' if !in_string => {
                let width = TAB_WIDTH - column % TAB_WIDTH;
                plain.extend(std::iter::repeat_n(' ', width));
                column += width;
                continue;
            }
            '"' if !escaped => (column, in_string) = (column + 1, !in_string),
            _ => column += 1,
        }
        escaped = in_string && c == '\\' && !escaped;
        plain.push(c);
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::without_tabs;

    #[test]
    fn a_tab_goes_to_the_next_multiple_of_eight_but_for_those_in_strings() {
        let cases = [
            ("no tab", "no tab"),
            ("\tx", "        x"),
            ("1234567\tx\n\ty", "1234567 x\n        y"),
            ("12345678\tx", "12345678        x"),
            ("\"a\tb\"\tx", "\"a\tb\"   x"),
            ("\"\\\"\t\"\tx", "\"\\\"\t\"   x"),
            ("é\tx", "é       x"),
        ];
        for (text, expected) in cases {
            assert_eq!(without_tabs(text), expected, "{text:?}");
        }
    }
}
