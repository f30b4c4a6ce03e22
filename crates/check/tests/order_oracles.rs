//! The oracles about orders, on a store that is as simple as it is wrong: every node answers at once from its
//! own copy, and tells the others what it wrote. What the oracles say is given in full, for people have to
//! read it.

use std::sync::Arc;

use expect_test::{Expect, expect};
use shakedown_check::serializability::majority;
use shakedown_check::{
    Doubt, Linearizable, Oracle, RegisterAnswer, RegisterOp, RegisterValues, Registers, SearchLimits, Seen,
    SequentiallyConsistent, SerializableOutcome, Strictness,
};
use shakedown_cluster::{
    Cluster, Context, Contract, InProcess, Message, Node, NodeId, Options, Recording, RequestId, RequestInfo,
    Setup, Step,
};

#[derive(Default)]
struct Store(RegisterValues);

#[derive(Clone, Debug)]
struct Wrote(u8, u64);

impl Message for Wrote {
    fn kind(&self) -> &'static str {
        "Wrote"
    }
}

impl Node for Store {
    type Message = Wrote;
    /// Anything, so that requests that make no sense can be sent.
    type Request = serde_json::Value;
    type Answer = serde_json::Value;
    type State = Vec<(u8, u64)>;
    type Disk = ();

    fn boot(_disk: &(), _ctx: &mut Context<'_, Self>) -> Self {
        Store::default()
    }

    fn request(&mut self, id: RequestId, request: serde_json::Value, ctx: &mut Context<'_, Self>) {
        let op = match serde_json::from_value::<RegisterOp>(request) {
            Ok(op) => op,
            Err(_) => return ctx.answer(id, &serde_json::json!("what?")),
        };
        // Key 9 is never answered, and key 8 is answered nonsense.
        let answer = op.apply(&mut self.0);
        if let Some((key, value)) = op.written().filter(|_| answer != RegisterAnswer::Applied(false)) {
            ctx.broadcast(&Wrote(key, value));
        }
        match op {
            RegisterOp::Write(9, _) => {}
            RegisterOp::Read(8) => ctx.answer(id, &serde_json::json!("done")),
            _ => ctx.answer(id, &serde_json::to_value(answer).expect("plain data")),
        }
    }

    fn receive(&mut self, _from: NodeId, Wrote(key, value): Wrote, _ctx: &mut Context<'_, Self>) {
        self.0.set(key, value);
    }

    fn observe(&self) -> Vec<(u8, u64)> {
        self.0.iter().collect()
    }
}

type State = Vec<(u8, u64)>;

fn values(state: &State) -> RegisterValues {
    state.iter().copied().collect()
}

/// What the oracle says at the end of the script: steps, and `round` for a tick of everybody and all
/// deliveries.
fn judge(mut oracle: impl Oracle<State>, script: &[&str]) -> Result<(), Doubt> {
    let setup = Setup {
        nodes: 3,
        contract: Contract::asynchronous(),
        options: Arc::new(Options::default()),
        workload: Vec::new(),
        steps: script.len(),
        seed: 1,
        recording: Recording::Brief,
    };
    let mut cluster = InProcess::<Store>::boot(&setup).expect("stores boot");
    let perform = |cluster: &mut InProcess<Store>, oracle: &mut dyn Oracle<State>, step: Step| {
        let fresh = cluster.board().moments().len();
        cluster.perform(&step).unwrap_or_else(|refusal| panic!("{step}: {refusal}"));
        oracle.after_step(&Seen::new(cluster, fresh)).expect("these judge at the end only");
    };
    for line in script {
        if *line == "round" {
            NodeId::first(3).for_each(|node| perform(&mut cluster, &mut oracle, Step::Tick(node)));
            let mut under_way = cluster.board().deliverable().to_vec();
            under_way.sort_unstable();
            for message in under_way {
                let step = cluster.board().deliver(message);
                perform(&mut cluster, &mut oracle, step);
            }
        } else {
            perform(&mut cluster, &mut oracle, line.parse().expect("a step"));
        }
    }
    oracle.at_end(&Seen::new(&cluster, cluster.board().moments().len()))
}

#[track_caller]
fn says(oracle: impl Oracle<State>, script: &[&str], expected: Expect) {
    let text = match judge(oracle, script) {
        Ok(()) => "all is well".to_owned(),
        Err(Doubt::Violated(reason)) => format!("violated: {reason}"),
        Err(Doubt::Unknown(reason)) => format!("unknown: {reason}"),
    };
    expected.assert_eq(&text);
}

