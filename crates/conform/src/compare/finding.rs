//! Findings: where an implementation and a specification part.

use std::fmt;

use super::Shown;

/// How many differences and offers are told.
const TOLD_MAX: usize = 12;

/// How the two part.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FindingKind {
    /// A mapped variable has another value.
    InconsistentState,
    /// The specification enables what the implementation cannot do.
    MissingAction,
    /// The implementation does or offers what the specification does not enable.
    UnexpectedAction,
}

impl FindingKind {
    /// Every kind.
    pub const ALL: [FindingKind; 3] =
        [FindingKind::InconsistentState, FindingKind::MissingAction, FindingKind::UnexpectedAction];

    /// The words for it, which the property of a failure begins with.
    pub const fn words(self) -> &'static str {
        match self {
            FindingKind::InconsistentState => "inconsistent state",
            FindingKind::MissingAction => "missing action",
            FindingKind::UnexpectedAction => "unexpected action",
        }
    }

    /// The kind of a finding whose failure names this property.
    pub fn of_property(property: &str) -> Option<FindingKind> {
        FindingKind::ALL.into_iter().find(|kind| property.starts_with(kind.words()))
    }
}

/// A difference between two views.
struct Difference {
    variable: &'static str,
    of: String,
    expected: String,
    got: String,
}

/// Where an implementation and a specification part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// How.
    pub kind: FindingKind,
    /// The first variable that differs, or the name of the action.
    pub subject: String,
    /// All that there is to say, in lines.
    pub text: String,
}

impl Finding {
    /// The property that does not hold: the kind, and what it is about, so that shrinking does not go astray.
    pub fn property(&self) -> String {
        format!("{}: {}", self.kind.words(), self.subject)
    }

    /// The mapped variables differ after an action, or in the initial state.
    pub(super) fn inconsistent(
        after: &str,
        definition: Option<String>,
        expected: &[Shown],
        got: &[Shown],
    ) -> Finding {
        let differences = differences(expected, got);
        let mut text = format!("after {after} the specification and the implementation differ\n");
        for Difference { variable, of, expected, got } in differences.iter().take(TOLD_MAX) {
            text.push_str(&format!("  {variable}[{of}]: expected {expected}, got {got}\n"));
        }
        if differences.len() > TOLD_MAX {
            text.push_str(&format!("  and {} more\n", differences.len() - TOLD_MAX));
        }
        if let Some(definition) = definition {
            text.push_str(&format!("the action is {definition}\n"));
        }
        let subject = differences.first().map_or("unknown", |difference| difference.variable).to_owned();
        Finding { kind: FindingKind::InconsistentState, subject, text }
    }

    /// The specification enables an action that the implementation does not offer.
    pub(super) fn missing(
        name: &str,
        action: &str,
        definition: Option<String>,
        offered: &[String],
    ) -> Finding {
        let mut text =
            format!("the specification enables {action}, but the implementation does not offer it\n");
        if let Some(definition) = definition {
            text.push_str(&format!("the action is {definition}\n"));
        }
        match offered {
            [] => text.push_str("it offers nothing\n"),
            offered => {
                text.push_str("it offers\n");
                offered.iter().take(TOLD_MAX).for_each(|one| text.push_str(&format!("  {one}\n")));
                if offered.len() > TOLD_MAX {
                    text.push_str(&format!("  and {} more\n", offered.len() - TOLD_MAX));
                }
            }
        }
        Finding { kind: FindingKind::MissingAction, subject: name.to_owned(), text }
    }

    /// What is missing, with what is there instead.
    pub(super) fn of_both(missing: Option<Finding>, unexpected: Option<Finding>) -> Option<Finding> {
        match (missing, unexpected) {
            (Some(missing), Some(unexpected)) => {
                let text = missing.text + &unexpected.text;
                Some(Finding { text, ..missing })
            }
            (missing, unexpected) => missing.or(unexpected),
        }
    }

    /// The implementation does or offers an action that the specification does not enable.
    pub(super) fn unexpected(name: &str, action: &str, is_done: bool, reason: &str) -> Finding {
        let does = if is_done { "has done" } else { "offers" };
        let text = format!(
            "the implementation {does} {action}, but the specification does not enable it\nwhat is false is {reason}\n"
        );
        Finding { kind: FindingKind::UnexpectedAction, subject: name.to_owned(), text }
    }
}

/// A finding accuses nobody.
const EITHER: &str = "either side may be wrong, or the mapping between them";

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{EITHER}", self.text)
    }
}

/// Where two views differ; what one side lacks is a dash.
fn differences(expected: &[Shown], got: &[Shown]) -> Vec<Difference> {
    let find = |among: &[Shown], one: &Shown| {
        let same = among.iter().find(|other| (other.variable, &other.of) == (one.variable, &one.of));
        same.map_or_else(|| "–".to_owned(), |shown| shown.value.clone())
    };
    let difference = |variable, of: &str, expected: String, got: String| {
        (expected != got).then(|| Difference { variable, of: of.to_owned(), expected, got })
    };
    let here = expected
        .iter()
        .filter_map(|one| difference(one.variable, &one.of, one.value.clone(), find(got, one)));
    let lacks = |one: &&Shown| find(expected, one) == "–";
    let there = got
        .iter()
        .filter(lacks)
        .filter_map(|one| difference(one.variable, &one.of, "–".to_owned(), one.value.clone()));
    here.chain(there).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_names_the_variable_and_both_values_and_what_one_side_lacks() {
        let expected = [Shown::new("votedFor", "n1", 2), Shown::new("net", "a vote", 1)];
        let got = [Shown::new("votedFor", "n1", 0), Shown::new("net", "another vote", 2)];
        let finding = Finding::inconsistent("Restart(1)", None, &expected, &got);
        assert_eq!(finding.property(), "inconsistent state: votedFor");
        let lines: Vec<_> = finding.text.lines().collect();
        assert_eq!(
            lines[1..4],
            [
                "  votedFor[n1]: expected 2, got 0",
                "  net[a vote]: expected 1, got –",
                "  net[another vote]: expected –, got 2"
            ]
        );
    }

    #[test]
    fn the_kind_of_a_finding_is_told_from_its_property() {
        for kind in FindingKind::ALL {
            let finding = Finding { kind, subject: "x".to_owned(), text: String::new() };
            assert_eq!(FindingKind::of_property(&finding.property()), Some(kind));
        }
        assert_eq!(FindingKind::of_property("election-safety"), None);
    }
}
