//! Definitions that begin right of an open junction list.
//!
//! For SANY the beginning of a definition (`Name(parameters) ==`) ends every junction list before it,
//! wherever it stands. For the grammar only columns end a list, so `(* … *) Name ==` below ` /\ x` is part of
//! the conjunct. A text that the grammar refuses is parsed again with such beginnings moved to the left, each
//! to a line of its own; what follows keeps its column, for it may begin a list itself.

/// A text with moved beginnings, and where its lines come from.
pub(super) struct Moved {
    pub text: String,
    /// For each line, the line that it was, from 0, and how many bytes to the right it stood.
    lines: Vec<(u32, i64)>,
}

impl Moved {
    /// The line and the column that a place of the moved text had, from 0.
    pub fn origin(&self, line: u32, column: u32) -> (u32, u32) {
        match self.lines.get(line as usize) {
            Some((original, shift)) => {
                (*original, u32::try_from(i64::from(column) + shift).unwrap_or(column))
            }
            None => (line, column),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or a keyword that ends nothing.
    Name,
    /// A number, a string, or a postfix operator: an expression may end with it.
    Ending,
    /// `==`
    Define,
    Open,
    Close,
    And,
    Or,
    Let,
    In,
    /// What begins a unit or ends a module: no list goes on after it.
    Unit,
    /// Any other operator, comma or keyword.
    Operator,
}

pub(super) struct Token {
    pub kind: Kind,
    /// Where it begins and ends, in bytes.
    pub start: usize,
    pub end: usize,
    /// The line, from 0.
    line: u32,
    /// The column in characters, from 0.
    column: usize,
}

/// What is open where a token stands.
enum Open {
    List(Kind, usize),
    Let,
    Bracket,
}

/// The text with every beginning of a definition that stands right of an open list moved out of it; `None` if
/// there is none, or if the text would get longer than `bytes_max`.
pub(super) fn moved(text: &str, bytes_max: usize) -> Option<Moved> {
    let tokens = tokens(text);
    let heads = heads(&tokens);
    let moves = moves(&tokens, &heads);
    if moves.is_empty() {
        return None;
    }
    let mut out = Moved { text: String::with_capacity(text.len()), lines: vec![(0, 0)] };
    let (mut done, mut line) = (0, 0);
    for (first, define, target) in moves {
        let (first, define) = (tokens.get(first)?, tokens.get(define)?);
        out.copy(text.get(done..first.start)?, &mut line);
        out.line_break(first.line, first.start - line_start(text, first.start), target);
        line = first.line;
        out.copy(text.get(first.start..define.end)?, &mut line);
        // What follows on the line of `==` stands where it stood.
        let before = text.get(line_start(text, define.end)..define.end)?;
        out.line_break(define.line, before.len(), before.chars().count());
        done = define.end;
        if out.text.len() > bytes_max {
            return None;
        }
    }
    out.copy(text.get(done..)?, &mut line);
    (out.text.len() <= bytes_max).then_some(out)
}

impl Moved {
    fn copy(&mut self, piece: &str, line: &mut u32) {
        for _ in piece.bytes().filter(|byte| *byte == b'\n') {
            *line += 1;
            self.lines.push((*line, 0));
        }
        self.text.push_str(piece);
    }

    /// Goes to a new line and a column; what follows stood at `bytes` of the line `line`.
    fn line_break(&mut self, line: u32, bytes: usize, column: usize) {
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n(' ', column));
        self.lines.push((line, bytes as i64 - column as i64));
    }
}

fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}

/// The beginnings of definitions: for each its first token and its `==`.
pub(super) fn heads(tokens: &[Token]) -> Vec<(usize, usize)> {
    let defines = tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Define);
    defines.filter_map(|(at, _)| Some((head(tokens, at)?, at))).collect()
}

/// The first token of the definition whose `==` is at `define`, as SANY finds it.
fn head(tokens: &[Token], define: usize) -> Option<usize> {
    let kind = |at: usize| tokens.get(at).map(|token| token.kind);
    let last = define.checked_sub(1)?;
    match kind(last)? {
        Kind::Close => {
            let mut depth = 0usize;
            for at in (0..=last).rev() {
                match kind(at)? {
                    Kind::Close => depth += 1,
                    Kind::Open => depth -= 1,
                    Kind::Define => return None,
                    _ => {}
                }
                if depth == 0 {
                    return at.checked_sub(1).filter(|name| kind(*name) == Some(Kind::Name));
                }
            }
            None
        }
        Kind::Name => match last.checked_sub(1).and_then(kind) {
            Some(Kind::Operator) if last.checked_sub(2).and_then(kind) == Some(Kind::Name) => Some(last - 2),
            _ => Some(last),
        },
        Kind::Ending => last.checked_sub(1).filter(|name| kind(*name) == Some(Kind::Name)),
        _ => None,
    }
}

