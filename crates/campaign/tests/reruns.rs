//! Executions of a campaign once more, by their numbers.

use shakedown_campaign::{Beat, Campaign, CannotRerun, Silent, Verdict};
use shakedown_toys::teller;

#[test]
fn an_execution_by_its_number_is_the_one_that_the_campaign_ran() {
    let target = teller();
    for strategy in ["random", "pctcp", "pos"] {
        let mut campaign = Campaign::new(&target);
        campaign.plan.strategy = strategy.parse().expect("a strategy");
        campaign.plan.config.options.set("bound", 14);
        (campaign.plan.shrink, campaign.plan.first, campaign.plan.executions) = (None, 40, 300);
        let summary = campaign.run(&Silent).expect("it runs");
        let found = &summary.findings[0].failure;
        campaign.can_rerun().expect("it never learns");
        let again = campaign.rerun(found.found.execution, &Beat::default()).expect("it runs");
        assert_eq!(&again.recorded, found, "{strategy}");
        assert_eq!(again.verdict, Verdict::Fail(found.violation.clone()));
        // All before it passed, or it would not be the first.
        let before = campaign.rerun(40, &Beat::default()).expect("it runs");
        assert_eq!(
            (&before.verdict, before.recorded.violation.property.as_str()),
            (&Verdict::Pass, "execution 40")
        );
        assert!(!before.recorded.schedule.steps.is_empty());
    }
}

#[test]
fn what_cannot_be_run_alone_says_why() {
    let target = teller();
    let mut campaign = Campaign::new(&target);
    campaign.plan.executions = 10;
    let reason = |campaign: &Campaign<'_>, number| match campaign.rerun(number, &Beat::default()) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("execution {number} was run"),
    };
    assert_eq!(reason(&campaign, 10), "there is no execution 10: the campaign has numbers 0 to 9");
    campaign.plan.strategy = "fuzz:state".parse().expect("a strategy");
    assert!(matches!(campaign.can_rerun(), Err(CannotRerun::Learns { .. })));
    assert!(reason(&campaign, 3).starts_with("the strategy fuzz"), "{}", reason(&campaign, 3));
}
