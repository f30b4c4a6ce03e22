//! From tree-sitter's nodes to the typed tree.
//!
//! One function per group of node kinds. Comments are everywhere in tree-sitter's children, so children are always read
//! through [`parts`], which leaves them out.

use std::cell::RefCell;
use std::sync::Arc;

use tree_sitter::{Node, Parser};

use super::ast::*;
use crate::error::{Error, Place, Result};
use crate::stack::{CALLER_STACK_BYTES, StackGuard};
use crate::symbol::Symbol;

/// Longest text that is parsed, in bytes.
const TEXT_BYTES_MAX: usize = 16 << 20;

/// Parses the text of a file and gives the module called `name`, or the first one if none has that name.
pub fn parse(name: &str, text: &str) -> Result<Arc<Module>> {
    let file = Symbol::new(name);
    let nowhere = Place { module: file, line: 0, column: 0 };
    if text.len() > TEXT_BYTES_MAX {
        return Err(syntax(nowhere, "the text is longer than 16 MiB"));
    }
    let mut parser = Parser::new();
    if parser.set_language(&tree_sitter_tlaplus::LANGUAGE.into()).is_err() {
        return Err(syntax(nowhere, "the grammar does not fit the parser library"));
    }
    let Some(tree) = parser.parse(text, None) else {
        return Err(syntax(nowhere, "the parser gave up"));
    };
    let lower = Lower { text, file, guard: StackGuard::new(CALLER_STACK_BYTES), strings: RefCell::default() };
    let root = tree.root_node();
    if root.has_error() {
        return Err(lower.first_error(root));
    }
    let modules: Vec<Node> = parts(root).into_iter().filter(|n| n.kind() == "module").collect();
    let wanted = modules
        .iter()
        .find(|n| n.child_by_field_name("name").is_some_and(|n| lower.source(n) == name))
        .or(modules.first());
    match wanted {
        Some(node) => lower.module(*node),
        None => Err(syntax(Place { line: 1, column: 1, ..nowhere }, "no MODULE in this text")),
    }
}

fn syntax(place: Place, message: impl Into<String>) -> Box<Error> {
    Box::new(Error::Syntax { place, message: message.into() })
}

/// The named children that are not comments.
fn parts<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|n| !n.is_extra()).collect()
}

struct Lower<'s> {
    text: &'s str,
    file: Symbol,
    guard: StackGuard,
    strings: RefCell<Vec<Symbol>>,
}