/// The beginnings that must move: first token, `==`, and the column to move to.
fn moves(tokens: &[Token], heads: &[(usize, usize)]) -> Vec<(usize, usize, usize)> {
    let mut moves = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut heads = heads.iter().peekable();
    let mut after_expression = false;
    for (at, token) in tokens.iter().enumerate() {
        let mut continues = false;
        while let Some(Open::List(kind, column)) = open.last() {
            continues = *kind == token.kind && *column == token.column;
            if continues || token.column > *column {
                break;
            }
            open.pop();
        }
        if let Some((_, define)) = heads.next_if(|(first, _)| *first == at) {
            let mut inside = false;
            while let Some(Open::List(..)) = open.last() {
                open.pop();
                inside = true;
            }
            if inside {
                let outer = open.iter().rev().find_map(|open| match open {
                    Open::List(_, column) => Some(column + 1),
                    Open::Let | Open::Bracket => None,
                });
                moves.push((at, *define, outer.unwrap_or(0)));
            }
        }
        match token.kind {
            Kind::And | Kind::Or if !continues && !after_expression => {
                open.push(Open::List(token.kind, token.column));
            }
            Kind::Let => open.push(Open::Let),
            Kind::Open => open.push(Open::Bracket),
            Kind::In => close(&mut open, |open| matches!(open, Open::Let)),
            Kind::Close => close(&mut open, |open| matches!(open, Open::Bracket)),
            Kind::Unit => open.clear(),
            _ => {}
        }
        after_expression = matches!(token.kind, Kind::Name | Kind::Ending | Kind::Close);
    }
    moves
}

/// Closes everything up to the last that `is_end` holds for, if there is one.
fn close(open: &mut Vec<Open>, is_end: fn(&Open) -> bool) {
    if let Some(end) = open.iter().rposition(is_end) {
        open.truncate(end);
    }
}

pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let (mut at, mut line, mut column) = (0, 0, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let (kind, length) = next(rest);
        let word = rest.get(..length).unwrap_or(rest);
        if let Some(kind) = kind {
            tokens.push(Token { kind, start: at, end: at + word.len(), line, column });
        }
        for c in word.chars() {
            (line, column) = if c == '\n' { (line + 1, 0) } else { (line, column + 1) };
        }
        at += word.len();
    }
    tokens
}

/// The kind of the next word, or none for spaces and comments, and its length.
fn next(rest: &str) -> (Option<Kind>, usize) {
    let run = |matches: fn(char) -> bool| rest.find(|c| !matches(c)).unwrap_or(rest.len());
    let begins = |word: &str| rest.starts_with(word);
    let first = rest.chars().next().unwrap_or(' ');
    if first.is_whitespace() {
        (None, run(char::is_whitespace))
    } else if begins("\\*") {
        (None, rest.find('\n').unwrap_or(rest.len()))
    } else if begins("(*") {
        (None, comment(rest))
    } else if first == '"' {
        (Some(Kind::Ending), string(rest))
    } else if first.is_alphanumeric() || first == '_' {
        let length = run(|c| c.is_alphanumeric() || c == '_');
        (Some(word(rest.get(..length).unwrap_or(""))), length)
    } else if begins("/\\") || begins("\\/") {
        (Some(if begins("/\\") { Kind::And } else { Kind::Or }), 2)
    } else if begins("<<") || begins(">>") {
        (Some(if begins("<<") { Kind::Open } else { Kind::Close }), 2)
    } else if begins("^+") || begins("^*") || begins("^#") {
        (Some(Kind::Ending), 2)
    } else if begins("----") {
        (Some(Kind::Unit), run(|c| c == '-'))
    } else {
        match first {
            '(' | '[' | '{' | '⟨' => (Some(Kind::Open), first.len_utf8()),
            ')' | ']' | '}' | '⟩' => (Some(Kind::Close), first.len_utf8()),
            '∧' | '∨' => (Some(if first == '∧' { Kind::And } else { Kind::Or }), first.len_utf8()),
            '≜' => (Some(Kind::Define), first.len_utf8()),
            '\'' => (Some(Kind::Ending), 1),
            '=' => match run(|c| c == '=') {
                2 => (Some(Kind::Define), 2),
                length => (Some(if length > 3 { Kind::Unit } else { Kind::Operator }), length),
            },
            '\\' => {
                (Some(Kind::Operator), 1 + rest.chars().skip(1).take_while(char::is_ascii_alphabetic).count())
            }
            _ => (Some(Kind::Operator), symbol(rest, first)),
        }
    }
}

