//! Native operators of community modules: texts, JSON, statistics, drawings.

use super::builtins::int;
use super::function::check_length;
use super::{Machine, chi_square};
use crate::compile::builtin::Builtin;
use crate::error::{Place, Result, fail};
use crate::value::Value;
use crate::value::json::{json_array, json_object};

/// What a piece of JSON or SVG text takes for each value it is made of.
const TEXT_NODE_BYTES: usize = 160;

/// Most elements inside each other of a drawing.
const DRAWING_DEPTH_MAX: usize = 200;

impl Machine {
    /// An operator of a community module, its arguments evaluated.
    pub(super) fn library(&mut self, builtin: Builtin, values: &[Value], place: Place) -> Result<Value> {
        match (builtin, values) {
            (Builtin::ReplaceFirstSubSeq, [new, old, all]) => self.replace_parts(new, old, all, true, place),
            (Builtin::ReplaceAllSubSeqs, [new, old, all]) => self.replace_parts(new, old, all, false, place),
            (Builtin::IsABag, [bag]) => self.is_a_bag(bag, place),
            (Builtin::ToJsonArray | Builtin::ToJsonObject, [value]) => {
                let value = self.concrete(value.clone(), place)?;
                self.room(self.nodes(&value, place)?.saturating_mul(TEXT_NODE_BYTES), place)?;
                let json =
                    if builtin == Builtin::ToJsonArray { json_array(&value) } else { json_object(&value) };
                match json {
                    Some(json) => Ok(Value::string(&json.to_string())),
                    None => fail(place, format!("{} of {}", builtin.name(), value.brief())),
                }
            }
            (Builtin::TlcFp, [value]) => Ok(Value::Int(i64::from(value.hash64() as u32 as i32))),
            (Builtin::ChiSquare, [expected, actual, alpha]) => {
                self.chi_square(expected, actual, alpha, place)
            }
            (Builtin::Binomial, [n, k]) => binomial(int(n, place)?, int(k, place)?, place),
            (Builtin::CsvRead, [columns, delimiter, path]) => self.read_csv(columns, delimiter, path, place),
            (Builtin::CsvRecords, [path]) => {
                let rows = self.csv_text(path, place)?.map_or(0, |text| text.lines().count());
                Ok(Value::Int(rows as i64))
            }
            (Builtin::SvgElemToString, [element]) => {
                self.room(self.nodes(element, place)?.saturating_mul(TEXT_NODE_BYTES), place)?;
                let mut text = String::new();
                self.draw(element, 0, &mut text, place)?;
                Ok(Value::string(&text))
            }
            (Builtin::SvgRingNode, [x, y, radius, n, m]) => ring_node([x, y, radius, n, m], place),
            (Builtin::Deserialize, [path, options]) => self.read_text(path, options, place),
            _ => fail(place, refusal(builtin)),
        }
    }

    /// A text or a sequence with the first part, or all parts, that equal `old` replaced.
    fn replace_parts(
        &mut self,
        new: &Value,
        old: &Value,
        all: &Value,
        first_only: bool,
        place: Place,
    ) -> Result<Value> {
        if let (Value::Str(new), Value::Str(old), Value::Str(all)) = (new, old, all) {
            let (new, old, all) = (new.as_str(), old.as_str(), all.as_str());
            let bytes = all.len().saturating_mul(new.len().max(1)).saturating_add(all.len() + new.len());
            self.room(bytes, place)?;
            let text = match (old.is_empty(), first_only) {
                (true, true) => format!("{new}{all}"),
                // TLC writes the new text before each character.
                (true, false) if all.is_empty() => new.to_string(),
                (true, false) => all.chars().flat_map(|c| [new.to_string(), c.to_string()]).collect(),
                (false, true) => all.replacen(old, new, 1),
                (false, false) => all.replace(old, new),
            };
            check_length("bytes of a string", text.len(), place)?;
            return Ok(Value::string(&text));
        }
        let mut parts = Vec::new();
        for value in [new, old, all] {
            match self.concrete(value.clone(), place)? {
                Value::Tuple(tuple) => parts.push(tuple.items().to_vec()),
                other => {
                    return fail(place, format!("{} is {}, not a sequence", other.brief(), other.kind()));
                }
            }
        }
        let [new, old, all] = [&parts[0], &parts[1], &parts[2]];
        self.room_for(all.len().saturating_mul(new.len() + 1).saturating_add(new.len()), place)?;
        let items = replaced(new, old, all, first_only);
        check_length("elements of a sequence", items.len(), place)?;
        Ok(Value::tuple(items))
    }

