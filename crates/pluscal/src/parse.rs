//! The parts of an algorithm: variables, definitions, macros, procedures, processes.

use std::collections::HashSet;

use super::ast::{
    Algorithm, Body, Facts, Labeled, Marks, Procedure, Process, ProcessFairness, Statement, StatementKind,
    Variable,
};
use super::expr::Expr;
use super::labels::{Labels, steps};
use super::macros::{Macro, expand};
use super::options::{Fairness, Options, Version};
use super::reader::Reader;
use super::source::Source;
use super::token::Kind;
use super::{AddedLabel, Problem, at};

/// An algorithm that was read, and the labels that it lacked.
pub(super) struct Parsed {
    pub algorithm: Algorithm,
    pub added: Vec<AddedLabel>,
    /// Fairness of the specification: an algorithm may have a say in it.
    pub fairness: Fairness,
}

/// What the statements have shown so far.
pub(super) struct Parser {
    pub reader: Reader,
    pub marks: Marks,
    pub in_macro: bool,
    /// The procedure whose statements are read.
    pub procedure: Option<String>,
    pub labels: HashSet<String>,
    pub depth: usize,
    pub jumps: bool,
    pub jumps_to_done: bool,
    pub has_modifier: bool,
    has_default: bool,
    macros: Vec<Macro>,
}

/// A procedure or process whose body is not yet sorted by labels.
struct Raw<T> {
    part: T,
    body: Vec<Statement>,
}

/// Reads the algorithm of a file.
pub(super) fn parse(source: &Source, options: &Options) -> Result<Parsed, Problem> {
    let mut parser = Parser {
        reader: Reader::new(&source.algorithm, source.first_line),
        marks: Marks::default(),
        in_macro: false,
        procedure: None,
        labels: HashSet::new(),
        depth: 0,
        jumps: false,
        jumps_to_done: false,
        has_modifier: false,
        has_default: false,
        macros: Vec::new(),
    };
    if source.is_fair {
        parser.reader.expect("algorithm")?;
    }
    let name = parser.reader.take()?;
    parser.reader.is_c = parser.reader.takes("{");
    let variables = match parser.reader.peek(0) {
        "variable" | "variables" => parser.variables()?,
        _ => Vec::new(),
    };
    let definitions = parser.definitions()?;
    while parser.reader.peeks("macro") {
        let definition = parser.macro_definition()?;
        parser.macros.push(definition);
    }
    let mut procedures = Vec::new();
    while parser.reader.peeks("procedure") {
        procedures.push(parser.procedure()?);
    }
    let algorithm =
        Algorithm { name, is_fair: source.is_fair, variables, definitions, ..Algorithm::default() };
    if parser.is_at_process() {
        parser.with_processes(algorithm, procedures, options)
    } else {
        parser.without_processes(algorithm, procedures, options)
    }
}

impl Parser {
    fn is_at_process(&self) -> bool {
        let [first, second, third] = [0, 1, 2].map(|ahead| self.reader.peek(ahead));
        first == "process"
            || (first == "fair" && (second == "process" || (second == "+" && third == "process")))
    }

    fn with_processes(
        mut self,
        mut algorithm: Algorithm,
        procedures: Vec<Raw<Procedure>>,
        options: &Options,
    ) -> Result<Parsed, Problem> {
        let mut processes = Vec::new();
        while matches!(self.reader.peek(0), "fair" | "process") {
            processes.push(self.process(options)?);
        }
        self.reader.expect_end("algorithm")?;
        self.refuse_double_macros()?;
        let mut labels = Labels::new(self.labels.clone(), &options.label_root, declared_by(&procedures));
        let mut facts = self.facts(!procedures.is_empty(), options);
        let mut omits_terminating = false;
        let mut sorted = Vec::new();
        for mut process in processes {
            expand(&mut process.body, &self.macros)?;
            labels.add_missing(&mut process.body, None)?;
            process.part.body = steps(process.body);
            facts.omits_terminating = options.version != Version::Old;
            inspect(&process.part.body, &mut facts);
            omits_terminating |= facts.omits_terminating;
            sorted.push(process.part);
        }
        facts.omits_terminating = omits_terminating;
        algorithm.body = Body::Processes(sorted);
        algorithm.procedures = self.sort_procedures(procedures, &mut labels)?;
        if !options.label {
            labels.refuse()?;
        }
        if self.jumps_to_done {
            facts.omits_pc = false;
            facts.omits_terminating = false;
        }
        facts.omits_pc &= !self.jumps;
        facts.has_default = self.has_default;
        algorithm.facts = facts;
        Ok(Parsed { algorithm, added: labels.added, fairness: options.fairness })
    }

