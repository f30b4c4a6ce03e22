//! Expressions: from the parser's nodes to the tree.

use std::sync::Arc;

use tree_sitter::Node;

use super::ast::{Access, Expr, Kind, Local, Step};
use super::lower::{Lower, parts};
use super::spelling;
use crate::error::Result;
use crate::symbol::Symbol;

impl Lower<'_> {
    pub(super) fn exprs(&self, nodes: &[Node]) -> Result<Vec<Arc<Expr>>> {
        nodes
            .iter()
            .filter(|n| !matches!(n.kind(), "langle_bracket" | "rangle_bracket"))
            .map(|n| self.expr(*n))
            .collect()
    }

    pub(super) fn expr(&self, node: Node) -> Result<Arc<Expr>> {
        if self.guard.exceeded() {
            return Err(self.error(node, "the expression is nested too deeply"));
        }
        if node.kind() == "parentheses" {
            return self.only(node);
        }
        let kind = self.kind(node)?;
        Ok(Arc::new(Expr { place: self.place(node), kind }))
    }

    /// The only child of a node.
    pub(super) fn only(&self, node: Node) -> Result<Arc<Expr>> {
        match parts(node).first() {
            Some(inner) => self.expr(*inner),
            None => Err(self.error(node, "an empty expression")),
        }
    }

    pub(super) fn field(&self, node: Node, name: &str) -> Result<Arc<Expr>> {
        match node.child_by_field_name(name) {
            Some(child) => self.expr(child),
            None => Err(self.error(node, format!("an incomplete {}", node.kind().replace('_', " ")))),
        }
    }

    fn kind(&self, node: Node) -> Result<Kind> {
        Ok(match node.kind() {
            "nat_number" | "binary_number" | "octal_number" | "hex_number" => {
                Kind::Number(self.number(node)?)
            }
            "real_number" => return Err(self.error(node, "real numbers are not evaluated")),
            "string" => Kind::String(Symbol::new(&unescape(self.source(node)))),
            "boolean" => Kind::Bool(self.source(node) == "TRUE"),
            "string_set" => Kind::Apply(Symbol::new("STRING"), Vec::new()),
            "boolean_set" => Kind::Apply(Symbol::new("BOOLEAN"), Vec::new()),
            "nat_number_set" => Kind::Apply(Symbol::new("Nat"), Vec::new()),
            "int_number_set" => Kind::Apply(Symbol::new("Int"), Vec::new()),
            "real_number_set" => Kind::Apply(Symbol::new("Real"), Vec::new()),
            "identifier_ref" | "identifier" => Kind::Apply(self.name(node), Vec::new()),
            "prefix_op_symbol" | "infix_op_symbol" | "postfix_op_symbol" => {
                Kind::Apply(self.operator_name(node), Vec::new())
            }
            "bound_op" | "bound_nonfix_op" => self.application(node)?,
            "bound_prefix_op" | "bound_infix_op" | "bound_postfix_op" => self.symbol_application(node)?,
            "prefixed_op" | "subexpression" => Kind::Path(self.path(node)?),
            "lambda" => {
                let inner = parts(node);
                let (body, names) = inner.split_last().ok_or_else(|| self.error(node, "an empty LAMBDA"))?;
                Kind::Lambda(self.parameters(names)?, self.expr(*body)?)
            }
            "label" => {
                let before = parts(node).into_iter().take_while(|part| part.kind() != "label_as");
                let mut names = before.map(|name| self.name(name));
                let name = names.next().ok_or_else(|| self.error(node, "a label without a name"))?;
                Kind::Label(name, names.collect(), self.field(node, "expression")?)
            }
            "conj_list" => Kind::And(self.items(node)?),
            "disj_list" => Kind::Or(self.items(node)?),
            "bounded_quantification" => {
                let inner = parts(node);
                let forall = inner.first().is_some_and(|n| n.kind() == "forall");
                Kind::Quantified {
                    forall,
                    bounds: self.bounds(&inner)?,
                    body: self.field(node, "expression")?,
                }
            }
            "unbounded_quantification" => {
                let quantifier = match parts(node).first().map(|n| n.kind()) {
                    Some("forall") => "\\A",
                    Some("exists") => "\\E",
                    Some("temporal_forall") => "\\AA",
                    _ => "\\EE",
                };
                Kind::Unbounded {
                    quantifier,
                    names: self.identifiers(node),
                    body: self.field(node, "expression")?,
                }
            }
            "choose" => self.choose(node)?,
            "finite_set_literal" => Kind::SetEnum(self.exprs(&parts(node))?),
            "set_filter" => {
                let bound = self
                    .bounds(&parts(node))?
                    .pop()
                    .ok_or_else(|| self.error(node, "a filter without a set"))?;
                Kind::SetFilter(bound, self.field(node, "filter")?)
            }
            "set_map" => Kind::SetMap(self.field(node, "map")?, self.bounds(&parts(node))?),
            "function_evaluation" => {
                let mut inner = self.exprs(&parts(node))?;
                let function = inner.remove(0);
                Kind::Index(function, inner)
            }
            "function_literal" => {
                let inner = parts(node);
                let body = inner.last().ok_or_else(|| self.error(node, "an empty function"))?;
                Kind::Function(self.bounds(&inner)?, self.expr(*body)?)
            }
            "set_of_functions" => {
                let inner = parts(node);
                match (inner.first(), inner.last()) {
                    (Some(domain), Some(range)) => Kind::FunctionSet(self.expr(*domain)?, self.expr(*range)?),
                    _ => return Err(self.error(node, "an incomplete set of functions")),
                }
            }
            "record_literal" => Kind::Record(self.fields(node)?),
            "set_of_records" => Kind::RecordSet(self.fields(node)?),
            "record_value" => {
                let inner = parts(node);
                match (inner.first(), inner.last()) {
                    (Some(record), Some(field)) => Kind::Field(self.expr(*record)?, self.name(*field)),
                    _ => return Err(self.error(node, "an incomplete field access")),
                }
            }
            "except" => self.except(node)?,
            "prev_func_val" => Kind::At,
            "tuple_literal" => Kind::Tuple(self.exprs(&parts(node))?),
            "step_expr_or_stutter" | "step_expr_no_stutter" => {
                let inner: Vec<Node> = parts(node)
                    .into_iter()
                    .filter(|n| !matches!(n.kind(), "langle_bracket" | "rangle_bracket_sub"))
                    .collect();
                let [action, subscript] = inner.as_slice() else {
                    return Err(self.error(node, "an incomplete action"));
                };
                let (action, subscript) = (self.expr(*action)?, self.expr(*subscript)?);
                if node.kind() == "step_expr_or_stutter" {
                    Kind::Box(action, subscript)
                } else {
                    Kind::Angle(action, subscript)
                }
            }
            "fairness" => {
                let inner = parts(node);
                let [subscript, action] = inner.as_slice() else {
                    return Err(self.error(node, "an incomplete fairness condition"));
                };
                let strong = self.source(node).starts_with("SF_");
                Kind::Fair { strong, subscript: self.expr(*subscript)?, action: self.expr(*action)? }
            }
            "if_then_else" => {
                Kind::If(self.field(node, "if")?, self.field(node, "then")?, self.field(node, "else")?)
            }
            "case" => self.case(node)?,
            "let_in" => self.let_in(node)?,
            other => return Err(self.error(node, format!("{} is not evaluated", other.replace('_', " ")))),
        })
    }

    fn number(&self, node: Node) -> Result<i64> {
        let text = self.source(node);
        let (digits, radix) = match node.kind() {
            "binary_number" => (&text[2..], 2),
            "octal_number" => (&text[2..], 8),
            "hex_number" => (&text[2..], 16),
            _ => (text, 10),
        };
        i64::from_str_radix(digits, radix).map_err(|_| self.error(node, "a number larger than 64 bits hold"))
    }

    fn application(&self, node: Node) -> Result<Kind> {
        let inner = parts(node);
        let (name, arguments) =
            inner.split_first().ok_or_else(|| self.error(node, "an empty application"))?;
        self.applied(node, self.operator_name(*name), self.exprs(arguments)?)
    }

    fn symbol_application(&self, node: Node) -> Result<Kind> {
        let symbol =
            node.child_by_field_name("symbol").ok_or_else(|| self.error(node, "an operator is missing"))?;
        let name = match (node.kind(), symbol.kind()) {
            ("bound_prefix_op", "negative") => Symbol::new("-."),
            _ => self.operator_name(symbol),
        };
        let name_text = name.as_str();
        if matches!(name_text, "/\\" | "\\/" | "\\X") {
            let mut operands = Vec::new();
            self.chain(node, symbol.kind(), &mut operands)?;
            return Ok(match name_text {
                "/\\" => Kind::And(operands),
                "\\/" => Kind::Or(operands),
                _ => Kind::Product(operands),
            });
        }
        let mut arguments = Vec::new();
        for side in ["lhs", "rhs"] {
            if let Some(operand) = node.child_by_field_name(side) {
                self.check_precedence(symbol.kind(), operand)?;
                arguments.push(self.expr(operand)?);
            }
        }
        self.applied(node, name, arguments)
    }

    fn applied(&self, node: Node, name: Symbol, arguments: Vec<Arc<Expr>>) -> Result<Kind> {
        Ok(match (name.as_str(), arguments.len()) {
            ("/\\", 2) => Kind::And(arguments),
            ("\\/", 2) => Kind::Or(arguments),
            ("\\X", 2) => Kind::Product(arguments),
            (_, 0) => return Err(self.error(node, "an application without arguments")),
            _ => Kind::Apply(name, arguments),
        })
    }

    /// The operands of `a op b op c`, which the grammar nests to the left; walked with a loop because such
    /// chains are long in generated specifications.
    fn chain(&self, node: Node, symbol: &str, operands: &mut Vec<Arc<Expr>>) -> Result<()> {
        let mut node = node;
        let mut right_to_left = Vec::new();
        loop {
            let (Some(lhs), Some(rhs)) = (node.child_by_field_name("lhs"), node.child_by_field_name("rhs"))
            else {
                return Err(self.error(node, "an operand is missing"));
            };
            right_to_left.push(rhs);
            let same = lhs.kind() == "bound_infix_op"
                && lhs.child_by_field_name("symbol").is_some_and(|n| n.kind() == symbol);
            if !same {
                right_to_left.push(lhs);
                break;
            }
            node = lhs;
        }
        for operand in right_to_left.into_iter().rev() {
            self.check_precedence(symbol, operand)?;
            operands.push(self.expr(operand)?);
        }
        Ok(())
    }

    /// Refuses what has no precedence without parentheses: `a /\\ b \\/ c`, `a = b = c`.
    fn check_precedence(&self, symbol: &str, operand: Node) -> Result<()> {
        let inner = match operand.child_by_field_name("symbol") {
            Some(inner) if operand.kind() == "bound_infix_op" => inner,
            _ => return Ok(()),
        };
        let group = |kind: &str| match kind {
            "land" | "lor" => 1,
            "eq" | "neq" | "lt" | "gt" | "leq" | "geq" | "in" | "notin" | "subseteq" => 2,
            _ => 0,
        };
        let (outer, inner_group) = (group(symbol), group(inner.kind()));
        if outer != 0 && outer == inner_group && (outer == 2 || inner.kind() != symbol) {
            return Err(
                self.error(inner, "a precedence conflict: put parentheses around one of the operators")
            );
        }
        Ok(())
    }

    fn items(&self, node: Node) -> Result<Vec<Arc<Expr>>> {
        parts(node)
            .into_iter()
            .map(|item| match parts(item).last() {
                Some(inner) => self.expr(*inner),
                None => Err(self.error(item, "an empty item")),
            })
            .collect()
    }

    fn path(&self, node: Node) -> Result<Vec<Step>> {
        let mut steps = Vec::new();
        for part in parts(node) {
            if part.kind() == "subexpr_prefix" {
                for component in parts(part) {
                    steps.push(self.step(component)?);
                }
            } else {
                steps.push(self.step(part)?);
            }
        }
        Ok(steps)
    }

    fn step(&self, node: Node) -> Result<Step> {
        let inner = parts(node);
        Ok(match node.kind() {
            "subexpr_component" | "subexpr_tree_nav" => match inner.first() {
                Some(component) => self.step(*component)?,
                None => Step::Other,
            },
            "bound_op" | "bound_nonfix_op" => {
                let (name, arguments) =
                    inner.split_first().ok_or_else(|| self.error(node, "an empty application"))?;
                Step::Name(self.operator_name(*name), self.exprs(arguments)?)
            }
            "child_id" => Step::Part(self.number(node)? as usize),
            "langle_bracket" => Step::Part(1),
            "rangle_bracket" => Step::Part(2),
            "operator_args" => Step::Arguments(self.exprs(&inner)?),
            "colon" => Step::Other,
            "address" => Step::Names,
            "proof_step_ref" => return Err(self.error(node, "proof steps are not evaluated")),
            // A symbol that the parser was given a name for has its spelling still.
            _ => Step::Name(Symbol::new(spelling(self.operator_name(node).as_str())), Vec::new()),
        })
    }

    fn choose(&self, node: Node) -> Result<Kind> {
        let intro =
            node.child_by_field_name("intro").ok_or_else(|| self.error(node, "CHOOSE without a name"))?;
        let tuple = intro.kind() == "tuple_of_identifiers";
        let names = if tuple { self.identifiers(intro) } else { vec![self.name(intro)] };
        let set = match node.child_by_field_name("set") {
            Some(set) => Some(self.expr(set)?),
            None => None,
        };
        Ok(Kind::Choose { names, tuple, set, body: self.field(node, "expression")? })
    }

    fn fields(&self, node: Node) -> Result<Vec<(Symbol, Arc<Expr>)>> {
        let inner: Vec<Node> = parts(node).into_iter().filter(|n| n.kind() != "all_map_to").collect();
        inner
            .chunks(2)
            .map(|pair| match pair {
                [name, value] => Ok((self.name(*name), self.expr(*value)?)),
                _ => Err(self.error(node, "a field without a value")),
            })
            .collect()
    }

    fn except(&self, node: Node) -> Result<Kind> {
        let function = self.field(node, "expr_to_update")?;
        let mut updates = Vec::new();
        for update in parts(node).into_iter().filter(|n| n.kind() == "except_update") {
            let mut path = Vec::new();
            for specifier in parts(update).into_iter().filter(|n| n.kind() == "except_update_specifier") {
                for access in parts(specifier) {
                    let inner = parts(access);
                    path.push(match access.kind() {
                        "except_update_record_field" => match inner.first() {
                            Some(field) => Access::Field(self.name(*field)),
                            None => return Err(self.error(access, "a field is missing")),
                        },
                        _ => Access::Index(self.exprs(&inner)?),
                    });
                }
            }
            updates.push((path, self.field(update, "new_val")?));
        }
        Ok(Kind::Except(function, updates))
    }

    fn case(&self, node: Node) -> Result<Kind> {
        let mut arms = Vec::new();
        let mut other = None;
        for arm in parts(node) {
            let inner: Vec<Node> = parts(arm).into_iter().filter(|n| n.kind() != "case_arrow").collect();
            match (arm.kind(), inner.as_slice()) {
                ("case_arm", [guard, value]) => arms.push((self.expr(*guard)?, self.expr(*value)?)),
                ("other_arm", [value]) => other = Some(self.expr(*value)?),
                _ => {}
            }
        }
        Ok(Kind::Case(arms, other))
    }

    fn let_in(&self, node: Node) -> Result<Kind> {
        let mut locals = Vec::new();
        for part in parts(node) {
            match part.kind() {
                "operator_definition" | "function_definition" => {
                    locals.push(Local::Definition(self.definition(part, true)?));
                }
                "module_definition" => locals.push(Local::Instance(self.module_definition(part, true)?)),
                "recursive_declaration" => locals.push(Local::Recursive(self.parameters(&parts(part))?)),
                _ => {}
            }
        }
        Ok(Kind::Let(locals, self.field(node, "expression")?))
    }
}

fn unescape(quoted: &str) -> String {
    let inner = quoted.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(quoted);
    let mut text = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('f') => text.push('\x0c'),
            Some(other) => text.push(other),
            None => {}
        }
    }
    text
}
