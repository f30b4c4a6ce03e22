//! What ZooKeeper promises of plain reads: what a session sees is in one order for all, and never goes back.
//!
//! A version of a register has one value, whoever reads it where. Beyond that, the history of all sessions is
//! causally consistent, which is what sequential consistency demands of any two sessions and can be decided
//! quickly.

use std::collections::BTreeMap;

use serde_json::json;
use shakedown_check::{Doubt, Oracle, Seen};
use shakedown_cluster::RequestInfo;
use shakedown_histories::json::item;
use shakedown_histories::sessions::{SessionModel, check};
use shakedown_histories::{Item, Operation, Outcome};

use crate::registers::read;
use crate::target::LAST_VALUE;
use crate::vocabulary::{Answer, Ask, Held, Told};

/// What sessions must be able to rely on.
#[derive(Default)]
pub struct Sessions {
    judged: u64,
}

impl<S> Oracle<S> for Sessions {
    fn name(&self) -> &str {
        "sessions"
    }

    fn about(&self) -> &str {
        "every version has one value, and what sessions read and write is causally consistent"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.judged)
    }

    fn after_step(&mut self, _seen: &Seen<'_, S>) -> Result<(), String> {
        Ok(())
    }

    fn at_end(&mut self, seen: &Seen<'_, S>) -> Result<(), Doubt> {
        let history = History::of(seen.board().requests())?;
        self.judged += history.operations.iter().filter(|one| one.outcome == Outcome::Ok).count() as u64;
        history.judge()
    }
}

/// Requests as reads and writes of sessions.
#[derive(Default)]
struct History {
    operations: Vec<Operation>,
    /// A number for each session.
    sessions: BTreeMap<String, i64>,
    /// The value of each version that was seen, and the request that saw it first.
    values: BTreeMap<(u8, i32), (u64, usize)>,
}

impl History {
    fn of(requests: &[RequestInfo]) -> Result<History, Doubt> {
        let mut history = History::default();
        for (place, request) in requests.iter().enumerate() {
            if let Some((ask, answer)) = read(request)? {
                history.add(place, request, ask, answer.as_ref())?;
            }
        }
        Ok(history)
    }