    fn without_processes(
        mut self,
        mut algorithm: Algorithm,
        mut procedures: Vec<Raw<Procedure>>,
        options: &Options,
    ) -> Result<Parsed, Problem> {
        let mut fairness = options.fairness;
        // Only that version had `fair` before the body.
        if options.version == Version::WithFairBody && self.reader.takes("fair") {
            let _ = self.reader.takes("+");
            fairness = Fairness::Weak;
        }
        if algorithm.is_fair {
            fairness = Fairness::Weak;
        }
        self.reader.expect_begin()?;
        // The reference counts what the body calls and marks as the last procedure's: it is part of the
        // checksum.
        self.marks = procedures.last().map(|last| last.part.marks.clone()).unwrap_or_default();
        let mut body = self.statements()?;
        if let Some(last) = procedures.last_mut() {
            last.part.marks = std::mem::take(&mut self.marks);
        }
        self.refuse_double_macros()?;
        expand(&mut body, &self.macros)?;
        let mut labels = Labels::new(self.labels.clone(), &options.label_root, declared_by(&procedures));
        let mut facts = self.facts(!procedures.is_empty(), options);
        // The body counts as part of the last procedure when it is decided where labels are missing.
        let last = procedures.last().map(|procedure| procedure.part.name.clone());
        algorithm.procedures = self.sort_procedures(procedures, &mut labels)?;
        if self.reader.is_c {
            self.reader.expect("}")?;
        }
        self.reader.expect_end("algorithm")?;
        labels.add_missing(&mut body, last.as_deref())?;
        let body = steps(body);
        if !self.labels.is_empty() && !options.label {
            labels.refuse()?;
        }
        facts.omits_pc &= !self.jumps;
        if self.jumps_to_done {
            facts.omits_pc = false;
            facts.omits_terminating = false;
        } else {
            inspect(&body, &mut facts);
        }
        facts.has_default = self.has_default;
        algorithm.facts = facts;
        algorithm.body = Body::One(body);
        Ok(Parsed { algorithm, added: labels.added, fairness })
    }

    fn facts(&self, has_procedures: bool, options: &Options) -> Facts {
        let may_omit = options.version != Version::Old;
        let omits_pc = may_omit && !has_procedures && !self.has_modifier;
        Facts { has_default: false, omits_pc, omits_terminating: may_omit }
    }

    fn sort_procedures(
        &self,
        raw: Vec<Raw<Procedure>>,
        labels: &mut Labels,
    ) -> Result<Vec<Procedure>, Problem> {
        let mut procedures = Vec::new();
        for mut procedure in raw {
            expand(&mut procedure.body, &self.macros)?;
            let name = procedure.part.name.clone();
            labels.add_missing(&mut procedure.body, Some(&name))?;
            procedure.part.body = steps(procedure.body);
            procedures.push(procedure.part);
        }
        Ok(procedures)
    }

    fn refuse_double_macros(&self) -> Result<(), Problem> {
        for (index, definition) in self.macros.iter().enumerate() {
            if self.macros[..index].iter().any(|other| other.name == definition.name) {
                let message = format!("there are two macros {}", definition.name);
                return Err(at(definition.spot.line - 1, definition.spot.column as i64 - 1, message));
            }
        }
        Ok(())
    }

    /// `variables …` up to what cannot be a variable.
    fn variables(&mut self) -> Result<Vec<Variable>, Problem> {
        let _ = self.reader.takes("variables") || self.reader.takes("variable");
        let mut variables = Vec::new();
        loop {
            match self.reader.peek(0) {
                "begin" | "{" | "procedure" | "process" | "fair" | "define" | "macro" => {
                    return Ok(variables);
                }
                _ => variables.push(self.variable(true)?),
            }
            self.reader.expect_comma_or_semicolon()?;
        }
    }

    /// A variable with or without a value. Those of procedures have no sets of values.
    fn variable(&mut self, may_be_in: bool) -> Result<Variable, Problem> {
        let spot = self.reader.spot();
        let name = self.reader.take_name("the name of a variable")?;
        let mut is_equal = true;
        let value = match self.reader.peek(0) {
            "\\in" | "∈" if !may_be_in => {
                return self.reader.error("a variable of a procedure has a value, not a set of values");
            }
            "=" | "\\in" | "∈" => {
                is_equal = self.reader.expect_equal_or_in()?;
                self.reader.required_expression("the value of a variable")?
            }
            _ => {
                self.has_default = true;
                Expr::of_word("defaultInitValue", Kind::Default)
            }
        };
        Ok(Variable { name, is_equal, value, spot })
    }

