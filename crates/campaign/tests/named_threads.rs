//! A process that runs nothing but Shakedown: every panic on a thread of no other use is the target's. One
//! test only, for this is declared for the whole process.

use shakedown_campaign::{Campaign, ShrinkLimits, Silent, Target, own_process};
use shakedown_cluster::{Context, Node, NodeId};
use shakedown_toys::Nothing;

/// Starts a thread with a name, which panics, at its third tick.
struct Pool(u64);

impl Node for Pool {
    type Message = Nothing;
    type Request = ();
    type Answer = ();
    type State = u64;
    type Disk = ();

    fn boot(_disk: &(), _ctx: &mut Context<'_, Self>) -> Self {
        Pool(0)
    }

    fn receive(&mut self, _from: NodeId, _message: Nothing, _ctx: &mut Context<'_, Self>) {}

    fn tick(&mut self, _ctx: &mut Context<'_, Self>) {
        self.0 += 1;
        if self.0 == 3 {
            let thread = std::thread::Builder::new().name("pool-1".to_owned());
            let _ = thread.spawn(|| panic!("the pool is dry")).expect("it starts").join();
        }
    }

    fn observe(&self) -> u64 {
        self.0
    }
}

#[test]
fn a_panic_on_a_named_thread_is_a_finding_where_the_process_runs_nothing_else() {
    own_process();
    let target = Target::<Pool>::new("pool").steps(30);
    let mut campaign = Campaign::new(&target);
    campaign.plan.shrink = Some(ShrinkLimits { executions: 200, time: None });
    let summary = campaign.run(&Silent).expect("the campaign runs");
    let failure = &summary.findings[0].failure;
    assert!(failure.violation.reason.ends_with("panicked in a thread of the target: the pool is dry"));
    assert_eq!(failure.schedule.steps.len(), 3);
}
