//! Where an algorithm stands in a file, and where its translation goes.

use std::borrow::Cow;

use super::{Problem, at};

/// Longest file with an algorithm, in bytes.
const TEXT_BYTES_MAX: usize = 16 << 20;

/// A file cut into its parts.
#[derive(Debug)]
pub(super) struct Source {
    /// The lines without their ends.
    pub lines: Vec<String>,
    /// The line where the algorithm starts, from 0.
    pub first_line: usize,
    /// `--fair algorithm` instead of `--algorithm`.
    pub is_fair: bool,
    /// The text of the algorithm, without comments, from its keyword on; tabs are spaces.
    pub algorithm: Vec<Vec<char>>,
    /// The lines of `BEGIN TRANSLATION` and `END TRANSLATION`.
    pub markers: Option<(usize, usize)>,
    /// The line where the comment around the algorithm ends.
    pub comment_end: Option<usize>,
}

/// Whether the text of a module has an algorithm.
pub(super) fn has_algorithm(text: &str) -> bool {
    text.contains("--algorithm")
        || text.split("--fair").skip(1).any(|rest| rest.trim_start().starts_with("algorithm"))
}

/// The text of a module in which no comment starts an algorithm. The grammar of modules knows algorithms as
/// well, but not all of them, and what is in a comment cannot be wrong.
pub fn without_keywords(text: &str) -> Cow<'_, str> {
    if !has_algorithm(text) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let (mut depth, mut in_line, mut in_string) = (0_usize, false, false);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        let pair = rest.get(..2).unwrap_or("");
        match pair {
            _ if c == '\n' => (in_line, in_string) = (false, false),
            "\\\"" | "\\\\" if in_string => length = 2,
            _ if in_string => in_string = c != '"',
            "(*" => (depth, length) = (depth + 1, 2),
            "*)" => (depth, length) = (depth.saturating_sub(1), 2),
            "\\*" if depth == 0 => in_line = true,
            "--" if (depth > 0 || in_line)
                && (rest.starts_with("--algorithm") || rest.starts_with("--fair")) =>
            {
                plain.push_str("  ");
                rest = &rest[2..];
                continue;
            }
            _ if c == '"' && depth == 0 && !in_line => in_string = true,
            _ => {}
        }
        plain.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    Cow::Owned(plain)
}

impl Source {
    /// Finds the algorithm of a file.
    pub fn find(text: &str) -> Result<Source, Problem> {
        if text.len() > TEXT_BYTES_MAX {
            let message = format!("a file with an algorithm has at most {} MiB", TEXT_BYTES_MAX >> 20);
            return Err(Problem::nowhere(message));
        }
        let lines: Vec<String> = text.lines().map(str::to_string).collect();
        let flat: Vec<Vec<char>> = lines.iter().map(|line| without_tabs(line)).collect();
        let markers = markers(&lines)?;
        // Nothing between the markers is an algorithm.
        let outside = |line: &usize| markers.is_none_or(|(begin, end)| *line <= begin || *line >= end);
        let (first_line, column, is_fair) = (0..lines.len())
            .filter(outside)
            .find_map(|line| start(&flat[line..]).map(|(column, is_fair)| (line, column, is_fair)))
            .ok_or_else(|| {
                Problem::nowhere("there is no algorithm: none of `--algorithm` and `--fair algorithm`")
            })?;
        let (algorithm, comment_end) = uncommented(&flat, first_line, column)?;
        Ok(Source { lines, first_line, is_fair, algorithm, markers, comment_end })
    }

    /// Where a translation goes that has no markers yet: behind the comment around the algorithm.
    pub fn place_for_markers(&self) -> Result<usize, Problem> {
        let missing = || at(self.first_line, 0, "the comment around the algorithm does not end");
        let line = self.comment_end.ok_or_else(missing)?;
        let rest = self.lines[line].rsplit("*)").next().unwrap_or("").trim();
        if !rest.is_empty() && !rest.starts_with("\\*") {
            let message =
                "text follows the end of the comment around the algorithm: put it on a line of its own";
            return Err(at(line, 0, message));
        }
        Ok(line + 1)
    }
}

