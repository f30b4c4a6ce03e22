//! Names: each is declared once, and names that stand for two things are made different.
//!
//! Labels, procedures, processes and local variables become definitions and variables of one module. Where
//! two of them have the same name, the later kind gets an underscore and letters of the procedure or process
//! that it belongs to.

use std::collections::HashMap;

use super::ast::{Algorithm, Body, Branch, Labeled, Marks, Spot, Statement, StatementKind, Variable};
use super::expr::Expr;
use super::token::Kind;
use super::{Problem, at};

/// What a name stands for, in the order in which names are made different.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Role {
    Global,
    Label,
    Procedure,
    Process,
    ProcessVariable,
    ProcedureVariable,
    Parameter,
}

const ROLES: [Role; 7] = [
    Role::Global,
    Role::Label,
    Role::Procedure,
    Role::Process,
    Role::ProcessVariable,
    Role::ProcedureVariable,
    Role::Parameter,
];

impl Role {
    fn words(self) -> &'static str {
        match self {
            Role::Global => "Global variable",
            Role::Label => "Label",
            Role::Procedure => "Procedure",
            Role::Process => "Process",
            Role::ProcessVariable => "Process variable",
            Role::ProcedureVariable => "Procedure variable",
            Role::Parameter => "Parameter",
        }
    }

    fn is_variable(self) -> bool {
        matches!(self, Role::Global | Role::ProcessVariable | Role::ProcedureVariable | Role::Parameter)
    }
}

struct Name {
    role: Role,
    name: String,
    /// The procedure or process that it belongs to.
    owner: String,
    /// "procedure" or "process".
    owner_kind: &'static str,
    spot: Spot,
    new: String,
}

/// All names of an algorithm.
#[derive(Default)]
struct Names {
    names: Vec<Name>,
    by_role: HashMap<(Role, String, String), usize>,
    by_owner: HashMap<(String, String), usize>,
}

/// Refuses names that are declared twice, and makes the others different. Gives a line for each that changed.
pub(super) fn resolve(algorithm: &mut Algorithm) -> Result<Vec<String>, Problem> {
    let mut names = Names::default();
    names.declare_all(algorithm)?;
    let report = names.make_different();
    names.rename_all(algorithm)?;
    if algorithm.facts.has_default && names.names.iter().any(|name| name.name == "defaultInitValue") {
        return Err(Problem::nowhere(
            "`defaultInitValue` is the value of variables without one: choose another name",
        ));
    }
    if let Body::Processes(_) = &algorithm.body {
        close_calls(algorithm, &names)?;
    }
    Ok(report)
}

