//! Where `unsafe` stands: the word is counted in the sources of every package, outside comments and texts.

use std::fs;
use std::path::Path;

use crate::metadata::Metadata;

/// A package.
pub(crate) struct Row {
    pub id: String,
    pub name: String,
    pub version: String,
    pub is_ours: bool,
    /// How often `unsafe` stands in it.
    pub count: usize,
}

/// All packages.
pub(crate) fn inventory(metadata: &Metadata) -> crate::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for package in &metadata.packages {
        let folder = package.manifest_path.parent().unwrap_or(Path::new("."));
        // Tests, examples and benchmarks are no part of what is built.
        let count = count_below(&folder.join("src"))? + count_in(&folder.join("build.rs"))?;
        rows.push(Row {
            id: package.id.clone(),
            name: package.name.clone(),
            version: package.version.to_string(),
            is_ours: package.source.is_none(),
            count,
        });
    }
    Ok(rows)
}

fn count_below(folder: &Path) -> crate::Result<usize> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(0) };
    let mut count = 0;
    for entry in entries {
        let path = entry?.path();
        count += if path.is_dir() { count_below(&path)? } else { count_in(&path)? };
    }
    Ok(count)
}

fn count_in(path: &Path) -> crate::Result<usize> {
    if path.extension().is_none_or(|extension| extension != "rs") || !path.is_file() {
        return Ok(0);
    }
    Ok(count(&String::from_utf8_lossy(&fs::read(path)?)))
}

/// How often the keyword stands in a source.
fn count(source: &str) -> usize {
    let code = without_comments_and_texts(source);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    code.split(|c| !is_word(c)).filter(|word| *word == "unsafe").count()
}

/// Raw strings and nested comments are followed; a quote that begins no character is a lifetime.
fn without_comments_and_texts(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let skipped = match c {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => comment(rest),
            '"' => text(rest),
            'r' if !code.ends_with(|c: char| c.is_alphanumeric() || c == '_') => raw_text(rest),
            '\'' => character(rest),
            _ => 0,
        };
        match skipped {
            0 => {
                code.push(c);
                rest = &rest[c.len_utf8()..];
            }
            length => {
                code.push(' ');
                rest = &rest[length..];
            }
        }
    }
    code
}

fn comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        let here = &rest.as_bytes()[at..];
        if here.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if here.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

fn text(rest: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '"' if !is_escaped => return at + 1,
            '\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    rest.len()
}

/// The length of a raw text; 0 if this is only the letter r.
fn raw_text(rest: &str) -> usize {
    let hashes = rest[1..].bytes().take_while(|byte| *byte == b'#').count();
    if rest.as_bytes().get(1 + hashes) != Some(&b'"') {
        return 0;
    }
    let end = format!("\"{}", "#".repeat(hashes));
    let begin = hashes + 2;
    rest[begin..].find(&end).map_or(rest.len(), |at| begin + at + end.len())
}

/// The length of a character; 0 if this is a lifetime.
fn character(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => {
            rest[2..].char_indices().skip(1).find(|(_, c)| *c == '\'').map_or(0, |(at, _)| at + 3)
        }
        Some(_) => chars.next().filter(|(_, c)| *c == '\'').map_or(0, |(at, _)| at + 1),
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn the_keyword_is_counted_and_the_word_in_comments_texts_and_names_is_not() {
        assert_eq!(count("unsafe { f() } // unsafe\n/* unsafe /* unsafe */ unsafe */ unsafe fn g() {}"), 2);
        assert_eq!(
            count(
                r####"let a = "unsafe \" unsafe"; let b = r#"unsafe "unsafe"#; unsafe_code; unsafe impl"####
            ),
            1
        );
        assert_eq!(count("fn f<'a>(x: &'a u8) -> char { unsafe { '\"' } } // '"), 1);
        assert_eq!(count(r"let q = '\''; let n = '\u{22}'; unsafe {}"), 1);
    }
}
