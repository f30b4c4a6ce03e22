//! From tree-sitter's nodes to the typed tree: modules and definitions (expressions: `lower_expr`).
//!
//! One function per group of node kinds. Comments are everywhere in tree-sitter's children, so children are
//! always read through [`parts`], which leaves them out.

use std::sync::Arc;

use tree_sitter::{Node, Parser};

use super::ast::*;
use super::heads::{Moved, moved};
use super::path_ends::with_names;
use super::tabs::without_tabs;
use crate::error::{Error, Place, Result};
use crate::stack::{CALLER_STACK_BYTES, StackGuard};
use crate::symbol::Symbol;

/// Longest text that is parsed, in bytes.
const TEXT_BYTES_MAX: usize = 16 << 20;

/// The most that the squares of the lengths of all lines may add up to, in bytes: the grammar looks for its
/// column from the beginning of the line at every word, so a line takes the square of its length. This much
/// takes some seconds.
const LINES_SQUARED_MAX: u64 = 1 << 33;

/// Parses the text of a file and gives the module called `name`, or the first one if none has that name.
pub fn parse(name: &str, text: &str) -> Result<Arc<Module>> {
    let file = Symbol::new(name);
    let nowhere = Place { module: file, line: 0, column: 0 };
    if text.len() > TEXT_BYTES_MAX {
        return Err(syntax(nowhere, "the text is longer than 16 MiB"));
    }
    let text = &*without_tabs(text);
    let text = &*crate::pluscal::without_keywords(text);
    check_lines(file, text)?;
    let mut parser = Parser::new();
    if parser.set_language(&tree_sitter_tlaplus::LANGUAGE.into()).is_err() {
        return Err(syntax(nowhere, "the grammar does not fit the parser library"));
    }
    let parsed = parser.parse(text, None).ok_or_else(|| syntax(nowhere, "the parser gave up"))?;
    let mut accepted = |text: &str| {
        let tree = parser.parse(text, None)?;
        (!tree.root_node().has_error()).then_some(tree)
    };
    let guard = StackGuard::new(CALLER_STACK_BYTES);
    let as_written = Lower { text, file, guard, moved: None };
    let moved_text;
    let (tree, lower) = if !parsed.root_node().has_error() {
        (parsed, as_written)
    } else if let Some(tree) = with_names(text).and_then(|named| accepted(&named)) {
        (tree, as_written)
    } else {
        moved_text = moved(text, TEXT_BYTES_MAX).filter(|moved| check_lines(file, &moved.text).is_ok());
        let moved = moved_text.as_ref().and_then(|moved| {
            let named = with_names(&moved.text);
            Some((accepted(named.as_deref().unwrap_or(&moved.text))?, moved))
        });
        match moved {
            Some((tree, moved)) => (tree, Lower { text: &moved.text, moved: Some(moved), ..as_written }),
            None => (parsed, as_written),
        }
    };
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

/// Whether the lines are short enough to be parsed in time.
fn check_lines(file: Symbol, text: &str) -> Result<()> {
    let lengths = || text.lines().map(|line| line.len() as u64);
    if lengths().map(|length| length * length).sum::<u64>() <= LINES_SQUARED_MAX {
        return Ok(());
    }
    let longest = lengths().enumerate().max_by_key(|(_, length)| *length);
    let (line, length) = longest.map_or((0, 0), |(index, length)| (index as u32 + 1, length));
    let place = Place { module: file, line, column: 1 };
    Err(syntax(
        place,
        format!("lines are too long to be parsed: break them, first this one of {length} bytes"),
    ))
}

fn syntax(place: Place, message: impl Into<String>) -> Box<Error> {
    Box::new(Error::Syntax { place, message: message.into() })
}

/// The named children that are not comments.
pub(super) fn parts<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|n| !n.is_extra()).collect()
}

/// Reads one text.
pub(super) struct Lower<'s> {
    text: &'s str,
    file: Symbol,
    pub(super) guard: StackGuard,
    /// Where its lines come from, if beginnings of definitions were moved.
    moved: Option<&'s Moved>,
}

