//! `Spec`, with the fairness of the algorithm and of its processes.

use super::Generator;
use super::page::{spaces, width};
use crate::ast::{Body, Marks, Process, ProcessFairness};
use crate::options::Fairness;

/// Fairness of an action, and strong fairness of some of its steps.
struct Pair {
    whole: String,
    steps: Option<String>,
}

impl Pair {
    fn one_line(&self) -> String {
        match &self.steps {
            None => self.whole.clone(),
            Some(steps) => format!("{} /\\ {steps}", self.whole),
        }
    }

    fn conjuncts(&self, column: usize, wrap: usize) -> String {
        let line = self.one_line();
        match &self.steps {
            Some(steps) if column + width(&line) + 3 > wrap => {
                format!("/\\ {}\n{}/\\ {steps}", self.whole, spaces(column))
            }
            _ => format!("/\\ {line}"),
        }
    }
}

impl Generator<'_> {
    pub fn spec(&mut self) {
        let safety = "Init /\\ [][Next]_vars";
        let is_plain =
            self.fairness == Fairness::Nothing || (!self.has_processes && self.fairness == Fairness::Own);
        let fair_next = self.fairness == Fairness::WeakNext
            || self.algorithm.is_fair
            || (!self.has_processes && matches!(self.fairness, Fairness::Weak | Fairness::Strong));
        let processes = match &self.algorithm.body {
            Body::Processes(processes) if !is_plain => processes.as_slice(),
            _ => &[],
        };
        let fair = processes.iter().filter(|process| process.fairness != ProcessFairness::None);
        let formulas: Vec<String> = fair.map(|process| self.of_process(process)).collect();
        if is_plain || (!fair_next && formulas.is_empty()) {
            self.page.line(&format!("Spec == {safety}"));
            self.page.line("");
            return;
        }
        self.page.line(&format!("Spec == /\\ {safety}"));
        if fair_next {
            self.page.line("        /\\ WF_vars(Next)");
        }
        for formula in formulas {
            for line in format!("        /\\ {formula}").trim_end_matches('\n').split('\n') {
                self.page.line(line);
            }
        }
        self.page.line("");
    }

    /// The fairness of a process and of the procedures that it calls.
    fn of_process(&self, process: &Process) -> String {
        let column = width("Spec == /\\ ");
        let kind = if process.fairness == ProcessFairness::Weak { "WF" } else { "SF" };
        let id = process.id.to_lines();
        let binds = !process.is_equal || id.len() > 1;
        let own = if binds { "self" } else { id.first().map_or("self", String::as_str) };
        let prefix = if binds { prefix_lines(process, &id) } else { Vec::new() };
        let argument = if process.is_equal { String::new() } else { "(self)".to_string() };
        let body = pair(kind, own, &process.name, &argument, &process.marks);
        let of_self = format!("({own})");
        let called =
            process.marks.called.iter().filter_map(|name| {
                self.algorithm.procedures.iter().find(|procedure| procedure.name == *name)
            });
        let called: Vec<Pair> =
            called.map(|procedure| pair(kind, own, &procedure.name, &of_self, &procedure.marks)).collect();
        let start = prefix.join(&format!("\n{}", spaces(column)));
        let one_line = one_line_width(&prefix, &body, &called);
        if column + one_line <= self.wrap || (body.steps.is_none() && called.is_empty()) {
            let pairs = std::iter::once(&body).chain(&called).map(Pair::one_line);
            return format!("{start}{}", pairs.collect::<Vec<_>>().join(" /\\ "));
        }
        let column = column + prefix.last().map_or(0, |line| width(line));
        let mut text = format!("{start}{}", body.conjuncts(column, self.wrap));
        for pair in &called {
            text.push_str(&format!("\n{}{}", spaces(column), pair.conjuncts(column, self.wrap)));
        }
        text
    }
}

/// `\A self \in S : ` or `LET self == …`
fn prefix_lines(process: &Process, id: &[String]) -> Vec<String> {
    let (begin, end) = if process.is_equal { ("LET self == ", "") } else { ("\\A self \\in ", " : ") };
    let padding = spaces(width(begin));
    let line = |(index, line): (usize, &String)| {
        let start = if index == 0 { begin } else { &padding };
        let end = if index + 1 == id.len() { end } else { "" };
        format!("{start}{line}{end}")
    };
    let mut lines: Vec<String> = id.iter().enumerate().map(line).collect();
    if process.is_equal {
        lines.push("IN ".to_string());
    }
    lines
}

fn pair(kind: &str, own: &str, name: &str, argument: &str, marks: &Marks) -> Pair {
    let quoted: Vec<String> = marks.minus.iter().map(|label| format!("\"{label}\"")).collect();
    let without = match quoted.as_slice() {
        [] => String::new(),
        [label] => format!("(pc[{own}] # {label}) /\\ "),
        labels => format!("(pc[{own}] \\notin {{{}}}) /\\ ", labels.join(", ")),
    };
    let whole = format!("{kind}_vars({without}{name}{argument})");
    let steps: Vec<String> = marks.plus.iter().map(|label| format!("SF_vars({label}{argument})")).collect();
    let steps = (kind == "WF" && !steps.is_empty()).then(|| steps.join(" /\\ "));
    Pair { whole, steps }
}

/// How wide a formula counts as; the last line of a prefix counts if there are others.
fn one_line_width(prefix: &[String], body: &Pair, called: &[Pair]) -> usize {
    let (longest, last) = match prefix {
        [] | [_] => (0, 0),
        [others @ .., last] => (others.iter().map(|line| width(line)).max().unwrap_or(0), width(last)),
    };
    let of_body = width(&body.whole) + body.steps.as_ref().map_or(0, |steps| width(steps));
    let of_called: usize = called.iter().map(|pair| width(&pair.one_line())).sum();
    longest.max(last + of_body + of_called)
}
