//! From statements to steps: jumps, calls, returns and loops become assignments to `pc` and `stack`.
//!
//! Each step starts with a test of `pc` and ends, on each path, with an assignment to it. The tree is changed
//! in place where the reference translator changes its own, because the checksum of an algorithm is taken of
//! the tree afterwards.

use super::ast::{
    Algorithm, Assignment, Body, Branch, Labeled, Procedure, Spot, Statement, StatementKind, Variable,
};
use super::expr::Expr;
use super::token::{Kind, Token};
use super::{Problem, at};

/// A procedure, as far as calls need it.
struct Callee {
    name: String,
    parameters: Vec<Variable>,
    variables: Vec<Variable>,
    first_label: Option<String>,
}

/// The steps of each procedure, and of each process or of the body.
pub(super) struct Steps {
    pub procedures: Vec<Vec<Labeled>>,
    pub bodies: Vec<Vec<Labeled>>,
}

struct Exploder {
    omits_pc: bool,
    callees: Vec<Callee>,
    /// The procedure whose statements are exploded.
    procedure: Option<String>,
}

/// What comes of the statements of one step: themselves, and the steps inside them.
struct Exploded {
    statements: Vec<Statement>,
    steps: Vec<Labeled>,
    /// Whether an assignment to `pc` is still to be added.
    needs_jump: bool,
}

/// What comes of a branch with labels: its first statements, the steps behind them, and the steps inside
/// them.
struct ExplodedBranch {
    statements: Vec<Statement>,
    behind: Vec<Labeled>,
    inside: Vec<Labeled>,
}

/// Explodes a whole algorithm.
pub(super) fn explode(algorithm: &mut Algorithm) -> Result<Steps, Problem> {
    let callee = |procedure: &Procedure| Callee {
        name: procedure.name.clone(),
        parameters: procedure.parameters.clone(),
        variables: procedure.variables.clone(),
        first_label: procedure.body.first().map(|step| step.label.clone()),
    };
    let callees = algorithm.procedures.iter().map(callee).collect();
    let mut exploder = Exploder { omits_pc: algorithm.facts.omits_pc, callees, procedure: None };
    let mut procedures = Vec::new();
    for procedure in &mut algorithm.procedures {
        exploder.procedure = Some(procedure.name.clone());
        procedures.push(exploder.steps(&mut procedure.body, "Error")?);
    }
    exploder.procedure = None;
    let bodies = match &mut algorithm.body {
        Body::One(body) => vec![exploder.steps(body, "Done")?],
        Body::Processes(processes) => {
            let bodies = processes.iter_mut().map(|process| exploder.steps(&mut process.body, "Done"));
            bodies.collect::<Result<_, _>>()?
        }
    };
    Ok(Steps { procedures, bodies })
}

fn jump(to: &str) -> Statement {
    let assignment = Assignment::whole("pc", Expr::of_word(to, Kind::Text), Spot::default());
    Statement::added(StatementKind::Assign(vec![assignment]), Spot::default())
}

/// Words in a row, without spaces between them.
fn row(words: &[(&str, Kind)]) -> Expr {
    let mut column = 0;
    let place = |(text, kind): &(&str, Kind)| {
        let token = Token::new(*text, *kind, column);
        column += token.width();
        token
    };
    Expr::of_line(words.iter().map(place).collect())
}

/// `Head(stack).field`
fn head(field: &str) -> Expr {
    // The reference gives all these words the same column; they are printed without spaces.
    let words = ["Head", "(", "stack", ")", ".", field];
    let kinds = [Kind::Name, Kind::Symbol, Kind::Added, Kind::Symbol, Kind::Symbol, Kind::Name];
    row(&words.into_iter().zip(kinds).collect::<Vec<_>>())
}

impl Exploder {
    fn steps(&mut self, steps: &mut [Labeled], last: &str) -> Result<Vec<Labeled>, Problem> {
        let mut result = Vec::new();
        for index in 0..steps.len() {
            let next = steps.get(index + 1).map_or(last, |step| &step.label).to_string();
            result.extend(self.step(&mut steps[index], &next)?);
        }
        Ok(result)
    }