impl Lower<'_> {
    pub(super) fn place(&self, node: Node) -> Place {
        let start = node.start_position();
        let (line, column) = (start.row as u32, start.column as u32);
        let (line, column) = self.moved.map_or((line, column), |moved| moved.origin(line, column));
        Place { module: self.file, line: line + 1, column: column + 1 }
    }

    pub(super) fn source(&self, node: Node) -> &str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    pub(super) fn name(&self, node: Node) -> Symbol {
        Symbol::new(self.source(node))
    }

    pub(super) fn error(&self, node: Node, message: impl Into<String>) -> Box<Error> {
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
        Ok(Arc::new(Module { name, extends, units }))
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
                let Some(last) = parts(node).last().copied() else { return Ok(()) };
                let statement = self.expr(last)?;
                // TLC does not evaluate axioms: they may be about more than can be listed.
                match (self.source(node).starts_with("AXIOM"), name) {
                    (false, _) => units.push(Unit::Assume(name, statement)),
                    (true, Some(name)) => units.push(Unit::Theorem(name, statement)),
                    (true, None) => {}
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
            "use_or_hide" if self.source(node).starts_with("HIDE") => self.hidden(node)?,
            // Lines, proofs and instructions to provers.
            _ => {}
        }
        Ok(())
    }

    /// What HIDE hides has a name.
    fn hidden(&self, node: Node) -> Result<()> {
        let bodies = parts(node).into_iter().flat_map(parts).filter(|n| n.kind() == "use_body_expr");
        for fact in bodies.flat_map(parts) {
            let is_named = matches!(
                fact.kind(),
                "nat_number"
                    | "real_number"
                    | "string"
                    | "identifier_ref"
                    | "prefixed_op"
                    | "bound_op"
                    | "module_ref"
                    | "proof_step_ref"
                    | "subexpression"
                    | "let_in"
            );
            if !is_named {
                return Err(self.error(fact, "HIDE is followed by names of theorems, assumptions and steps"));
            }
        }
        Ok(())
    }

    pub(super) fn parameters(&self, nodes: &[Node]) -> Result<Vec<Parameter>> {
        nodes.iter().map(|n| self.parameter(*n)).collect()
    }

    pub(super) fn parameter(&self, node: Node) -> Result<Parameter> {
        let place = self.place(node);
        if node.kind() == "identifier" {
            return Ok(Parameter { name: self.name(node), arity: 0, place });
        }
        let name = node.child_by_field_name("name").ok_or_else(|| self.error(node, "a name is missing"))?;
        let arity = parts(node).iter().filter(|n| n.kind() == "placeholder").count();
        Ok(Parameter { name: self.operator_name(name), arity, place })
    }

    /// The name of an operator: an identifier as written, a symbol in its one canonical spelling.
    pub(super) fn operator_name(&self, node: Node) -> Symbol {
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

    pub(super) fn definition(&self, node: Node, local: bool) -> Result<Arc<Definition>> {
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

    pub(super) fn module_definition(&self, node: Node, local: bool) -> Result<Arc<Instance>> {
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

    pub(super) fn instance(
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

    pub(super) fn bounds(&self, nodes: &[Node]) -> Result<Vec<Bound>> {
        nodes.iter().filter(|n| n.kind() == "quantifier_bound").map(|n| self.bound(*n)).collect()
    }

    pub(super) fn bound(&self, node: Node) -> Result<Bound> {
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

    pub(super) fn identifiers(&self, node: Node) -> Vec<Symbol> {
        parts(node).into_iter().filter(|n| n.kind() == "identifier").map(|n| self.name(n)).collect()
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A module with a sequence of so many elements, with this between them.
    fn parsed(elements: usize, between: &str) -> std::result::Result<(), String> {
        let sequence = vec!["1"; elements].join(between);
        let text = format!("---- MODULE Long ----\nx == <<\n{sequence}\n>>\n====\n");
        parse("Long", &text).map(drop).map_err(|error| error.to_string())
    }

    #[test]
    fn a_line_that_would_take_long_to_parse_is_refused() {
        let refused = parsed(50_000, ", ").expect_err("the line is too long");
        assert!(refused.contains("Long:3:1: ") && refused.contains("of 149998 bytes"), "{refused}");
        assert_eq!(parsed(50_000, ",\n"), Ok(()), "as many elements, each on a line");
    }
}
