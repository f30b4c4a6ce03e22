//! Values and texts that stand in a file: a place in a text is a place in the file.

use toml::Spanned;

/// An error at the place of a value in its file; that of a string is its first character.
pub(crate) fn error_at<T>(file: &str, spanned: &Spanned<T>, reason: impl std::fmt::Display) -> String {
    let (line, column) = place_of(file, begin_of(file, spanned.span().start));
    format!("line {line}, column {column}: {reason}")
}

/// Where a value begins: after its quotes, if it has some.
fn begin_of(file: &str, start: usize) -> usize {
    let written = file.get(start..).unwrap_or_default();
    let quotes = ["'''", "\"\"\"", "'", "\""].into_iter().find(|quotes| written.starts_with(quotes));
    let Some(quotes) = quotes else { return start };
    let rest = &written[quotes.len()..];
    // The line break right after three quotes is no part of the text.
    let skipped = match quotes.len() {
        3 if rest.starts_with("\r\n") => 2,
        3 if rest.starts_with('\n') => 1,
        _ => 0,
    };
    start + quotes.len() + skipped
}

/// The line and the column of a byte of a file, both counted from 1.
fn place_of(file: &str, byte: usize) -> (usize, usize) {
    let before = file.get(..byte.min(file.len())).unwrap_or_default();
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (before.matches('\n').count() + 1, column)
}

/// A text, and where it begins in its file.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    pub text: String,
    line: usize,
    column: usize,
    /// Whether every character of the text stands in the file as it is: then places can be counted on.
    is_verbatim: bool,
}

impl Located {
    /// A string of a file.
    pub fn new(file: &str, spanned: &Spanned<String>) -> Located {
        let text = spanned.get_ref().clone();
        let begin = begin_of(file, spanned.span().start);
        let (line, column) = place_of(file, begin);
        let is_verbatim = file.get(begin..).is_some_and(|rest| rest.starts_with(&text));
        Located { text, line, column, is_verbatim }
    }

    /// A place in the text, counted from 1, as a place in the file.
    pub fn place(&self, line: usize, column: usize) -> (usize, usize) {
        match line {
            _ if !self.is_verbatim => (self.line, self.column),
            0 | 1 => (self.line, self.column + column.saturating_sub(1)),
            line => (self.line + line - 1, column),
        }
    }

    /// An error at a place of the text.
    pub fn error(&self, line: usize, column: usize, reason: impl std::fmt::Display) -> String {
        let (line, column) = self.place(line, column);
        format!("line {line}, column {column}: {reason}")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn located(file: &str) -> Located {
        let table: BTreeMap<String, Spanned<String>> = toml::from_str(file).expect("it is TOML");
        Located::new(file, &table["text"])
    }

    #[test]
    fn a_place_in_a_text_is_a_place_in_the_file() {
        assert_eq!(located("a = 'x'\ntext = 'one two'\n").place(1, 5), (2, 13));
        assert_eq!(located("a = 'x'\ntext = '''\none\n  two'''\n").place(2, 3), (4, 3));
        assert_eq!(located("a = 'x'\ntext = \"\"\"one\ntwo\"\"\"\n").place(1, 2), (2, 12));
        // With escapes, the place of the whole text is all that can be given.
        assert_eq!(located("a = 'x'\ntext = \"one\\n two\"\n").place(2, 2), (2, 9));
    }
}
