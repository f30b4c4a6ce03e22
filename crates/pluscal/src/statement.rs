//! Statements, in both syntaxes.

use super::Problem;
use super::ast::{Assignment, Branch, Spot, Statement, StatementKind};
use super::parse::Parser;

/// How deep statements may be nested.
const DEPTH_MAX: usize = 300;

/// How many names a `with` may have.
const NAMES_MAX: usize = 60;

impl Parser {
    /// Statements up to a word that ends a list of them.
    pub fn statements(&mut self) -> Result<Vec<Statement>, Problem> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return self.reader.error(format!("statements are nested more than {DEPTH_MAX} deep"));
        }
        let mut statements = Vec::new();
        loop {
            let is_end = match self.reader.peek(0) {
                "}" => self.reader.is_c,
                "end" | "else" | "elsif" | "or" => !self.reader.is_c,
                "" => return self.reader.error("a statement is expected"),
                _ => false,
            };
            if is_end {
                break;
            }
            statements.extend(self.labeled_statement()?);
        }
        if self.reader.is_c && statements.is_empty() {
            return self.reader.error("a list of statements is empty");
        }
        self.depth -= 1;
        Ok(statements)
    }

    /// A statement with its label, or statements in braces.
    fn labeled_statement(&mut self) -> Result<Vec<Statement>, Problem> {
        let label = self.label()?;
        if self.reader.is_c && self.reader.takes("{") {
            let mut statements = self.statements()?;
            self.reader.expect("}")?;
            self.reader.expect(";")?;
            if !label.is_empty()
                && let Some(first) = statements.first_mut()
            {
                if !first.label.is_empty() {
                    return self
                        .reader
                        .error(format!("a statement has two labels, {label} and {}", first.label));
                }
                first.label = label;
            }
            return Ok(statements);
        }
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return self.reader.error(format!("statements are nested more than {DEPTH_MAX} deep"));
        }
        let mut statement = self.statement()?;
        self.depth -= 1;
        statement.label = label;
        Ok(vec![statement])
    }

    /// The statements inside another: one in the syntax with braces, a list otherwise.
    fn inner(&mut self) -> Result<Vec<Statement>, Problem> {
        if self.reader.is_c { self.labeled_statement() } else { self.statements() }
    }

    fn label(&mut self) -> Result<String, Problem> {
        if !self.reader.is_at_label() {
            return Ok(String::new());
        }
        let label = self.reader.peek(0).to_string();
        if self.in_macro {
            return self.reader.error("a macro has no labels");
        }
        if label == "Done" || label == "Error" {
            return self.reader.error(format!("{label} cannot be a label"));
        }
        self.reader.take()?;
        self.reader.expect(":")?;
        self.labels.insert(label.clone());
        if self.reader.takes("+") {
            self.marks.plus.push(label.clone());
            self.has_modifier = true;
        } else if self.reader.takes("-") {
            self.marks.minus.push(label.clone());
            self.has_modifier = true;
        }
        Ok(label)
    }

    fn statement(&mut self) -> Result<Statement, Problem> {
        let spot = self.reader.spot();
        let kind = match self.reader.peek(0) {
            "if" => return self.if_statement("if"),
            "with" => return self.with_statement(),
            "either" => self.either()?,
            "when" | "await" => self.one_expression(StatementKind::When)?,
            "print" => self.one_expression(StatementKind::Print)?,
            "assert" => self.one_expression(StatementKind::Assert)?,
            "skip" => {
                self.reader.take()?;
                self.reader.expect(";")?;
                StatementKind::Skip
            }
            "call" => self.call()?,
            "return" => {
                self.reader.take()?;
                self.reader.expect(";")?;
                StatementKind::Return { from: self.procedure.clone() }
            }
            "goto" => {
                self.reader.take()?;
                let to = self.target()?;
                self.jumps_to_done |= to == "Done";
                self.reader.expect(";")?;
                StatementKind::Goto(to)
            }
            "while" => self.while_statement()?,
            _ if self.reader.peek(1).starts_with('(') => {
                let name = self.reader.take_name("a statement")?;
                self.reader.expect("(")?;
                let arguments = self.reader.arguments()?;
                self.reader.expect(";")?;
                StatementKind::MacroCall { name, arguments }
            }
            _ => self.assignments()?,
        };
        Ok(Statement { label: String::new(), spot, kind })
    }

    /// Where a jump leads.
    fn target(&mut self) -> Result<String, Problem> {
        self.jumps = true;
        self.reader.take()
    }

    fn one_expression(
        &mut self,
        make: impl Fn(super::expr::Expr) -> StatementKind,
    ) -> Result<StatementKind, Problem> {
        let keyword = self.reader.take()?;
        let expr = self.reader.required_expression(&format!("the expression of `{keyword}`"))?;
        self.reader.expect(";")?;
        Ok(make(expr))
    }

    fn while_statement(&mut self) -> Result<StatementKind, Problem> {
        self.reader.take()?;
        self.reader.expect_in_c("(")?;
        let test = self.reader.required_expression("the test of `while`")?;
        self.reader.expect_in_c(")")?;
        let unlabeled = if self.reader.is_c {
            self.labeled_statement()?
        } else {
            self.reader.expect("do")?;
            let body = self.statements()?;
            self.reader.expect_end("while")?;
            self.reader.expect(";")?;
            body
        };
        if unlabeled.is_empty() {
            return self.reader.error("`while` has no statements");
        }
        Ok(StatementKind::While { test, unlabeled, labeled: Vec::new() })
    }

    fn if_statement(&mut self, keyword: &str) -> Result<Statement, Problem> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return self.reader.error(format!("statements are nested more than {DEPTH_MAX} deep"));
        }
        let spot = self.reader.spot();
        self.reader.expect(keyword)?;
        self.reader.expect_in_c("(")?;
        let test = self.reader.required_expression("the test of `if`")?;
        self.reader.expect_in_c(")")?;
        if !self.reader.is_c {
            self.reader.expect("then")?;
        }
        let yes = self.inner()?;
        let no = if self.reader.takes("else") {
            self.inner()?
        } else if !self.reader.is_c && self.reader.peeks("elsif") {
            vec![self.if_statement("elsif")?]
        } else {
            Vec::new()
        };
        if !self.reader.is_c && keyword == "if" {
            self.reader.expect_end("if")?;
            self.reader.expect(";")?;
        }
        self.depth -= 1;
        let branch = |unlabeled| Branch { unlabeled, labeled: Vec::new() };
        let kind = StatementKind::LabelIf { test, yes: branch(yes), no: branch(no) };
        Ok(Statement { label: String::new(), spot, kind })
    }

    fn either(&mut self) -> Result<StatementKind, Problem> {
        self.reader.take()?;
        let mut branches = Vec::new();
        loop {
            let unlabeled = self.inner()?;
            if unlabeled.is_empty() {
                return self.reader.error("a branch of `either` has no statements");
            }
            branches.push(Branch { unlabeled, labeled: Vec::new() });
            if !self.reader.takes("or") {
                break;
            }
        }
        if branches.len() == 1 {
            return self.reader.error("`either` has no `or`");
        }
        if !self.reader.is_c {
            self.reader.expect_end("either")?;
            self.reader.expect(";")?;
        }
        Ok(StatementKind::LabelEither(branches))
    }

    fn with_statement(&mut self) -> Result<Statement, Problem> {
        self.reader.expect("with")?;
        self.reader.expect_in_c("(")?;
        let spot = self.reader.last_spot();
        let mut bound = Vec::new();
        let body = loop {
            let name = self.reader.take_name("the name of `with`")?;
            let is_equal = self.reader.expect_equal_or_in()?;
            let value = self.reader.required_expression("the expression of `with`")?;
            bound.push((name, is_equal, value));
            if self.reader.is_c && self.reader.takes(")") {
                break self.labeled_statement()?;
            }
            self.reader.expect_comma_or_semicolon()?;
            if !self.reader.is_c && self.reader.takes("do") {
                let body = self.statements()?;
                self.reader.expect_end("with")?;
                self.reader.expect(";")?;
                break body;
            }
            if self.reader.is_c && self.reader.takes(")") {
                break self.labeled_statement()?;
            }
            if bound.len() > NAMES_MAX {
                return self.reader.error(format!("`with` has more than {NAMES_MAX} names"));
            }
        };
        if body.is_empty() {
            return self.reader.error("`with` has no statements");
        }
        Ok(nested_with(bound, body, spot))
    }

    fn call(&mut self) -> Result<StatementKind, Problem> {
        self.reader.take()?;
        let to = self.reader.take_name("the name of a procedure")?;
        self.reader.expect("(")?;
        let arguments = self.reader.arguments()?;
        self.reader.expect(";")?;
        if !self.marks.called.contains(&to) {
            self.marks.called.push(to.clone());
        }
        if self.reader.takes("return") {
            self.reader.expect(";")?;
            return Ok(StatementKind::CallReturn { from: self.procedure.clone(), to, arguments });
        }
        if self.reader.takes("goto") {
            let after = self.target()?;
            self.reader.expect(";")?;
            return Ok(StatementKind::CallGoto { after, to, arguments });
        }
        Ok(StatementKind::Call { to, arguments })
    }

    fn assignments(&mut self) -> Result<StatementKind, Problem> {
        let mut assignments = Vec::new();
        loop {
            let spot = self.reader.spot();
            let name = self.reader.take_name("a statement")?;
            let path = self.reader.expression()?;
            if !self.reader.takes("≔") {
                self.reader.expect(":=")?;
            }
            let value = self.reader.required_expression("the value of an assignment")?;
            assignments.push(Assignment { name, path, value, spot });
            if !(self.reader.takes("||") || self.reader.takes("‖")) {
                break;
            }
        }
        self.reader.expect(";")?;
        Ok(StatementKind::Assign(assignments))
    }
}

/// One `with` for each name, the first outside.
fn nested_with(
    bound: Vec<(String, bool, super::expr::Expr)>,
    mut body: Vec<Statement>,
    spot: Spot,
) -> Statement {
    let mut outer = Statement { label: String::new(), spot, kind: StatementKind::Skip };
    for (name, is_equal, value) in bound.into_iter().rev() {
        outer.kind = StatementKind::With { name, is_equal, value, body };
        body = vec![outer.clone()];
    }
    outer
}
