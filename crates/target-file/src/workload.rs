//! What clients ask: requests made from templates, or those of a workload by name.

use serde::Deserialize;
use shakedown_cluster::Random;
use shakedown_histories::generate::{Generator, Shape as Transactions};
use shakedown_remote::Value;
use toml::Spanned;

use crate::located::{Located, error_at};
use crate::oracles::{Mapped, OperationOf, Operations};
use crate::path::Path;
use crate::schema::{RequestTable, WorkloadTable};
use crate::template::Template;

/// Templates and how often each is used; or transactions, which a generator makes.
pub(crate) struct Workload {
    templates: Vec<(Template, u64)>,
    weights: u64,
    transactions: Option<Generator>,
}

/// The workloads by name whose requests are templates: the template, the operation, and where key, value and
/// answer stand.
const NAMED: &[(&str, &[NamedRequest])] = &[
    (
        "register",
        &[
            (r#"{"write":[$keys,$number]}"#, "write", Some("write.0"), Some("write.1"), ""),
            (r#"{"read":$keys}"#, "read", Some("read"), None, "value"),
        ],
    ),
    (
        "log",
        &[
            (r#"{"append":$number}"#, "append", None, Some("append"), ""),
            (r#""read""#, "read", None, None, ""),
        ],
    ),
    (
        "counter",
        &[(r#"{"add":$number}"#, "add", None, Some("add"), ""), (r#""read""#, "read", None, None, "")],
    ),
    ("set", &[(r#"{"add":$number}"#, "add", None, Some("add"), ""), (r#""read""#, "read", None, None, "")]),
    (
        "queue",
        &[
            (r#"{"enqueue":$number}"#, "enqueue", None, Some("enqueue"), ""),
            (r#""dequeue""#, "dequeue", None, None, ""),
        ],
    ),
];

/// Template, operation, and where key, value and answer stand.
type NamedRequest = (&'static str, &'static str, Option<&'static str>, Option<&'static str>, &'static str);

/// The workloads by name that are transactions.
const TRANSACTIONS: &[&str] = &["list-append", "rw-register"];

/// The name of a workload.
#[derive(Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct WorkloadName(String);

impl TryFrom<String> for WorkloadName {
    type Error = String;

    fn try_from(name: String) -> Result<WorkloadName, String> {
        let known: Vec<_> = NAMED.iter().map(|(name, _)| *name).chain(TRANSACTIONS.iter().copied()).collect();
        if known.contains(&name.as_str()) {
            return Ok(WorkloadName(name));
        }
        Err(format!("there is no workload `{name}`: there are {}", known.join(", ")))
    }
}

/// The requests of a workload by name.
fn named(table: &WorkloadTable) -> Result<Vec<RequestTable>, String> {
    let requests = NAMED
        .iter()
        .find(|(name, _)| *name == table.name.get_ref().0)
        .map_or(&[][..], |(_, requests)| requests);
    let path = |text: &str| Path::try_from(text.to_owned());
    let request = |&(json, operation, key, value, answer): &NamedRequest| {
        Ok(RequestTable {
            json: Template::try_from(json.replace("$keys", &format!("$below({})", table.keys.max(1))))?,
            weight: None,
            operation: Some(Spanned::new(0..0, operation.to_owned())),
            key: key.map(path).transpose()?,
            value: value.map(path).transpose()?,
            answer: path(answer)?,
            failed: None,
            client: None,
        })
    };
    requests.iter().map(request).collect()
}

impl Workload {
    /// The requests of a file, and how they are read as operations of an object.
    pub fn of(
        table: Option<&WorkloadTable>,
        requests: Vec<RequestTable>,
        file: &str,
    ) -> Result<(Workload, Operations), String> {
        let Some(table) = table else {
            let operations = operations(&requests, file);
            return Ok((Workload::new(requests, file)?, operations));
        };
        let name = table.name.get_ref().0.as_str();
        if !requests.is_empty() {
            let reason = "a `[workload]` brings its own requests: leave out `[[request]]`, or the workload";
            return Err(error_at(file, &table.name, reason));
        }
        if TRANSACTIONS.contains(&name) {
            let shape = Transactions { keys: table.keys, ..Transactions::default() };
            let transactions = Generator::of(name, shape);
            return Ok((Workload { templates: Vec::new(), weights: 0, transactions }, Vec::new()));
        }
        let requests = named(table)?;
        let operations = operations(&requests, file);
        Ok((Workload::new(requests, file)?, operations))
    }

    fn new(requests: Vec<RequestTable>, file: &str) -> Result<Workload, String> {
        let weight = |request: &RequestTable| request.weight.as_ref().map_or(1, |weight| *weight.get_ref());
        let sum = requests.iter().try_fold(0u64, |sum, request| sum.checked_add(weight(request)));
        if let Some(weights) = sum.filter(|weights| *weights > 0 || requests.is_empty()) {
            let templates = requests.into_iter().map(|request| (weight(&request), request.json));
            let templates = templates.map(|(weight, template)| (template, weight)).collect();
            return Ok(Workload { templates, weights, transactions: None });
        }
        // A request without a weight has weight 1, so one with a weight is there.
        let reason = "the weights of the requests add up to nothing, or to too much";
        let given = requests.iter().find_map(|request| request.weight.as_ref());
        Err(given.map_or_else(|| reason.to_owned(), |weight| error_at(file, weight, reason)))
    }

    pub fn is_empty(&self) -> bool {
        self.templates.is_empty() && self.transactions.is_none()
    }

    /// This many requests.
    pub fn requests(&self, count: usize, random: &mut Random) -> Vec<Value> {
        if let Some(mut transactions) = self.transactions.clone() {
            let mut next = || transactions.next(&mut |bound| random.below(bound)).1.to_string();
            let read = |text: String| serde_json::from_str(&text).expect("a generator makes JSON");
            return (0..count).map(|_| read(next())).collect();
        }
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
        let (template, _) = chosen.expect("the place is below the sum of the weights");
        template.fill(number, random)
    }
}

/// How requests are read as operations of an object.
fn operations(requests: &[RequestTable], file: &str) -> Operations {
    let mapped = |request: &RequestTable| {
        let operation = request.operation.as_ref().map(|name| OperationOf {
            name: Located::new(file, name),
            key: request.key.clone(),
            value: request.value.clone(),
            answer: request.answer.clone(),
            failed: request.failed.clone(),
            client: request.client.clone(),
        });
        Mapped { shape: request.json.shape(), operation }
    };
    requests.iter().map(mapped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workload(templates: &[(&str, u64)]) -> Result<Workload, String> {
        let mut text = String::new();
        for (json, weight) in templates {
            text.push_str(&format!("[[request]]\njson = '{json}'\nweight = {weight}\n"));
        }
        #[derive(Deserialize)]
        struct File {
            request: Vec<RequestTable>,
        }
        let file: File = toml::from_str(&text).map_err(|error| error.message().to_owned())?;
        Workload::new(file.request, &text)
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
            ("{", "the request is no JSON: EOF while parsing an object at line 1 column 1"),
            ("$sum", "after `$` comes `number` or `below(N)`"),
            ("$below(0)", "`$below` needs a number above 0"),
        ] {
            assert_eq!(workload(&[(template, 1)]).err().as_deref(), Some(expected));
        }
        assert!(workload(&[("1", 0)]).is_err());
    }
}
