//! The checksums that stand behind `BEGIN TRANSLATION`: of the algorithm and of its translation.
//!
//! The one of an algorithm is taken of its tree, written as the reference translator writes it, so that files
//! that it has translated are recognized as up to date.

use super::ast::{
    Algorithm, Assignment, Body, Branch, Labeled, Marks, Procedure, Process, ProcessFairness, Statement,
    StatementKind, Variable,
};
use super::expr::Expr;
use super::token::Kind;

/// The cyclic redundancy check of Ethernet and ZIP, in hexadecimal digits without leading zeros.
fn crc32(text: &str) -> String {
    let mut sum = u32::MAX;
    for byte in text.bytes() {
        sum ^= u32::from(byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
        }
    }
    format!("{:x}", !sum)
}

/// The checksum of the lines of a translation.
pub(super) fn of_translation(lines: &[String]) -> String {
    crc32(&lines.concat())
}

/// The checksum of an algorithm whose steps were made. That of a fair one is always the same, as the
/// reference has it.
pub(super) fn of_algorithm(algorithm: &Algorithm) -> String {
    if algorithm.is_fair {
        return crc32("fair");
    }
    let mut writer = Writer { text: String::new(), indent: 0 };
    writer.algorithm(algorithm);
    crc32(&writer.text)
}

struct Writer {
    text: String,
    indent: usize,
}

impl Writer {
    fn add(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn new_line(&mut self) {
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n(' ', self.indent));
    }

    /// Adds a text; lines inside what follows start behind it.
    fn indented(&mut self, start: &str, write: impl FnOnce(&mut Writer)) {
        self.add(start);
        self.indent += start.len();
        write(self);
        self.indent -= start.len();
    }