    fn is_a_bag(&mut self, bag: &Value, place: Place) -> Result<Value> {
        let bag = match bag {
            Value::Lambda(_) => self.concrete(bag.clone(), place)?,
            other => other.clone(),
        };
        let counts = bag.is_function()
            && bag.pairs().iter().all(|(_, count)| matches!(count, Value::Int(count) if *count > 0));
        Ok(Value::Bool(counts))
    }

    fn chi_square(&mut self, expected: &Value, actual: &Value, alpha: &Value, place: Place) -> Result<Value> {
        let mut columns = Vec::new();
        for value in [expected, actual] {
            let value = self.concrete(value.clone(), place)?;
            if !value.is_function() {
                return fail(place, format!("ChiSquare of {}, which is no function", value.brief()));
            }
            let counts: Result<Vec<f64>> =
                value.pairs().iter().map(|(_, count)| int(count, place).map(|n| n as f64)).collect();
            columns.push(counts?);
        }
        let level = match alpha {
            Value::Str(text) => text.as_str().trim().parse::<f64>().ok(),
            _ => None,
        };
        let Some(level) = level.filter(|level| *level > 0.0 && *level <= 0.5) else {
            return fail(place, "ChiSquare takes its level as a text like \"0.05\", above 0 and at most 0.5");
        };
        match chi_square::p_value(&columns[0], &columns[1]) {
            Some(p) => Ok(Value::Bool(p >= level)),
            None => fail(
                place,
                "ChiSquare takes two functions of the same size, at least 2, with positive expectations",
            ),
        }
    }

    fn csv_text(&mut self, path: &Value, place: Place) -> Result<Option<std::sync::Arc<str>>> {
        let Value::Str(path) = path else { return fail(place, format!("{} is no path", path.brief())) };
        match self.outside.files.read(path.as_str()) {
            Ok(text) => Ok(Some(text)),
            // To the community's module, a file that does not exist has no rows.
            Err(reason) if reason.starts_with("there is no file") => Ok(None),
            Err(reason) => fail(place, reason),
        }
    }

    fn read_csv(&mut self, columns: &Value, delimiter: &Value, path: &Value, place: Place) -> Result<Value> {
        let Some(text) = self.csv_text(path, place)? else { return Ok(Value::tuple(Vec::new())) };
        let (Value::Tuple(names), Value::Str(delimiter)) = (columns, delimiter) else {
            return fail(place, "CSVRead takes a sequence of names and a delimiter");
        };
        self.room_for(text.len().saturating_mul(4), place)?;
        let mut rows = Vec::new();
        for (line, row) in (1..).zip(text.lines()) {
            let fields: Vec<&str> = row.split(delimiter.as_str()).collect();
            if fields.len() < names.items().len() {
                return fail(place, format!("{path}:{line}: {} columns are expected", names.items().len()));
            }
            let pairs = names.items().iter().cloned().zip(fields.into_iter().map(Value::string)).collect();
            rows.push(Value::function_from_pairs(pairs));
        }
        Ok(Value::tuple(rows))
    }

    /// `Deserialize(path, [format |-> "TXT"])`: a file's text, in the form that TLC gives it.
    fn read_text(&mut self, path: &Value, options: &Value, place: Place) -> Result<Value> {
        if !matches!(options.field("format"), Some(Value::Str(format)) if format.as_str() == "TXT") {
            return fail(place, "Deserialize reads the format \"TXT\" only");
        }
        let Value::Str(path) = path else { return fail(place, format!("{} is no path", path.brief())) };
        match self.outside.files.read(path.as_str()) {
            Ok(text) => Ok(Value::record([
                ("exitValue", Value::Int(0)),
                ("stdout", Value::string(&text)),
                ("stderr", Value::string("")),
            ])),
            Err(reason) => fail(place, reason),
        }
    }

