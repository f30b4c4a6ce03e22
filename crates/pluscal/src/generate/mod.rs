//! The module text of an algorithm whose steps are known: variables, `Init`, actions, `Next`, `Spec`,
//! `Termination`.
//!
//! Names, order and layout are those of the reference translator.

mod changed;
mod fairness;
mod page;
mod statement;

use std::collections::HashSet;
use std::rc::Rc;

use self::page::{Page, spaces, width};
use self::statement::Owner;
use super::Problem;
use super::ast::{Algorithm, Body, Facts, Labeled, Process, Variable};
use super::explode::Steps;
use super::expr::Expr;
use super::options::{Fairness, Options};
use super::token::{Kind, Token};

struct Generator<'a> {
    algorithm: &'a Algorithm,
    facts: Facts,
    fairness: Fairness,
    omits_done: bool,
    wrap: usize,
    page: Page,
    has_processes: bool,
    /// All variables, in the order of `vars`.
    all: Rc<Vec<String>>,
    /// Variables that are functions of processes: those of procedures and of sets of processes.
    takes_self: HashSet<String>,
    /// The identifier of the process whose steps are written.
    own: Expr,
    self_is_self: bool,
    process_name: String,
    /// The disjuncts of `Next` without a parameter.
    next: Vec<String>,
}

/// The lines of the translation. `report` are remarks about names that were changed.
pub(super) fn generate(
    algorithm: &Algorithm,
    steps: &Steps,
    report: &[String],
    fairness: Fairness,
    options: &Options,
) -> Result<Vec<String>, Problem> {
    let mut generator = Generator {
        algorithm,
        facts: algorithm.facts,
        fairness,
        omits_done: options.omit_done,
        wrap: options.line_width,
        page: Page::default(),
        has_processes: matches!(algorithm.body, Body::Processes(_)),
        all: Rc::default(),
        takes_self: HashSet::new(),
        own: Expr::default(),
        self_is_self: false,
        process_name: "Next".to_string(),
        next: Vec::new(),
    };
    for line in report {
        generator.page.line(line);
    }
    generator.declarations()?;
    generator.process_set();
    generator.init()?;
    generator.actions(steps)?;
    generator.next();
    generator.spec();
    generator.termination();
    Ok(generator.page.lines)
}

