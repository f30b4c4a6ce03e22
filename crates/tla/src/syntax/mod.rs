//! The front end: from the text of a module to a typed tree with places.
//!
//! The parser is `tree-sitter-tlaplus`, the TLA+ community's own grammar: it reads all 408 modules of the
//! public collection of examples, it knows junction lists, proofs, PlusCal and Unicode, and its nodes have
//! source positions. The other candidate, `tla-syntax` 0.2.0, needs no C compiler, but its tree has no
//! positions, and errors without a line and a column are of no use to the author of a specification.

pub mod ast;
mod heads;
mod lower;
mod lower_expr;
mod path_ends;
mod tabs;

pub use lower::parse;

/// The one spelling that an operator has in trees, for one of those that it has in texts.
pub(crate) fn spelling(operator: &str) -> &str {
    match operator {
        "=<" | "\\leq" => "<=",
        "\\geq" => ">=",
        "(+)" => "\\oplus",
        "(-)" => "\\ominus",
        "(.)" => "\\odot",
        "(/)" => "\\oslash",
        "(\\X)" => "\\otimes",
        "\\circ" => "\\o",
        "\\union" => "\\cup",
        "\\intersect" => "\\cap",
        "/=" => "#",
        "\\times" => "\\X",
        other => other,
    }
}
