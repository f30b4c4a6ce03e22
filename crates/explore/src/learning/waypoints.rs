//! Waypoints: a sequence of predicates over what can be seen of a cluster, as text.
//!
//! ```text
//! LogDiff(1), LogCommitDiff(3)
//! OneInTerm(2), LeaderInTerm(2) and not TermDiff(1), (EntryInTerm(2) or CommitEntries(2)) and ProcessInRole(leader)
//! ```
//!
//! The predicates belong to families that the target offers ([`WaypointInfo`]); nothing here knows what they
//! mean. The last of a sequence is the target of the search, those before it lead to it.

use std::fmt;

/// The most waypoints of a sequence.
pub const WAYPOINTS_MAX: usize = 64;
/// The longest text of a sequence, in bytes.
const LENGTH_MAX: usize = 4_096;
/// How deep predicates may be nested.
const DEPTH_MAX: usize = 32;

/// A parameter of a family of predicates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parameter {
    /// A number.
    Number(&'static str),
    /// One of these words; predicates are given its place.
    Word(&'static str, &'static [&'static str]),
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Parameter::Number(name) | Parameter::Word(name, _) => f.write_str(name),
        }
    }
}

/// A family of predicates that a target offers, such as `LogDiff(x)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaypointInfo {
    /// Its name.
    pub name: &'static str,
    /// One line on when its predicates hold.
    pub about: &'static str,
    /// What its predicates are given.
    pub parameters: &'static [Parameter],
}

impl fmt::Display for WaypointInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        if self.parameters.is_empty() {
            return Ok(());
        }
        let parameters: Vec<_> = self.parameters.iter().map(Parameter::to_string).collect();
        write!(f, "({})", parameters.join(", "))
    }
}

/// A predicate over what can be seen of a cluster.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Predicate {
    /// One of the target's own: the place of its family, and its arguments.
    Of(usize, Vec<u64>),
    /// Both hold.
    And(Box<Predicate>, Box<Predicate>),
    /// At least one holds.
    Or(Box<Predicate>, Box<Predicate>),
    /// It does not hold.
    Not(Box<Predicate>),
}

impl Predicate {
    /// Whether it holds, if `holds` says which of the target's own do.
    pub fn holds(&self, holds: &impl Fn(usize, &[u64]) -> bool) -> bool {
        match self {
            Predicate::Of(family, arguments) => holds(*family, arguments),
            Predicate::And(left, right) => left.holds(holds) && right.holds(holds),
            Predicate::Or(left, right) => left.holds(holds) || right.holds(holds),
            Predicate::Not(inner) => !inner.holds(holds),
        }
    }
}

/// A sequence of predicates; the last one is the target.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Waypoints(Vec<Predicate>);

impl Waypoints {
    /// Reads a sequence of predicates of these families. It may stand in brackets.
    pub fn read(text: &str, families: &[WaypointInfo]) -> Result<Waypoints, BadWaypoints> {
        if text.len() > LENGTH_MAX {
            return Err(BadWaypoints::TooLong);
        }
        let text = text.trim();
        let text = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
        let mut reader = Reader { rest: text, families, depth: 0 };
        let mut predicates = Vec::new();
        loop {
            predicates.push(reader.any()?);
            if predicates.len() > WAYPOINTS_MAX {
                return Err(BadWaypoints::TooMany);
            }
            if !reader.accept(",") {
                break;
            }
        }
        if reader.rest.is_empty() {
            Ok(Waypoints(predicates))
        } else {
            Err(reader.unexpected("a comma or the end"))
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of the highest one that holds, counted from 1; 0 if none does (Algorithm 3, `recordStep`).
    pub fn level(&self, holds: impl Fn(usize, &[u64]) -> bool) -> usize {
        self.0.iter().rposition(|predicate| predicate.holds(&holds)).map_or(0, |place| place + 1)
    }

    /// Which of them hold, the first as the lowest bit.
    pub fn holding(&self, holds: impl Fn(usize, &[u64]) -> bool) -> u64 {
        let bit = |(place, predicate): (usize, &Predicate)| u64::from(predicate.holds(&holds)) << place;
        self.0.iter().enumerate().map(bit).sum()
    }
}

/// Why a text is no sequence of waypoints.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadWaypoints {
    /// The text is too long.
    #[error("waypoints have at most {LENGTH_MAX} characters")]
    TooLong,
    /// There are too many.
    #[error("there are at most {WAYPOINTS_MAX} waypoints")]
    TooMany,
    /// Predicates are nested too deeply.
    #[error("predicates are nested at most {DEPTH_MAX} deep")]
    TooDeep,
    /// Something else is wanted.
    #[error("expected {wanted} in waypoints, found `{found}`")]
    Unexpected {
        /// What was expected.
        wanted: String,
        /// What is there.
        found: String,
    },
    /// The target has no such predicate.
    #[error("the target has no predicate `{name}`{known}")]
    Unknown {
        /// Its name.
        name: String,
        /// What there is instead.
        known: String,
    },
    /// It has more or fewer parameters.
    #[error("`{family}` was given {given} arguments")]
    Arguments {
        /// The family, with its parameters.
        family: String,
        /// How many were given.
        given: usize,
    },
}

struct Reader<'a> {
    rest: &'a str,
    families: &'a [WaypointInfo],
    depth: usize,
}