impl Generator<'_> {
    fn declarations(&mut self) -> Result<(), Problem> {
        let algorithm = self.algorithm;
        let mut global: Vec<String> = Vec::new();
        let mut local: Vec<String> = Vec::new();
        if !self.facts.omits_pc {
            global.push("pc".to_string());
        }
        global.extend(algorithm.variables.iter().map(|variable| variable.name.clone()));
        if !algorithm.procedures.is_empty() {
            global.push("stack".to_string());
        }
        for procedure in &algorithm.procedures {
            for variable in procedure.parameters.iter().chain(&procedure.variables) {
                local.push(variable.name.clone());
                self.takes_self.insert(variable.name.clone());
            }
        }
        if let Body::Processes(processes) = &algorithm.body {
            for process in processes {
                for variable in &process.variables {
                    local.push(variable.name.clone());
                    if !process.is_equal {
                        self.takes_self.insert(variable.name.clone());
                    }
                }
            }
        }
        if self.facts.has_default {
            self.page.line("CONSTANT defaultInitValue");
        }
        let all: Vec<String> = global.iter().chain(&local).cloned().collect();
        if algorithm.definitions.is_empty() {
            self.variables(&all);
        } else {
            self.variables(&global);
            self.page.line("");
            self.page.line("(* define statement *)");
            self.page.expr(&algorithm.definitions);
            self.page.line("");
            self.variables(&local);
        }
        self.page.line("");
        if all.is_empty() {
            return Err(Problem::nowhere("the algorithm has no variables"));
        }
        self.page.add("vars == << ");
        self.list(&all, width("vars == << "));
        if self.page.column() + width(" >>") + 1 > self.wrap {
            self.page.end_line();
            self.page.add(&spaces(width("vars ==")));
        }
        self.page.add(" >>");
        self.page.line("");
        self.all = Rc::new(all);
        Ok(())
    }

    fn variables(&mut self, names: &[String]) {
        if names.is_empty() {
            return;
        }
        let start = if names.len() > 1 { "VARIABLES " } else { "VARIABLE " };
        self.page.add(start);
        self.list(names, width(start));
        self.page.end_line();
    }

    /// Names with commas; lines that become too long are broken.
    fn list(&mut self, names: &[String], indent: usize) {
        for (index, name) in names.iter().enumerate() {
            if index > 0 {
                self.page.add(", ");
            }
            if self.page.column() + width(name) + 1 > self.wrap {
                self.page.end_line();
                self.page.add(&spaces(indent));
            }
            self.page.add(name);
        }
    }

    fn process_set(&mut self) {
        let Body::Processes(processes) = &self.algorithm.body else { return };
        self.page.add("ProcSet == ");
        for (index, process) in processes.iter().enumerate() {
            let (open, close) = if process.is_equal { ("{", "}") } else { ("(", ")") };
            self.page.add(if index > 0 { " \\cup " } else { "" });
            self.page.add(open);
            self.page.expr(&process.id);
            self.page.add(close);
        }
        self.page.end_line();
        self.page.line("");
    }

    fn init(&mut self) -> Result<(), Problem> {
        let algorithm = self.algorithm;
        let indent = spaces(width("Init == "));
        let mut start = "Init == ".to_string();
        if !algorithm.variables.is_empty() {
            self.page.line(&format!("{start}(* Global variables *)"));
            start.clone_from(&indent);
            for variable in &algorithm.variables {
                self.init_variable(variable, &start);
            }
        }
        for procedure in &algorithm.procedures {
            if procedure.parameters.is_empty() && procedure.variables.is_empty() {
                continue;
            }
            self.page.line(&format!("{start}(* Procedure {} *)", procedure.name));
            start.clone_from(&indent);
            for variable in procedure.parameters.iter().chain(&procedure.variables) {
                if self.has_processes {
                    let value = self.of_self(&variable.value)?;
                    self.page.add(&format!("{start}/\\ {} = [ self \\in ProcSet |-> ", variable.name));
                    self.page.expr(&value);
                    self.page.add("]");
                    self.page.end_line();
                } else {
                    self.init_variable(variable, &start);
                }
            }
        }
        for process in algorithm.processes() {
            if process.variables.is_empty() {
                continue;
            }
            self.page.line(&format!("{start}(* Process {} *)", process.name));
            start.clone_from(&indent);
            for variable in &process.variables {
                self.page.add(&format!("{start}/\\ "));
                self.init_of_process(process, variable)?;
                self.page.end_line();
            }
        }
        if !algorithm.procedures.is_empty() {
            let value = if self.has_processes { "[self \\in ProcSet |-> << >>]" } else { "<< >>" };
            self.page.line(&format!("{start}/\\ stack = {value}"));
            start.clone_from(&indent);
        }
        self.init_pc(&start);
        self.page.line("");
        Ok(())
    }

    fn init_variable(&mut self, variable: &Variable, start: &str) {
        let relation = if variable.is_equal { "=" } else { "\\in" };
        self.page.add(&format!("{start}/\\ {} {relation} ", variable.name));
        let parentheses = needs_parentheses(&variable.value);
        self.page.add(if parentheses { "(" } else { "" });
        self.page.expr(&variable.value);
        self.page.add(if parentheses { ")" } else { "" });
        self.page.end_line();
    }

    /// A value that may use variables of the same process.
    fn of_self(&self, value: &Expr) -> Result<Expr, Problem> {
        let own =
            if self.has_processes { Some(Expr::of_word("self", Kind::Name).in_brackets()) } else { None };
        self.with_subscript(value, own.as_ref(), |_| false)
    }

    fn init_of_process(&mut self, process: &Process, variable: &Variable) -> Result<(), Problem> {
        let name = &variable.name;
        if process.is_equal {
            let relation = if variable.is_equal { "=" } else { "\\in" };
            self.page.add(&format!("{name} {relation} "));
            self.page.expr(&variable.value);
            return Ok(());
        }
        if variable.is_equal {
            let value = self.of_self(&variable.value)?;
            self.page.add(&format!("{name} = [self \\in "));
            self.page.expr(&process.id);
            self.page.add(" |-> ");
            self.page.expr(&value);
        } else {
            // The values of all processes are chosen at once, so that other variables are those of some
            // process.
            let symbol = |text: &str, column: i64| Token::new(text, Kind::Symbol, column);
            let choose = Expr::of_line(vec![
                symbol("[", 0),
                symbol("CHOOSE", 1),
                Token::new("self", Kind::Name, 8),
                symbol("\\in ", 13),
            ]);
            let mut chosen = process.id.compact();
            chosen.prepend(&choose, 1)?;
            let mut subscript = Expr::of_line(vec![symbol(":", 0), symbol("TRUE", 2), symbol("]", 6)]);
            subscript.prepend(&chosen, 1)?;
            let value = self.with_subscript(&variable.value, Some(&subscript), |_| false)?;
            self.page.add(&format!("{name} \\in ["));
            self.page.expr(&process.id);
            self.page.add(" -> ");
            self.page.expr(&value);
        }
        self.page.add("]");
        Ok(())
    }

    fn init_pc(&mut self, start: &str) {
        if self.facts.omits_pc {
            return;
        }
        let algorithm = self.algorithm;
        let first = |steps: &[Labeled]| steps.first().map_or("Done", |step| &step.label).to_string();
        let processes = match &algorithm.body {
            Body::One(steps) => return self.page.line(&format!("{start}/\\ pc = \"{}\"", first(steps))),
            Body::Processes(processes) => processes,
        };
        let mut line = format!("{start}/\\ pc = [self \\in ProcSet |-> ");
        if let [process] = processes.as_slice() {
            return self.page.line(&format!("{line}\"{}\"]", first(&process.body)));
        }
        line.push_str("CASE ");
        let column = width(&line) - 3;
        for (index, process) in processes.iter().enumerate() {
            let relation = if process.is_equal { "=" } else { "\\in" };
            self.page.add(&format!("{line}self {relation} "));
            self.page.expr(&process.id);
            let end = if index + 1 == processes.len() { "]" } else { "" };
            self.page.add(&format!(" -> \"{}\"{end}", first(&process.body)));
            self.page.end_line();
            line = format!("{}[] ", spaces(column));
        }
    }

    fn actions(&mut self, steps: &Steps) -> Result<(), Problem> {
        let algorithm = self.algorithm;
        for (procedure, steps) in algorithm.procedures.iter().zip(&steps.procedures) {
            if self.has_processes {
                self.own = Expr::of_word("self", Kind::Name);
                self.self_is_self = true;
            } else {
                self.next.push(procedure.name.clone());
            }
            for step in steps {
                self.step(step, Owner::Procedure)?;
            }
            self.disjunction(&procedure.name, if self.has_processes { "(self)" } else { "" }, steps);
        }
        match &algorithm.body {
            Body::One(_) => {
                for step in steps.bodies.iter().flatten() {
                    self.next.push(step.label.clone());
                    self.step(step, Owner::Whole)?;
                }
            }
            Body::Processes(processes) => {
                for (process, steps) in processes.iter().zip(&steps.bodies) {
                    self.process(process, steps)?;
                }
            }
        }
        Ok(())
    }

    fn process(&mut self, process: &Process, steps: &[Labeled]) -> Result<(), Problem> {
        self.process_name.clone_from(&process.name);
        self.self_is_self = !process.is_equal;
        if process.is_equal {
            self.own = process.id.clone();
            self.next.push(process.name.clone());
        } else {
            self.own = Expr::of_word("self", Kind::Name);
        }
        for step in steps {
            self.step(step, Owner::Process)?;
        }
        if !self.facts.omits_pc {
            self.disjunction(&process.name, if process.is_equal { "" } else { "(self)" }, steps);
        }
        Ok(())
    }

    /// The action of a process or procedure: that of any of its steps.
    fn disjunction(&mut self, name: &str, argument: &str, steps: &[Labeled]) {
        let start = format!("{name}{argument} == ");
        let indent = spaces(width(&start) + 2);
        self.page.add(&start);
        for (index, step) in steps.iter().enumerate() {
            let disjunct = format!("{}{argument}", step.label);
            if index > 0 {
                if self.page.column() + 7 + width(&disjunct) > self.wrap {
                    self.page.end_line();
                    self.page.add(&indent);
                }
                self.page.add(" \\/ ");
            }
            self.page.add(&disjunct);
        }
        self.page.line("");
    }

    fn next(&mut self) {
        if self.facts.omits_pc && !self.has_processes {
            return;
        }
        let ends = !self.omits_done && !self.facts.omits_terminating;
        if ends {
            self.page.line("(* Allow infinite stuttering to prevent deadlock on termination. *)");
            if self.has_processes {
                self.page.line("Terminating == /\\ \\A self \\in ProcSet: pc[self] = \"Done\"");
                self.page.line("               /\\ UNCHANGED vars");
            } else {
                self.page.line("Terminating == pc = \"Done\" /\\ UNCHANGED vars");
            }
            self.page.line("");
        }
        let column = width("Next == ") + 2;
        let more = format!("{} \\/ ", spaces(column));
        let mut start = "Next == ".to_string();
        let next: Vec<String> = self.next.clone();
        let plain = disjuncts(&next, self.wrap.saturating_sub(width("Next == \\/ ")));
        for line in &plain {
            self.page.line(&format!("{start}{line}"));
            start.clone_from(&more);
        }
        let has_procedures = self.has_processes && !self.algorithm.procedures.is_empty();
        if has_procedures {
            let names = self.algorithm.procedures.iter().map(|procedure| format!("{}(self)", procedure.name));
            let room = self.wrap.saturating_sub(width("Next == \\/ (\\E self \\in ProcSet: \\/ "));
            let mut lines = disjuncts(&names.collect::<Vec<_>>(), room);
            if let Some(last) = lines.last_mut() {
                last.push(')');
            }
            start.push_str("(\\E self \\in ProcSet: ");
            let indent = spaces(width(&start));
            for (index, line) in lines.iter().enumerate() {
                let or = if lines.len() > 1 { " \\/ " } else { "" };
                let start = if index == 0 { &start } else { &indent };
                self.page.line(&format!("{start}{or}{line}"));
            }
            start.clone_from(&more);
        }
        let is_first = plain.is_empty() && !has_procedures;
        let sets: Vec<(String, Vec<String>)> = self
            .algorithm
            .processes()
            .iter()
            .filter(|process| !process.is_equal)
            .map(|process| (process.name.clone(), process.id.to_lines()))
            .collect();
        for (index, (name, id)) in sets.iter().enumerate() {
            let indent = spaces(if is_first && index == 0 { column - 2 } else { column + 4 });
            for (number, line) in id.iter().enumerate() {
                let open = if number == 0 { "(\\E self \\in " } else { "             " };
                let end = if number + 1 == id.len() { format!(": {name}(self))") } else { String::new() };
                let start = if number == 0 { &start } else { &indent };
                self.page.line(&format!("{start}{open}{line}{end}"));
            }
            start.clone_from(&more);
        }
        if ends {
            self.page.line(&format!("{start}Terminating"));
        }
        self.page.line("");
    }

    fn termination(&mut self) {
        if self.facts.omits_pc || self.facts.omits_terminating {
            return;
        }
        let is_done = if self.has_processes { "\\A self \\in ProcSet: pc[self]" } else { "pc" };
        self.page.line(&format!("Termination == <>({is_done} = \"Done\")"));
        self.page.line("");
    }
}

