//! Reading an algorithm word by word.

use super::ast::Spot;
use super::expr::Expr;
use super::token::{Kind, Token, cut};
use super::{Problem, at};

/// Words that end an expression, wherever they stand.
const ENDS: &[&str] = &[
    ";",
    "do",
    "then",
    ":=",
    "≔",
    "begin",
    "variable",
    "variables",
    "||",
    "‖",
    "end",
    "else",
    "elsif",
    "if",
    "either",
    "or",
    "while",
    "with",
    "call",
    "return",
    "goto",
    "print",
    "assert",
    "skip",
    "procedure",
    "define",
    "process",
    "fair",
];

/// Before these words a semicolon may be left out.
const NEEDS_NO_SEMICOLON: &[&str] = &[
    "end",
    "begin",
    "else",
    "elsif",
    "or",
    "do",
    "macro",
    "procedure",
    "process",
    "fair",
    "define",
    "}",
    "{",
];

/// The words of an algorithm, and how far they were read.
pub(super) struct Reader {
    tokens: Vec<Token>,
    next: usize,
    /// Why there are no more words, if there should be.
    problem: Option<Problem>,
    /// The last line of the algorithm, from 0.
    last_line: usize,
    /// Braces instead of `begin` and `end`; known behind the name of the algorithm.
    pub is_c: bool,
}

impl Reader {
    pub fn new(lines: &[Vec<char>], first_line: usize) -> Reader {
        let (tokens, problem) = cut(lines, first_line);
        Reader {
            tokens,
            next: 0,
            problem,
            last_line: first_line + lines.len().saturating_sub(1),
            is_c: false,
        }
    }

    /// The text of a word ahead: 0 is the next. Behind the end it is empty.
    pub fn peek(&self, ahead: usize) -> &str {
        self.tokens.get(self.next + ahead).map_or("", |token| token.text.as_str())
    }

    pub fn peeks(&self, text: &str) -> bool {
        self.peek(0) == text
    }

    /// Where the next word is.
    pub fn spot(&self) -> Spot {
        self.spot_of(self.next)
    }

    /// Where the last word was that was read.
    pub fn last_spot(&self) -> Spot {
        self.spot_of(self.next.saturating_sub(1))
    }

    fn spot_of(&self, index: usize) -> Spot {
        let (line, column) =
            self.tokens.get(index).map_or((self.last_line, 0), |token| (token.line, token.column));
        Spot { line: line + 1, column: column as usize + 1, call: None }
    }

    /// An error at the next word.
    pub fn error<T>(&self, message: impl Into<String>) -> Result<T, Problem> {
        Err(self.problem_at(self.next, message.into()))
    }

    fn problem_at(&self, index: usize, message: String) -> Problem {
        match self.tokens.get(index) {
            Some(token) => at(token.line, token.column, message),
            None => match &self.problem {
                Some(problem) => problem.clone(),
                None => at(self.last_line, 0, format!("the algorithm ends too early: {message}")),
            },
        }
    }

    /// The next word.
    pub fn take(&mut self) -> Result<String, Problem> {
        if self.next >= self.tokens.len() {
            return self.error("a word is expected");
        }
        self.next += 1;
        Ok(self.tokens[self.next - 1].text.clone())
    }

    /// The next word, which is a name.
    pub fn take_name(&mut self, what: &str) -> Result<String, Problem> {
        match self.tokens.get(self.next) {
            Some(token) if token.kind == Kind::Name => self.take(),
            Some(token) => {
                let message = format!("{what} is expected, not `{}`", token.text);
                self.error(message)
            }
            None => self.error(format!("{what} is expected")),
        }
    }

    /// Reads a word that must be there. A semicolon may be missing where another word ends the statement as
    /// well.
    pub fn expect(&mut self, text: &str) -> Result<(), Problem> {
        if text == ";" && NEEDS_NO_SEMICOLON.contains(&self.peek(0)) {
            return Ok(());
        }
        if self.peeks(text) {
            self.next += 1;
            return Ok(());
        }
        match self.peek(0) {
            "" => self.error(format!("`{text}` is expected")),
            found => self.error(format!("`{text}` is expected, not `{found}`")),
        }
    }