    fn sequence<T>(&mut self, items: &[T], write: impl Fn(&mut Writer, &T)) {
        self.indented("<<", |writer| {
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    writer.add(", ");
                    writer.new_line();
                }
                write(writer, item);
            }
            writer.add(">>");
        });
    }

    /// A field whose value is a sequence, and what ends it.
    fn field<T>(&mut self, start: &str, items: &[T], write: impl Fn(&mut Writer, &T), end: &str) {
        self.indented(start, |writer| {
            writer.sequence(items, write);
            writer.add(end);
        });
    }

    fn statements(&mut self, start: &str, statements: &[Statement], end: &str) {
        self.field(start, statements, Writer::statement, end);
    }

    fn steps(&mut self, start: &str, steps: &[Labeled], end: &str) {
        self.field(start, steps, Writer::step, end);
    }

    fn expr(&mut self, expr: &Expr) {
        self.add("<< ");
        let mut is_first = true;
        for (number, line) in expr.by_line().enumerate() {
            if number > 0 {
                self.add("\n");
            }
            for word in line {
                if !std::mem::take(&mut is_first) {
                    self.add(", ");
                }
                let text = &word.text;
                let written = match text.as_str() {
                    _ if word.kind == Kind::Text => format!("\"\\\"\", \"{text}\", \"\\\"\""),
                    "\\/" => format!("\"(col{}) \\\\/\"", word.column),
                    "/\\" => format!("\"(col{}) /\\\\\"", word.column),
                    _ if text.starts_with('\\') => format!("\"\\{text}\""),
                    _ => format!("\"{text}\""),
                };
                self.add(&written);
            }
        }
        self.add(" >>");
    }

    fn algorithm(&mut self, algorithm: &Algorithm) {
        let Algorithm { name, variables, definitions, procedures, body, .. } = algorithm;
        let (kind, starts) = match body {
            Body::One(_) => {
                ("[type     |-> \"uniprocess\", ", [" decls  |-> ", " defs   |-> ", " prcds  |-> "])
            }
            Body::Processes(_) => {
                ("[type    |-> \"multiprocess\", ", [" decls |-> ", " defs  |-> ", " prcds |-> "])
            }
        };
        self.add(kind);
        self.new_line();
        self.add(&format!(" name  |-> \"{name}\", "));
        self.new_line();
        self.field(starts[0], variables, Writer::variable, ",");
        self.new_line();
        self.add(starts[1]);
        self.expr(definitions);
        self.add(",");
        self.new_line();
        self.field(starts[2], procedures, Writer::procedure, ",");
        self.new_line();
        match body {
            Body::One(steps) => self.steps(" body  |-> ", steps, "]"),
            Body::Processes(processes) => self.field(" procs |-> ", processes, Writer::process, "]"),
        }
    }

    fn variable(&mut self, variable: &Variable) {
        let relation = relation(variable.is_equal);
        self.add(&format!("[var |-> \"{}\", eqOrIn |-> {relation}, val |-> ", variable.name));
        self.expr(&variable.value);
        self.add("]");
    }

    fn marks(&mut self, marks: &Marks) {
        let list = |names: &[String]| {
            let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
            format!("<<{}>>", quoted.join(", "))
        };
        let (minus, plus, called) = (list(&marks.minus), list(&marks.plus), list(&marks.called));
        self.add(&format!("minusLabels |-> {minus}, plusLabels |->{plus}, proceduresCalled |->{called},"));
        self.new_line();
    }

    fn procedure(&mut self, procedure: &Procedure) {
        self.add(&format!("[name   |-> \"{}\", ", procedure.name));
        self.new_line();
        self.marks(&procedure.marks);
        self.field(" params |-> ", &procedure.parameters, Writer::variable, ",");
        self.new_line();
        self.field(" decls  |-> ", &procedure.variables, Writer::variable, ",");
        self.new_line();
        self.steps(" body   |-> ", &procedure.body, "]");
    }

    fn process(&mut self, process: &Process) {
        self.add(&format!("[name   |-> \"{}\",", process.name));
        self.new_line();
        let fairness = match process.fairness {
            ProcessFairness::None => "unfair",
            ProcessFairness::Weak => "wf",
            ProcessFairness::Strong => "sf",
        };
        self.add(&format!(" fairness |-> \"{fairness}\", "));
        self.marks(&process.marks);
        self.add(&format!(" eqOrIn |-> {},", relation(process.is_equal)));
        self.new_line();
        self.add(" id     |-> ");
        self.expr(&process.id);
        self.add(",");
        self.new_line();
        self.field(" decls  |-> ", &process.variables, Writer::variable, ",");
        self.new_line();
        self.steps(" body   |-> ", &process.body, "]");
    }

    fn step(&mut self, step: &Labeled) {
        self.add(&format!("[label |-> \"{}\",", step.label));
        self.new_line();
        self.statements(" stmts |-> ", &step.statements, "]");
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::While { test, unlabeled, labeled } => {
                self.head("[type    |-> \"while\", ", " test    |-> ", test);
                self.steps(" labDo   |-> ", labeled, ",");
                self.new_line();
                self.statements(" unlabDo |-> ", unlabeled, "]");
            }
            StatementKind::Assign(assignments) => {
                let mut sorted = assignments.clone();
                sorted.sort_by(|one, other| one.name.encode_utf16().cmp(other.name.encode_utf16()));
                self.add("[type |-> \"assignment\",");
                self.new_line();
                self.field(" ass  |-> ", &sorted, Writer::assignment, "]");
            }
            StatementKind::If { test, yes, no } => {
                self.head("[type    |-> \"if\", ", " test    |-> ", test);
                self.statements(" then |-> ", yes, ",");
                self.new_line();
                self.statements(" else |-> ", no, "]");
            }
            StatementKind::LabelIf { test, yes, no } => {
                self.head("[type      |-> \"labelIf\",", " test      |-> ", test);
                self.statements(" unlabThen |-> ", &yes.unlabeled, ",");
                self.new_line();
                self.steps(" labThen   |-> ", &yes.labeled, ",");
                self.new_line();
                self.statements(" unlabElse |-> ", &no.unlabeled, ",");
                self.new_line();
                self.steps(" labElse   |-> ", &no.labeled, "]");
                self.new_line();
            }
            StatementKind::Either(branches) => {
                self.add("[type |-> \"either\", ");
                self.new_line();
                self.indented(" ors  |-> ", |writer| writer.alternatives(branches));
            }
            StatementKind::LabelEither(branches) => {
                self.add("[type    |-> \"labelEither\",");
                self.new_line();
                self.field(" clauses |-> ", branches, Writer::branch, "]");
                self.new_line();
            }
            StatementKind::With { name, is_equal, value, body } => {
                self.add("[type   |-> \"with\", ");
                self.new_line();
                self.add(&format!(" var    |-> \"{name}\","));
                self.new_line();
                self.head(&format!(" eqOrIn |-> {},", relation(*is_equal)), " exp    |-> ", value);
                self.statements(" do     |-> ", body, "]");
            }
            StatementKind::When(expr) => self.simple("when", expr),
            StatementKind::Print(expr) => self.simple("print", expr),
            StatementKind::Assert(expr) => self.simple("assert", expr),
            StatementKind::Skip => self.add("[type |-> \"skip\"]"),
            StatementKind::Goto(to) => self.add(&format!("[type |-> \"goto\",  to |-> \"{to}\"]")),
            StatementKind::Return { from } => {
                self.add(&format!("[type |-> \"return\", from |-> \"{}\"]", or_null(from)));
            }
            StatementKind::Call { to, arguments } => {
                self.call("call", "returnTo", "", to);
                self.field(" args     |-> ", arguments, Writer::expr, "]");
            }
            StatementKind::CallReturn { from, to, arguments } => {
                self.call("callReturn", "from    ", or_null(from), to);
                self.call_end(arguments);
            }
            StatementKind::CallGoto { after, to, arguments } => {
                self.call("callGoto", "after   ", after, to);
                self.call_end(arguments);
            }
            StatementKind::MacroCall { .. } => {}
        }
    }

    /// A first line, and a second with an expression.
    fn head(&mut self, first: &str, second: &str, expr: &Expr) {
        self.add(first);
        self.new_line();
        self.add(second);
        self.expr(expr);
        self.add(",");
        self.new_line();
    }

    fn simple(&mut self, kind: &str, expr: &Expr) {
        self.add(&format!("[type |-> \"{kind}\", "));
        self.new_line();
        self.add(" exp |-> ");
        self.expr(expr);
        self.add("]");
    }

    fn call(&mut self, kind: &str, field: &str, value: &str, to: &str) {
        self.add(&format!("[type     |-> \"{kind}\","));
        self.new_line();
        self.add(&format!(" {field} |-> \"{value}\","));
        self.new_line();
        self.add(&format!(" to       |-> \"{to}\","));
        self.new_line();
    }

    fn call_end(&mut self, arguments: &[Expr]) {
        self.indented("args     |-> ", |writer| {
            writer.sequence(arguments, Writer::expr);
            writer.add("]");
            writer.new_line();
        });
    }

    fn alternatives(&mut self, branches: &[Vec<Statement>]) {
        self.indented("<< ", |writer| {
            for (index, branch) in branches.iter().enumerate() {
                if index > 0 {
                    writer.add(", ");
                    writer.new_line();
                }
                writer.sequence(branch, Writer::statement);
            }
            writer.add(" >>");
        });
        self.add("]");
    }

    fn branch(&mut self, branch: &Branch) {
        self.statements("[unlabOr |-> ", &branch.unlabeled, ",");
        self.new_line();
        self.steps(" labOr   |-> ", &branch.labeled, "]");
        self.new_line();
    }

    fn assignment(&mut self, assignment: &Assignment) {
        self.add(&format!("[lhs |-> [var |-> \"{}\", sub |-> ", assignment.name));
        self.expr(&assignment.path);
        self.add("],");
        self.new_line();
        self.add(" rhs |-> ");
        self.expr(&assignment.value);
        self.add("]");
    }
}

fn relation(is_equal: bool) -> &'static str {
    if is_equal { "\"=\"" } else { "\"\\\\in\"" }
}

fn or_null(name: &Option<String>) -> &str {
    name.as_deref().unwrap_or("null")
}

#[cfg(test)]
mod tests {
    use super::crc32;

    #[test]
    fn the_check_value_of_the_polynomial() {
        assert_eq!(crc32("123456789"), "cbf43926");
    }
}
