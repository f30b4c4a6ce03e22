//! Expressions as the translator sees them: lines of words with columns.
//!
//! The translator does not parse expressions. It replaces names in them, by primed or subscripted names and
//! by the arguments of macros, and must keep lists of conjunctions aligned when a name becomes longer.
//! Therefore each line after the first is anchored to the word above it at or before its first column: when
//! the anchor moves to the right, the line follows.

use super::Problem;
use super::token::{Kind, Token};

/// Most words of an expression in which names are replaced: replacing takes time in the square of it.
const WORDS_MAX: usize = 6_000;

/// A position: a line and a word of it.
type Position = (usize, usize);

/// An expression, or none if it has no line.
#[derive(Clone, Debug, Default)]
pub(super) struct Expr {
    /// All words, and some that were replaced: anchors refer to them.
    words: Vec<Token>,
    lines: Vec<Vec<usize>>,
    /// For each line, its anchor and the column the anchor had when the line was placed.
    anchors: Vec<Option<(usize, i64)>>,
}

impl Expr {
    /// An expression of words of several lines of a text.
    pub fn of_source(tokens: &[Token]) -> Expr {
        let mut expr = Expr::default();
        let Some(first) = tokens.first() else { return expr };
        expr.lines.push(Vec::new());
        let mut line = first.line;
        for token in tokens {
            while line < token.line {
                expr.lines.push(Vec::new());
                line += 1;
            }
            expr.push(token.clone());
        }
        expr.normalize();
        expr
    }

    /// An expression of one line; the columns of its words are given.
    pub fn of_line(tokens: Vec<Token>) -> Expr {
        let mut expr = Expr { lines: vec![Vec::new()], ..Expr::default() };
        for token in tokens {
            expr.push(token);
        }
        expr.normalize();
        expr
    }

    /// An expression of one word.
    pub fn of_word(text: impl Into<String>, kind: Kind) -> Expr {
        Expr::of_line(vec![Token::new(text, kind, 0)])
    }

    /// An expression of several lines; the columns of the words are given.
    pub fn of_lines(lines: Vec<Vec<Token>>) -> Expr {
        let mut expr = Expr::default();
        for line in lines {
            expr.lines.push(Vec::new());
            for token in line {
                expr.push(token);
            }
        }
        expr.normalize();
        expr
    }

    /// Adds a word at the end of the last line.
    pub fn push(&mut self, token: Token) {
        self.words.push(token);
        if let Some(line) = self.lines.last_mut() {
            line.push(self.words.len() - 1);
        }
    }

