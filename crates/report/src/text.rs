//! Text for people: lines of styled spans, into which nothing harmful gets.
//!
//! Everything that is printed on a terminal goes through a [`Text`], because printing takes nothing else.
//! What is written into a line is made harmless there and then ([`is_harmful`](crate::harmful::is_harmful)):
//! controls, escape sequences and characters that turn the direction of writing become visible escapes such
//! as `\u{1b}`. A line break inside a line is no exception, so foreign text can never begin a line of its
//! own; text that may have several lines goes through [`Text::block`]. Colours are styles of spans, never
//! characters, so foreign text cannot have them.

use std::cell::Cell;
use std::fmt::{self, Display, Formatter, Write};

use crate::harmful::is_harmful;

/// What a span of text is, for whoever looks at it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// Ordinary text.
    #[default]
    Plain,
    /// What is wrong.
    Bad,
    /// What is right.
    Good,
    /// What to look out for.
    Warn,
    /// A heading.
    Strong,
    /// What is of less weight.
    Faint,
}

impl Style {
    /// The escape sequence that begins it.
    fn begins(self) -> &'static str {
        match self {
            Style::Plain => "",
            Style::Bad => "\x1b[1;31m",
            Style::Good => "\x1b[1;32m",
            Style::Warn => "\x1b[33m",
            Style::Strong => "\x1b[1m",
            Style::Faint => "\x1b[2m",
        }
    }
}

thread_local! {
    /// The style of what is being written into a line by this thread. A [`Painted`] sets it while it is
    /// formatted: so the style reaches the line beside the text, not inside of it.
    static STYLE: Cell<Style> = const { Cell::new(Style::Plain) };
}

/// Text with a style, to be formatted into a line of a [`Text`]. Formatted elsewhere, it is the text alone.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Painted {
    style: Style,
    text: String,
}

impl Display for Painted {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let before = STYLE.replace(self.style);
        let done = f.pad(&self.text);
        STYLE.set(before);
        done
    }
}

/// Gives text a style.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paint;

impl Paint {
    fn with(style: Style, text: impl Display) -> Painted {
        Painted { style, text: text.to_string() }
    }

    /// Ordinary text.
    pub fn plain(self, text: impl Display) -> Painted {
        Paint::with(Style::Plain, text)
    }

    /// What is wrong.
    pub fn bad(self, text: impl Display) -> Painted {
        Paint::with(Style::Bad, text)
    }

    /// What is right.
    pub fn good(self, text: impl Display) -> Painted {
        Paint::with(Style::Good, text)
    }

    /// What to look out for.
    pub fn warn(self, text: impl Display) -> Painted {
        Paint::with(Style::Warn, text)
    }

    /// A heading.
    pub fn strong(self, text: impl Display) -> Painted {
        Paint::with(Style::Strong, text)
    }

    /// What is of less weight.
    pub fn faint(self, text: impl Display) -> Painted {
        Paint::with(Style::Faint, text)
    }
}

/// What stands before each further line of foreign text that has several, so that none of them looks like one
/// of ours.
const GUTTER: &str = "│ ";

/// Lines of styled text. [`Display`] gives them without colours.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Text {
    lines: Vec<Line>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Line {
    spans: Vec<(Style, String)>,
}

impl Text {
    /// No lines.
    pub fn new() -> Text {
        Text::default()
    }

    /// Adds one line, whatever is in it. `line!` is shorter.
    pub fn line(&mut self, content: fmt::Arguments<'_>) {
        let mut line = Line::default();
        // Only a `Display` of the caller's own could fail; what it wrote before is there.
        let _ = line.write_fmt(content);
        line.trim_end();
        self.lines.push(line);
    }

    /// Adds an empty line.
    pub fn blank(&mut self) {
        self.lines.push(Line::default());
    }

