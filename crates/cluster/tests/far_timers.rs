//! A timer that is set for the end of time never goes off.

use std::sync::Arc;

use shakedown_cluster::{
    Cluster, Context, Contract, InProcess, Message, Node, NodeId, Options, Recording, Refusal, Setup, Step,
};

#[derive(Clone, Debug)]
struct Nothing;

impl Message for Nothing {
    fn kind(&self) -> &'static str {
        "Nothing"
    }
}

/// Sets a timer that is not to go off, again and again.
struct Patient;

impl Node for Patient {
    type Message = Nothing;
    type Request = ();
    type Answer = ();
    type State = ();
    type Disk = ();

    fn boot(_disk: &(), _ctx: &mut Context<'_, Self>) -> Self {
        Patient
    }

    fn receive(&mut self, _from: NodeId, _message: Nothing, _ctx: &mut Context<'_, Self>) {}

    fn observe(&self) {}

    fn tick(&mut self, ctx: &mut Context<'_, Self>) {
        ctx.set_timer("never", u64::MAX);
    }
}

#[test]
fn a_timer_of_the_most_ticks_there_are_is_never_due() {
    let setup = Setup {
        nodes: 1,
        contract: Contract::asynchronous(),
        options: Arc::new(Options::default()),
        workload: Vec::new(),
        steps: 10,
        seed: 1,
        recording: Recording::Brief,
    };
    let mut cluster = InProcess::<Patient>::boot(&setup).expect("it boots");
    let node = NodeId::new(1);
    for _ in 0..5 {
        cluster.perform(&Step::Tick(node)).expect("it is up");
        assert_eq!(cluster.board().stopped(), None);
        assert!(!cluster.board().has_ripe_timers());
    }
    let fired = cluster.perform(&Step::Fire(node, "never".into()));
    assert_eq!(fired, Err(Refusal::NoTimer(node, "never".into())));
}
