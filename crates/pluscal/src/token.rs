//! The words of an algorithm: identifiers, numbers, strings and symbols, each with its place.
//!
//! Expressions and statements are made of the same words, so that the whole algorithm is cut once. What
//! cannot be cut ends the list: it is an error only for a reader that comes to it.

use super::{Problem, at};

/// Most words of an algorithm.
const TOKENS_MAX: usize = 400_000;

/// What a word is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Symbol,
    Number,
    Text,
    Name,
    /// `pc` or `stack`, written by the translator: it takes a subscript in an algorithm with processes.
    Added,
    /// `defaultInitValue`, written by the translator: it never takes one.
    Default,
}

/// A word. The text of a string stands without its quotes.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub text: String,
    pub kind: Kind,
    /// From 0.
    pub line: usize,
    /// From 0, in characters.
    pub column: i64,
}

impl Token {
    pub fn new(text: impl Into<String>, kind: Kind, column: i64) -> Token {
        Token { text: text.into(), kind, line: 0, column }
    }

    /// How many columns it takes.
    pub fn width(&self) -> i64 {
        let quotes = if self.kind == Kind::Text { 2 } else { 0 };
        self.text.chars().count() as i64 + quotes
    }

    pub fn opens(&self) -> bool {
        self.kind == Kind::Symbol && matches!(self.text.as_str(), "(" | "[" | "{" | "<<" | "⟨")
    }

    pub fn closes(&self) -> bool {
        self.kind == Kind::Symbol
            && matches!(self.text.as_str(), ")" | "]" | "}" | ">>" | "⟩" | ">>_" | "⟩_" | "]_")
    }
}

/// Words that are symbols though they are made of letters.
const KEYWORDS: &[&str] = &[
    "_",
    "ASSUME",
    "ASSUMPTION",
    "AXIOM",
    "BOOLEAN",
    "CASE",
    "CONSTANT",
    "CONSTANTS",
    "EXCEPT",
    "EXTENDS",
    "FALSE",
    "IF",
    "INSTANCE",
    "LOCAL",
    "MODULE",
    "OTHER",
    "STRING",
    "THEOREM",
    "TRUE",
    "VARIABLE",
    "VARIABLES",
    "WITH",
    "CHOOSE",
    "ENABLED",
    "UNCHANGED",
    "SUBSET",
    "UNION",
    "DOMAIN",
    "ELSE",
    "THEN",
    "LET",
    "IN",
];

/// Symbols that are made of other characters; the longest that fits is taken.
const SYMBOLS: &[&str] = &[
    ">>_", "⟩_", "]_", "(", "[", "{", "<<", "⟨", ")", "}", "]", ">>", "⟩", "∀", "∃", "~", "¬", "<>", "◇",
    "'", "^+", "⁺", "^*", "^#", "=>", "⇒", "⋅", "<=>", "⇔", "≡", "~>", "↝", "-+->", "⇸", "⊆", "⊂", "⊃", "⊇",
    "≪", "≫", "\\", "∩", "∪", "/\\", "∧", "\\/", "∨", "×", "-", "+", "*", "/", "^", "|", "||", "‖", "&",
    "&&", "++", "--", "**", "//", "^^", "|-", "⊢", "|=", "⊨", "-|", "⊣", "=|", "⫤", "<:", ":>", ":=", "≔",
    "::=", "⩴", "(+)", "⊕", "(-)", "⊖", "(.)", "⊙", "(/)", "⊘", "(\\X)", "⊗", "⊎", "⊓", "⊔", "÷", "⋆", "∘",
    "◯", "●", "∈", "∉", "=", "#", "/=", "≠", "<", ">", "=<", "<=", "≤", ">=", "≥", "≺", "≻", "⪯", "⪰", "∼",
    "≃", "≈", "≐", "≍", "⊏", "⊐", "⊑", "⊒", "∝", ":", "->", "→", "|->", "↦", "<-", "←", "==", "≜", "[]", "□",
    "..", "‥", "...", "…", "$", "$$", "?", "??", "⁇", "%", "%%", "##", "@@", "!!", "‼", "≀", "≅", "!", ";",
    ",", ".", "-.", "@",
];