impl Names {
    fn declare(
        &mut self,
        role: Role,
        name: &str,
        owner: (&str, &'static str),
        spot: Spot,
    ) -> Result<(), Problem> {
        let key = (role, name.to_string(), owner.0.to_string());
        let short = (name.to_string(), owner.0.to_string());
        let global = (Role::Global, name.to_string(), String::new());
        let is_taken = match role {
            Role::ProcessVariable | Role::ProcedureVariable | Role::Parameter => {
                self.by_role.contains_key(&global) || self.by_owner.contains_key(&short)
            }
            _ => self.by_role.contains_key(&key),
        };
        if is_taken {
            let message = format!("{} {name} is declared a second time", role.words().to_lowercase());
            return Err(at(spot.line.saturating_sub(1), spot.column as i64 - 1, message));
        }
        let index = self.names.len();
        self.by_role.insert(key, index);
        self.by_owner.entry(short).or_insert(index);
        let (owner, owner_kind) = (owner.0.to_string(), owner.1);
        self.names.push(Name {
            role,
            name: name.to_string(),
            owner,
            owner_kind,
            spot,
            new: name.to_string(),
        });
        Ok(())
    }

    fn declare_all(&mut self, algorithm: &Algorithm) -> Result<(), Problem> {
        self.declare(Role::Global, "pc", ("", ""), Spot::default())?;
        if !algorithm.procedures.is_empty() {
            self.declare(Role::Global, "stack", ("", ""), Spot::default())?;
        }
        for variable in &algorithm.variables {
            self.declare(Role::Global, &variable.name, ("", "process"), variable.spot)?;
        }
        for procedure in &algorithm.procedures {
            let owner = (procedure.name.as_str(), "procedure");
            self.declare(Role::Procedure, &procedure.name, ("", "procedure"), procedure.spot)?;
            for variable in &procedure.variables {
                self.declare(Role::ProcedureVariable, &variable.name, owner, variable.spot)?;
            }
            for parameter in &procedure.parameters {
                self.declare(Role::Parameter, &parameter.name, owner, parameter.spot)?;
            }
            self.declare_steps(&procedure.body, owner)?;
        }
        match &algorithm.body {
            Body::One(steps) => self.declare_steps(steps, ("", "")),
            Body::Processes(processes) => {
                for process in processes {
                    let owner = (process.name.as_str(), "process");
                    self.declare(Role::Process, &process.name, ("", "process"), process.spot)?;
                    for variable in &process.variables {
                        self.declare(Role::ProcessVariable, &variable.name, owner, variable.spot)?;
                    }
                    self.declare_steps(&process.body, owner)?;
                }
                Ok(())
            }
        }
    }

    fn declare_steps(&mut self, steps: &[Labeled], owner: (&str, &'static str)) -> Result<(), Problem> {
        for step in steps {
            self.declare(Role::Label, &step.label, owner, step.spot)?;
            self.declare_in(&step.statements, owner)?;
        }
        Ok(())
    }

    fn declare_in(&mut self, statements: &[Statement], owner: (&str, &'static str)) -> Result<(), Problem> {
        for statement in statements {
            match &statement.kind {
                StatementKind::While { unlabeled, labeled, .. } => {
                    self.declare_in(unlabeled, owner)?;
                    self.declare_steps(labeled, owner)?;
                }
                StatementKind::LabelIf { yes, no, .. } => {
                    for Branch { unlabeled, labeled } in [yes, no] {
                        self.declare_in(unlabeled, owner)?;
                        self.declare_steps(labeled, owner)?;
                    }
                }
                StatementKind::LabelEither(branches) => {
                    for Branch { unlabeled, labeled } in branches {
                        self.declare_in(unlabeled, owner)?;
                        self.declare_steps(labeled, owner)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn make_different(&mut self) -> Vec<String> {
        let mut uses: HashMap<String, usize> = HashMap::new();
        for name in &self.names {
            *uses.entry(name.new.clone()).or_default() += 1;
        }
        let mut report = Vec::new();
        for (number, role) in ROLES.into_iter().enumerate() {
            for name in self.names.iter_mut().filter(|name| name.role == role) {
                let mut owner = name.owner.chars();
                while number > 0 && uses.get(&name.new).is_some_and(|uses| *uses > 1) {
                    uses.entry(name.new.clone()).and_modify(|uses| *uses -= 1);
                    if name.new == name.name {
                        name.new.push('_');
                    } else {
                        let letter = owner.next().map_or_else(|| number.to_string(), String::from);
                        name.new.push_str(&letter);
                    }
                    *uses.entry(name.new.clone()).or_default() += 1;
                }
                if name.new != name.name {
                    report.push(change(name));
                }
            }
        }
        report
    }

    fn new_name(&self, role: Role, name: &str, owner: &str) -> String {
        let key = (role, name.to_string(), owner.to_string());
        self.by_role.get(&key).map_or_else(|| name.to_string(), |index| self.names[*index].new.clone())
    }

    /// The new name of a variable as it is written in a procedure or process.
    fn new_variable(&self, name: &str, owner: &str) -> Option<&str> {
        let found = &self.names[*self.by_owner.get(&(name.to_string(), owner.to_string()))?];
        (found.role.is_variable() && found.new != name).then_some(found.new.as_str())
    }

    fn rename_all(&self, algorithm: &mut Algorithm) -> Result<(), Problem> {
        self.rename_variables(&mut algorithm.variables, "")?;
        for procedure in &mut algorithm.procedures {
            let owner = procedure.name.clone();
            self.rename_variables(&mut procedure.variables, &owner)?;
            self.rename_variables(&mut procedure.parameters, &owner)?;
            self.rename_steps(&mut procedure.body, &owner)?;
            self.rename_marks(&mut procedure.marks, &owner);
            procedure.name = self.new_name(Role::Procedure, &owner, "");
        }
        match &mut algorithm.body {
            Body::One(steps) => self.rename_steps(steps, ""),
            Body::Processes(processes) => {
                for process in processes {
                    let owner = process.name.clone();
                    self.rename_variables(&mut process.variables, &owner)?;
                    self.rename_steps(&mut process.body, &owner)?;
                    self.rename_marks(&mut process.marks, &owner);
                    process.name = self.new_name(Role::Process, &owner, "");
                }
                Ok(())
            }
        }
    }

    fn rename_marks(&self, marks: &mut Marks, owner: &str) {
        for label in marks.plus.iter_mut().chain(&mut marks.minus) {
            *label = self.new_name(Role::Label, label, owner);
        }
    }

    fn rename_variables(&self, variables: &mut [Variable], owner: &str) -> Result<(), Problem> {
        for variable in variables {
            self.rename_variable(&mut variable.name, owner);
            self.rename_in(&mut variable.value, owner)?;
        }
        Ok(())
    }

    fn rename_variable(&self, name: &mut String, owner: &str) {
        if let Some(new) = self.new_variable(name, owner) {
            *name = new.to_string();
        }
    }

    fn rename_in(&self, expr: &mut Expr, owner: &str) -> Result<(), Problem> {
        let mut replacements: Vec<(String, Expr)> = Vec::new();
        for word in expr.iter().filter(|word| word.kind == Kind::Name) {
            if let Some(new) = self.new_variable(&word.text, owner)
                && !replacements.iter().any(|(name, _)| *name == word.text)
            {
                replacements.push((word.text.clone(), Expr::of_word(new, Kind::Name)));
            }
        }
        if replacements.is_empty() { Ok(()) } else { expr.substitute(&replacements, false) }
    }

    fn rename_steps(&self, steps: &mut [Labeled], owner: &str) -> Result<(), Problem> {
        for step in steps {
            step.label = self.new_name(Role::Label, &step.label, owner);
            self.rename_statements(&mut step.statements, owner)?;
        }
        Ok(())
    }

    fn rename_statements(&self, statements: &mut [Statement], owner: &str) -> Result<(), Problem> {
        statements.iter_mut().try_for_each(|statement| self.rename_statement(statement, owner))
    }

    fn rename_branch(&self, branch: &mut Branch, owner: &str) -> Result<(), Problem> {
        self.rename_statements(&mut branch.unlabeled, owner)?;
        self.rename_steps(&mut branch.labeled, owner)
    }

    fn rename_statement(&self, statement: &mut Statement, owner: &str) -> Result<(), Problem> {
        let spot = statement.spot;
        match &mut statement.kind {
            StatementKind::While { test, unlabeled, labeled } => {
                self.rename_in(test, owner)?;
                self.rename_statements(unlabeled, owner)?;
                self.rename_steps(labeled, owner)
            }
            StatementKind::Assign(assignments) => assignments.iter_mut().try_for_each(|assignment| {
                self.rename_variable(&mut assignment.name, owner);
                self.rename_in(&mut assignment.path, owner)?;
                self.rename_in(&mut assignment.value, owner)
            }),
            StatementKind::If { test, yes, no } => {
                self.rename_in(test, owner)?;
                self.rename_statements(yes, owner)?;
                self.rename_statements(no, owner)
            }
            StatementKind::LabelIf { test, yes, no } => {
                self.rename_in(test, owner)?;
                self.rename_branch(yes, owner)?;
                self.rename_branch(no, owner)
            }
            StatementKind::Either(branches) => {
                branches.iter_mut().try_for_each(|branch| self.rename_statements(branch, owner))
            }
            StatementKind::LabelEither(branches) => {
                branches.iter_mut().try_for_each(|branch| self.rename_branch(branch, owner))
            }
            StatementKind::With { value, body, .. } => {
                self.rename_in(value, owner)?;
                self.rename_statements(body, owner)
            }
            StatementKind::When(expr) | StatementKind::Print(expr) | StatementKind::Assert(expr) => {
                self.rename_in(expr, owner)
            }
            StatementKind::Skip | StatementKind::MacroCall { .. } => Ok(()),
            StatementKind::Return { from } => {
                self.rename_from(from);
                Ok(())
            }
            StatementKind::Call { to, arguments } => self.rename_call(to, arguments, owner),
            StatementKind::CallReturn { from, to, arguments } => {
                self.rename_from(from);
                self.rename_call(to, arguments, owner)
            }
            StatementKind::CallGoto { after, to, arguments } => {
                self.rename_target(after, owner, spot)?;
                self.rename_call(to, arguments, owner)
            }
            StatementKind::Goto(to) => self.rename_target(to, owner, spot),
        }
    }

    fn rename_from(&self, from: &mut Option<String>) {
        if let Some(from) = from {
            *from = self.new_name(Role::Procedure, from, "");
        }
    }

    fn rename_call(&self, to: &mut String, arguments: &mut [Expr], owner: &str) -> Result<(), Problem> {
        *to = self.new_name(Role::Procedure, to, "");
        arguments.iter_mut().try_for_each(|argument| self.rename_in(argument, owner))
    }

    fn rename_target(&self, to: &mut String, owner: &str, spot: Spot) -> Result<(), Problem> {
        let key = (Role::Label, to.clone(), owner.to_string());
        if !self.by_role.contains_key(&key) && to != "Done" {
            let message = format!("`goto` leads to {to}, which is no label here");
            return Err(at(spot.line - 1, spot.column as i64 - 1, message));
        }
        *to = self.new_name(Role::Label, to, owner);
        Ok(())
    }
}

/// The remark about a name that changed.
fn change(name: &Name) -> String {
    let Name { role, name: old, owner, owner_kind, spot, new } = name;
    let of = if owner.is_empty() { String::new() } else { format!(" of {owner_kind} {owner}") };
    let (line, column) = (spot.line, spot.column);
    format!("\\* {} {old}{of} at line {line} col {column} changed to {new}", role.words())
}

/// Adds the procedures that are called by procedures that are called.
fn close_calls(algorithm: &mut Algorithm, names: &Names) -> Result<(), Problem> {
    const PROCEDURES_MAX: usize = 300;
    let known: Vec<String> = algorithm.procedures.iter().map(|procedure| procedure.name.clone()).collect();
    if known.len() > PROCEDURES_MAX {
        return Err(Problem::nowhere(format!("an algorithm has at most {PROCEDURES_MAX} procedures")));
    }
    let number = |name: &String| {
        let new = names.new_name(Role::Procedure, name, "");
        known.iter().position(|known| *known == new)
    };
    let count = known.len();
    let mut calls = vec![vec![false; count]; count];
    for (from, procedure) in algorithm.procedures.iter().enumerate() {
        for to in procedure.marks.called.iter().filter_map(number) {
            calls[from][to] = true;
        }
    }
    for middle in 0..count {
        for from in 0..count {
            if calls[from][middle] {
                let reached = calls[middle].clone();
                calls[from].iter_mut().zip(reached).for_each(|(call, reached)| *call |= reached);
            }
        }
    }
    for (procedure, calls) in algorithm.procedures.iter_mut().zip(&calls) {
        procedure.marks.called =
            known.iter().zip(calls).filter(|(_, call)| **call).map(|(name, _)| name.clone()).collect();
    }
    let Body::Processes(processes) = &mut algorithm.body else { return Ok(()) };
    for process in processes {
        let mut next = 0;
        while let Some(name) = process.marks.called.get(next) {
            let from =
                number(name).ok_or_else(|| Problem::nowhere(format!("there is no procedure {name}")))?;
            for to in (0..count).filter(|to| calls[from][*to]) {
                if !process.marks.called.contains(&known[to]) {
                    process.marks.called.push(known[to].clone());
                }
            }
            next += 1;
        }
    }
    Ok(())
}
