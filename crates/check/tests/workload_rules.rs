//! The oracle over the rules of workloads, on a puppet that answers what it is asked to.
#![cfg(feature = "histories")]

use std::sync::Arc;

use serde_json::{Value, json};
use shakedown_check::{Doubt, Oracle, Seen, WorkloadRules};
use shakedown_cluster::{
    Cluster, Context, Contract, InProcess, Message, Node, NodeId, Options, Recording, RequestId, Setup, Step,
};

#[derive(Clone, Debug)]
struct Nothing;

impl Message for Nothing {
    fn kind(&self) -> &'static str {
        "Nothing"
    }
}

/// Answers with what is in the field `answer` of a request, if it is there.
struct Puppet;

impl Node for Puppet {
    type Message = Nothing;
    type Request = Value;
    type Answer = Value;
    type State = ();
    type Disk = ();

    fn boot(_disk: &(), _ctx: &mut Context<'_, Self>) -> Self {
        Puppet
    }

    fn receive(&mut self, _from: NodeId, _message: Nothing, _ctx: &mut Context<'_, Self>) {}

    fn request(&mut self, id: RequestId, request: Value, ctx: &mut Context<'_, Self>) {
        if let Some(answer) = request.get("answer") {
            ctx.answer(id, answer);
        }
    }

    fn observe(&self) {}
}

/// What the oracle makes of these requests: name, value, and the answer if there is one. And how many it has
/// judged.
fn verdict(mut oracle: WorkloadRules, requests: &[(&str, Value, Option<Value>)]) -> (Result<(), Doubt>, u64) {
    let (options, workload, contract) = (Arc::new(Options::default()), Vec::new(), Contract::asynchronous());
    let recording = Recording::Brief;
    let setup = Setup { nodes: 1, contract, options, workload, steps: 10, seed: 1, recording };
    let mut cluster = InProcess::<Puppet>::boot(&setup).expect("it boots");
    for (f, value, answer) in requests {
        let mut request = json!({ "f": f, "value": value });
        if let Some(answer) = answer {
            request["answer"] = answer.clone();
        }
        let step = format!("request n1 {request}");
        cluster.perform(&step.parse::<Step>().expect("it is a step")).expect("it is performed");
    }
    let found = Oracle::<()>::at_end(&mut oracle, &Seen::new(&cluster, 0));
    (found, Oracle::<()>::evaluations(&oracle).expect("it counts"))
}

fn ok(f: &'static str, value: Value, answer: Value) -> (&'static str, Value, Option<Value>) {
    (f, value, Some(answer))
}

#[test]
fn a_bank_that_loses_money_is_found() {
    let read = |balances: Value| ok("read", Value::Null, balances);
    let bank = || WorkloadRules::new("bank").total(10);
    let transfer = || ok("transfer", json!({ "from": 0, "to": 1, "amount": 3 }), json!(true));
    let right = [read(json!({ "0": 10, "1": 0 })), transfer(), read(json!({ "0": 7, "1": 3 }))];
    assert_eq!(verdict(bank(), &right), (Ok(()), 3));
    let wrong = [read(json!({ "0": 10, "1": 0 })), transfer(), read(json!({ "0": 7, "1": 0 }))];
    let reason = "wrong-total: the balances add up to 7, and should add up to 10";
    assert_eq!(verdict(bank(), &wrong).0, Err(Doubt::Violated(reason.to_owned())));
}

#[test]
fn what_has_no_answer_may_have_happened() {
    let add = |element: u64, answer: Option<Value>| ("add", json!(element), answer);
    let read = |elements: Value| ok("read", Value::Null, elements);
    let set = || WorkloadRules::new("set");
    assert_eq!(verdict(set(), &[add(1, None), read(json!([]))]), (Ok(()), 1));
    assert_eq!(verdict(set(), &[add(1, None), read(json!([1]))]), (Ok(()), 1));
    let reason = "lost: 1 is missing, though it was there before the read began";
    let lost = [add(1, Some(Value::Null)), read(json!([]))];
    assert_eq!(verdict(set(), &lost).0, Err(Doubt::Violated(reason.to_owned())));
}

#[test]
fn requests_of_another_workload_are_inconclusive() {
    let (found, _) = verdict(WorkloadRules::new("queue"), &[ok("add", json!(1), Value::Null)]);
    let reason = "request line 1: the operation `add` is unknown: a queue has enqueue, dequeue, drain";
    assert_eq!(found, Err(Doubt::Unknown(reason.to_owned())));
}