/// Names with `\/` between them, in lines that are no longer than a width if that is possible.
fn disjuncts(names: &[String], room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for name in names {
        if width(name) + 4 + width(&line) > room {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push_str(" \\/ ");
        }
        line.push_str(name);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// Whether a value must stand in parentheses behind `=`: there is an operator outside of brackets that binds
/// less. Only the first line is looked at, once for each line.
fn needs_parentheses(expr: &Expr) -> bool {
    let lines = expr.to_lines();
    let Some(first) = lines.first() else { return false };
    let text: Vec<char> = first.chars().collect();
    let mut depth = 0_i64;
    // Looking at the line a second time changes nothing when the first time leaves no bracket open.
    for _ in 0..lines.len().min(text.len() + 1) {
        if line_needs_parentheses(&text, &mut depth) {
            return true;
        }
    }
    false
}

fn line_needs_parentheses(text: &[char], depth: &mut i64) -> bool {
    let mut in_string = false;
    let mut column = 0;
    while column < text.len() {
        let c = text[column];
        let next = text.get(column + 1).copied().unwrap_or(' ');
        if in_string {
            match c {
                '"' => in_string = false,
                '\\' => column += 1,
                _ => {}
            }
            column += 1;
            continue;
        }
        let is_pair = matches!((c, next), ('<', '<') | ('>', '>'));
        let opens = matches!(c, '(' | '[' | '{') || (is_pair && c == '<');
        let closes = matches!(c, ')' | ']' | '}') || (is_pair && c == '>');
        let binds_less = match c {
            '=' | '#' => true,
            '<' | '>' => !is_pair,
            '|' => next == '-' || (column > 0 && text[column - 1] == '-'),
            '\\' => !matches!(next, ' ' | 'o' | 'X'),
            '/' => next == '\\',
            '"' => {
                in_string = true;
                false
            }
            _ => false,
        };
        if (binds_less || closes) && *depth == 0 {
            return true;
        }
        *depth += i64::from(opens) - i64::from(closes);
        column += if is_pair { 2 } else { 1 };
    }
    in_string
}
