//! The oracles over answers, and over nodes that stop, on puppets that do what they are asked to.

use std::sync::Arc;

use shakedown_check::{AnsweredOnce, EqualAnswers, NeverStops, Oracle, Seen};
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

/// Answers with the numbers that it is asked for, and stops when it is asked for 13.
struct Puppet(Option<String>);

impl Node for Puppet {
    type Message = Nothing;
    type Request = Vec<u64>;
    type Answer = u64;
    type State = Option<String>;
    type Disk = ();

    fn boot(_disk: &(), _ctx: &mut Context<'_, Self>) -> Self {
        Puppet(None)
    }

    fn receive(&mut self, _from: NodeId, _message: Nothing, _ctx: &mut Context<'_, Self>) {}

    fn request(&mut self, id: RequestId, answers: Vec<u64>, ctx: &mut Context<'_, Self>) {
        answers.iter().for_each(|answer| ctx.answer(id, answer));
        if answers.contains(&13) {
            self.0 = Some("thirteen".to_owned());
        }
    }

    fn observe(&self) -> Option<String> {
        self.0.clone()
    }
}

/// What the oracle makes of these steps: what it reports after the first that it does not like.
fn verdict(mut oracle: impl Oracle<Option<String>>, steps: &[&str]) -> Result<(), String> {
    let (options, workload, contract) = (Arc::new(Options::default()), Vec::new(), Contract::asynchronous());
    let recording = Recording::Brief;
    let setup = Setup { nodes: 2, contract, options, workload, steps: 10, seed: 1, recording };
    let mut cluster = InProcess::<Puppet>::boot(&setup).expect("it boots");
    for step in steps {
        let before = cluster.board().moments().len();
        cluster.perform(&step.parse::<Step>().expect(step)).expect(step);
        oracle.after_step(&Seen::new(&cluster, before))?;
    }
    oracle.at_end(&Seen::new(&cluster, 0)).map_err(|doubt| doubt.to_string())
}

#[test]
fn a_second_answer_to_a_request_is_found() {
    let once = ["request n1 [5]", "request n2 []", "request n2 [5]"];
    assert_eq!(verdict(AnsweredOnce::default(), &once), Ok(()));
    let twice = ["request n1 [5]", "request n2 [6,6]"];
    let reason = "n2 answers request 2, which was answered before";
    assert_eq!(verdict(AnsweredOnce::default(), &twice), Err(reason.to_owned()));
}

#[test]
fn unequal_answers_to_the_same_read_are_found() {
    // What is read is how many numbers there are.
    let oracle = || EqualAnswers::new(|request| Some(request.op.matches(',').count().to_string()));
    assert_eq!(verdict(oracle(), &["request n1 [5]", "request n2 [6,7]", "request n2 [5]"]), Ok(()));
    let reason = "n2 answers `[6]` with 6, but 5 was the answer before";
    assert_eq!(verdict(oracle(), &["request n1 [5]", "request n2 [6]"]), Err(reason.to_owned()));
    let nothing = EqualAnswers::new(|_| None);
    assert_eq!(verdict(nothing, &["request n1 [5]", "request n2 [6]"]), Ok(()), "nothing is asked about");
}

#[test]
fn a_node_that_stops_for_good_is_found() {
    let oracle = || NeverStops::new(|state: &Option<String>| state.clone());
    assert_eq!(verdict(oracle(), &["request n1 [5]", "tick n2"]), Ok(()));
    let reason = "n1 has stopped: thirteen";
    assert_eq!(verdict(oracle(), &["request n1 [5]", "request n1 [13]"]), Err(reason.to_owned()));
}
