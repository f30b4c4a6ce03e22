//! Macros: their calls are replaced by their statements.

use super::ast::{Assignment, Branch, Spot, Statement, StatementKind};
use super::expr::Expr;
use super::token::Kind;
use super::{Problem, at};

/// Most statements that come out of the macros of one body: macros that call macros grow fast.
const STATEMENTS_MAX: usize = 20_000;

/// A macro; the calls in its own statements are expanded.
pub(super) struct Macro {
    pub name: String,
    pub parameters: Vec<String>,
    pub body: Vec<Statement>,
    pub spot: Spot,
}

/// Replaces the calls of macros in some statements.
pub(super) fn expand(statements: &mut Vec<Statement>, macros: &[Macro]) -> Result<(), Problem> {
    expand_within(statements, macros, &mut 0)
}

fn expand_within(statements: &mut Vec<Statement>, macros: &[Macro], made: &mut usize) -> Result<(), Problem> {
    let mut expanded = Vec::with_capacity(statements.len());
    for mut statement in statements.drain(..) {
        match &mut statement.kind {
            StatementKind::LabelIf { yes, no, .. } => {
                expand_within(&mut yes.unlabeled, macros, made)?;
                expand_within(&mut no.unlabeled, macros, made)?;
            }
            StatementKind::LabelEither(branches) => {
                for branch in branches {
                    expand_within(&mut branch.unlabeled, macros, made)?;
                }
            }
            StatementKind::With { body, .. } => expand_within(body, macros, made)?,
            StatementKind::While { unlabeled, .. } => expand_within(unlabeled, macros, made)?,
            StatementKind::MacroCall { name, arguments } => {
                let call = Call { arguments, spot: statement.spot };
                let mut body = call.body(name, macros, made)?;
                if let Some(first) = body.first_mut() {
                    first.label = std::mem::take(&mut statement.label);
                }
                expanded.extend(body);
                continue;
            }
            _ => {}
        }
        expanded.push(statement);
    }
    *statements = expanded;
    Ok(())
}

struct Call<'a> {
    arguments: &'a [Expr],
    spot: Spot,
}

/// The parameters of a macro with what stands for them in a call.
struct Arguments {
    replacements: Vec<(String, Expr)>,
    spot: Spot,
}

impl Call<'_> {
    fn body(&self, name: &str, macros: &[Macro], made: &mut usize) -> Result<Vec<Statement>, Problem> {
        let wrong = |message: String| at(self.spot.line - 1, self.spot.column as i64 - 1, message);
        let definition = macros.iter().rev().find(|definition| definition.name == name);
        let definition =
            definition.ok_or_else(|| wrong(format!("there is no macro {name} before this call of it")))?;
        if definition.parameters.len() != self.arguments.len() {
            return Err(wrong(format!(
                "macro {name} has {} parameters and is called with {} arguments",
                definition.parameters.len(),
                self.arguments.len()
            )));
        }
        let replacements =
            definition.parameters.iter().cloned().zip(self.arguments.iter().cloned()).collect();
        let arguments = Arguments { replacements, spot: self.spot };
        arguments.in_statements(&definition.body, made)
    }
}

impl Arguments {
    fn in_statements(&self, statements: &[Statement], made: &mut usize) -> Result<Vec<Statement>, Problem> {
        statements.iter().map(|statement| self.in_statement(statement, made)).collect()
    }

