//! Labels: where they are missing, and the steps that they make.
//!
//! A step assigns a variable at most once. A label is needed before the first statement, before `while`,
//! behind a `call`, `return` or `goto` and behind an `if` or `either` that has labels or one of those inside,
//! and before a second assignment.

use std::collections::HashSet;

use super::ast::{Branch, Labeled, Spot, Statement, StatementKind};
use super::{AddedLabel, Problem, at};

/// Adds the labels that are missing.
pub(super) struct Labels {
    known: HashSet<String>,
    root: String,
    next: usize,
    /// What was added.
    pub added: Vec<AddedLabel>,
    /// All variables and parameters of procedures: a return sets them.
    declared: Vec<String>,
}

/// Variables that were assigned since the last label.
type Assigned = Vec<String>;

/// Adds what is not yet there.
fn unite(assigned: &mut Assigned, more: &[String]) {
    for name in more {
        if !assigned.contains(name) {
            assigned.push(name.clone());
        }
    }
}

fn meet(left: &[String], right: &[String]) -> bool {
    left.iter().any(|name| right.contains(name))
}

impl Labels {
    pub fn new(known: HashSet<String>, root: &str, declared: Vec<String>) -> Labels {
        Labels { known, root: root.to_string(), next: 1, added: Vec::new(), declared }
    }

    /// An error that names the places where labels were added, if there are any.
    pub fn refuse(&self) -> Result<(), Problem> {
        let Some(first) = self.added.first() else { return Ok(()) };
        let places: Vec<&str> = self.added.iter().map(|label| label.place.as_str()).collect();
        let count = if places.len() == 1 { "a label is" } else { "labels are" };
        let message = format!(
            "{count} missing at {}: add what is missing yourself, or give --label",
            places.join("; at ")
        );
        Err(at(first.line - 1, first.column as i64 - 1, message))
    }

    /// Adds labels to the body of a process, a procedure or the algorithm.
    pub fn add_missing(&mut self, body: &mut [Statement], procedure: Option<&str>) -> Result<(), Problem> {
        self.walk(body, true, false, &Assigned::new(), &mut Assigned::new(), procedure).map(drop)
    }

    /// Walks over statements; gives whether what follows them needs a label. `before` are the variables that
    /// were assigned when they start, `after` when they end.
    fn walk(
        &mut self,
        statements: &mut [Statement],
        mut needs_label: bool,
        in_with: bool,
        before: &Assigned,
        after: &mut Assigned,
        procedure: Option<&str>,
    ) -> Result<bool, Problem> {
        after.clone_from(before);
        let mut has_label = false;
        for statement in statements {
            if !statement.label.is_empty() {
                has_label = true;
                after.clear();
                if in_with {
                    return Err(wrong(statement.spot, "a statement inside `with` has no label"));
                }
            }
            if needs_label {
                if in_with {
                    return Err(wrong(
                        statement.spot,
                        "nothing follows `call`, `return` or `goto` inside `with`",
                    ));
                }
                self.need(statement);
                has_label = true;
                after.clear();
            }
            let spot = statement.spot;
            let mut label = false;
            needs_label = match &mut statement.kind {
                StatementKind::LabelIf { yes, no, .. } => {
                    let branches = [yes, no].into_iter();
                    self.branches(branches, in_with, after, procedure)?
                }
                StatementKind::LabelEither(branches) => {
                    self.branches(branches.iter_mut(), in_with, after, procedure)?
                }
                StatementKind::While { unlabeled, .. } => {
                    if in_with {
                        return Err(wrong(spot, "`while` cannot stand inside `with`"));
                    }
                    label = true;
                    after.clear();
                    // The label of the loop comes before the labels inside it.
                    if statement.label.is_empty() {
                        statement.label = self.fresh(spot);
                    }
                    self.walk(unlabeled, false, false, &Assigned::new(), &mut Assigned::new(), procedure)?;
                    false
                }
                StatementKind::With { body, .. } => {
                    let start = if in_with { before.clone() } else { Assigned::new() };
                    let mut end = Assigned::new();
                    let needs = self.walk(body, false, true, &start, &mut end, procedure)?;
                    after.clone_from(&end);
                    label = !in_with && meet(before, after);
                    if label {
                        after.clear();
                    }
                    needs
                }
                StatementKind::Assign(assignments) => {
                    let mut names = Assigned::new();
                    unite(&mut names, &assignments.iter().map(|one| one.name.clone()).collect::<Vec<_>>());
                    label = self.assign(&names, after, in_with, spot)?;
                    false
                }
                other => {
                    let (names, needs) = self.effects(other, procedure);
                    label = self.assign(&names, after, in_with, spot)?;
                    needs
                }
            };
            if label {
                self.need(statement);
                has_label = true;
            }
        }
        Ok(has_label || needs_label)
    }