    fn step(&mut self, step: &mut Labeled, next: &str) -> Result<Vec<Labeled>, Problem> {
        if let Some(StatementKind::While { .. }) = step.statements.first().map(|first| &first.kind) {
            return self.while_step(step, next);
        }
        let mut exploded = self.with_jump(&mut step.statements, next)?;
        let mut result = Vec::new();
        if !self.omits_pc {
            exploded.statements.insert(0, pc_is(&step.label));
            result.push(Labeled {
                label: step.label.clone(),
                statements: exploded.statements,
                spot: step.spot,
            });
        }
        result.extend(exploded.steps);
        Ok(result)
    }

    fn while_step(&mut self, step: &mut Labeled, next: &str) -> Result<Vec<Labeled>, Problem> {
        let label = step.label.clone();
        let mut rest = step.statements.split_off(1);
        let Some(Statement { kind: StatementKind::While { test, unlabeled, labeled }, spot, .. }) =
            step.statements.first_mut()
        else {
            return Ok(Vec::new());
        };
        let inside = labeled.first().map_or(&label, |first| &first.label).clone();
        let repeated = self.with_jump(unlabeled, &inside)?;
        let behind = self.with_jump(&mut rest, next)?;
        let mut statements = Vec::new();
        if !self.omits_pc {
            statements.push(pc_is(&label));
        }
        let is_endless = test.is_true();
        if is_endless {
            statements.extend(repeated.statements);
        } else {
            let (yes, no) = (repeated.statements, behind.statements);
            statements.push(Statement::added(StatementKind::If { test: test.clone(), yes, no }, *spot));
        }
        let mut result = vec![Labeled { label: label.clone(), statements, spot: step.spot }];
        result.extend(self.steps(labeled, &label)?);
        result.extend(repeated.steps);
        if !is_endless {
            result.extend(behind.steps);
        }
        step.statements.extend(rest);
        Ok(result)
    }

    /// Explodes the last of some statements, and adds a jump if it has none.
    fn with_jump(&mut self, statements: &mut [Statement], next: &str) -> Result<Exploded, Problem> {
        let mut exploded = self.last(statements, next)?;
        if exploded.needs_jump {
            exploded.statements.push(jump(next));
        }
        Ok(exploded)
    }

    fn last(&mut self, statements: &mut [Statement], next: &str) -> Result<Exploded, Problem> {
        let Some((last, before)) = statements.split_last_mut() else {
            return Ok(Exploded { statements: Vec::new(), steps: Vec::new(), needs_jump: !self.omits_pc });
        };
        let spot = last.spot;
        let mut steps = Vec::new();
        let mut needs_jump = false;
        let replacement = match &mut last.kind {
            StatementKind::LabelIf { test, yes, no } => {
                let (test, yes, no) = (test.clone(), self.branch(yes, next)?, self.branch(no, next)?);
                let parts = [yes.behind, no.behind, yes.inside, no.inside];
                steps.extend(parts.into_iter().flatten());
                let (yes, no) = (yes.statements, no.statements);
                vec![Statement::added(StatementKind::If { test, yes, no }, spot)]
            }
            StatementKind::LabelEither(branches) => {
                let mut alternatives = Vec::new();
                for branch in branches {
                    let ExplodedBranch { statements, behind, inside } = self.branch(branch, next)?;
                    alternatives.push(statements);
                    steps.extend(inside);
                    steps.extend(behind);
                }
                vec![Statement::added(StatementKind::Either(alternatives), spot)]
            }
            StatementKind::Goto(to) => vec![jump(to)],
            StatementKind::Call { to, arguments } => self.call(to, arguments, next, spot)?,
            StatementKind::CallGoto { after, to, arguments } => self.call(to, arguments, after, spot)?,
            StatementKind::Return { from } => {
                if from.is_none() {
                    from.clone_from(&self.procedure);
                }
                self.return_from(from.as_deref(), spot)?
            }
            StatementKind::CallReturn { from, to, arguments } => {
                self.call_and_return(from.as_deref(), to, arguments, spot)?
            }
            StatementKind::If { yes, no, .. } => {
                let mut parts = vec![self.last(yes, next)?, self.last(no, next)?];
                needs_jump = add_jumps(&mut parts, next);
                [*yes, *no] = take_statements(&mut parts, &mut steps).try_into().unwrap_or_default();
                vec![last.clone()]
            }
            StatementKind::Either(branches) => {
                let parts = branches.iter_mut().map(|branch| self.last(branch, next));
                let mut parts = parts.collect::<Result<Vec<_>, _>>()?;
                needs_jump = add_jumps(&mut parts, next);
                *branches = take_statements(&mut parts, &mut steps);
                vec![last.clone()]
            }
            StatementKind::With { body, .. } => {
                let exploded = self.last(body, next)?;
                needs_jump = exploded.needs_jump;
                steps = exploded.steps;
                *body = exploded.statements;
                vec![last.clone()]
            }
            _ => {
                needs_jump = true;
                vec![last.clone()]
            }
        };
        let mut result = before.to_vec();
        result.extend(replacement);
        Ok(Exploded { statements: result, steps, needs_jump: needs_jump && !self.omits_pc })
    }