/// Symbols of a backslash and letters.
const NAMED: &[&str] = &[
    "A",
    "forall",
    "E",
    "exists",
    "AA",
    "EE",
    "lnot",
    "neg",
    "cdot",
    "equiv",
    "subseteq",
    "subset",
    "supset",
    "supseteq",
    "ll",
    "gg",
    "cap",
    "intersect",
    "cup",
    "union",
    "land",
    "lor",
    "X",
    "oplus",
    "ominus",
    "odot",
    "oslash",
    "otimes",
    "uplus",
    "sqcap",
    "sqcup",
    "div",
    "star",
    "o",
    "circ",
    "bigcirc",
    "bullet",
    "in",
    "notin",
    "prec",
    "succ",
    "preceq",
    "succeq",
    "sim",
    "simeq",
    "approx",
    "doteq",
    "asymp",
    "sqsubset",
    "sqsupset",
    "sqsubseteq",
    "sqsupseteq",
    "propto",
    "times",
    "leq",
    "geq",
    "mod",
    "wr",
    "cong",
];

fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// The words of some lines, and what follows the last of them if it is no word.
pub(super) fn cut(lines: &[Vec<char>], first_line: usize) -> (Vec<Token>, Option<Problem>) {
    let mut tokens = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let number = number + first_line;
        let mut column = 0;
        while column < line.len() {
            if line[column].is_whitespace() {
                column += 1;
                continue;
            }
            if tokens.len() >= TOKENS_MAX {
                let problem =
                    at(number, column as i64, format!("an algorithm has at most {TOKENS_MAX} words"));
                return (tokens, Some(problem));
            }
            match word(&line[column..]) {
                Ok((text, kind, length)) => {
                    tokens.push(Token { text, kind, line: number, column: column as i64 });
                    column += length;
                }
                Err(message) => return (tokens, Some(at(number, column as i64, message))),
            }
        }
    }
    (tokens, None)
}

/// The first word of a text that starts with one, what it is, and how long it is.
fn word(text: &[char]) -> Result<(String, Kind, usize), String> {
    let take = |length: usize| text[..length].iter().collect::<String>();
    let run = |from: usize, fits: &dyn Fn(char) -> bool| {
        from + text[from..].iter().take_while(|c| fits(**c)).count()
    };
    let first = text[0];
    if is_letter(first) || first.is_ascii_digit() {
        if let Some(fair) = text.get(..3).map(|_| take(3)).filter(|fair| fair == "WF_" || fair == "SF_") {
            return Ok((fair, Kind::Symbol, 3));
        }
        let length = run(0, &|c| is_letter(c) || c.is_ascii_digit());
        let name = take(length);
        let kind = match () {
            () if name.chars().all(|c| c.is_ascii_digit()) => Kind::Number,
            () if KEYWORDS.contains(&name.as_str()) => Kind::Symbol,
            () => Kind::Name,
        };
        return Ok((name, kind, length));
    }
    match first {
        'ℕ' | 'ℤ' | 'ℝ' => return Ok((take(1), Kind::Name, 1)),
        '"' => return string(text),
        '\\' if text.get(1).is_some_and(|c| is_letter(*c)) => return backslash(text),
        _ => {}
    }
    let longest = SYMBOLS.iter().map(|symbol| symbol.chars().count()).max().unwrap_or(1).min(text.len());
    for length in (1..=longest).rev() {
        let symbol = take(length);
        if SYMBOLS.contains(&symbol.as_str()) {
            return Ok((symbol, Kind::Symbol, length));
        }
    }
    Err(format!("`{first}` starts no word"))
}

/// A string: its text keeps its escapes.
fn string(text: &[char]) -> Result<(String, Kind, usize), String> {
    let mut column = 1;
    while let Some(c) = text.get(column) {
        match c {
            '"' => return Ok((text[1..column].iter().collect(), Kind::Text, column + 1)),
            '\\' => {
                let escaped = text.get(column + 1);
                if !escaped.is_some_and(|c| matches!(c, '"' | '\\' | 't' | 'n' | 'f' | 'r')) {
                    return Err("in a string, a backslash stands before one of \" \\ t n f r".to_string());
                }
                column += 2;
            }
            _ => column += 1,
        }
    }
    Err("a string that starts here does not end in this line".to_string())
}

/// A symbol of a backslash and letters, or a number like `\h1F`.
fn backslash(text: &[char]) -> Result<(String, Kind, usize), String> {
    if matches!(text[1], 'b' | 'B' | 'o' | 'O' | 'h' | 'H') && text.get(2).is_some_and(char::is_ascii_digit) {
        let length = 2 + text[2..].iter().take_while(|c| c.is_ascii_hexdigit()).count();
        return Ok((text[..length].iter().collect(), Kind::Number, length));
    }
    let length = 1 + text[1..].iter().take_while(|c| c.is_ascii_alphabetic()).count();
    let name: String = text[1..length].iter().collect();
    if NAMED.contains(&name.as_str()) {
        return Ok((format!("\\{name}"), Kind::Symbol, length));
    }
    Err(format!("there is no symbol \\{name}"))
}
