//! Where the definitions of a module stand: TLC's messages name the lines and columns of actions.

use std::collections::HashMap;
use std::path::Path;

use tree_sitter::{Node, Parser};

use super::super::access::text_of;

/// From a line and a column to another, all from 1, of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub from: (usize, usize),
    pub to: (usize, usize),
    pub module: String,
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Range { from, to, module } = self;
        write!(f, "line {}, col {} to line {}, col {} of module {module}", from.0, from.1, to.0, to.1)
    }
}

/// A definition: its name, and what it stands for.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub name: Range,
    pub body: Range,
}

/// The definitions of a root module and of the modules beside it that it extends.
#[derive(Default)]
pub(super) struct Places {
    definitions: HashMap<String, Definition>,
}

/// Most modules that are looked at.
const MODULES_MAX: usize = 200;

impl Places {
    /// Reads a module. What cannot be read has no places: the check itself reports what is wrong.
    pub fn of(spec: &Path) -> Places {
        let mut places = Places::default();
        let mut wanted = vec![spec.to_path_buf()];
        let mut next = 0;
        while next < wanted.len().min(MODULES_MAX) {
            let path = wanted[next].clone();
            next += 1;
            let Ok(text) = text_of(&path) else { continue };
            for name in places.read(&text) {
                let beside = path.with_file_name(format!("{name}.tla"));
                if !wanted.contains(&beside) {
                    wanted.push(beside);
                }
            }
        }
        places
    }

    /// The definition of an action, whose arguments may stand behind its name.
    pub fn get(&self, action: &str) -> Option<&Definition> {
        let name = action.split('(').next().unwrap_or(action);
        self.definitions.get(name.rsplit('!').next().unwrap_or(name))
    }

    /// Takes the definitions of a text; gives the modules that it extends.
    fn read(&mut self, text: &str) -> Vec<String> {
        let text = &*crate::pluscal::without_keywords(text);
        let mut parser = Parser::new();
        if parser.set_language(&tree_sitter_tlaplus::LANGUAGE.into()).is_err() {
            return Vec::new();
        }
        let Some(tree) = parser.parse(text, None) else { return Vec::new() };
        let lines: Vec<&str> = text.split('\n').collect();
        let root = tree.root_node();
        let mut extended = Vec::new();
        let mut cursor = root.walk();
        for module in root.children(&mut cursor).filter(|node| node.kind() == "module") {
            let named = module.child_by_field_name("name").map(|name| source(name, text).to_string());
            let named = named.unwrap_or_default();
            let mut cursor = module.walk();
            for unit in module.children(&mut cursor) {
                match unit.kind() {
                    "extends" => {
                        let mut cursor = unit.walk();
                        let names = unit.children(&mut cursor).filter(|node| node.kind() == "identifier_ref");
                        extended.extend(names.map(|name| source(name, text).to_string()));
                    }
                    "operator_definition" => self.take(unit, text, &lines, &named),
                    _ => {}
                }
            }
        }
        extended
    }

    fn take(&mut self, unit: Node, text: &str, lines: &[&str], module: &str) {
        let (Some(name), Some(body)) =
            (unit.child_by_field_name("name"), unit.child_by_field_name("definition"))
        else {
            return;
        };
        let range = |node: Node| {
            let start = node.start_position();
            let end = last_word(node).end_position();
            let column = |row: usize, bytes: usize| {
                let line = lines.get(row).copied().unwrap_or_default();
                line.get(..bytes).map_or(bytes, |part| part.chars().count())
            };
            Range {
                from: (start.row + 1, column(start.row, start.column) + 1),
                to: (end.row + 1, column(end.row, end.column)),
                module: module.to_string(),
            }
        };
        let definition = Definition { name: range(name), body: range(body) };
        self.definitions.entry(source(name, text).to_string()).or_insert(definition);
    }
}

/// The last word of a node: lists of conjunctions reach to what follows them, and so do comments.
fn last_word(node: Node) -> Node {
    let mut word = node;
    loop {
        let mut cursor = word.walk();
        let is_word = |child: &Node| !child.is_extra() && !child.byte_range().is_empty();
        match word.children(&mut cursor).filter(is_word).last() {
            Some(last) => word = last,
            None => return word,
        }
    }
}

fn source<'a>(node: Node, text: &'a str) -> &'a str {
    text.get(node.byte_range()).unwrap_or_default()
}