impl<'a> Reader<'a> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn accept(&mut self, mark: &str) -> bool {
        self.skip();
        match self.rest.strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    /// A word of letters, digits, hyphens and underscores; nothing if there is none here.
    fn word(&mut self) -> &'a str {
        self.skip();
        let is_part = |char: char| char.is_alphanumeric() || char == '_' || char == '-';
        let end = self.rest.find(|char| !is_part(char)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        self.skip();
        word
    }

    fn accept_word(&mut self, wanted: &str) -> bool {
        let before = self.rest;
        if self.word() == wanted {
            return true;
        }
        self.rest = before;
        false
    }

    fn unexpected(&self, wanted: &str) -> BadWaypoints {
        let found =
            if self.rest.is_empty() { "the end".to_owned() } else { self.rest.chars().take(20).collect() };
        BadWaypoints::Unexpected { wanted: wanted.to_owned(), found }
    }

    /// `a or b or c`
    fn any(&mut self) -> Result<Predicate, BadWaypoints> {
        let mut left = self.all()?;
        while self.accept_word("or") {
            left = Predicate::Or(Box::new(left), Box::new(self.all()?));
        }
        Ok(left)
    }

    /// `a and b and c`
    fn all(&mut self) -> Result<Predicate, BadWaypoints> {
        let mut left = self.one()?;
        while self.accept_word("and") {
            left = Predicate::And(Box::new(left), Box::new(self.one()?));
        }
        Ok(left)
    }