    /// Reads a word if it is there.
    pub fn takes(&mut self, text: &str) -> bool {
        let is_there = self.next < self.tokens.len() && self.peeks(text);
        self.next += usize::from(is_there);
        is_there
    }

    pub fn expect_comma_or_semicolon(&mut self) -> Result<(), Problem> {
        if self.takes(",") { Ok(()) } else { self.expect(";") }
    }

    /// `begin`, or else a brace.
    pub fn expect_begin(&mut self) -> Result<(), Problem> {
        self.expect(if self.is_c { "{" } else { "begin" })
    }

    /// `end` with the name of what ends, or else a brace.
    pub fn expect_end(&mut self, what: &str) -> Result<(), Problem> {
        if self.is_c {
            return self.expect("}");
        }
        self.expect("end")?;
        self.expect(what)
    }

    /// A parenthesis, which only the syntax with braces has.
    pub fn expect_in_c(&mut self, text: &str) -> Result<(), Problem> {
        if self.is_c { self.expect(text) } else { Ok(()) }
    }

    /// `=`, or else `\in`.
    pub fn expect_equal_or_in(&mut self) -> Result<bool, Problem> {
        if self.takes("=") {
            return Ok(true);
        }
        if self.takes("\\in") || self.takes("∈") {
            return Ok(false);
        }
        let found = self.peek(0);
        self.error(format!("`=` or `\\in` is expected, not `{found}`"))
    }

    /// Whether a label comes next.
    pub fn is_at_label(&self) -> bool {
        let behind = self.peek(1);
        let is_name = self.tokens.get(self.next).is_some_and(|token| token.kind == Kind::Name);
        is_name && !ENDS.contains(&self.peek(0)) && behind.starts_with(':') && !behind.starts_with(":=")
    }

    /// An expression: up to a word that ends one.
    pub fn expression(&mut self) -> Result<Expr, Problem> {
        let start = self.next;
        let mut depth = 0_usize;
        let mut in_quantifier = false;
        let mut before = "";
        while let Some(token) = self.tokens.get(self.next) {
            let text = token.text.as_str();
            if token.kind != Kind::Text && self.ends(token, before, depth, in_quantifier) {
                if depth > 0 {
                    return self
                        .error(format!("an expression with an open parenthesis ends before `{text}`"));
                }
                if in_quantifier {
                    return self.error(format!("a quantifier without `:` ends before `{text}`"));
                }
                return Ok(Expr::of_source(&self.tokens[start..self.next]));
            }
            if token.opens() {
                depth += 1;
            } else if token.closes() {
                if depth == 0 {
                    return self.error(format!("`{text}` closes nothing"));
                }
                depth -= 1;
            }
            if depth == 0 && token.kind != Kind::Text {
                match text {
                    "\\A" | "∀" | "\\E" | "∃" => in_quantifier = true,
                    ":" => in_quantifier = false,
                    _ => {}
                }
            }
            before = if token.kind == Kind::Text { "" } else { text };
            self.next += 1;
        }
        self.error("an expression does not end")
    }

    fn ends(&self, token: &Token, before: &str, depth: usize, in_quantifier: bool) -> bool {
        let text = token.text.as_str();
        let is_field = token.kind == Kind::Name && matches!(before, "." | "[" | ",");
        (ENDS.contains(&text) && !is_field)
            || (depth == 0 && ((text == "," && !in_quantifier) || text == ")" || text == "}"))
    }

    /// An expression that is not empty.
    pub fn required_expression(&mut self, what: &str) -> Result<Expr, Problem> {
        let expr = self.expression()?;
        if expr.is_empty() { self.error(format!("{what} is missing")) } else { Ok(expr) }
    }

    /// Expressions in parentheses, the first of which was read.
    pub fn arguments(&mut self) -> Result<Vec<Expr>, Problem> {
        let mut arguments = Vec::new();
        if self.takes(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.required_expression("an argument")?);
            if self.takes(")") {
                return Ok(arguments);
            }
            self.expect(",")?;
        }
    }
}
