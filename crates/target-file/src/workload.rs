//! What clients ask: requests made from templates.

use shakedown_cluster::Random;
use shakedown_remote::Value;

use crate::schema::RequestTable;

/// Templates and how often each is used.
pub(crate) struct Workload {
    templates: Vec<(Vec<Part>, u64)>,
    weights: u64,
}

/// A part of a template.
enum Part {
    Text(String),
    /// `$number`: the number of the request, counted from 1.
    Number,
    /// `$below(N)`: a random number from 0 to N − 1.
    Below(u64),
}

impl Workload {
    pub fn new(requests: &[RequestTable]) -> Result<Workload, String> {
        let template = |(place, request): (usize, &RequestTable)| {
            let bad = |reason: String| format!("request {} (`{}`): {reason}", place + 1, request.json);
            let parts = parse(&request.json).map_err(bad)?;
            fill(&parts, 1, &mut Random::new(0)).map_err(bad)?;
            Ok((parts, request.weight))
        };
        let templates: Vec<_> = requests.iter().enumerate().map(template).collect::<Result<_, String>>()?;
        let weights = templates.iter().try_fold(0u64, |sum, (_, weight)| sum.checked_add(*weight));
        match weights {
            Some(weights) if weights > 0 || templates.is_empty() => Ok(Workload { templates, weights }),
            _ => Err("the weights of the requests add up to nothing, or to too much".to_owned()),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.templates.is_empty()
    }

    /// This many requests.
    pub fn requests(&self, count: usize, random: &mut Random) -> Vec<Value> {
        if self.is_empty() {
            return Vec::new();
        }
        (1..=count).map(|number| self.request(number, random)).collect()
    }

    fn request(&self, number: usize, random: &mut Random) -> Value {
        let mut place = random.below(self.weights);
        let chosen = self.templates.iter().find(|(_, weight)| match place.checked_sub(*weight) {
            Some(rest) => {
                place = rest;
                false
            }
            None => true,
        });
        let (parts, _) = chosen.expect("the place is below the sum of the weights");
        fill(parts, number, random).expect("the template was tried, and all numbers are alike to JSON")
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

fn fill(parts: &[Part], number: usize, random: &mut Random) -> Result<Value, String> {
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Text(part) => text.push_str(part),
            Part::Number => text.push_str(&number.to_string()),
            Part::Below(bound) => text.push_str(&random.below(*bound).to_string()),
        }
    }
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workload(templates: &[(&str, u64)]) -> Result<Workload, String> {
        let table = |(json, weight): &(&str, u64)| RequestTable { json: (*json).to_owned(), weight: *weight };
        Workload::new(&templates.iter().map(table).collect::<Vec<_>>())
    }

    #[test]
    fn requests_are_templates_with_numbers() {
        let workload =
            workload(&[(r#"{"write":[$below(2),$number]}"#, 3), (r#""read""#, 1)]).expect("it is right");
        let requests = workload.requests(400, &mut Random::new(1));
        let texts: Vec<_> = requests.iter().map(ToString::to_string).collect();
        let reads = texts.iter().filter(|text| *text == r#""read""#).count();
        assert!((70..130).contains(&reads), "one of four is a read: {reads}");
        for (number, text) in (1..).zip(&texts) {
            let writes = [0, 1].map(|key| format!(r#"{{"write":[{key},{number}]}}"#));
            assert!(writes.contains(text) || text == r#""read""#, "request {number} is {text}");
        }
        let of_key =
            |key| texts.iter().filter(|text| text.starts_with(&format!(r#"{{"write":[{key},"#))).count();
        assert!((110..190).contains(&of_key(0)) && (110..190).contains(&of_key(1)), "both keys are drawn");
    }

    #[test]
    fn a_template_that_makes_no_json_is_refused() {
        for (template, expected) in [
            ("{", "request 1 (`{`): EOF while parsing an object at line 1 column 1"),
            ("$sum", "request 1 (`$sum`): after `$` comes `number` or `below(N)`"),
            ("$below(0)", "request 1 (`$below(0)`): `$below` needs a number above 0"),
        ] {
            assert_eq!(workload(&[(template, 1)]).err().as_deref(), Some(expected));
        }
        assert!(workload(&[("1", 0)]).is_err());
    }
}