/// The length of an operator of symbols; what begins a comment is no part of it.
fn symbol(rest: &str, first: char) -> usize {
    let is_part = |c: char| c.is_ascii_punctuation() && !"()[]{}\"'_,\\=".contains(c);
    if !is_part(first) {
        return first.len_utf8();
    }
    let run = rest.get(..rest.find(|c| !is_part(c)).unwrap_or(rest.len())).unwrap_or(rest);
    // Brackets, and the conjunctions whose backslash is no part of the run, are words of their own.
    let ends = |at: usize| {
        let rest = rest.get(at..).unwrap_or("");
        ["/\\", "<<", ">>"].iter().any(|word| rest.starts_with(word))
    };
    run.char_indices().map(|(at, _)| at).skip(1).find(|at| ends(*at)).unwrap_or(run.len())
}

fn word(word: &str) -> Kind {
    match word {
        "LET" => Kind::Let,
        "IN" => Kind::In,
        "VARIABLE" | "VARIABLES" | "CONSTANT" | "CONSTANTS" | "ASSUME" | "ASSUMPTION" | "AXIOM"
        | "THEOREM" | "LEMMA" | "PROPOSITION" | "COROLLARY" | "LOCAL" | "RECURSIVE" | "MODULE"
        | "EXTENDS" | "PROOF" | "BY" | "OBVIOUS" | "OMITTED" | "QED" | "USE" | "HIDE" => Kind::Unit,
        "IF" | "THEN" | "ELSE" | "CASE" | "OTHER" | "CHOOSE" | "DOMAIN" | "ENABLED" | "EXCEPT" | "LAMBDA"
        | "SUBSET" | "UNCHANGED" | "UNION" | "WITH" | "INSTANCE" => Kind::Operator,
        "TRUE" | "FALSE" | "BOOLEAN" | "STRING" => Kind::Ending,
        _ if word.starts_with("WF_") || word.starts_with("SF_") => Kind::Operator,
        _ if word.chars().all(|c| c.is_ascii_digit()) => Kind::Ending,
        _ => Kind::Name,
    }
}

/// The length of a comment, which may hold others.
fn comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0usize, 0);
    while let Some(here) = rest.get(at..).filter(|here| !here.is_empty()) {
        if here.starts_with("(*") {
            (depth, at) = (depth + 1, at + 2);
        } else if here.starts_with("*)") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += here.chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

/// The length of a string with its quotes; one that does not end ends with its line.
fn string(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            '\n' => return at,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::moved;

    #[test]
    fn beginnings_right_of_a_list_move_out_of_it_and_what_follows_keeps_its_column() {
        let cases = [
            ("A ==\n  /\\ x\n(*D*)B==1", "A ==\n  /\\ x\n(*D*)\nB==\n        1"),
            ("A ==\n  /\\ x\n(*D*)B(a, b)==\n  2", "A ==\n  /\\ x\n(*D*)\nB(a, b)==\n              \n  2"),
            (
                "A == /\\ x\n     (*é*)f[i \\in 1..2] == /\\ i",
                "A == /\\ x\n     (*é*)\nf[i \\in 1..2] ==\n                           /\\ i",
            ),
            (
                "A == /\\ LET x == \\/ 1\n                     y == 2 IN y",
                "A == /\\ LET x == \\/ 1\n                     \n      y ==\n                          2 IN y",
            ),
            ("A == \\/ x\n       a ++ b == 1", "A == \\/ x\n       \na ++ b ==\n                 1"),
        ];
        for (text, expected) in cases {
            assert_eq!(moved(text, 1000).map(|moved| moved.text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn beginnings_that_columns_end_lists_before_stay_where_they_are() {
        let cases = [
            "A == /\\ x\nB == 2",
            "A == x /\\ y\n   (*D*) B == 2",
            "A == /\\ LET x == 1 IN x\n     /\\ y = \"B == 1\" \\* B == 1",
            "A == /\\ (* B == 1 (* C == 2 *) *) x\n====\n  B == 2",
        ];
        for text in cases {
            assert!(moved(text, 1000).is_none(), "{text}");
        }
    }

    #[test]
    fn a_place_is_that_of_the_text_before() {
        let text = "A ==\n  /\\ x\n(*é*)B==1\nC==2";
        let moved = moved(text, 1000).unwrap();
        let find = |word: &str| {
            let at = moved.text.find(word).unwrap();
            let start = moved.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
            let line = moved.text[..at].matches('\n').count();
            moved.origin(line as u32, (at - start) as u32)
        };
        assert_eq!(find("B=="), (2, 6));
        assert_eq!(find("1"), (2, 9));
        assert_eq!(find("C=="), (3, 0));
    }

    #[test]
    fn a_text_that_would_grow_too_long_is_left() {
        let text = format!("A == /\\ x{}B == 1", " ".repeat(100));
        assert!(moved(&text, 150).is_none());
        assert!(moved(&text, 1000).is_some());
    }
}