    /// Adds text that may have several lines, at most this many, in a style: the first behind `first`, the
    /// others behind a gutter that is `indent` wide from the left.
    pub fn block(&mut self, first: &str, indent: usize, most: usize, style: Style, text: &str) {
        let mut lines = text.lines();
        let head = lines.next().unwrap_or_default();
        self.line(format_args!("{first}{}", Paint::with(style, head)));
        for line in lines.by_ref().take(most.saturating_sub(1)) {
            self.line(format_args!("{:indent$}{GUTTER}{}", "", Paint::with(style, line)));
        }
        match lines.count() {
            0 => {}
            left_out => self.line(format_args!("{:indent$}… {left_out} more lines left out …", "")),
        }
    }

    /// Adds all lines of another text.
    pub fn append(&mut self, other: Text) {
        self.lines.extend(other.lines);
    }

    /// Whether there is no line.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// The same with the lines from `first` on left out, as many as `count`, and a line of its own in their
    /// place.
    pub(crate) fn without(mut self, first: usize, count: usize, note: Painted) -> Text {
        let rest = self.lines.split_off(first);
        self.line(format_args!("{note}"));
        self.lines.extend(rest.into_iter().skip(count));
        self
    }

    /// The lines with the escape sequences of their styles, for a terminal that has colours.
    pub fn coloured(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            for (style, span) in &line.spans {
                match style.begins() {
                    "" => text.push_str(span),
                    begins => text.extend([begins, span, "\x1b[0m"]),
                }
            }
            text.push('\n');
        }
        text
    }
}

impl Display for Text {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            line.spans.iter().try_for_each(|(_, span)| f.write_str(span))?;
            f.write_char('\n')?;
        }
        Ok(())
    }
}

impl Line {
    fn trim_end(&mut self) {
        while let Some((_, span)) = self.spans.last_mut() {
            span.truncate(span.trim_end_matches(' ').len());
            if !span.is_empty() {
                return;
            }
            self.spans.pop();
        }
    }
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let style = STYLE.get();
        if self.spans.last().is_none_or(|(last, _)| *last != style) {
            self.spans.push((style, String::new()));
        }
        let Some((_, span)) = self.spans.last_mut() else { return Ok(()) };
        for c in text.chars() {
            match c {
                '\t' => span.push(' '),
                c if is_harmful(c) => span.extend(c.escape_default()),
                c => span.push(c),
            }
        }
        Ok(())
    }
}

/// Adds one line to a [`Text`], formatted as by `format!`.
#[macro_export]
macro_rules! line {
    ($text:expr, $($content:tt)*) => {
        $text.line(::std::format_args!($($content)*))
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_cannot_begin_a_line_or_have_a_colour() {
        let foreign = "a\nPASS\r\x1b[32mb\x1b]0;title\x07\u{9b}1m\u{202e}c\u{2028}\u{200b}\0";
        let mut text = Text::new();
        line!(text, "  {}: {foreign}", Paint.warn(foreign));
        assert_eq!(text.len(), 1);
        let escaped =
            "a\\nPASS\\r\\u{1b}[32mb\\u{1b}]0;title\\u{7}\\u{9b}1m\\u{202e}c\\u{2028}\\u{200b}\\u{0}";
        assert_eq!(text.to_string(), format!("  {escaped}: {escaped}\n"));
        assert_eq!(text.coloured(), format!("  \x1b[33m{escaped}\x1b[0m: {escaped}\n"));
    }

    #[test]
    fn further_lines_of_foreign_text_stand_behind_a_gutter() {
        let mut text = Text::new();
        text.block("error: ", 2, 3, Style::Plain, "one\n  PASS\nthree\nfour\nfive");
        assert_eq!(text.to_string(), "error: one\n  │   PASS\n  │ three\n  … 2 more lines left out …\n");
    }

    #[test]
    fn a_style_ends_with_its_span_and_padding_is_counted_without_it() {
        let mut text = Text::new();
        line!(text, "{:<6}|{}|{:>3}", Paint.strong("ab"), "x", Paint.bad("c"));
        assert_eq!(text.to_string(), "ab    |x|  c\n");
        assert_eq!(text.coloured(), "\x1b[1mab    \x1b[0m|x|\x1b[1;31m  c\x1b[0m\n");
        assert_eq!(format!("{}", Paint.bad("alone")), "alone");
    }
}