#[test]
fn a_stale_read_is_not_linearizable() {
    let script = [r#"request n1 {"write":[0,101]}"#, r#"request n2 {"read":0}"#];
    says(
        Linearizable::registers(),
        &script,
        expect![
            "violated: no order explains the answers: after n1 `write k0=101`: done, nothing leads to n2 `read k0`: 0"
        ],
    );
    let script = [script[0], "round", script[1]];
    says(Linearizable::registers(), &script, expect!["all is well"]);
}

#[test]
fn a_write_without_an_answer_explains_either_read() {
    let [write, read1, read2] =
        [r#"request n1 {"write":[9,101]}"#, r#"request n1 {"read":9}"#, r#"request n2 {"read":9}"#];
    says(Linearizable::registers(), &[write, read2, read1], expect!["all is well"]);
    says(
        Linearizable::registers(),
        &[write, read1, read2],
        expect![
            "violated: no order explains the answers: after n1 `write k9=101`: no answer, n1 `read k9`: 101, nothing leads to n2 `read k9`: 0"
        ],
    );
}

#[test]
fn a_search_that_is_given_up_leaves_the_matter_open() {
    let limits = SearchLimits { steps_max: 1, ..SearchLimits::default() };
    let script = [r#"request n1 {"write":[0,101]}"#, r#"request n1 {"read":0}"#];
    says(
        Linearizable::registers().limits(limits),
        &script,
        expect!["unknown: the search for an order was given up after 1 steps"],
    );
}

#[test]
fn requests_and_answers_that_are_not_understood_are_told() {
    says(
        Linearizable::registers(),
        &[r#"request n1 {"remove":3}"#],
        expect![
            "unknown: `{\"remove\":3}` is not a request to registers: unknown variant `remove`, expected one of `read`, `write`, `when` at line 1 column 9"
        ],
    );
    says(
        Linearizable::registers(),
        &[r#"request n1 {"read":8}"#],
        expect![[r#"violated: n1 answered `"done"` to `read k8`"#]],
    );
    // A target with words of its own brings its own way to read them.
    let understand = |request: &RequestInfo| {
        if request.answer.as_deref() == Some(r#""what?""#) {
            return Ok(None);
        }
        shakedown_check::understand_registers(request)
    };
    let script = [r#"request n1 {"remove":3}"#, r#"request n1 {"read":0}"#];
    says(Linearizable::new(Registers, understand), &script, expect!["all is well"]);
}

fn outcome(seen: &Seen<'_, State>) -> Result<RegisterValues, Doubt> {
    let nodes: Vec<_> = seen.states().iter().map(values).collect();
    majority(&nodes).map_err(|key| Doubt::Unknown(format!("no majority holds the same under k{key}")))
}

#[test]
fn a_lost_update_is_not_serializable() {
    let script = [
        r#"request n1 {"when":{"key":0,"is":0,"write":[0,101]}}"#,
        r#"request n2 {"when":{"key":0,"is":0,"write":[0,202]}}"#,
        "deliver n1>n3#1 Wrote",
        "deliver n1>n2#1 Wrote",
    ];
    says(
        SerializableOutcome::new(outcome),
        &script,
        expect![
            "violated: no serial order explains the transactions and their outcome: after n1 `when k0=0 write k0=101`: applied, nothing leads to n2 `when k0=0 write k0=202`: applied (k0=101 in the end)"
        ],
    );
    // Three values under one key at three nodes.
    let script = [script[0], script[1]];
    says(SerializableOutcome::new(outcome), &script, expect!["unknown: no majority holds the same under k0"]);
}

#[test]
fn an_outcome_that_time_rules_out_is_serializable_but_not_strictly() {
    let script = [
        r#"request n1 {"write":[0,101]}"#,
        r#"request n2 {"write":[0,202]}"#,
        "deliver n2>n3#1 Wrote",
        "deliver n2>n1#1 Wrote",
        "deliver n1>n2#1 Wrote",
        "deliver n1>n3#1 Wrote",
    ];
    says(SerializableOutcome::new(outcome), &script, expect!["all is well"]);
    says(
        SerializableOutcome::new(outcome).strictness(Strictness::RealTime),
        &script,
        expect![
            "violated: no serial order explains the transactions and their outcome: after n1 `write k0=101`: done, n2 `write k0=202`: done, all answers are explained, but not the outcome (k0=101 in the end)"
        ],
    );
}

#[test]
fn nodes_that_differ_diverge_but_are_not_judged_while_messages_are_under_way() {
    let script = [r#"request n1 {"write":[0,101]}"#, r#"request n2 {"write":[0,202]}"#, "round"];
    says(
        SequentiallyConsistent::new(values),
        &script,
        expect!["violated: divergence: n1 ends with k0=202, n2 with k0=101"],
    );
    let early = &script[..2];
    says(
        SequentiallyConsistent::new(values),
        early,
        expect!["violated: divergence: n1 ends with k0=101, n2 with k0=202"],
    );
    says(SequentiallyConsistent::new(values).after_calm(1), early, expect!["all is well"]);
    says(
        SequentiallyConsistent::new(values).after_calm(1),
        &script,
        expect!["violated: divergence: n1 ends with k0=202, n2 with k0=101"],
    );
}

#[test]
fn equal_states_that_no_order_explains_are_another_violation() {
    let script = [
        r#"request n1 {"when":{"key":1,"is":0,"write":[0,101]}}"#,
        r#"request n2 {"when":{"key":0,"is":0,"write":[1,202]}}"#,
        "round",
    ];
    says(
        SequentiallyConsistent::new(values).after_calm(1),
        &script,
        expect![
            "violated: no sequentially consistent order explains the requests and the final state: after n1 `when k1=0 write k0=101`: applied, nothing leads to n2 `when k0=0 write k1=202`: applied (k0=101 k1=202 in the end)"
        ],
    );
    // A write that was not answered may have taken effect or not.
    let script = [r#"request n1 {"write":[9,101]}"#, "round", r#"request n2 {"read":9}"#, "round"];
    says(SequentiallyConsistent::new(values).after_calm(1), &script, expect!["all is well"]);
}