    fn in_statement(&self, statement: &Statement, made: &mut usize) -> Result<Statement, Problem> {
        *made += 1;
        if *made > STATEMENTS_MAX {
            let message = format!("macros make more than {STATEMENTS_MAX} statements of one body");
            return Err(at(self.spot.line - 1, self.spot.column as i64 - 1, message));
        }
        let kind = match &statement.kind {
            StatementKind::Assign(assignments) => {
                let assignments = assignments.iter().map(|assignment| self.in_assignment(assignment));
                StatementKind::Assign(assignments.collect::<Result<_, _>>()?)
            }
            StatementKind::LabelIf { test, yes, no } => StatementKind::LabelIf {
                test: self.in_expr(test)?,
                yes: self.in_branch(yes, made)?,
                no: self.in_branch(no, made)?,
            },
            StatementKind::LabelEither(branches) => {
                let branches = branches.iter().map(|branch| self.in_branch(branch, made));
                StatementKind::LabelEither(branches.collect::<Result<_, _>>()?)
            }
            StatementKind::With { name, is_equal, value, body } => StatementKind::With {
                name: name.clone(),
                is_equal: *is_equal,
                value: self.in_expr(value)?,
                body: self.in_statements(body, made)?,
            },
            StatementKind::While { test, unlabeled, .. } => StatementKind::While {
                test: self.in_expr(test)?,
                unlabeled: self.in_statements(unlabeled, made)?,
                labeled: Vec::new(),
            },
            StatementKind::When(expr) => StatementKind::When(self.in_expr(expr)?),
            StatementKind::Print(expr) => StatementKind::Print(self.in_expr(expr)?),
            StatementKind::Assert(expr) => StatementKind::Assert(self.in_expr(expr)?),
            StatementKind::Call { to, arguments } => {
                StatementKind::Call { to: to.clone(), arguments: self.in_exprs(arguments)? }
            }
            StatementKind::CallReturn { from, to, arguments } => StatementKind::CallReturn {
                from: from.clone(),
                to: to.clone(),
                arguments: self.in_exprs(arguments)?,
            },
            StatementKind::CallGoto { after, to, arguments } => StatementKind::CallGoto {
                after: after.clone(),
                to: to.clone(),
                arguments: self.in_exprs(arguments)?,
            },
            other => other.clone(),
        };
        let spot = self.called_from(statement.spot);
        Ok(Statement { label: String::new(), spot, kind })
    }

    fn in_branch(&self, branch: &Branch, made: &mut usize) -> Result<Branch, Problem> {
        Ok(Branch { unlabeled: self.in_statements(&branch.unlabeled, made)?, labeled: Vec::new() })
    }

    /// A place in the macro, seen from the call.
    fn called_from(&self, spot: Spot) -> Spot {
        Spot { call: Some((self.spot.line, self.spot.column)), ..spot }
    }

    fn in_expr(&self, expr: &Expr) -> Result<Expr, Problem> {
        let mut result = expr.compact();
        let placed = |problem: Problem| problem.or_at(self.spot.line - 1, self.spot.column as i64 - 1);
        result.substitute(&self.replacements, true).map_err(placed)?;
        Ok(result)
    }

    fn in_exprs(&self, exprs: &[Expr]) -> Result<Vec<Expr>, Problem> {
        exprs.iter().map(|expr| self.in_expr(expr)).collect()
    }

    /// A parameter that is assigned stands for a variable, or for a part of one.
    fn in_assignment(&self, assignment: &Assignment) -> Result<Assignment, Problem> {
        let mut result = Assignment {
            name: assignment.name.clone(),
            path: if assignment.path.is_empty() { Expr::default() } else { self.in_expr(&assignment.path)? },
            value: self.in_expr(&assignment.value)?,
            spot: self.called_from(assignment.spot),
        };
        let found = self.replacements.iter().find(|(name, _)| *name == assignment.name);
        let Some((_, argument)) = found else { return Ok(result) };
        let wrong = |message: &str| at(self.spot.line - 1, self.spot.column as i64 - 1, message.to_string());
        let name = argument.iter().next().filter(|word| word.kind == Kind::Name);
        let name =
            name.ok_or_else(|| wrong("the macro assigns to a parameter for which no variable is given"))?;
        result.name.clone_from(&name.text);
        if argument.size() > 1 {
            result.path.prepend(&argument.without_first(), 0)?;
        }
        Ok(result)
    }
}
