//! Native operators that take operators: folds, selections, sorting.

use super::Machine;
use crate::compile::builtin::Builtin;
use crate::compile::ir::{Expr, Operator};
use crate::error::{Place, Result, fail};
use crate::value::Value;

impl Machine {
    pub(super) fn higher_order(
        &mut self,
        builtin: Builtin,
        arguments: &[Expr],
        operators: &[Operator],
        place: Place,
    ) -> Result<Value> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.eval(argument)?);
        }
        let operator = &operators[0];
        match (builtin, values.as_slice()) {
            (Builtin::SelectSeq, [sequence]) => {
                let Value::Tuple(tuple) = sequence else {
                    return fail(place, format!("SelectSeq of {}, which is no sequence", sequence.brief()));
                };
                let mut kept = Vec::new();
                for item in tuple.items() {
                    if self.holds(operator, std::slice::from_ref(item), place)? {
                        kept.push(item.clone());
                    }
                }
                Ok(Value::tuple(kept))
            }
            (Builtin::SortSeq | Builtin::SetToSortSeq, [collection]) => {
                self.room_for(collection.width(), place)?;
                let mut items = match collection {
                    Value::Tuple(tuple) => tuple.items().to_vec(),
                    set => self.list(set, place)?.items().to_vec(),
                };
                self.sort(&mut items, operator, place)?;
                Ok(Value::tuple(items))
            }
            (Builtin::FoldSet, [base, set]) => {
                let items = self.list(set, place)?;
                self.fold(operator, base.clone(), items.items().iter(), true, place)
            }
            (Builtin::FoldFunction, [base, function]) => {
                let function = self.concrete(function.clone(), place)?;
                self.room_for(function.width(), place)?;
                let items = range_in_order(&function, place)?;
                self.fold(operator, base.clone(), items.iter(), true, place)
            }
            (Builtin::FoldLeft, [base, sequence]) => {
                self.room_for(sequence.width(), place)?;
                let items = range_in_order(sequence, place)?;
                self.fold(operator, base.clone(), items.iter(), false, place)
            }
            (Builtin::FoldRight, [sequence, base]) => {
                self.room_for(sequence.width(), place)?;
                let items = range_in_order(sequence, place)?;
                self.fold(operator, base.clone(), items.iter().rev(), true, place)
            }
            (Builtin::FoldFunctionOnSet, [base, function, set]) => {
                let arguments = self.list(set, place)?;
                self.room_for(arguments.items().len(), place)?;
                let mut items = Vec::new();
                for argument in arguments.items() {
                    items.push(self.apply(function, argument, place)?);
                }
                self.fold(operator, base.clone(), items.iter(), true, place)
            }
            (Builtin::MapThenFoldSet, [base, set]) => {
                let [op, map, choose] = operators else {
                    return fail(place, "MapThenFoldSet takes three operators");
                };
                let mut rest = Value::Set(self.list(set, place)?);
                let mut result = base.clone();
                while !rest.is_empty() {
                    let chosen = self.operate(choose, &[rest.clone()], place)?;
                    let mapped = self.operate(map, std::slice::from_ref(&chosen), place)?;
                    result = self.operate(op, &[mapped, result], place)?;
                    self.check_nesting(&result, place)?;
                    let Value::Set(items) = &rest else { break };
                    let before = items.items().len();
                    self.room_for(before, place)?;
                    let left: Vec<Value> = items.items().iter().filter(|v| **v != chosen).cloned().collect();
                    if left.len() == before {
                        return fail(place, "MapThenFoldSet chose what is not in the set");
                    }
                    rest = Value::set_from_sorted(left);
                }
                Ok(result)
            }
            (Builtin::DotDiGraph, [graph]) => self.dot(graph, operators, place),
            _ => fail(place, format!("{} is not evaluated", builtin.name())),
        }
    }

    /// A graph in the language of Graphviz; the nodes are named by their hashes.
    fn dot(&mut self, graph: &Value, operators: &[Operator], place: Place) -> Result<Value> {
        let (Some(nodes), Some(edges), [node_label, edge_label]) =
            (graph.field("node"), graph.field("edge"), operators)
        else {
            return fail(place, format!("DotDiGraph of {}, which is no graph", graph.brief()));
        };
        let mut text = "digraph MyGraph {".to_string();
        for node in self.list(nodes, place)?.items() {
            let label = self.operate(node_label, std::slice::from_ref(node), place)?;
            text.push_str(&format!("{}[label={label}];", node.hash64() as i64));
        }
        for edge in self.list(edges, place)?.items() {
            let label = self.operate(edge_label, std::slice::from_ref(edge), place)?;
            let Value::Tuple(ends) = edge else {
                return fail(place, format!("{} is no edge", edge.brief()));
            };
            let [from, to] = ends.items() else {
                return fail(place, format!("{} is no edge", edge.brief()));
            };
            text.push_str(&format!("{}->{}[label={label}];", from.hash64() as i64, to.hash64() as i64));
            self.room(text.len(), place)?;
        }
        text.push('}');
        Ok(Value::string(&text))
    }

    fn operate(&mut self, operator: &Operator, arguments: &[Value], place: Place) -> Result<Value> {
        self.steps(1, place)?;
        for (slot, argument) in operator.slots.iter().zip(arguments) {
            self.set_local(*slot, argument.clone());
        }
        self.eval(&operator.body)
    }

    fn holds(&mut self, operator: &Operator, arguments: &[Value], place: Place) -> Result<bool> {
        let value = self.operate(operator, arguments, place)?;
        self.truth(&value, place)
    }

    /// Folds; `element_first` is whether the operator takes the element before what is gathered.
    fn fold<'v>(
        &mut self,
        operator: &Operator,
        base: Value,
        items: impl Iterator<Item = &'v Value>,
        element_first: bool,
        place: Place,
    ) -> Result<Value> {
        let mut gathered = base;
        for item in items {
            let arguments = if element_first { [item.clone(), gathered] } else { [gathered, item.clone()] };
            gathered = self.operate(operator, &arguments, place)?;
            self.check_nesting(&gathered, place)?;
        }
        Ok(gathered)
    }

    /// Sorts by insertion: the operator may fail, and need not be an order at all.
    fn sort(&mut self, items: &mut [Value], operator: &Operator, place: Place) -> Result<()> {
        for i in 1..items.len() {
            let mut j = i;
            while j > 0 && self.holds(operator, &[items[j].clone(), items[j - 1].clone()], place)? {
                if items[j] == items[j - 1] {
                    break;
                }
                items.swap(j, j - 1);
                j -= 1;
            }
        }
        Ok(())
    }
}

/// The values of a function, in the order of its domain.
fn range_in_order(function: &Value, place: Place) -> Result<Vec<Value>> {
    match function {
        Value::Tuple(tuple) => Ok(tuple.items().to_vec()),
        Value::Function(function) => Ok(function.values().to_vec()),
        other => fail(place, format!("{} is {}, not a function", other.brief(), other.kind())),
    }
}
