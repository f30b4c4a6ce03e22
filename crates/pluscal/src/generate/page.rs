//! The text of a translation, line by line.

use crate::expr::Expr;

/// Lines that are finished, and the one that is written.
#[derive(Default)]
pub(super) struct Page {
    pub lines: Vec<String>,
    pub current: String,
}

pub(super) fn spaces(count: usize) -> String {
    " ".repeat(count)
}

pub(super) fn width(text: &str) -> usize {
    text.chars().count()
}

impl Page {
    /// Adds to the line that is written.
    pub fn add(&mut self, text: &str) {
        self.current.push_str(text);
    }

    /// How long the line is that is written.
    pub fn column(&self) -> usize {
        width(&self.current)
    }

    /// Ends the line, if there is something in it.
    pub fn end_line(&mut self) {
        if !self.current.is_empty() {
            self.lines.push(std::mem::take(&mut self.current));
        }
    }

    /// Adds a line of its own.
    pub fn line(&mut self, text: &str) {
        self.end_line();
        self.lines.push(text.to_string());
    }

    /// Adds an expression; its lines start in the same column.
    pub fn expr(&mut self, expr: &Expr) {
        let indent = spaces(self.column());
        for (index, line) in expr.to_lines().into_iter().enumerate() {
            if index > 0 {
                self.lines.push(std::mem::take(&mut self.current));
                self.current.push_str(&indent);
            }
            self.current.push_str(&line);
        }
    }
}