    /// Whether sessions can rely on what they must be able to rely on.
    fn judge(&self) -> Result<(), Doubt> {
        for model in [SessionModel::Sessions, SessionModel::Causal] {
            let found = check(&self.operations, model, true, 1);
            let found = found.map_err(|error| Doubt::Unknown(format!("request {error}")))?;
            if let Some(problem) = found.problems.first() {
                return Err(Doubt::Violated(format!("{}: {}", problem.kind, problem.text)));
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        place: usize,
        request: &RequestInfo,
        ask: Ask,
        answer: Option<&Answer>,
    ) -> Result<(), Doubt> {
        let Some(answer) = answer else {
            // A write of unknown outcome comes after nothing: which session it would have been in is not
            // known either.
            if let Ask::Set(key, value) | Ask::Swap(key, value) = ask {
                let process = -1 - place as i64;
                self.push(process, place, request, "write", (key, value), Outcome::Info);
            }
            return Ok(());
        };
        let next = self.sessions.len() as i64;
        let process = *self.sessions.entry(answer.session.clone()).or_insert(next);
        match (ask, answer.told) {
            (_, Told::Value(held)) => {
                self.same_value(place, ask.key(), held)?;
                self.push(process, place, request, "read", (ask.key(), held.value), Outcome::Ok);
            }
            (Ask::Set(key, value), Told::Done(version)) => {
                self.same_value(place, key, Held { value, version })?;
                self.push(process, place, request, "write", (key, value), Outcome::Ok);
            }
            (Ask::Swap(key, value), Told::Swapped(held)) => {
                self.same_value(place, key, held)?;
                self.same_value(place, key, Held { value, version: held.version + 1 })?;
                self.push(process, place, request, "read", (key, held.value), Outcome::Ok);
                self.push(process, place, request, "write", (key, value), Outcome::Ok);
            }
            _ => {}
        }
        Ok(())
    }

    /// A version has one value.
    fn same_value(&mut self, place: usize, key: u8, held: Held) -> Result<(), Doubt> {
        let (value, first) = *self.values.entry((key, held.version)).or_insert((held.value, place));
        if value == held.value {
            return Ok(());
        }
        Err(Doubt::Violated(format!(
            "version {} of r{key} is {value} for request {first} and {} for request {place}",
            held.version, held.value
        )))
    }

    fn push(
        &mut self,
        process: i64,
        place: usize,
        request: &RequestInfo,
        f: &str,
        (key, value): (u8, u64),
        outcome: Outcome,
    ) {
        // Which of several writes of one value a read has met is not known.
        if value == LAST_VALUE {
            return;
        }
        let value = if value == 0 { json!([key, null]) } else { json!([key, value]) };
        let (asked, answered) = match f {
            "read" => (Item::Nil, item(value)),
            _ => (item(value), Item::Nil),
        };
        self.operations.push(Operation {
            process,
            f: f.to_owned(),
            asked,
            answered,
            outcome,
            began: request.requested + 1,
            ended: request.answered.filter(|_| outcome == Outcome::Ok).map(|place| place + 1),
            times: (None, None),
            line: place + 1,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_cluster::NodeId;

    /// What is wrong with requests and answers, one after the other, as JSON.
    fn wrong(asked: &[(&str, &str)]) -> Option<String> {
        let request = |(place, (op, answer)): (u32, &(&str, &str))| RequestInfo {
            answered: (!answer.is_empty()).then_some(2 * place + 1),
            answer: (!answer.is_empty()).then(|| (*answer).into()),
            ..RequestInfo::new(NodeId::from_index(0), (*op).into(), 2 * place)
        };
        let requests: Vec<RequestInfo> = (0..).zip(asked).map(request).collect();
        match History::of(&requests).and_then(|history| history.judge()) {
            Ok(()) => None,
            Err(Doubt::Violated(reason) | Doubt::Unknown(reason)) => Some(reason),
        }
    }

    const SET: (&str, &str) = (r#"{"set":[0,7]}"#, r#"{"done":1,"session":"0x1"}"#);
    const OLD: &str = r#"{"value":{"value":0,"version":0},"session":"SESSION"}"#;
    const NEW: &str = r#"{"value":{"value":7,"version":1},"session":"SESSION"}"#;
    const READ: &str = r#"{"read":0}"#;

    fn told(text: &str, session: &str) -> String {
        text.replace("SESSION", session)
    }

    #[test]
    fn another_session_may_read_what_is_old_but_none_goes_back() {
        let (old, new, own) = (told(OLD, "0x2"), told(NEW, "0x2"), told(OLD, "0x1"));
        assert_eq!(wrong(&[SET, (READ, &old), (READ, &new)]), None);
        assert!(wrong(&[SET, (READ, &new), (READ, &old)]).is_some(), "the second session goes back");
        assert!(wrong(&[SET, (READ, &own)]).is_some(), "the first session does not see its own write");
    }

    #[test]
    fn a_version_has_one_value() {
        let other = r#"{"value":{"value":8,"version":1},"session":"0x2"}"#;
        let reason = wrong(&[SET, (r#"{"set":[0,8]}"#, ""), (READ, other)]);
        assert_eq!(reason.as_deref(), Some("version 1 of r0 is 7 for request 0 and 8 for request 2"));
    }

    #[test]
    fn a_write_of_unknown_outcome_may_be_read_and_one_that_failed_may_not() {
        let seen = r#"{"value":{"value":8,"version":1},"session":"0x2"}"#;
        assert_eq!(wrong(&[(r#"{"set":[0,8]}"#, ""), (READ, seen)]), None);
        assert!(wrong(&[(r#"{"set":[0,8]}"#, r#"{"failed":"x"}"#), (READ, seen)]).is_some());
    }

    #[test]
    fn an_answer_to_another_question_is_a_violation() {
        assert!(
            wrong(&[(READ, r#"{"done":1,"session":"0x1"}"#)]).is_some_and(|text| text.contains("answered"))
        );
    }
}