/// A line whose tabs are spaces up to columns after multiples of eight.
fn without_tabs(line: &str) -> Vec<char> {
    let mut flat = Vec::with_capacity(line.len());
    for c in line.chars() {
        if c == '\t' {
            let spaces = 8 - flat.len() % 8;
            flat.extend(std::iter::repeat_n(' ', spaces));
        } else {
            flat.push(c);
        }
    }
    flat
}

/// Where the text behind the keyword of an algorithm starts in the first of some lines, and whether the
/// algorithm is fair.
fn start(lines: &[Vec<char>]) -> Option<(usize, bool)> {
    let line = lines.first()?;
    let find = |word: &str| {
        let word: Vec<char> = word.chars().collect();
        line.windows(word.len()).position(|part| part == word).map(|column| column + word.len())
    };
    if let Some(column) = find("--algorithm") {
        return Some((column, false));
    }
    let column = find("--fair")?;
    // `algorithm` may stand in a line of its own.
    let more = lines[1..].iter().take(10).flatten();
    let behind = line[column..].iter().chain(more).skip_while(|c| c.is_whitespace());
    behind.take(9).eq("algorithm".chars().collect::<Vec<_>>().iter()).then_some((column, true))
}

/// The lines of the two markers.
fn markers(lines: &[String]) -> Result<Option<(usize, usize)>, Problem> {
    let find = |from: usize, word: &str| (from..lines.len()).find(|line| has_pair(&lines[*line], word));
    let Some(begin) = find(0, "BEGIN") else { return Ok(None) };
    let missing = || at(begin, 0, "no line with `END TRANSLATION` follows this one");
    Ok(Some((begin, find(begin + 1, "END").ok_or_else(missing)?)))
}

/// Whether a line counts as one of the two markers.
pub(super) fn is_marker(line: &str) -> bool {
    has_pair(line, "BEGIN") || has_pair(line, "END")
}

/// Whether a line has a word followed by `TRANSLATION`.
fn has_pair(line: &str, word: &str) -> bool {
    line.split_once(word)
        .is_some_and(|(_, rest)| rest.trim_start_matches([' ', '\t']).starts_with("TRANSLATION"))
}

/// The text from a place on with comments blanked, to the end of the comment around it, and the line where
/// that ends.
fn uncommented(
    lines: &[Vec<char>],
    first_line: usize,
    first_column: usize,
) -> Result<(Vec<Vec<char>>, Option<usize>), Problem> {
    let mut result = Vec::new();
    let mut depth = 0_usize;
    let mut column = first_column;
    for (number, line) in lines.iter().enumerate().skip(first_line) {
        let mut text: Vec<char> = vec![' '; column];
        let mut in_string = false;
        while column < line.len() {
            let c = line[column];
            let next = line.get(column + 1).copied().unwrap_or(' ');
            match (c, next) {
                ('(', '*') if !in_string => {
                    depth += 1;
                    text.extend([' ', ' ']);
                    column += 2;
                    continue;
                }
                ('*', ')') if !in_string => {
                    if depth == 0 {
                        result.push(text);
                        return Ok((result, Some(number)));
                    }
                    depth -= 1;
                    text.extend([' ', ' ']);
                    column += 2;
                    continue;
                }
                _ if depth > 0 => text.push(' '),
                ('\\', _) if in_string => {
                    text.extend([c, next]);
                    column += 1;
                }
                ('\\', '*') => break,
                ('"', _) => {
                    in_string = !in_string;
                    text.push(c);
                }
                _ => text.push(c),
            }
            column += 1;
        }
        if in_string {
            return Err(at(number, 0, "a string in this line does not end"));
        }
        result.push(text);
        column = 0;
    }
    Ok((result, None))
}