    /// `not a`, `(a)`, `Name` or `Name(1, leader)`
    fn one(&mut self) -> Result<Predicate, BadWaypoints> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(BadWaypoints::TooDeep);
        }
        let one = if self.accept_word("not") {
            Predicate::Not(Box::new(self.one()?))
        } else if self.accept("(") {
            let inner = self.any()?;
            if !self.accept(")") {
                return Err(self.unexpected("`and`, `or` or `)`"));
            }
            inner
        } else {
            self.of_family()?
        };
        self.depth -= 1;
        Ok(one)
    }

    fn of_family(&mut self) -> Result<Predicate, BadWaypoints> {
        let before = self.rest;
        let name = self.word();
        if name.is_empty() {
            return Err(self.unexpected("a predicate"));
        }
        let Some(place) = self.families.iter().position(|family| family.name == name) else {
            return Err(self.unknown(name));
        };
        let family = &self.families[place];
        let mut words = Vec::new();
        if self.accept("(") {
            while !self.accept(")") {
                words.push(self.word());
                if !self.accept(",") && !self.rest.starts_with(')') {
                    return Err(self.unexpected("a comma or `)`"));
                }
            }
        }
        if words.len() != family.parameters.len() {
            return Err(BadWaypoints::Arguments { family: family.to_string(), given: words.len() });
        }
        let arguments = words.iter().zip(family.parameters).map(|(word, parameter)| match parameter {
            Parameter::Number(name) => word.parse().map_err(|_| (name, "a number".to_owned())),
            Parameter::Word(name, known) => match known.iter().position(|known| known == word) {
                Some(place) => Ok(place as u64),
                None => Err((name, known.join(", "))),
            },
        });
        let arguments = arguments.collect::<Result<_, _>>().map_err(|(name, wanted)| {
            self.rest = before;
            self.unexpected(&format!("{wanted} for `{name}` of {family}"))
        })?;
        Ok(Predicate::Of(place, arguments))
    }

    fn unknown(&self, name: &str) -> BadWaypoints {
        let names: Vec<_> = self.families.iter().map(WaypointInfo::to_string).collect();
        let known = if names.is_empty() {
            ": it offers none".to_owned()
        } else {
            format!(": choose one of {}", names.join(", "))
        };
        BadWaypoints::Unknown { name: name.chars().take(40).collect(), known }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAMILIES: &[WaypointInfo] = &[
        WaypointInfo { name: "Above", about: "", parameters: &[Parameter::Number("x")] },
        WaypointInfo {
            name: "Between",
            about: "",
            parameters: &[Parameter::Number("x"), Parameter::Number("y")],
        },
        WaypointInfo {
            name: "Role",
            about: "",
            parameters: &[Parameter::Word("r", &["leader", "pre-candidate"])],
        },
        WaypointInfo { name: "Odd", about: "", parameters: &[] },
    ];

    fn level(text: &str, number: u64, role: u64) -> usize {
        let waypoints = Waypoints::read(text, FAMILIES).unwrap_or_else(|error| panic!("{text}: {error}"));
        waypoints.level(|family, arguments| match (family, arguments) {
            (0, [x]) => number > *x,
            (1, [x, y]) => (*x..=*y).contains(&number),
            (2, [r]) => *r == role,
            (3, []) => number % 2 == 1,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn the_highest_predicate_that_holds_counts() {
        let text = "Above(1), Above(2), Between( 5 , 7 )";
        assert_eq!([1, 2, 3, 5, 8].map(|number| level(text, number, 0)), [0, 1, 2, 3, 2]);
        assert_eq!(level("[Above(1), Above(2)]", 3, 0), 2);
        let all = Waypoints::read("Odd, Above(1), Odd or Above(1)", FAMILIES).expect("these are waypoints");
        assert_eq!(all.holding(|family, _| family == 0), 0b110);
    }

    #[test]
    fn not_binds_more_than_and_and_and_more_than_or() {
        let text = "not Odd and Above(3) or Role(pre-candidate)";
        assert_eq!(level(text, 4, 0), 1);
        assert_eq!(level(text, 5, 0), 0);
        assert_eq!(level(text, 5, 1), 1);
        assert_eq!(level("not (Odd and Above(3))", 5, 0), 0);
        assert_eq!(level("not (Odd and Above(3))", 3, 0), 1);
        assert_eq!(level("not not Odd and (Above(1) or Above(9))", 3, 0), 1);
    }

    #[test]
    fn what_is_wrong_is_told_with_what_there_is() {
        let error = |text: &str| Waypoints::read(text, FAMILIES).expect_err(text).to_string();
        assert_eq!(
            error("Below(1)"),
            "the target has no predicate `Below`: choose one of Above(x), Between(x, y), Role(r), Odd"
        );
        assert_eq!(error("Between(1)"), "`Between(x, y)` was given 1 arguments");
        assert_eq!(error("Above(1) Odd"), "expected a comma or the end in waypoints, found `Odd`");
        assert!(
            error("Role(king)").starts_with("expected leader, pre-candidate for `r` of Role(r) in waypoints")
        );
        assert!(error("Above(-1)").contains("expected a number"));
        assert!(error("Above(99999999999999999999)").contains("expected a number"));
        assert!(error("(Odd").contains("expected `and`, `or` or `)` in waypoints, found `the end`"));
        assert!(error("").contains("expected a predicate"));
        assert!(error("Odd,").contains("expected a predicate"));
        assert!(error("Between(1 2)").contains("expected a comma or `)`"));
        assert!(error("Above(").contains("expected "));
        assert!(error(&"(".repeat(1_000)).contains("at most 32 deep"));
        assert!(error(&"not ".repeat(1_000)).contains("at most 32 deep"));
        assert!(error(&vec!["Odd"; 65].join(",")).contains("at most 64"));
        assert!(error(&"x".repeat(5_000)).contains("at most 4096"));
        assert!(Waypoints::read("Odd", &[]).expect_err("none").to_string().contains("it offers none"));
    }
}
