//! Values as text, as TLC writes them.

use std::fmt::{self, Write};

use super::{LazyKind, Value};

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Undefined => f.write_str("undefined"),
            Value::Bool(b) => f.write_str(if *b { "TRUE" } else { "FALSE" }),
            Value::Int(n) => write!(f, "{n}"),
            Value::Str(text) => write!(f, "\"{}\"", text.as_str().replace('\\', "\\\\").replace('"', "\\\"")),
            Value::Model(name) => write!(f, "{name}"),
            Value::Interval(low, high) => {
                // TLC writes short intervals out.
                if i64::from(*high) - i64::from(*low) < 1_000 {
                    list(f, "{", (*low..=*high).map(|n| Value::Int(i64::from(n))), "}")
                } else {
                    write!(f, "{low}..{high}")
                }
            }
            Value::Set(set) => list(f, "{", set.items.iter(), "}"),
            Value::Tuple(tuple) => list(f, "<<", tuple.items.iter(), ">>"),
            Value::Function(function) if function.is_record() => {
                f.write_str("[")?;
                for (i, (name, value)) in function.domain.items.iter().zip(&function.values).enumerate() {
                    let separator = if i > 0 { ", " } else { "" };
                    if let Value::Str(name) = name {
                        write!(f, "{separator}{name} |-> {value}")?;
                    }
                }
                f.write_str("]")
            }
            Value::Function(function) => {
                f.write_str("(")?;
                for (i, (argument, value)) in function.domain.items.iter().zip(&function.values).enumerate() {
                    let separator = if i > 0 { " @@ " } else { "" };
                    write!(f, "{separator}{argument} :> {value}")?;
                }
                f.write_str(")")
            }
            Value::Lazy(set) => match set.expanded() {
                Some(set) => write!(f, "{set}"),
                None => lazy(f, set.kind()),
            },
            Value::Lambda(_) => f.write_str("[x \\in S |-> e]"),
        }
    }
}

fn list(
    f: &mut fmt::Formatter<'_>,
    open: &str,
    items: impl Iterator<Item = impl fmt::Display>,
    close: &str,
) -> fmt::Result {
    f.write_str(open)?;
    for (i, item) in items.enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{item}")?;
    }
    f.write_str(close)
}

fn lazy(f: &mut fmt::Formatter<'_>, kind: &LazyKind) -> fmt::Result {
    match kind {
        LazyKind::Nat => f.write_str("Nat"),
        LazyKind::Int => f.write_str("Int"),
        LazyKind::Real => f.write_str("Real"),
        LazyKind::Strings => f.write_str("STRING"),
        LazyKind::Any => f.write_str("Any"),
        LazyKind::Seq(set) => write!(f, "Seq({set})"),
        LazyKind::Powerset(set) => write!(f, "SUBSET {set}"),
        LazyKind::Functions(domain, range) => write!(f, "[{domain} -> {range}]"),
        LazyKind::Records(names, sets) => {
            f.write_str("[")?;
            for (i, (name, set)) in names.items.iter().zip(sets).enumerate() {
                let separator = if i > 0 { ", " } else { "" };
                if let Value::Str(name) = name {
                    write!(f, "{separator}{name} : {set}")?;
                }
            }
            f.write_str("]")
        }
        LazyKind::Product(sets) => {
            for (i, set) in sets.iter().enumerate() {
                write!(f, "{}{set}", if i > 0 { " \\X " } else { "" })?;
            }
            Ok(())
        }
        LazyKind::Cup(a, b) => write!(f, "({a} \\cup {b})"),
        LazyKind::Cap(a, b) => write!(f, "({a} \\cap {b})"),
        LazyKind::Minus(a, b) => write!(f, "({a} \\ {b})"),
        LazyKind::Filter(set, _) => write!(f, "{{x \\in {set} : P(x)}}"),
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Value {
    /// The text, cut short for error messages.
    pub(crate) fn brief(&self) -> String {
        let mut brief = Brief { text: String::new(), left: BRIEF_CHARS };
        if write!(brief, "{self}").is_err() {
            brief.text.push('…');
        }
        brief.text
    }
}

/// Longest text of a value in an error message.
const BRIEF_CHARS: usize = 200;

/// Takes the beginning of a text, and refuses the rest: values may be huge.
struct Brief {
    text: String,
    left: usize,
}

impl Write for Brief {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            self.left = self.left.checked_sub(1).ok_or(fmt::Error)?;
            self.text.push(c);
        }
        Ok(())
    }
}
