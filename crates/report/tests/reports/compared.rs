//! Comparisons: which trials belong together, and what is said of them.

use expect_test::expect;
use serde_json::json;
use shakedown_campaign::{Coverage, Finding, Standing, Verdict};
use shakedown_report::html::{HtmlReport, render};
use shakedown_report::{CannotCompare, Compared, Trial, comparison};

/// A trial that covered so much, and made these findings first in these executions (counted from 1).
fn trial(case: &str, strategy: &str, covered: u64, found: &[(&str, u64)]) -> Trial {
    let mut coverage = Coverage::new("state");
    coverage.take(1, &(0..covered).collect::<Vec<_>>());
    let finding = |(property, execution): &(&str, u64)| -> Finding {
        let found = json!({ "strategy": strategy, "campaign_seed": 1, "execution": execution - 1, "steps": 9, "shrunk": false });
        let config = json!({ "nodes": 3, "steps": 9, "requests": 0, "crashes": 0, "options": {} });
        let failure = json!({
            "format": "shakedown-failure", "version": 1, "shakedown": "0", "target": "t", "target_version": "",
            "violation": { "property": property, "reason": "" }, "found": found, "config": config,
            "seed": 1, "fingerprint": "", "schedule": [],
        });
        let finding = json!({ "failure": failure, "hits": 1, "path": null, "file_error": null, "shrink_executions": 0, "shrink_cut_short": null });
        serde_json::from_value(finding).expect("a finding")
    };
    let findings = found.iter().map(finding).collect();
    let mut standing = Standing::new(&[]);
    (standing.executions, standing.coverage, standing.findings) = (100, vec![coverage], findings);
    Trial { case: case.to_owned(), strategy: strategy.to_owned(), first: 0, budget: 100, standing }
}

#[test]
fn strategies_are_held_against_the_first_one() {
    let mut trials = Vec::new();
    for seed in 0..6 {
        trials.push(trial("", "random", 100 + seed, &[("one", 50 + seed), ("two", 20 + seed)]));
        trials.push(trial("", "clever", 200 + seed, &[("one", 10 + 7 * seed), ("two", 2 + seed)]));
        trials.push(trial("", "blind", 100 + seed, if seed == 0 { &[("one", 99)] } else { &[] }));
    }
    let compared = Compared::of(&trials).expect("they are even");
    expect![[r#"
        3 strategies, 6 trials each, 100 executions a trial; p by Mann–Whitney U against random, corrected (Holm)

          coverage by state
            strategy   mean  ± sd  least  most
            random    102.5   1.9    100   105
            clever    202.5   1.9    200   205  clever covers more: p = 0.004 (Holm, 2 comparisons), Â₁₂ = 1.00 (large)
            blind     102.5   1.9    100   105  no difference: p = 1.00 (Holm, 2 comparisons)

          anything is found
            strategy  found  executions to it: mean  median
            random      6/6                      23      23
            clever      6/6                       5       5  clever is sooner: p = 0.004 (Holm, 2 comparisons), Â₁₂ = 1.00 (large)
            blind       1/6                      99       –  random is sooner: p = 0.004 (Holm, 2 comparisons), Â₁₂ = 1.00 (large)

          one is found
            strategy  found  executions to it: mean  median
            random      6/6                      53      53
            clever      6/6                      28      28  clever is sooner: p = 0.004 (Holm, 2 comparisons), Â₁₂ = 1.00 (large)
            blind       1/6                      99       –  random is sooner: p = 0.004 (Holm, 2 comparisons), Â₁₂ = 1.00 (large)

          two is found
            strategy  found  executions to it: mean  median
            random      6/6                      23      23
            clever      6/6                       5       5  clever is sooner: p = 0.004 (Holm, 2 comparisons), Â₁₂ = 1.00 (large)
            blind       0/6                       –       –  random is sooner: p = 0.004 (Holm, 2 comparisons), Â₁₂ = 1.00 (large)

          over all 2 findings
            repeated-measures ANOVA over log₁₀ of executions: F(2, 2) = 5.87, p = 0.146, with Greenhouse–Geisser ε = 0.50 p = 0.249
            no difference between the strategies
    "#]]
    .assert_eq(&comparison(&compared).to_string());
}

#[test]
fn cases_are_compared_apart_and_together() {
    let mut trials = Vec::new();
    for (case, scale) in [("fault=a", 1), ("fault=b", 3), ("fault=c", 2), ("fault=d", 4)] {
        for seed in 0..5 {
            trials.push(trial(case, "random", 10, &[("safety", 10 * scale + seed)]));
            trials.push(trial(case, "clever", 10, &[("safety", scale + seed / 2)]));
        }
    }
    let compared = Compared::of(&trials).expect("they are even");
    let over_all = compared.over_all.as_ref().expect("four findings are enough");
    assert_eq!(over_all.findings, 4, "one for each case");
    assert!(over_all.analysis.corrected_p < 0.01);
    let text = comparison(&compared).to_string();
    assert!(text.contains("fault=b: safety is found"), "{text}");
    assert!(text.contains("no difference: all values are equal"), "{text}");
    assert!(text.contains("clever is sooner than random: 7.9 times on average, p < 0.001 (Tukey)"), "{text}");
}

#[test]
fn a_pair_has_one_effect_in_the_table_and_in_the_sentence_below_it() {
    let mut trials = Vec::new();
    for seed in 0..6 {
        trials.push(trial("", "random", 100, &[("one", if seed == 0 { 85 } else { 20 + seed })]));
        trials.push(trial("", "blind", 100, &[("one", 80 + 2 * seed)]));
    }
    let compared = Compared::of(&trials).expect("they are even");
    let report = HtmlReport::of_comparison(
        "a comparison".to_owned(),
        &Verdict::Pass,
        Vec::new(),
        &compared,
        Vec::new(),
    );
    let page = render(&report);
    assert!(page.contains("0.92 <small>later, large</small>"), "{page}");
    assert!(page.contains("blind and random: random is sooner: p = 0.0"), "{page}");
    assert!(page.contains("Â₁₂ = 0.92 (large)"), "{page}");
}

#[test]
fn trials_that_are_missing_are_not_passed_over() {
    let trials = [trial("", "a", 1, &[]), trial("", "a", 1, &[]), trial("", "b", 1, &[])];
    let error = Compared::of(&trials).err().expect("one trial is missing").to_string();
    assert_eq!(error, "b has 1 trials, others have 2: the comparison is not complete");
    assert!(matches!(Compared::of(&[]), Err(CannotCompare::Nothing)));
}
