//! What oracles make of nodes that lie: nothing is asked of them, and everything of the others.

use std::sync::Arc;

use shakedown_check::{Agreement, LogState, Oracle, Seen};
use shakedown_cluster::{
    Cluster, Context, Contract, InProcess, Message, Node, NodeId, Options, Recording, RequestId, Setup, Step,
};

#[derive(Clone, Debug)]
struct Rumour;

impl Message for Rumour {
    fn kind(&self) -> &'static str {
        "Rumour"
    }

    fn decode(_text: &str) -> Result<Rumour, String> {
        Ok(Rumour)
    }
}

/// Decides whatever a client asks it to.
struct Yes(Log);

#[derive(Clone, PartialEq, Eq, Hash, Debug, serde::Serialize)]
struct Log(Vec<u64>);

impl LogState for Log {
    type Entry = u64;

    fn decided(&self) -> u64 {
        self.0.len() as u64
    }

    fn decided_entry(&self, number: u64) -> Option<u64> {
        self.0.get(number as usize - 1).copied()
    }
}

impl Node for Yes {
    type Message = Rumour;
    type Request = u64;
    type Answer = ();
    type State = Log;
    type Disk = ();

    fn boot(_disk: &(), _ctx: &mut Context<'_, Self>) -> Self {
        Yes(Log(Vec::new()))
    }

    fn receive(&mut self, _from: NodeId, _message: Rumour, _ctx: &mut Context<'_, Self>) {}

    fn request(&mut self, _id: RequestId, entry: u64, _ctx: &mut Context<'_, Self>) {
        self.0.0.push(entry);
    }

    fn observe(&self) -> Log {
        self.0.clone()
    }
}

/// What agreement says of these steps.
fn agreement(steps: &[&str]) -> Result<(), String> {
    let setup = Setup {
        nodes: 4,
        contract: Contract { byzantine_max: 1, ..Contract::asynchronous() },
        options: Arc::new(Options::default()),
        workload: Vec::new(),
        steps: steps.len(),
        seed: 1,
        recording: Recording::Brief,
    };
    let mut cluster = InProcess::<Yes>::boot(&setup).expect("it boots");
    let mut oracle = Agreement::default();
    for step in steps {
        let fresh = cluster.board().moments().len();
        cluster.perform(&step.parse::<Step>().expect("it is a step")).expect("it can be done");
        oracle.after_step(&Seen::new(&cluster, fresh))?;
    }
    Ok(())
}

#[test]
fn what_a_liar_decides_proves_nothing() {
    assert_eq!(agreement(&["inject n1>n2 hm", "request n1 7", "request n2 8", "request n3 8"]), Ok(()));
    assert_eq!(agreement(&["request n1 7", "inject n1>n2 hm", "request n2 8", "request n3 8"]), Ok(()));
}

#[test]
fn what_others_decided_stands_also_when_the_first_to_decide_it_lies_later() {
    let expected = "n3 decided 8 as entry 1, but 7 was decided before";
    let steps = ["request n1 7", "request n2 7", "inject n1>n2 hm", "request n3 8"];
    assert_eq!(agreement(&steps), Err(expected.to_owned()));
    // Nor does it help that the liar has decided both.
    let steps = ["request n1 8", "inject n1>n2 hm", "request n2 7", "request n3 8"];
    assert_eq!(agreement(&steps), Err(expected.to_owned()));
}