    fn definitions(&mut self) -> Result<Expr, Problem> {
        if !self.reader.takes("define") {
            return Ok(Expr::default());
        }
        self.reader.expect_in_c("{")?;
        let definitions = self.reader.expression()?;
        self.reader.expect_end("define")?;
        self.reader.expect(";")?;
        Ok(definitions)
    }

    fn macro_definition(&mut self) -> Result<Macro, Problem> {
        self.in_macro = true;
        self.reader.expect("macro")?;
        let spot = self.reader.last_spot();
        let name = self.reader.take_name("the name of a macro")?;
        self.reader.expect("(")?;
        let mut parameters = Vec::new();
        while !self.reader.takes(")") {
            if !parameters.is_empty() {
                self.reader.expect(",")?;
            }
            parameters.push(self.reader.take_name("a parameter")?);
        }
        self.reader.expect_begin()?;
        let mut body = self.statements()?;
        self.reader.expect_end("macro")?;
        let _ = self.reader.takes(";");
        expand(&mut body, &self.macros)?;
        self.in_macro = false;
        Ok(Macro { name, parameters, body, spot })
    }

    fn procedure(&mut self) -> Result<Raw<Procedure>, Problem> {
        self.reader.expect("procedure")?;
        let spot = self.reader.last_spot();
        let name = self.reader.take_name("the name of a procedure")?;
        self.procedure = Some(name.clone());
        self.marks = Marks::default();
        self.reader.expect("(")?;
        let mut parameters = Vec::new();
        while !self.reader.takes(")") {
            if !parameters.is_empty() {
                self.reader.expect(",")?;
            }
            parameters.push(self.variable(false)?);
        }
        let mut variables = Vec::new();
        if self.reader.takes("variables") || self.reader.takes("variable") {
            while !matches!(self.reader.peek(0), "begin" | "{") {
                variables.push(self.variable(false)?);
                self.reader.expect_comma_or_semicolon()?;
            }
        }
        self.reader.expect_begin()?;
        let body = self.statements()?;
        self.reader.expect_end("procedure")?;
        let _ = self.reader.takes(";");
        self.procedure = None;
        let marks = std::mem::take(&mut self.marks);
        Ok(Raw { part: Procedure { name, parameters, variables, body: Vec::new(), marks, spot }, body })
    }

    fn process(&mut self, options: &Options) -> Result<Raw<Process>, Problem> {
        let fairness = if self.reader.takes("fair") {
            if self.reader.takes("+") { ProcessFairness::Strong } else { ProcessFairness::Weak }
        } else {
            match options.fairness {
                Fairness::Weak => ProcessFairness::Weak,
                Fairness::Strong => ProcessFairness::Strong,
                _ => ProcessFairness::None,
            }
        };
        self.reader.expect("process")?;
        let spot = self.reader.last_spot();
        self.reader.expect_in_c("(")?;
        let name = self.reader.take_name("the name of a process")?;
        let is_equal = self.reader.expect_equal_or_in()?;
        let id = self.reader.required_expression("the identifier of a process")?;
        self.reader.expect_in_c(")")?;
        self.marks = Marks::default();
        let variables = match self.reader.peek(0) {
            "variable" | "variables" => self.variables()?,
            _ => Vec::new(),
        };
        self.reader.expect_begin()?;
        let body = self.statements()?;
        self.reader.expect_end("process")?;
        let _ = self.reader.takes(";");
        let marks = std::mem::take(&mut self.marks);
        Ok(Raw {
            part: Process { name, fairness, is_equal, id, variables, body: Vec::new(), marks, spot },
            body,
        })
    }
}

/// The names of all variables and parameters of procedures.
fn declared_by(procedures: &[Raw<Procedure>]) -> Vec<String> {
    let both = |procedure: &Raw<Procedure>| {
        let Procedure { parameters, variables, .. } = &procedure.part;
        parameters.iter().chain(variables).map(|variable| variable.name.clone()).collect::<Vec<_>>()
    };
    procedures.iter().flat_map(both).collect()
}

/// Finds out whether a body is one step that repeats for ever.
fn inspect(body: &[Labeled], facts: &mut Facts) {
    let first = match body {
        [] => return,
        [step] => step.statements.as_slice(),
        _ => &[],
    };
    let [Statement { kind: StatementKind::While { test, unlabeled, labeled }, .. }] = first else {
        facts.omits_pc = false;
        facts.omits_terminating = false;
        return;
    };
    if test.only_word().is_none_or(|word| word.text != "TRUE") {
        facts.omits_pc = false;
        facts.omits_terminating = false;
        return;
    }
    let has_label = |statement: &Statement| {
        matches!(statement.kind, StatementKind::LabelIf { .. } | StatementKind::LabelEither(_))
    };
    if !labeled.is_empty() || unlabeled.iter().any(has_label) {
        facts.omits_pc = false;
    }
}
