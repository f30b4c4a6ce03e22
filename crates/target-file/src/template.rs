//! Templates of requests: JSON with `$number` and `$below(N)` in it.

use serde::Deserialize;
use shakedown_cluster::Random;
use shakedown_remote::Value;

use crate::shape::Shape;

/// A template that makes JSON, whatever numbers are put into it.
#[derive(Deserialize, Debug)]
#[serde(try_from = "String")]
pub(crate) struct Template(Vec<Part>);

/// A part of a template.
#[derive(Debug)]
enum Part {
    Text(String),
    /// `$number`: the number of the request, counted from 1.
    Number,
    /// `$below(N)`: a random number from 0 to N − 1.
    Below(u64),
}

impl TryFrom<String> for Template {
    type Error = String;

    fn try_from(text: String) -> Result<Template, String> {
        let template = Template(parse(&text)?);
        template.fill_with(|| "1".to_owned())?;
        Ok(template)
    }
}

impl Template {
    /// The request of this number.
    pub fn fill(&self, number: usize, random: &mut Random) -> Value {
        let mut text = String::new();
        for part in &self.0 {
            match part {
                Part::Text(part) => text.push_str(part),
                Part::Number => text.push_str(&number.to_string()),
                Part::Below(bound) => text.push_str(&random.below(*bound).to_string()),
            }
        }
        serde_json::from_str(&text).expect("the template was tried, and all numbers are alike to JSON")
    }

    /// What all its requests look like.
    pub fn shape(&self) -> Shape {
        match (self.fill_with(|| "1".to_owned()), self.fill_with(|| "2".to_owned())) {
            (Ok(one), Ok(other)) => Shape::between(&one, &other),
            _ => Shape::Anything,
        }
    }

    fn fill_with(&self, number: impl Fn() -> String) -> Result<Value, String> {
        let text = |part: &Part| if let Part::Text(text) = part { text.clone() } else { number() };
        let text: String = self.0.iter().map(text).collect();
        serde_json::from_str(&text).map_err(|error| format!("the request is no JSON: {error}"))
    }
}

fn parse(template: &str) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find('$') {
        let (text, tail) = rest.split_at(at);
        parts.push(Part::Text(text.to_owned()));
        if let Some(tail) = tail.strip_prefix("$number") {
            parts.push(Part::Number);
            rest = tail;
        } else if let Some((bound, tail)) = tail.strip_prefix("$below(").and_then(|tail| tail.split_once(')'))
        {
            let bound = bound.trim().parse().ok().filter(|bound| *bound > 0);
            parts.push(Part::Below(bound.ok_or("`$below` needs a number above 0")?));
            rest = tail;
        } else {
            return Err("after `$` comes `number` or `below(N)`".to_owned());
        }
    }
    parts.push(Part::Text(rest.to_owned()));
    Ok(parts)
}
