//! What holds of stores that are taken together.

use shakedown_campaign::{Campaign, Silent, Target};
use shakedown_cluster::{Context, Message, Node, NodeId};
use shakedown_store::Store;

/// Counts its ticks.
struct Clock(u64);

#[derive(Clone, Debug)]
struct Nothing;

impl Message for Nothing {
    fn kind(&self) -> &'static str {
        "Nothing"
    }
}

impl Node for Clock {
    type Message = Nothing;
    type Request = ();
    type Answer = ();
    type State = u64;
    type Disk = ();

    fn boot(_disk: &(), _ctx: &mut Context<'_, Self>) -> Self {
        Clock(0)
    }

    fn receive(&mut self, _from: NodeId, _message: Nothing, _ctx: &mut Context<'_, Self>) {}

    fn observe(&self) -> u64 {
        self.0
    }

    fn tick(&mut self, _ctx: &mut Context<'_, Self>) {
        self.0 += 1;
    }
}

#[test]
fn a_campaign_that_has_not_begun_in_one_store_does_not_hide_that_of_another() {
    let target = Target::<Clock>::new("clock").steps(10);
    let mut campaign = Campaign::new(&target);
    campaign.executions = 20;
    campaign.measures = vec!["state".to_owned()];
    let plan = campaign.plan.clone();
    let folders = ["planned", "run", "merged"].map(|_| tempfile::tempdir().expect("a folder"));
    let [planned, run, merged] = &folders.each_ref().map(|folder| Store::create(folder.path()).expect("new"));
    planned.enter(&plan).expect("it is entered");
    let id = run.enter(&plan).expect("it is entered");
    let summary = run.go_on(id, &campaign, &Silent).expect("it runs");
    for store in [planned, run, run] {
        merged.take_all_of(store).expect("it is taken in");
    }
    let kept = merged.campaigns().expect("they can be read");
    let [one] = &kept[..] else { panic!("{kept:?}") };
    let standing = one.standing.as_ref().expect("what had been run is here");
    assert_eq!((standing.executions, one.is_over), (20, true));
    assert_eq!(standing.fingerprint(), summary.fingerprint);
    assert_eq!(standing.coverage[0].covered(), summary.coverage[0].covered());
}
