//! Paths that end with a symbol and have no arguments: `Op(A!@!++, 1)`.
//!
//! SANY takes the operator that such a path leads to for an argument. The grammar knows names there, and no
//! symbols. A text that the grammar refuses is parsed again with a name of the same length in the place of
//! each such symbol, so that nothing moves; the tree takes its names from the text as it was.

use super::heads::{Kind, Token, heads, tokens};

/// The text with names in the place of symbols that end paths; `None` if there are none.
pub(super) fn with_names(text: &str) -> Option<String> {
    let tokens = tokens(text);
    let firsts: Vec<usize> = heads(&tokens).into_iter().map(|(first, _)| first).collect();
    let mut named = String::with_capacity(text.len());
    let mut done = 0;
    for (at, token) in tokens.iter().enumerate() {
        let Some((last, start)) = symbol_after_path(text, &tokens, at) else { continue };
        let ends = match tokens.get(last + 1) {
            None => true,
            Some(next) => match next.kind {
                Kind::Close | Kind::Unit => true,
                Kind::Operator => text.get(next.start..next.end) == Some(","),
                _ => firsts.contains(&(last + 1)),
            },
        };
        let end = tokens.get(last).unwrap_or(token).end;
        if ends && start >= done {
            named.push_str(text.get(done..start)?);
            named.extend(std::iter::repeat_n('x', end - start));
            done = end;
        }
    }
    if done == 0 {
        return None;
    }
    named.push_str(text.get(done..)?);
    Some(named)
}

/// If a word has the last `!` of a path before a symbol: the word that the symbol ends with, and where it
/// begins. A run of symbols is one word.
fn symbol_after_path(text: &str, tokens: &[Token], at: usize) -> Option<(usize, usize)> {
    let token = tokens.get(at).filter(|token| token.kind == Kind::Operator)?;
    let word = text.get(token.start..token.end)?;
    let symbol = word.rfind('!')? + 1;
    if symbol < word.len() {
        // These go on inside the definition.
        let goes_on = matches!(word.get(symbol..)?, "@" | ":");
        return (!goes_on).then_some((at, token.start + symbol));
    }
    let next = tokens.get(at + 1).filter(|next| next.start == token.end)?;
    let first = text.get(next.start..)?.chars().next()?;
    let is_symbol = matches!(next.kind, Kind::Operator | Kind::Ending | Kind::And | Kind::Or)
        && !first.is_alphanumeric()
        && !matches!(first, '_' | '"' | ',');
    is_symbol.then_some((at + 1, next.start))
}

#[cfg(test)]
mod tests {
    use super::with_names;

    #[test]
    fn a_symbol_that_ends_a_path_becomes_a_name_of_its_length() {
        let cases = [
            ("A == F(B!@!++, 1)", "A == F(B!@!xx, 1)"),
            ("A == F(1, B!:!++)", "A == F(1, B!:!xx)"),
            ("A == F(I!\\o, I!^+)", "A == F(I!xx, I!xx)"),
            ("A == INSTANCE M WITH C <- B!-\nD(a) == 2", "A == INSTANCE M WITH C <- B!x\nD(a) == 2"),
            (
                "A == INSTANCE M WITH C <- B!@!%% \\* D\nASSUME 1",
                "A == INSTANCE M WITH C <- B!@!xx \\* D\nASSUME 1",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(with_names(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn everything_else_stays() {
        let cases = [
            "A == F(B!@, B!:, B!>>, B!<<, B!2)",
            "A == B!++(1, 2) + (1 B!++ 2)",
            "A == [f EXCEPT !.a = 1, ![2] = \"B!++\"] \\* F(B!++)",
        ];
        for text in cases {
            assert!(with_names(text).is_none(), "{text}");
        }
    }
}