impl Lower<'_> {
    fn place(&self, node: Node) -> Place {
        let start = node.start_position();
        Place { module: self.file, line: start.row as u32 + 1, column: start.column as u32 + 1 }
    }

    fn source(&self, node: Node) -> &str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    fn name(&self, node: Node) -> Symbol {
        Symbol::new(self.source(node))
    }

    fn error(&self, node: Node, message: impl Into<String>) -> Box<Error> {
        syntax(self.place(node), message)
    }

    /// The first place that the parser could not make sense of.
    fn first_error(&self, root: Node) -> Box<Error> {
        let mut node = root;
        loop {
            if node.is_missing() {
                return self.error(node, format!("`{}` is missing", node.kind()));
            }
            if node.is_error() {
                let found: String = self.source(node).chars().take(40).collect();
                return self.error(node, format!("unexpected `{}`", found.lines().next().unwrap_or("")));
            }
            let mut cursor = node.walk();
            let next = node.children(&mut cursor).find(|n| n.has_error() || n.is_missing());
            match next {
                Some(next) => node = next,
                None => return self.error(node, "this is not TLA+"),
            }
        }
    }

    fn module(&self, node: Node) -> Result<Arc<Module>> {
        if self.guard.exceeded() {
            return Err(self.error(node, "modules are nested too deeply"));
        }
        let mut name = self.file;
        let mut extends = Vec::new();
        let mut units = Vec::new();
        for part in parts(node) {
            match part.kind() {
                "identifier" => name = self.name(part),
                "extends" => {
                    extends = parts(part).into_iter().map(|n| (self.name(n), self.place(n))).collect();
                }
                "header_line" | "double_line" | "single_line" => {}
                _ => self.unit(part, false, &mut units)?,
            }
        }
        Ok(Arc::new(Module { name, extends, units, strings: self.strings.borrow().clone() }))
    }

    fn unit(&self, node: Node, local: bool, units: &mut Vec<Unit>) -> Result<()> {
        match node.kind() {
            "variable_declaration" => units.push(Unit::Variables(self.parameters(&parts(node))?)),
            "constant_declaration" => units.push(Unit::Constants(self.parameters(&parts(node))?)),
            "recursive_declaration" => units.push(Unit::Recursive(self.parameters(&parts(node))?)),
            "local_definition" => {
                for part in parts(node) {
                    self.unit(part, true, units)?;
                }
            }
            "operator_definition" | "function_definition" => {
                units.push(Unit::Definition(self.definition(node, local)?));
            }
            "instance" => units.push(Unit::Instance(self.instance(node, None, Vec::new(), local)?)),
            "module_definition" => units.push(Unit::Instance(self.module_definition(node, local)?)),
            "assumption" => {
                let name = node.child_by_field_name("name").map(|n| self.name(n));
                if let Some(last) = parts(node).last() {
                    units.push(Unit::Assume(name, self.expr(*last)?));
                }
            }
            "theorem" => {
                let name = node.child_by_field_name("name").map(|n| self.name(n));
                let statement = node.child_by_field_name("statement").filter(|n| n.kind() != "assume_prove");
                if let (Some(name), Some(statement)) = (name, statement) {
                    // Statements that are not plain expressions matter to provers only.
                    if let Ok(statement) = self.expr(statement) {
                        units.push(Unit::Theorem(name, statement));
                    }
                }
            }
            "module" => units.push(Unit::Module(self.module(node)?)),
            // Lines, proofs and instructions to provers.
            _ => {}
        }
        Ok(())
    }

    fn parameters(&self, nodes: &[Node]) -> Result<Vec<Parameter>> {
        nodes.iter().map(|n| self.parameter(*n)).collect()
    }

    fn parameter(&self, node: Node) -> Result<Parameter> {
        let place = self.place(node);
        if node.kind() == "identifier" {
            return Ok(Parameter { name: self.name(node), arity: 0, place });
        }
        let name = node.child_by_field_name("name").ok_or_else(|| self.error(node, "a name is missing"))?;
        let arity = parts(node).iter().filter(|n| n.kind() == "placeholder").count();
        Ok(Parameter { name: self.operator_name(name), arity, place })
    }

    /// The name of an operator: an identifier as written, a symbol in its one canonical spelling.
    fn operator_name(&self, node: Node) -> Symbol {
        match node.kind() {
            "prefix_op_symbol" | "infix_op_symbol" | "postfix_op_symbol" => match parts(node).first() {
                Some(inner) => self.operator_name(*inner),
                None => self.name(node),
            },
            kind => match canonical(kind) {
                Some(symbol) => Symbol::new(symbol),
                None => self.name(node),
            },
        }
    }

    fn definition(&self, node: Node, local: bool) -> Result<Arc<Definition>> {
        let place = self.place(node);
        let missing = || self.error(node, "an incomplete definition");
        let name = self.operator_name(node.child_by_field_name("name").ok_or_else(missing)?);
        let body = self.expr(node.child_by_field_name("definition").ok_or_else(missing)?)?;
        if node.kind() == "function_definition" {
            let bounds = self.bounds(&parts(node))?;
            let body = Arc::new(Expr { place, kind: Kind::Function(bounds, body) });
            return Ok(Arc::new(Definition {
                name,
                parameters: Vec::new(),
                body,
                function: true,
                local,
                place,
            }));
        }
        let mut cursor = node.walk();
        let parameters: Vec<Node> = node
            .children_by_field_name("parameter", &mut cursor)
            .filter(|n| matches!(n.kind(), "identifier" | "operator_declaration"))
            .collect();
        let parameters = self.parameters(&parameters)?;
        Ok(Arc::new(Definition { name, parameters, body, function: false, local, place }))
    }

    fn module_definition(&self, node: Node, local: bool) -> Result<Arc<Instance>> {
        let missing = || self.error(node, "an incomplete definition");
        let name = self.name(node.child_by_field_name("name").ok_or_else(missing)?);
        let mut cursor = node.walk();
        let parameters: Vec<Node> = node
            .children_by_field_name("parameter", &mut cursor)
            .filter(|n| matches!(n.kind(), "identifier" | "operator_declaration"))
            .collect();
        let parameters = self.parameters(&parameters)?;
        self.instance(
            node.child_by_field_name("definition").ok_or_else(missing)?,
            Some(name),
            parameters,
            local,
        )
    }

    fn instance(
        &self,
        node: Node,
        name: Option<Symbol>,
        parameters: Vec<Parameter>,
        local: bool,
    ) -> Result<Arc<Instance>> {
        let mut module = self.file;
        let mut substitutions = Vec::new();
        for part in parts(node) {
            if part.kind() == "substitution" {
                let inner = parts(part);
                if let (Some(target), Some(value)) = (inner.first(), inner.last()) {
                    substitutions.push((self.operator_name(*target), self.expr(*value)?));
                }
            } else {
                module = self.name(part);
            }
        }
        let place = self.place(node);
        Ok(Arc::new(Instance { name, parameters, module, substitutions, local, place }))
    }

    fn bounds(&self, nodes: &[Node]) -> Result<Vec<Bound>> {
        nodes.iter().filter(|n| n.kind() == "quantifier_bound").map(|n| self.bound(*n)).collect()
    }

    fn bound(&self, node: Node) -> Result<Bound> {
        let inner = parts(node);
        let mut names = Vec::new();
        let mut tuple = false;
        for part in &inner {
            match part.kind() {
                "identifier" => names.push(self.name(*part)),
                "tuple_of_identifiers" => {
                    tuple = true;
                    names = self.identifiers(*part);
                }
                "set_in" => break,
                _ => {}
            }
        }
        let set = inner.last().ok_or_else(|| self.error(node, "a bound without a set"))?;
        Ok(Bound { names, tuple, set: self.expr(*set)? })
    }

    fn identifiers(&self, node: Node) -> Vec<Symbol> {
        parts(node).into_iter().filter(|n| n.kind() == "identifier").map(|n| self.name(n)).collect()
    }

    fn exprs(&self, nodes: &[Node]) -> Result<Vec<Arc<Expr>>> {
        nodes
            .iter()
            .filter(|n| !matches!(n.kind(), "langle_bracket" | "rangle_bracket"))
            .map(|n| self.expr(*n))
            .collect()
    }

    fn expr(&self, node: Node) -> Result<Arc<Expr>> {
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
    fn only(&self, node: Node) -> Result<Arc<Expr>> {
        match parts(node).first() {
            Some(inner) => self.expr(*inner),
            None => Err(self.error(node, "an empty expression")),
        }
    }

    fn field(&self, node: Node, name: &str) -> Result<Arc<Expr>> {
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
            "string" => {
                let text = Symbol::new(&unescape(self.source(node)));
                self.strings.borrow_mut().push(text);
                Kind::String(text)
            }
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
                let name = node
                    .child_by_field_name("name")
                    .ok_or_else(|| self.error(node, "a label without a name"))?;
                Kind::Label(self.name(name), self.field(node, "expression")?)
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

    /// The operands of `a op b op c`, which the grammar nests to the left; walked with a loop because such chains are
    /// long in generated specifications.
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
            "colon" | "address" => Step::Other,
            "proof_step_ref" => return Err(self.error(node, "proof steps are not evaluated")),
            _ => Step::Name(self.operator_name(node), Vec::new()),
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

/// The one spelling of an operator symbol that the rest of the crate uses, by its node kind.
fn canonical(kind: &str) -> Option<&'static str> {
    const TABLE: &[(&str, &str)] = &[
        ("lnot", "~"),
        ("union", "UNION"),
        ("powerset", "SUBSET"),
        ("domain", "DOMAIN"),
        ("negative", "-."),
        ("enabled", "ENABLED"),
        ("unchanged", "UNCHANGED"),
        ("always", "[]"),
        ("eventually", "<>"),
        ("implies", "=>"),
        ("plus_arrow", "-+->"),
        ("equiv", "<=>"),
        ("iff", "<=>"),
        ("leads_to", "~>"),
        ("land", "/\\"),
        ("lor", "\\/"),
        ("assign", ":="),
        ("bnf_rule", "::="),
        ("eq", "="),
        ("neq", "#"),
        ("lt", "<"),
        ("gt", ">"),
        ("leq", "<="),
        ("geq", ">="),
        ("approx", "\\approx"),
        ("rs_ttile", "|-"),
        ("rd_ttile", "|="),
        ("ls_ttile", "-|"),
        ("ld_ttile", "=|"),
        ("asymp", "\\asymp"),
        ("cong", "\\cong"),
        ("doteq", "\\doteq"),
        ("gg", "\\gg"),
        ("ll", "\\ll"),
        ("in", "\\in"),
        ("notin", "\\notin"),
        ("prec", "\\prec"),
        ("succ", "\\succ"),
        ("preceq", "\\preceq"),
        ("succeq", "\\succeq"),
        ("propto", "\\propto"),
        ("sim", "\\sim"),
        ("simeq", "\\simeq"),
        ("sqsubset", "\\sqsubset"),
        ("sqsupset", "\\sqsupset"),
        ("sqsubseteq", "\\sqsubseteq"),
        ("sqsupseteq", "\\sqsupseteq"),
        ("subset", "\\subset"),
        ("supset", "\\supset"),
        ("subseteq", "\\subseteq"),
        ("supseteq", "\\supseteq"),
        ("compose", "@@"),
        ("map_to", ":>"),
        ("map_from", "<:"),
        ("setminus", "\\"),
        ("cap", "\\cap"),
        ("cup", "\\cup"),
        ("dots_2", ".."),
        ("dots_3", "..."),
        ("plus", "+"),
        ("plusplus", "++"),
        ("oplus", "\\oplus"),
        ("ominus", "\\ominus"),
        ("mod", "%"),
        ("modmod", "%%"),
        ("vert", "|"),
        ("vertvert", "||"),
        ("minus", "-"),
        ("minusminus", "--"),
        ("amp", "&"),
        ("ampamp", "&&"),
        ("odot", "\\odot"),
        ("oslash", "\\oslash"),
        ("otimes", "\\otimes"),
        ("mul", "*"),
        ("mulmul", "**"),
        ("slash", "/"),
        ("slashslash", "//"),
        ("bigcirc", "\\bigcirc"),
        ("bullet", "\\bullet"),
        ("div", "\\div"),
        ("circ", "\\o"),
        ("star", "\\star"),
        ("excl", "!!"),
        ("hashhash", "##"),
        ("dol", "$"),
        ("doldol", "$$"),
        ("qq", "??"),
        ("sqcap", "\\sqcap"),
        ("sqcup", "\\sqcup"),
        ("uplus", "\\uplus"),
        ("times", "\\X"),
        ("wr", "\\wr"),
        ("cdot", "\\cdot"),
        ("pow", "^"),
        ("powpow", "^^"),
        ("sup_plus", "^+"),
        ("asterisk", "^*"),
        ("sup_hash", "^#"),
        ("prime", "'"),
    ];
    TABLE.iter().find(|(k, _)| *k == kind).map(|(_, symbol)| *symbol)
}
