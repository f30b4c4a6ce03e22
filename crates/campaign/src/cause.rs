//! What stands behind a violation, as far as it can be seen: one cause is one finding.
//!
//! A panic has its place, and what a specification forbids has the conjunct that does not hold. Both are
//! exact: two of them are two causes. Of other violations there is the reason without its numbers, which says
//! alike what was seen alike; it is counted, but it does not tell causes apart, because a reason may quote
//! states.

use crate::{Finding, Violation};

/// The longest text of a cause, in characters.
const LENGTH_MAX: usize = 200;
/// The most causes that are counted of one finding.
const COUNTED_MAX: usize = 32;
/// What is counted beyond that.
const OTHERS: &str = "others";

/// The cause of a violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cause {
    /// The property that is violated.
    pub property: String,
    /// The place of the panic, the conjunct that does not hold, or the reason without numbers.
    pub what: String,
    /// The source line of a panic: file, line and column.
    pub place: Option<SourcePlace>,
    /// Whether another one is another cause.
    pub is_exact: bool,
}

/// A place in a source file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourcePlace {
    /// The file, as the compiler names it.
    pub file: String,
    /// The line, counted from 1.
    pub line: u64,
    /// The column, counted from 1.
    pub column: u64,
}

impl Cause {
    /// The cause of this violation.
    pub fn of(violation: &Violation) -> Cause {
        let property = violation.property.clone();
        if violation.is_panic() {
            let place = violation.property.strip_prefix("panic at ").and_then(SourcePlace::of);
            return Cause { what: property.clone(), property, place, is_exact: true };
        }
        let (what, is_exact) = match blocked(&violation.reason) {
            Some(conjunct) => (shortened(conjunct), true),
            None => (without_numbers(violation.reason.lines().next().unwrap_or_default()), false),
        };
        Cause { property, what, place: None, is_exact }
    }

    /// The cause in one line: what findings are grouped by.
    pub fn label(&self) -> String {
        match self.what.is_empty() || self.what == self.property {
            true => self.property.clone(),
            false => format!("{}: {}", self.property, self.what),
        }
    }
}

impl SourcePlace {
    /// A place as panics have it: `src/raft.rs:943:18`.
    fn of(text: &str) -> Option<SourcePlace> {
        let (rest, column) = text.rsplit_once(':')?;
        let (file, line) = rest.rsplit_once(':')?;
        let (line, column) = (line.parse().ok()?, column.parse().ok()?);
        (line > 0 && column > 0 && !file.is_empty()).then(|| SourcePlace {
            file: file.to_owned(),
            line,
            column,
        })
    }
}

impl Finding {
    /// Whether a violation of this cause counts for the finding.
    pub(crate) fn is_of(&self, cause: &Cause) -> bool {
        let violation = &self.failure.violation;
        violation.property == cause.property
            && (!cause.is_exact || self.causes.contains_key(&cause.label()) || Cause::of(violation) == *cause)
    }

    /// Takes over what was counted for another finding.
    pub(crate) fn take_count(&mut self, other: &mut Finding) {
        self.hits += std::mem::take(&mut other.hits);
        for (cause, count) in std::mem::take(&mut other.causes) {
            *self.causes.entry(cause).or_default() += count;
        }
    }

    /// Counts an execution that failed by this cause.
    pub(crate) fn count_cause(&mut self, cause: &Cause) {
        let label = cause.label();
        let is_known = self.causes.len() < COUNTED_MAX || self.causes.contains_key(&label);
        *self.causes.entry(if is_known { label } else { OTHERS.to_owned() }).or_default() += 1;
    }
}

/// Whether the two violations are of one cause, as far as that is exact.
pub fn have_one_cause(first: &Violation, second: &Violation) -> bool {
    first.property == second.property && blocked(&first.reason) == blocked(&second.reason)
}

/// The conjunct that a reason ends with, with its place in the specification: "`IsQuorum(S) == …`
/// (Raft:65:16)".
fn blocked(reason: &str) -> Option<&str> {
    let (head, place) = reason.strip_suffix(')')?.rsplit_once('(')?;
    let mut parts = place.split(':');
    let module = parts.next()?;
    let is_module = module.starts_with(|c: char| c.is_ascii_alphabetic())
        && module.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_number = |part: Option<&str>| part.is_some_and(|part| part.parse::<u32>().is_ok());
    if !is_module || !is_number(parts.next()) || !is_number(parts.next()) || parts.next().is_some() {
        return None;
    }
    let from = head.find('`').unwrap_or(head.len());
    Some(&reason[from..])
}

/// The text with a sign for every number, so that n1 in term 3 is n2 in term 5.
fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().take(LENGTH_MAX) {
        match c {
            '0'..='9' if out.ends_with('#') => {}
            '0'..='9' => out.push('#'),
            c => out.push(c),
        }
    }
    out
}

fn shortened(text: &str) -> String {
    text.chars().take(LENGTH_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause(property: &str, reason: &str) -> Cause {
        Cause::of(&Violation { property: property.to_owned(), reason: reason.to_owned() })
    }

    #[test]
    fn a_panic_is_grouped_by_its_place() {
        let first = cause("panic at raft-0.7.0/src/raft.rs:943:18", "n2 panicked in receive: no entry 7");
        let place = SourcePlace { file: "raft-0.7.0/src/raft.rs".to_owned(), line: 943, column: 18 };
        assert_eq!(
            (first.label().as_str(), first.place),
            ("panic at raft-0.7.0/src/raft.rs:943:18", Some(place))
        );
        assert_eq!(cause("panic at somewhere", "").place, None);
    }

    #[test]
    fn what_a_specification_forbids_is_grouped_by_the_conjunct() {
        let wins = |arguments: &str| {
            let reason = format!(
                "the model does not allow Wins({arguments}) here: `IsQuorum(S) == x > 2` (Raft:65:16)"
            );
            cause("conforms-to-the-model", &reason)
        };
        assert_eq!(wins("2, 1"), wins("3, 7"));
        assert!(wins("2, 1").is_exact);
        assert_eq!(wins("2, 1").label(), "conforms-to-the-model: `IsQuorum(S) == x > 2` (Raft:65:16)");
        assert_ne!(
            wins("2, 1"),
            cause("conforms-to-the-model", "not here: `IsQuorum(S) == x > 2` (Raft:66:16)")
        );
    }

    #[test]
    fn other_reasons_are_grouped_without_their_numbers() {
        let first = cause("agreement", "n1 decided 17 at 3, n2 decided 4");
        assert_eq!(first, cause("agreement", "n3 decided 1 at 12, n1 decided 205"));
        assert_eq!(
            (first.label().as_str(), first.is_exact),
            ("agreement: n# decided # at #, n# decided #", false)
        );
        assert!(!cause("agreement", "n1 waits (since 12:30)").is_exact);
    }
}