    /// Adds a word right behind the last.
    pub fn push_after(&mut self, text: &str, kind: Kind) {
        let last = self.lines.last().and_then(|line| line.last()).map(|word| &self.words[*word]);
        let column = last.map_or(0, |word| word.column + word.text.chars().count() as i64);
        self.push(Token::new(text, kind, column));
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// How many words it has.
    pub fn size(&self) -> usize {
        self.lines.iter().map(Vec::len).sum()
    }

    /// All words, line by line.
    pub fn iter(&self) -> impl Iterator<Item = &Token> {
        self.lines.iter().flatten().map(|word| &self.words[*word])
    }

    /// The words of each line.
    pub fn by_line(&self) -> impl Iterator<Item = Vec<&Token>> {
        self.lines.iter().map(|line| line.iter().map(|word| &self.words[*word]).collect())
    }

    /// The only word, if there is one word.
    pub fn only_word(&self) -> Option<&Token> {
        match self.lines.as_slice() {
            [line] if line.len() == 1 => Some(&self.words[line[0]]),
            _ => None,
        }
    }

    /// Whether it is `TRUE`, in parentheses or not.
    pub fn is_true(&self) -> bool {
        let words: Vec<&str> = self.iter().map(|word| word.text.as_str()).collect();
        self.lines.len() == 1 && matches!(words.as_slice(), ["TRUE"] | ["(", "TRUE", ")"])
    }

    /// Without its first word.
    pub fn without_first(&self) -> Expr {
        let mut rest = self.clone();
        if let Some(line) = rest.lines.first_mut()
            && !line.is_empty()
        {
            line.remove(0);
        }
        rest.normalize();
        rest.compact()
    }

    /// In brackets.
    pub fn in_brackets(&self) -> Expr {
        let mut result = self.compact();
        for line in &result.lines {
            for word in line {
                result.words[*word].column += 1;
            }
        }
        result.words.push(Token::new("[", Kind::Symbol, 0));
        let bracket = result.words.len() - 1;
        if let Some(line) = result.lines.first_mut() {
            line.insert(0, bracket);
        }
        result.push_after("]", Kind::Symbol);
        result
    }

    /// A copy with anchors anew and without words that were replaced.
    pub fn compact(&self) -> Expr {
        let mut result = Expr::default();
        for line in &self.lines {
            result.lines.push(Vec::new());
            for word in line {
                result.push(self.words[*word].clone());
            }
        }
        result.normalize();
        result
    }

    /// Removes empty lines at both ends, moves all to the left margin, and finds the anchors.
    fn normalize(&mut self) {
        while self.lines.first().is_some_and(Vec::is_empty) {
            self.lines.remove(0);
        }
        while self.lines.last().is_some_and(Vec::is_empty) {
            self.lines.pop();
        }
        let firsts = self.lines.iter().filter_map(|line| line.first());
        let margin = firsts.map(|word| self.words[*word].column).min().unwrap_or(0);
        for line in &self.lines {
            for word in line {
                self.words[*word].column -= margin;
            }
        }
        self.anchors = (0..self.lines.len()).map(|line| self.anchor_of(line)).collect();
    }

    fn anchor_of(&self, line: usize) -> Option<(usize, i64)> {
        let column_of = |word: &usize| self.words[*word].column;
        let first = column_of(self.lines[line].first()?);
        let starts_before = |above: &&Vec<usize>| above.first().is_some_and(|word| column_of(word) <= first);
        let above = self.lines[..line].iter().rev().find(starts_before)?;
        let behind = above.iter().skip(1).take_while(|word| column_of(word) <= first).last();
        let anchor = behind.or(above.first())?;
        Some((*anchor, column_of(anchor)))
    }

    /// Moves the lines whose anchors have moved.
    fn follow_anchors(&mut self) -> Result<(), Problem> {
        for line in 0..self.lines.len() {
            let Some((anchor, column)) = self.anchors[line] else { continue };
            let now = self.words[anchor].column;
            if now < column {
                return Err(Problem::nowhere(
                    "an expression of several lines cannot be laid out: write its lines further to the left",
                ));
            }
            self.anchors[line] = Some((anchor, now));
            for word in &self.lines[line] {
                self.words[*word].column += now - column;
            }
        }
        Ok(())
    }

    /// Puts an expression before this one, with some spaces between them.
    pub fn prepend(&mut self, before: &Expr, spaces: i64) -> Result<(), Problem> {
        if before.is_empty() {
            return Ok(());
        }
        if self.is_empty() {
            *self = before.compact();
            return Ok(());
        }
        let offset = self.words.len();
        self.words.extend(before.words.iter().cloned());
        let mut lines: Vec<Vec<usize>> =
            before.lines.iter().map(|line| line.iter().map(|word| word + offset).collect()).collect();
        let last = lines.last().and_then(|line| line.last()).map(|word| &self.words[*word]);
        let shift = last.map_or(0, |word| word.column + word.width()) + spaces;
        for word in &self.lines[0] {
            self.words[*word].column += shift;
        }
        if let Some(line) = lines.last_mut() {
            line.extend_from_slice(&self.lines[0]);
        }
        lines.extend(self.lines.drain(1..));
        self.lines = lines;
        let moved = |anchor: &Option<(usize, i64)>| anchor.map(|(word, column)| (word + offset, column));
        let mut anchors: Vec<Option<(usize, i64)>> = before.anchors.iter().map(moved).collect();
        anchors.extend_from_slice(&self.anchors[1..]);
        self.anchors = anchors;
        self.follow_anchors()
    }

    /// Replaces names. Names of fields, behind a dot or before `|->` and `:`, are none that can be replaced.
    pub fn substitute(
        &mut self,
        replacements: &[(String, Expr)],
        in_parentheses: bool,
    ) -> Result<(), Problem> {
        let mut next = if self.is_empty() { None } else { Some((0, 0)) };
        while let Some(position) = next {
            let word = &self.words[self.lines[position.0][position.1]];
            let found = replacements.iter().find(|(name, _)| *name == word.text);
            next = match word.text.as_str() {
                _ if word.kind == Kind::Text => self.step(position, 1),
                "." => self.step(position, 2),
                "[" | "," if self.is_before_field(position) => self.step(position, 3),
                _ => match found {
                    Some((_, expr)) => self.replace(position, expr, in_parentheses)?,
                    None => self.step(position, 1),
                },
            };
        }
        Ok(())
    }

    /// Whether the second word behind a position is `|->` or `:`.
    fn is_before_field(&self, position: Position) -> bool {
        let second = self.step(position, 2).map(|(line, word)| &self.words[self.lines[line][word]]);
        second.is_some_and(|word| word.kind != Kind::Text && matches!(word.text.as_str(), ":" | "|->" | "↦"))
    }

    /// The position some words further; none behind the end.
    fn step(&self, (mut line, mut word): Position, count: usize) -> Option<Position> {
        for _ in 0..count {
            word += 1;
            while word >= self.lines[line].len() {
                word = 0;
                line += 1;
                if line >= self.lines.len() {
                    return None;
                }
            }
        }
        Some((line, word))
    }

    /// Replaces a word by an expression; gives the position behind it.
    fn replace(&mut self, at: Position, expr: &Expr, parentheses: bool) -> Result<Option<Position>, Problem> {
        if self.only_word().is_some() {
            *self = expr.compact();
            return Ok(None);
        }
        if self.words.len() + expr.words.len() > WORDS_MAX {
            return Err(Problem::nowhere(format!(
                "an expression in which names are replaced has at most {WORDS_MAX} words"
            )));
        }
        let (line, index) = at;
        let word = self.lines[line][index];
        let rest = self.lines[line].split_off(index + 1);
        let end = |expr: &Expr, word: usize| expr.words[word].column + expr.words[word].width();
        let spaces = rest.first().map_or(0, |next| self.words[*next].column - end(self, word));
        let last_line = match expr.only_word() {
            Some(only) => {
                self.words[word].text.clone_from(&only.text);
                self.words[word].kind = only.kind;
                line
            }
            None => self.insert(line, word, &expr.compact(), parentheses),
        };
        let result = (last_line, self.lines[last_line].len() - 1);
        if let (Some(first), Some(previous)) = (rest.first(), self.lines[last_line].last()) {
            let shift = end(self, *previous) + spaces - self.words[*first].column;
            for moved in &rest {
                self.words[*moved].column += shift;
            }
            self.lines[last_line].extend(rest);
        }
        self.follow_anchors()?;
        Ok(self.step(result, 1))
    }

    /// Puts an expression in the place of the last word of a line; gives the line where it ends.
    fn insert(&mut self, line: usize, word: usize, new: &Expr, parentheses: bool) -> usize {
        let offset = self.words.len();
        self.words.extend(new.words.iter().cloned());
        let mut shift = i64::from(parentheses) + self.words[word].column;
        let mut current = line;
        // The word itself becomes the parenthesis, or else the first word of the expression.
        let mut is_taken = parentheses;
        if parentheses {
            self.words[word].text = "(".to_string();
            self.words[word].kind = Kind::Symbol;
        }
        for (number, words) in new.lines.iter().enumerate() {
            for inserted in words.iter().map(|inserted| inserted + offset) {
                self.words[inserted].column += shift;
                if is_taken {
                    self.lines[current].push(inserted);
                } else {
                    self.words[word].text = self.words[inserted].text.clone();
                    self.words[word].kind = self.words[inserted].kind;
                    is_taken = true;
                }
            }
            if number + 1 < new.lines.len() {
                shift = 0;
                current += 1;
                self.lines.insert(current, Vec::new());
                let anchor = new.anchors[number + 1].map(|(anchor, column)| (anchor + offset, column));
                self.anchors.insert(current, anchor);
            }
        }
        if parentheses {
            let last = self.lines[current].last().map(|last| &self.words[*last]);
            let column = last.map_or(0, |last| last.column + last.width());
            self.words.push(Token::new(")", Kind::Symbol, column));
            let closing = self.words.len() - 1;
            self.lines[current].push(closing);
        }
        current
    }

    /// The lines as text.
    pub fn to_lines(&self) -> Vec<String> {
        self.lines.iter().map(|line| self.line_text(line)).collect()
    }

    fn line_text(&self, line: &[usize]) -> String {
        let mut text = String::new();
        let mut end = 0;
        for (index, word) in line.iter().enumerate() {
            let word = &self.words[*word];
            let spaces = if index == 0 { word.column } else { word.column - end };
            text.extend(std::iter::repeat_n(' ', usize::try_from(spaces).unwrap_or(0)));
            match word.kind {
                Kind::Text => text.extend(["\"", &word.text, "\""]),
                _ => text.push_str(&word.text),
            }
            end = word.column + word.width();
        }
        text
    }
}