    /// Writes an element of a drawing and those inside it.
    fn draw(&mut self, element: &Value, depth: usize, text: &mut String, place: Place) -> Result<()> {
        let element = self.concrete(element.clone(), place)?;
        let (Some(Value::Str(name)), Some(attributes), Some(children), Some(Value::Str(inner))) = (
            element.field("name"),
            element.field("attrs"),
            element.field("children"),
            element.field("innerText"),
        ) else {
            return fail(place, format!("{} is no element of a drawing", element.brief()));
        };
        if depth > DRAWING_DEPTH_MAX {
            return fail(place, "the elements of a drawing are nested too deeply");
        }
        let attributes = self.concrete(attributes.clone(), place)?;
        text.push_str(&format!("<{name}"));
        for (key, value) in attributes.pairs() {
            let (Value::Str(key), Value::Str(value)) = (&key, &value) else {
                return fail(place, "the attributes of an element are strings");
            };
            text.push_str(&format!(" {}='{value}'", key.as_str().replace('_', "-")));
        }
        text.push('>');
        text.push_str(&inner.as_str().replace("<<", "&lt;&lt;").replace(">>", "&gt;&gt;"));
        let children = self.concrete(children.clone(), place)?;
        for (_, child) in children.pairs() {
            self.draw(&child, depth + 1, text, place)?;
        }
        text.push_str(&format!("</{name}>"));
        Ok(())
    }
}

/// A sequence with parts replaced, from the left.
fn replaced(new: &[Value], old: &[Value], all: &[Value], first_only: bool) -> Vec<Value> {
    let mut items = Vec::new();
    let mut rest = all;
    let mut done = false;
    if old.is_empty() {
        let every = if first_only { usize::MAX } else { 1 };
        for (index, item) in all.iter().enumerate() {
            if index % every == 0 {
                items.extend_from_slice(new);
            }
            items.push(item.clone());
        }
        if all.is_empty() {
            items.extend_from_slice(new);
        }
        return items;
    }
    while let Some((first, others)) = rest.split_first() {
        if !done && rest.starts_with(old) {
            items.extend_from_slice(new);
            rest = &rest[old.len()..];
            done = first_only;
        } else {
            items.push(first.clone());
            rest = others;
        }
    }
    items
}

/// In how many ways k of n elements can be chosen.
fn binomial(n: i64, k: i64, place: Place) -> Result<Value> {
    if k < 0 || n < k {
        return fail(place, format!("choose({n}, {k}) needs 0 <= k <= n"));
    }
    let mut ways: i64 = 1;
    for i in 1..=k.min(n - k) {
        ways = match ways.checked_mul(n - k.min(n - k) + i) {
            Some(product) if product / i <= i64::from(i32::MAX) => product / i,
            _ => {
                return fail(
                    place,
                    format!("choose({n}, {k}): overflow: the result does not fit into 32 bits"),
                );
            }
        };
    }
    Ok(Value::Int(ways))
}

/// Where the n-th of m nodes on a circle is.
fn ring_node([x, y, radius, n, m]: [&Value; 5], place: Place) -> Result<Value> {
    let (x, y, radius) = (int(x, place)? as f64, int(y, place)? as f64, int(radius, place)? as f64);
    let angle = 2.0 * std::f64::consts::PI / int(m, place)? as f64 * int(n, place)? as f64;
    let at = |value: f64| Value::Int(value as i64);
    Ok(Value::record([("x", at(x + radius * angle.cos())), ("y", at(y + radius * angle.sin()))]))
}

/// Why an operator is not evaluated.
fn refusal(builtin: Builtin) -> String {
    let name = builtin.name();
    match builtin {
        Builtin::JsonSerialize
        | Builtin::NdJsonSerialize
        | Builtin::CsvWrite
        | Builtin::CsvWriteRecord
        | Builtin::IoSerialize
        | Builtin::Serialize
        | Builtin::SvgSerialize => format!("{name} is refused: a specification writes no files"),
        Builtin::IoExec | Builtin::IoEnvExec | Builtin::IoExecTemplate | Builtin::IoEnvExecTemplate => {
            format!("{name} is refused: a specification starts no programs")
        }
        Builtin::IoDeserialize => format!("{name} is refused: its files hold objects of a Java program"),
        Builtin::SvgGraphNodes => format!("{name} is refused: graphs are not laid out"),
        Builtin::Integrate => format!("{name} is refused: it needs real numbers"),
        _ => format!("{name} is not evaluated"),
    }
}