    /// Explodes a branch with labels.
    fn branch(&mut self, branch: &mut Branch, next: &str) -> Result<ExplodedBranch, Problem> {
        let first = branch.labeled.first().map_or(next, |step| &step.label).to_string();
        let exploded = self.with_jump(&mut branch.unlabeled, &first)?;
        if !branch.unlabeled.is_empty() {
            branch.unlabeled.clone_from(&exploded.statements);
        }
        let labeled = self.steps(&mut branch.labeled, next)?;
        Ok(ExplodedBranch { statements: exploded.statements, behind: labeled, inside: exploded.steps })
    }

    fn callee(&self, name: &str, spot: Spot) -> Result<&Callee, Problem> {
        let found = self.callees.iter().find(|callee| callee.name == name);
        found.ok_or_else(|| wrong(spot, format!("there is no procedure {name}")))
    }

    fn call(&self, to: &str, arguments: &[Expr], next: &str, spot: Spot) -> Result<Vec<Statement>, Problem> {
        let callee = self.callee(to, spot)?;
        let back = vec![Token::new(next, Kind::Text, 0)];
        let pushed = frame(callee, back, vec![Token::new("stack", Kind::Added, 0)]);
        let assignments = vec![Assignment::whole("stack", pushed, spot)];
        enter(callee, assignments, arguments, spot)
    }

    fn return_from(&self, from: Option<&str>, spot: Spot) -> Result<Vec<Statement>, Problem> {
        let from = from.ok_or_else(|| wrong(spot, "`return` stands outside a procedure".to_string()))?;
        let callee = self.callee(from, spot)?;
        let assign = |name: &str, value: Expr| {
            Statement::added(StatementKind::Assign(vec![Assignment::whole(name, value, spot)]), spot)
        };
        let mut statements = vec![assign("pc", head("pc"))];
        for variable in callee.variables.iter().chain(&callee.parameters) {
            statements.push(assign(&variable.name, head(&variable.name)));
        }
        let tail =
            row(&[("Tail", Kind::Name), ("(", Kind::Symbol), ("stack", Kind::Added), (")", Kind::Symbol)]);
        statements.push(assign("stack", tail));
        Ok(statements)
    }

    fn call_and_return(
        &self,
        from: Option<&str>,
        to: &str,
        arguments: &[Expr],
        spot: Spot,
    ) -> Result<Vec<Statement>, Problem> {
        let outside = || wrong(spot, "`return` behind `call` stands outside a procedure".to_string());
        let from = self.callee(from.ok_or_else(outside)?, spot)?;
        let callee = self.callee(to, spot)?;
        let mut assignments = Vec::new();
        if from.name != callee.name {
            for variable in &from.variables {
                assignments.push(Assignment::whole(&variable.name, head(&variable.name), spot));
            }
            let back = head("pc").iter().cloned().collect();
            let tail = row(&[
                ("Tail", Kind::Name),
                ("(", Kind::Symbol),
                ("stack", Kind::Added),
                (")", Kind::Symbol),
            ]);
            let pushed = frame(callee, back, tail.iter().cloned().collect());
            assignments.push(Assignment::whole("stack", pushed, spot));
        }
        enter(callee, assignments, arguments, spot)
    }
}

