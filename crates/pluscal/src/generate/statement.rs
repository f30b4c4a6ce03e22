//! The action of a step.

use super::changed::{Changed, keeps, wrapped};
use super::page::{spaces, width};
use super::{Generator, needs_parentheses};
use crate::ast::{Assignment, Labeled, Spot, Statement, StatementKind};
use crate::expr::Expr;
use crate::token::{Kind, Token};
use crate::{Problem, at};

/// Whose step it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Procedure,
    Process,
    Whole,
}

impl Generator<'_> {
    /// The definition of the action of a step.
    pub fn step(&mut self, step: &Labeled, owner: Owner) -> Result<(), Problem> {
        let name = if self.facts.omits_pc { self.process_name.clone() } else { step.label.clone() };
        let has_self = self.has_processes && (owner == Owner::Procedure || self.self_is_self);
        let start = format!("{name}{} == ", if has_self { "(self)" } else { "" });
        let column = width(&start);
        let mut prefix = format!("{start}/\\ ");
        let behind_and = width(&prefix);
        let first_line = self.page.lines.len();
        let mut changed = Changed::new(self.all.clone());
        for statement in &step.statements {
            self.statement(statement, &mut changed, owner, &prefix)?;
            prefix = format!("{}/\\ ", spaces(column));
        }
        let unchanged = changed.unchanged(None);
        match unchanged.as_slice() {
            [] if step.statements.len() == 1 => self.remove_junction(first_line, behind_and),
            [] => {}
            [name] => self.page.add(&format!("{}/\\ {}", spaces(column), keeps(name))),
            names => {
                let start = format!("{}/\\ UNCHANGED << ", spaces(column));
                let room = self.wrap as i64 - column as i64 - width("/\\ UNCHANGED << ") as i64;
                let indent = spaces(width(&start));
                let lines = wrapped(names, room).join(&format!("\n{indent}"));
                self.add_lines(&format!("{start}{lines} >>"));
            }
        }
        self.page.line("");
        Ok(())
    }

    /// Adds text of several lines; the last is not ended.
    fn add_lines(&mut self, text: &str) {
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                self.page.end_line();
            }
            self.page.add(line);
        }
    }

    /// A list of one conjunct is none: removes its `/\` and moves its lines to the left.
    fn remove_junction(&mut self, first_line: usize, behind_and: usize) {
        for (index, line) in self.page.lines.iter_mut().enumerate().skip(first_line) {
            let from = if index == first_line { behind_and - 3 } else { 0 };
            if index == first_line || width(line) > 3 {
                let kept = |(column, _): &(usize, char)| *column < from || *column >= from + 3;
                *line = line.chars().enumerate().filter(kept).map(|(_, c)| c).collect();
            }
        }
    }

    fn statement(
        &mut self,
        statement: &Statement,
        changed: &mut Changed,
        owner: Owner,
        prefix: &str,
    ) -> Result<(), Problem> {
        match &statement.kind {
            StatementKind::Assign(assignments) => {
                self.assign(assignments, changed, owner, prefix, statement.spot)?;
            }
            StatementKind::If { test, yes, no } => self.if_else(test, yes, no, changed, owner, prefix)?,
            StatementKind::Either(branches) => self.either(branches, changed, owner, prefix)?,
            StatementKind::With { name, is_equal, value, body } => {
                let value = self.subscripted(value, owner, changed)?;
                let (start, end) = if *is_equal { ("LET", " IN") } else { ("\\E", ":") };
                let relation = if *is_equal { "==" } else { "\\in" };
                self.page.add(&format!("{prefix}{start} {name} {relation} "));
                self.page.expr(&value);
                self.page.add(end);
                self.page.end_line();
                let indent = spaces(width(prefix) + 2);
                for (index, inner) in body.iter().enumerate() {
                    let junction = if index > 0 || body.len() > 1 { "/\\ " } else { "" };
                    self.statement(inner, changed, owner, &format!("{indent}{junction}"))?;
                }
            }
            StatementKind::When(expr) => {
                let expr = self.subscripted(expr, owner, changed)?;
                self.page.add(prefix);
                self.page.expr(&expr);
            }
            StatementKind::Print(expr) => {
                let expr = self.subscripted(expr, owner, changed)?;
                self.page.add(&format!("{prefix}PrintT("));
                self.page.expr(&expr);
                self.page.add(")");
            }
            StatementKind::Assert(expr) => {
                let expr = self.subscripted(expr, owner, changed)?;
                let start = format!("{prefix}Assert(");
                self.page.add(&start);
                self.page.expr(&expr);
                let message = format!("\"Failure of assertion at {}.\")", statement.spot.words());
                self.page.add(", ");
                if self.page.column() + width(&message) >= self.wrap {
                    self.page.end_line();
                    self.page.add(&spaces(width(&start)));
                }
                self.page.add(&message);
            }
            StatementKind::Skip => self.page.add(&format!("{prefix}TRUE")),
            _ => return Err(wrong(statement.spot, "this statement cannot stand here".to_string())),
        }
        self.page.end_line();
        Ok(())
    }

    fn assign(
        &mut self,
        assignments: &[Assignment],
        changed: &mut Changed,
        owner: Owner,
        prefix: &str,
        spot: Spot,
    ) -> Result<(), Problem> {
        let mut sorted: Vec<&Assignment> = assignments.iter().collect();
        sorted.sort_by(|one, other| one.name.encode_utf16().cmp(other.name.encode_utf16()));
        let mut after = changed.clone();
        self.page.add(prefix);
        let groups: Vec<&[&Assignment]> = sorted.chunk_by(|one, other| one.name == other.name).collect();
        for (index, group) in groups.iter().enumerate() {
            let first = group[0];
            if !self.all.contains(&first.name) {
                return Err(wrong(first.spot, format!("{} is assigned and is no variable", first.name)));
            }
            let is_double = group.len() > 1 && group.iter().any(|one| one.path.is_empty());
            if after.add(&first.name) > 1 || is_double {
                return Err(wrong(spot, format!("{} is assigned twice in one step", first.name)));
            }
            if index > 0 {
                self.page.end_line();
                self.page.add(&spaces(width(prefix)));
            }
            if groups.len() > 1 {
                self.page.add("/\\ ");
            }
            match group {
                [one] => self.single(one, changed, owner)?,
                _ => self.several(group, changed, owner)?,
            }
        }
        changed.merge(&after);
        Ok(())
    }

    /// The only assignment of a step to a variable.
    fn single(&mut self, one: &Assignment, changed: &Changed, owner: Owner) -> Result<(), Problem> {
        let path = self.subscripted(&one.path, owner, changed)?;
        let value = self.subscripted(&one.value, owner, changed)?;
        let name = &one.name;
        let is_of_self = self.has_processes
            && (name == "pc" || name == "stack" || self.takes_self.contains(name.as_str()));
        if !is_of_self && path.is_empty() {
            self.page.add(&format!("{name}' = "));
            let parentheses = needs_parentheses(&value);
            self.page.add(if parentheses { "(" } else { "" });
            self.page.expr(&value);
            self.page.add(if parentheses { ")" } else { "" });
            return Ok(());
        }
        self.page.add(&format!("{name}' = [{name} EXCEPT !"));
        if is_of_self {
            self.page.add("[");
            let own = self.own.clone();
            self.page.expr(&own);
            self.page.add("]");
        }
        self.page.expr(&path);
        self.page.add(" = ");
        self.page.expr(&value);
        self.page.add("]");
        Ok(())
    }

    /// Several assignments of a step to parts of a variable.
    fn several(&mut self, group: &[&Assignment], changed: &Changed, owner: Owner) -> Result<(), Problem> {
        let name = &group[0].name;
        self.page.add(&format!("{name}' = [{name} EXCEPT "));
        let indent = spaces(self.page.column());
        let is_of_self = self.has_processes && self.takes_self.contains(name.as_str());
        for (index, one) in group.iter().enumerate() {
            if index > 0 {
                self.page.add(",");
                self.page.end_line();
                self.page.add(&indent);
            }
            let path = self.subscripted(&one.path, owner, changed)?;
            let value = self.subscripted(&one.value, owner, changed)?;
            self.page.add("!");
            if is_of_self {
                let own = self.own_of(owner);
                self.page.add("[");
                self.page.expr(&own);
                self.page.add("]");
            }
            self.page.expr(&path);
            self.page.add(" = ");
            self.page.expr(&value);
        }
        self.page.add("]");
        Ok(())
    }

    fn if_else(
        &mut self,
        test: &Expr,
        yes: &[Statement],
        no: &[Statement],
        changed: &mut Changed,
        owner: Owner,
        prefix: &str,
    ) -> Result<(), Problem> {
        let mut after_yes = changed.clone();
        let mut after_no = changed.clone();
        let test = self.subscripted(test, owner, changed)?;
        let start = format!("{prefix}IF ");
        self.page.add(&start);
        self.page.expr(&test);
        self.page.end_line();
        let column = width(&start);
        let inner = column + width("THEN ");
        let conjunct = format!("{}/\\ ", spaces(inner));
        let mut line = format!("{}THEN /\\ ", spaces(column));
        for statement in yes {
            self.statement(statement, &mut after_yes, owner, &line)?;
            line.clone_from(&conjunct);
        }
        if yes.is_empty() {
            self.page.line(&format!("{line}TRUE"));
            line.clone_from(&conjunct);
        }
        // What stays unchanged here is known when the other branch is.
        let place = self.page.lines.len();
        let yes_line = line;
        let mut line = format!("{}ELSE /\\ ", spaces(column));
        if no.is_empty() {
            self.page.line(&format!("{line}TRUE"));
            line.clone_from(&conjunct);
        }
        for statement in no {
            self.statement(statement, &mut after_no, owner, &line)?;
            line.clone_from(&conjunct);
        }
        let kept = self.kept(&line, &after_no.unchanged(Some(&after_yes)));
        self.page.lines.extend(kept);
        let kept = self.kept(&yes_line, &after_yes.unchanged(Some(&after_no)));
        self.page.lines.splice(place..place, kept);
        changed.merge(&after_yes);
        changed.merge(&after_no);
        Ok(())
    }

    /// The lines of a conjunct that says which variables keep their values.
    fn kept(&self, prefix: &str, names: &[&str]) -> Vec<String> {
        match names {
            [] => Vec::new(),
            [name] => vec![format!("{prefix}{}", keeps(name))],
            names => {
                let start = format!("{prefix}UNCHANGED << ");
                let room = self.wrap as i64 - width(&start) as i64;
                let mut lines = wrapped(names, room);
                if let Some(last) = lines.last_mut() {
                    last.push_str(" >>");
                }
                let indent = spaces(width(&start));
                let lines = lines.into_iter().enumerate();
                lines
                    .map(
                        |(index, line)| {
                            if index == 0 { format!("{start}{line}") } else { format!("{indent}{line}") }
                        },
                    )
                    .collect()
            }
        }
    }

    fn either(
        &mut self,
        branches: &[Vec<Statement>],
        changed: &mut Changed,
        owner: Owner,
        prefix: &str,
    ) -> Result<(), Problem> {
        let mut all = changed.clone();
        let mut ends = Vec::new();
        let column = width(prefix);
        let conjunct = format!("{}/\\ ", spaces(column + 3));
        for (index, branch) in branches.iter().enumerate() {
            let indent = if index == 0 { prefix.to_string() } else { spaces(column) };
            let mut line = format!("{indent}\\/ /\\ ");
            let mut after = changed.clone();
            for statement in branch {
                self.statement(statement, &mut after, owner, &line)?;
                line.clone_from(&conjunct);
            }
            all.merge(&after);
            ends.push((self.page.lines.len(), after));
        }
        for (place, after) in ends.into_iter().rev() {
            let line = match after.unchanged(Some(&all)).as_slice() {
                [] => continue,
                [name] => format!("{conjunct}{}", keeps(name)),
                names => format!("{conjunct}UNCHANGED <<{}>>", names.join(", ")),
            };
            self.page.lines.insert(place, line);
        }
        changed.merge(&all);
        Ok(())
    }

    /// The identifier of the process whose step is written.
    fn own_of(&self, owner: Owner) -> Expr {
        if owner == Owner::Procedure { Expr::of_word("self", Kind::Name) } else { self.own.clone() }
    }

    /// An expression as it stands in the action: variables of processes and procedures with their subscript,
    /// and what the step has assigned primed.
    pub fn subscripted(&self, expr: &Expr, owner: Owner, changed: &Changed) -> Result<Expr, Problem> {
        let subscript = self.has_processes.then(|| self.own_of(owner).in_brackets());
        self.with_subscript(expr, subscript.as_ref(), |name| changed.has(name))
    }

    pub fn with_subscript(
        &self,
        expr: &Expr,
        subscript: Option<&Expr>,
        is_primed: impl Fn(&str) -> bool,
    ) -> Result<Expr, Problem> {
        let mut result = expr.compact();
        let mut replacements: Vec<(String, Expr)> = Vec::new();
        for word in expr.iter().filter(|word| matches!(word.kind, Kind::Name | Kind::Added)) {
            let prime = word.kind == Kind::Name && is_primed(&word.text);
            let takes = word.kind == Kind::Added
                || (self.has_processes && self.takes_self.contains(word.text.as_str()));
            let subscript = subscript.filter(|_| takes);
            if (!prime && subscript.is_none()) || replacements.iter().any(|(name, _)| *name == word.text) {
                continue;
            }
            let mut new = Expr::of_line(vec![Token::new(word.text.as_str(), word.kind, 0)]);
            if prime {
                new.push_after("'", Kind::Symbol);
            }
            if let Some(subscript) = subscript {
                let mut subscripted = subscript.compact();
                subscripted.prepend(&new, 0)?;
                new = subscripted;
            }
            replacements.push((word.text.clone(), new));
        }
        result.substitute(&replacements, false)?;
        Ok(result)
    }
}

fn wrong(spot: Spot, message: String) -> Problem {
    at(spot.line.saturating_sub(1), spot.column as i64 - 1, message)
}
