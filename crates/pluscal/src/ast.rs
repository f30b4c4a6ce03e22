//! The tree of an algorithm.
//!
//! A statement exists in two forms: as it was written, where any statement may have a label, and with labels
//! sorted out, where statements from one label to the next form a [`Labeled`] step. [`super::labels`] turns
//! the first into the second.

use super::expr::Expr;

/// A place in the text, both from 1, and the place of the call of the macro that it was expanded from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spot {
    pub line: usize,
    pub column: usize,
    pub call: Option<(usize, usize)>,
}

impl Spot {
    /// In the words of messages and of failed assertions.
    pub fn words(&self) -> String {
        let Spot { line, column, call } = self;
        match call {
            None => format!("line {line}, column {column}"),
            Some((at_line, at_column)) => {
                format!("line {line}, column {column} of macro called at line {at_line}, column {at_column}")
            }
        }
    }
}

/// A whole algorithm.
#[derive(Debug, Default)]
pub(super) struct Algorithm {
    pub name: String,
    pub is_fair: bool,
    pub variables: Vec<Variable>,
    pub definitions: Expr,
    pub procedures: Vec<Procedure>,
    pub body: Body,
    pub facts: Facts,
}

impl Algorithm {
    /// The processes, if there are any.
    pub fn processes(&self) -> &[Process] {
        match &self.body {
            Body::One(_) => &[],
            Body::Processes(processes) => processes,
        }
    }
}

/// One sequence of steps, or processes.
#[derive(Debug)]
pub(super) enum Body {
    One(Vec<Labeled>),
    Processes(Vec<Process>),
}

impl Default for Body {
    fn default() -> Body {
        Body::One(Vec::new())
    }
}

/// What the whole text shows about the translation.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Facts {
    /// A variable has no initial value.
    pub has_default: bool,
    /// The algorithm is one step that repeats: no `pc`.
    pub omits_pc: bool,
    /// It cannot end: no step for when it has.
    pub omits_terminating: bool,
}

/// A variable, a parameter too.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub name: String,
    /// `=` or else `\in`.
    pub is_equal: bool,
    pub value: Expr,
    pub spot: Spot,
}

/// Labels with a modifier, and the procedures that are called.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    pub minus: Vec<String>,
    pub plus: Vec<String>,
    pub called: Vec<String>,
}

#[derive(Debug, Default)]
pub(super) struct Procedure {
    pub name: String,
    pub parameters: Vec<Variable>,
    pub variables: Vec<Variable>,
    pub body: Vec<Labeled>,
    pub marks: Marks,
    pub spot: Spot,
}

/// Fairness of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ProcessFairness {
    #[default]
    None,
    Weak,
    Strong,
}

#[derive(Debug, Default)]
pub(super) struct Process {
    pub name: String,
    pub fairness: ProcessFairness,
    /// `=` or else `\in`.
    pub is_equal: bool,
    pub id: Expr,
    pub variables: Vec<Variable>,
    pub body: Vec<Labeled>,
    pub marks: Marks,
    pub spot: Spot,
}

/// The statements from a label to the next.
#[derive(Clone, Debug)]
pub(super) struct Labeled {
    pub label: String,
    pub statements: Vec<Statement>,
    pub spot: Spot,
}

/// A statement, with the label before it if there is one.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub label: String,
    pub spot: Spot,
    pub kind: StatementKind,
}

impl Statement {
    /// A statement that the translator writes.
    pub fn added(kind: StatementKind, spot: Spot) -> Statement {
        Statement { label: String::new(), spot, kind }
    }
}

/// What a statement does. `unlabeled` are the statements before the first label inside, `labeled` the steps
/// from there.
#[derive(Clone, Debug)]
pub(super) enum StatementKind {
    While { test: Expr, unlabeled: Vec<Statement>, labeled: Vec<Labeled> },
    Assign(Vec<Assignment>),
    If { test: Expr, yes: Vec<Statement>, no: Vec<Statement> },
    LabelIf { test: Expr, yes: Branch, no: Branch },
    Either(Vec<Vec<Statement>>),
    LabelEither(Vec<Branch>),
    With { name: String, is_equal: bool, value: Expr, body: Vec<Statement> },
    When(Expr),
    Print(Expr),
    Assert(Expr),
    Skip,
    Call { to: String, arguments: Vec<Expr> },
    Return { from: Option<String> },
    CallReturn { from: Option<String>, to: String, arguments: Vec<Expr> },
    CallGoto { after: String, to: String, arguments: Vec<Expr> },
    Goto(String),
    MacroCall { name: String, arguments: Vec<Expr> },
}

/// One branch of an `if` or `either`.
#[derive(Clone, Debug, Default)]
pub(super) struct Branch {
    pub unlabeled: Vec<Statement>,
    pub labeled: Vec<Labeled>,
}

/// One of the assignments of a statement.
#[derive(Clone, Debug)]
pub(super) struct Assignment {
    pub name: String,
    /// What follows the name: `[i].field`.
    pub path: Expr,
    pub value: Expr,
    pub spot: Spot,
}

impl Assignment {
    /// An assignment to a whole variable.
    pub fn whole(name: &str, value: Expr, spot: Spot) -> Assignment {
        Assignment { name: name.to_string(), path: Expr::default(), value, spot }
    }
}