fn wrong(spot: Spot, message: String) -> Problem {
    at(spot.line.saturating_sub(1), spot.column as i64 - 1, message)
}

/// The test with which a step starts.
fn pc_is(label: &str) -> Statement {
    let test = vec![
        Token::new("pc", Kind::Added, 0),
        Token::new("=", Kind::Symbol, 3),
        Token::new(label, Kind::Text, 5),
    ];
    Statement::added(StatementKind::When(Expr::of_line(test)), Spot::default())
}

/// Adds jumps to branches that need one, unless all do; whether all do.
fn add_jumps(parts: &mut [Exploded], next: &str) -> bool {
    let all = parts.iter().all(|part| part.needs_jump);
    if !all {
        for part in parts.iter_mut().filter(|part| part.needs_jump) {
            part.statements.push(jump(next));
        }
    }
    all
}

/// The statements of each branch; their steps go to the others.
fn take_statements(parts: &mut [Exploded], steps: &mut Vec<Labeled>) -> Vec<Vec<Statement>> {
    let take = |part: &mut Exploded| {
        steps.append(&mut part.steps);
        std::mem::take(&mut part.statements)
    };
    parts.iter_mut().map(take).collect()
}

/// Sets the parameters and variables of a procedure, and goes to its first step.
fn enter(
    callee: &Callee,
    mut assignments: Vec<Assignment>,
    arguments: &[Expr],
    spot: Spot,
) -> Result<Vec<Statement>, Problem> {
    if callee.parameters.len() != arguments.len() {
        let message = format!(
            "procedure {} has {} parameters and is called with {} arguments",
            callee.name,
            callee.parameters.len(),
            arguments.len()
        );
        return Err(wrong(spot, message));
    }
    for (parameter, argument) in callee.parameters.iter().zip(arguments) {
        assignments.push(Assignment::whole(&parameter.name, argument.clone(), spot));
    }
    let mut statements = Vec::new();
    if !assignments.is_empty() {
        statements.push(Statement::added(StatementKind::Assign(assignments), spot));
    }
    for variable in &callee.variables {
        let assignment = Assignment::whole(&variable.name, variable.value.clone(), spot);
        statements.push(Statement::added(StatementKind::Assign(vec![assignment]), spot));
    }
    let empty = || wrong(spot, format!("procedure {} has no statements", callee.name));
    statements.push(jump(callee.first_label.as_ref().ok_or_else(empty)?));
    Ok(statements)
}

/// The stack with a new frame on top: where to go back to, and the values of the procedure's variables.
fn frame(callee: &Callee, back: Vec<Token>, below: Vec<Token>) -> Expr {
    let symbol = |text: &str, column: i64| Token::new(text, Kind::Symbol, column);
    let mut lines = Vec::new();
    let name = vec![Token::new(callee.name.as_str(), Kind::Text, 0)];
    let fields = callee.variables.iter().chain(&callee.parameters);
    let fields = fields
        .map(|variable| (variable.name.as_str(), vec![Token::new(variable.name.as_str(), Kind::Name, 0)]));
    let all: Vec<(&str, Vec<Token>)> =
        [("procedure", name), ("pc", back)].into_iter().chain(fields).collect();
    let count = all.len();
    for (index, (field, value)) in all.into_iter().enumerate() {
        let mut line = Vec::new();
        if index == 0 {
            line.extend([symbol("<<", 1), symbol("[", 4)]);
        }
        let field = Token::new(field, Kind::Name, 6);
        let arrow = (field.column + field.width() + 1).max(16);
        line.extend([field, symbol("|->", arrow)]);
        let mut column = arrow + 5;
        for mut token in value {
            token.column = column;
            column += token.width();
            line.push(token);
        }
        if index + 1 < count {
            line.push(symbol(",", column));
        } else {
            line.extend([symbol("]", column + 1), symbol(">>", column + 3)]);
        }
        lines.push(line);
    }
    let mut column = 4;
    let mut last = vec![symbol("\\o", 2)];
    for mut token in below {
        token.column = column + 1;
        column += token.width();
        last.push(token);
    }
    lines.push(last);
    Expr::of_lines(lines)
}