    fn branches<'a>(
        &mut self,
        branches: impl Iterator<Item = &'a mut Branch>,
        in_with: bool,
        assigned: &mut Assigned,
        procedure: Option<&str>,
    ) -> Result<bool, Problem> {
        let mut needs_label = false;
        let mut all = Assigned::new();
        for branch in branches {
            let mut after = Assigned::new();
            needs_label |=
                self.walk(&mut branch.unlabeled, false, in_with, assigned, &mut after, procedure)?;
            unite(&mut all, &after);
        }
        *assigned = all;
        Ok(needs_label)
    }

    /// What a simple statement assigns, and whether what follows it needs a label.
    fn effects(&self, kind: &StatementKind, procedure: Option<&str>) -> (Assigned, bool) {
        let calls_itself = |to: &String| Some(to.as_str()) == procedure;
        let sets_declared = match kind {
            StatementKind::Call { to, .. } | StatementKind::CallGoto { to, .. } => calls_itself(to),
            StatementKind::Return { .. } | StatementKind::CallReturn { .. } => true,
            StatementKind::Goto(_) => return (Assigned::new(), true),
            _ => return (Assigned::new(), false),
        };
        let mut names = vec!["stack".to_string()];
        if sets_declared {
            names.extend(self.declared.iter().cloned());
        }
        (names, true)
    }

    /// Notes an assignment; whether it needs a label before it.
    fn assign(
        &mut self,
        names: &Assigned,
        assigned: &mut Assigned,
        in_with: bool,
        spot: Spot,
    ) -> Result<bool, Problem> {
        if !meet(assigned, names) {
            unite(assigned, names);
            return Ok(false);
        }
        if in_with {
            return Err(wrong(spot, "a variable is assigned a second time inside `with`"));
        }
        assigned.clone_from(names);
        Ok(true)
    }

    fn need(&mut self, statement: &mut Statement) {
        if statement.label.is_empty() {
            statement.label = self.fresh(statement.spot);
        }
    }

    fn fresh(&mut self, spot: Spot) -> String {
        loop {
            let label = format!("{}{}", self.root, self.next);
            self.next += 1;
            if !self.known.contains(&label) {
                let place = spot.words();
                self.added.push(AddedLabel {
                    label: label.clone(),
                    place,
                    line: spot.line,
                    column: spot.column,
                });
                return label;
            }
        }
    }
}

fn wrong(spot: Spot, message: &str) -> Problem {
    at(spot.line - 1, spot.column as i64 - 1, message)
}

/// The steps of a body whose first statement has a label.
pub(super) fn steps(statements: Vec<Statement>) -> Vec<Labeled> {
    let mut steps = split(statements);
    for step in &mut steps {
        simplify(&mut step.statements);
    }
    steps
}

fn split(statements: Vec<Statement>) -> Vec<Labeled> {
    let mut steps: Vec<Labeled> = Vec::new();
    for statement in statements {
        match steps.last_mut() {
            Some(step) if statement.label.is_empty() => step.statements.push(statement),
            _ => {
                let (label, spot) = (statement.label.clone(), statement.spot);
                steps.push(Labeled { label, statements: vec![statement], spot });
            }
        }
    }
    for step in &mut steps {
        split_inside(&mut step.statements);
    }
    steps
}

fn split_inside(statements: &mut [Statement]) {
    for statement in statements {
        match &mut statement.kind {
            StatementKind::LabelIf { yes, no, .. } => {
                split_branch(&mut yes.unlabeled, &mut yes.labeled);
                split_branch(&mut no.unlabeled, &mut no.labeled);
            }
            StatementKind::LabelEither(branches) => {
                for branch in branches {
                    split_branch(&mut branch.unlabeled, &mut branch.labeled);
                }
            }
            StatementKind::While { unlabeled, labeled, .. } => split_branch(unlabeled, labeled),
            _ => {}
        }
    }
}

/// Leaves the statements before the first label, and makes steps of the rest.
fn split_branch(unlabeled: &mut Vec<Statement>, labeled: &mut Vec<Labeled>) {
    let first = unlabeled.iter().position(|statement| !statement.label.is_empty());
    *labeled = split(unlabeled.split_off(first.unwrap_or(unlabeled.len())));
    split_inside(unlabeled);
}

/// Turns an `if` or `either` without labels inside into the simple form; gives whether some statement has a
/// label inside.
fn simplify(statements: &mut [Statement]) -> bool {
    let mut has_label = false;
    for statement in statements {
        match &mut statement.kind {
            StatementKind::LabelIf { test, yes, no } => {
                let inside = simplify_branch(yes) | simplify_branch(no);
                if !inside {
                    statement.kind = StatementKind::If {
                        test: std::mem::take(test),
                        yes: std::mem::take(&mut yes.unlabeled),
                        no: std::mem::take(&mut no.unlabeled),
                    };
                }
                has_label |= inside;
            }
            StatementKind::LabelEither(branches) => {
                let mut inside = false;
                for branch in branches.iter_mut() {
                    inside |= simplify_branch(branch);
                }
                if !inside {
                    let branches = branches.iter_mut().map(|branch| std::mem::take(&mut branch.unlabeled));
                    statement.kind = StatementKind::Either(branches.collect());
                }
                has_label |= inside;
            }
            StatementKind::With { body, .. } => has_label |= simplify(body),
            StatementKind::While { unlabeled, labeled, .. } => {
                simplify(unlabeled);
                for step in labeled {
                    simplify(&mut step.statements);
                }
            }
            _ => {}
        }
    }
    has_label
}

fn simplify_branch(branch: &mut Branch) -> bool {
    let inside = simplify(&mut branch.unlabeled);
    for step in &mut branch.labeled {
        simplify(&mut step.statements);
    }
    inside || !branch.labeled.is_empty()
}
