//! What pages hold: the drawing of a small execution, nothing that foreign text smuggled in, and never more
//! than fits.

use std::collections::BTreeSet;

use crate::speaker::{EVERYTHING, finding, play, play_under};
use expect_test::expect;
use shakedown_campaign::{
    Chance, Change, Continuation, ExplainedStep, Explanation, Nearest, Need, PropertyTally, Swap, SwapResult,
};
use shakedown_cluster::Contract;
use shakedown_report::html::{
    BesideReport, Comparison, ComparisonRow, CoverageCurve, CoveragePlot, CoveragePoint, CycleTransaction,
    Fired, HistoryDrawing, HistoryFinding, HtmlReport, MeanInterval, PAGE_SIZE_MAX, ReportVerdict, Timeline,
    TimelineBar, render,
};
use shakedown_report::{Alignment, Explained, FindingReport};

fn page_of(findings: Vec<FindingReport>) -> String {
    render(&HtmlReport { title: "speakers".to_owned(), findings, ..HtmlReport::default() })
}

/// The part of a page from one text to the next other one.
fn between<'a>(page: &'a str, from: &str, to: &str) -> &'a str {
    let start = page.find(from).unwrap_or_else(|| panic!("{from} is there"));
    let length = page[start..].find(to).unwrap_or_else(|| panic!("{to} is there"));
    &page[start..start + length + to.len()]
}

#[test]
fn a_small_execution_is_drawn_like_this() {
    let lines = ["request n1 \"hi\"", "tick n2", "deliver n1>n2#1 Word", "drop n1>n1#1 Word", "crash n2"];
    let page = page_of(vec![finding("p", "because", play(3, &lines))]);
    expect![[r#"
        <svg class="space-time" width="770" height="218" viewBox="0 0 770 218" preserveAspectRatio="xMinYMin" role="img" aria-label="Space-time diagram: 3 nodes, 5 steps. The schedule below says the same in words.">
        <rect class="row" data-step="1" x="0" y="12" width="4000" height="34"/>
        <rect class="row" data-step="2" x="0" y="46" width="4000" height="18"/>
        <rect class="row" data-step="3" x="0" y="64" width="4000" height="34"/>
        <rect class="row" data-step="4" x="0" y="98" width="4000" height="34"/>
        <rect class="row" data-step="5" x="0" y="132" width="4000" height="34"/>
        <g data-lane="0"><path class="lane" data-span="0 6" d="M54 0V174"/></g>
        <g data-lane="1"><path class="lane" data-span="0 5" d="M192 0V149"/><path class="lane down" data-span="5 6" d="M192 149V174"/></g>
        <g data-lane="2"><path class="lane" data-span="0 6" d="M330 0V174"/></g>
        <g class="step" data-kind="request" data-step="1"><text class="number" x="26" y="33">1</text><g class="message under-way k0" data-ends="0 2 0" data-sent="1" data-message="n1&gt;n3#1 Word"><title>Word n1&gt;n3#1
        hi
        sent at step 1, never received</title><path class="grab" d="M58.8 30.4L84 38"/><path class="shaft" d="M58.8 30.4L84 38"/><circle class="waiting" r="2.5" transform="translate(84 38)"/></g><g data-lane="0"><path class="asked" d="M54 23l6 6l-6 6l-6-6Z"/><text class="label" x="65" y="23">request</text></g><g data-lane="0"><path class="answered" d="M66 23l6 6l-6 6l-6-6Z"/></g><text class="note" x="414" y="33">&quot;hi&quot;; n1 answers request 1: 0</text></g>
        <g class="step" data-kind="tick" data-step="2"><text class="number" x="26" y="59">2</text><g data-lane="1"><circle class="tick" cx="192" cy="55" r="2.5"/></g></g>
        <g class="step" data-kind="deliver" data-step="3"><text class="number" x="26" y="85">3</text><g class="message received k0" data-ends="0 1 0" data-sent="1" data-message="n1&gt;n2#1 Word"><title>Word n1&gt;n2#1
        hi
        sent at step 1, received at step 3</title><path class="grab" d="M58.7 30.8L186.4 78.9"/><path class="shaft" d="M58.7 30.8L186.4 78.9"/><path class="tip" d="M0 0L-9 4L-9-4Z" transform="translate(186.4 78.9) rotate(20.6)"/><text class="kind" transform="translate(164.1 70.5) rotate(20.6)" y="3.5">Word</text></g><g data-lane="1"><circle class="moment" cx="192" cy="81" r="4.5"/></g><text class="note" x="414" y="85">hi; n2 heard word=hi count=1</text></g>
        <g class="step" data-kind="drop" data-step="4"><text class="number" x="26" y="119">4</text><g class="message lost k0" data-ends="0 0 0" data-sent="1" data-message="n1&gt;n1#1 Word"><title>Word n1&gt;n1#1
        hi
        sent at step 1, lost at step 4</title><path class="grab" d="M59 29C88 33,88 111,74 115"/><path class="shaft" d="M59 29C88 33,88 111,74 115"/><path class="cross" d="M-5-5l10 10m0-10l-10 10" transform="translate(74 115)"/><text class="kind right" transform="translate(100 115)" y="3.5">Word</text></g><text class="note" x="414" y="119">Word n1&gt;n1#1 is lost</text></g>
        <g class="step" data-kind="crash" data-step="5"><text class="number" x="26" y="153">5</text><g data-lane="1"><path class="crash" d="M-6-6l12 12m0-12l-12 12" transform="translate(192 149)"/><text class="label" x="203" y="153">crash</text></g></g>
        <path class="verdict-line" d="M32 174H352"/><text class="verdict" x="32" y="196">p is violated</text>
        </svg>"#]].assert_eq(between(&page, "<svg class=\"space-time\"", "</svg>"));
}

/// The data of the steps of the first finding.
fn step_data(page: &str) -> serde_json::Value {
    let start = "<script type=\"application/json\" class=\"steps\">";
    let data = between(page, start, "</script>").strip_prefix(start).expect("it begins so");
    serde_json::from_str(data.strip_suffix("</script>").expect("it ends so")).expect("it is JSON")
}

/// The steps that lead to this one, by following direct causes.
fn past(data: &serde_json::Value, number: usize) -> BTreeSet<usize> {
    let causes = |number: usize| data["steps"][number - 1]["causes"].as_array().cloned().unwrap_or_default();
    let mut seen = BTreeSet::new();
    let mut queue = vec![number];
    while let Some(next) = queue.pop() {
        let found = causes(next).into_iter().filter_map(|cause| cause.as_u64()).map(|cause| cause as usize);
        queue.extend(found.filter(|cause| seen.insert(*cause)).collect::<Vec<_>>());
    }
    seen
}

#[test]
fn the_causes_of_steps_are_those_of_the_vector_clocks() {
    let lines = [
        "request n1 \"a\"",
        "tick n4",
        "deliver n1>n2#1 Word",
        "request n3 \"b\"",
        "request n2 \"c\"",
        "deliver n3>n1#1 Word",
        "deliver n2>n4#1 Word",
        "crash n3",
        "deliver n1>n4#1 Word",
        "restart n3",
        "deliver n2>n3#1 Word",
        "request n4 \"d\"",
    ];
    let trace = play(4, &lines);
    let data = step_data(&page_of(vec![finding("p", "because", trace.clone())]));
    let (clocks, moments) = (trace.board.clocks(), trace.board.moments());
    let mut found = 0;
    for number in 1..=lines.len() {
        let of_step = |step: usize| (0..moments.len()).filter(move |at| moments[*at].step as usize == step);
        let precedes = |earlier: &usize| {
            of_step(*earlier).any(|a| {
                let node = moments[a].node.index();
                of_step(number).any(|b| clocks.of(b as u32)[node] >= clocks.of(a as u32)[node])
            })
        };
        let expected: BTreeSet<usize> = (1..number).filter(precedes).collect();
        assert_eq!(past(&data, number), expected, "step {number}");
        found += expected.len();
    }
    assert!(found > 10, "there is something to see: {found}");
}

#[test]
fn what_the_network_does_to_a_message_is_between_its_sending_and_its_receipt() {
    let lines = [
        "request n1 \"a\"",
        "duplicate n1>n2#1 Word",
        "tamper n1>n3#1 Word lies",
        "deliver n1>n2#2 Word",
        "deliver n1>n3#1 Word",
        "drop n1>n2#1 Word",
    ];
    let data = step_data(&page_of(vec![finding("p", "because", play(3, &lines))]));
    let causes: Vec<_> = (1..=lines.len()).map(|number| past(&data, number)).collect();
    assert_eq!(
        causes,
        [&[][..], &[1], &[1], &[1, 2], &[1, 3], &[1]].map(|set| set.iter().copied().collect())
    );
}

#[test]
fn steps_that_bring_nothing_about_are_idle_but_not_the_last_one() {
    let lines = ["request n1 \"a\"", "tick n2", "deliver n1>n2#1 Word", "tick n2", "tick n1"];
    let data = step_data(&page_of(vec![finding("p", "because", play(3, &lines))]));
    let idle: Vec<_> = (0..lines.len()).map(|at| data["steps"][at]["idle"] == true).collect();
    assert_eq!(idle, [false, true, false, true, false]);
    assert_eq!(data["lanes"], serde_json::json!(["n1", "n2", "n3"]));
    let groups: Vec<_> = (0..3).map(|at| data["groups"][at]["name"].clone()).collect();
    assert_eq!(groups, ["Word", "request", "tick"]);
}

/// What the messages of a page say when they are pointed at.
fn reported(page: &str) -> String {
    let reported: Vec<_> = page
        .split("<title>")
        .skip(1)
        .filter_map(|rest| rest.split_once("</title>"))
        .map(|(title, _)| title.replace('\n', " | "))
        .filter(|title| title.starts_with("Word"))
        .collect();
    reported.join("\n")
}

#[test]
fn a_session_takes_its_messages_with_it() {
    let lines = ["request n1 \"a\"", "deliver n1>n3#1 Word", "crash n2", "request n3 \"b\"", "restart n2"];
    let page = page_of(vec![finding("p", "because", play_under(Contract::sessions(), 3, &lines))]);
    expect![[r#"
        Word n1&gt;n1#1 | a | sent at step 1, never received
        Word n1&gt;n3#1 | a | sent at step 1, received at step 2
        Word n1&gt;n2#1 | a | sent at step 1, lost at step 3
        Word n3&gt;n2#1 | b | sent at step 4, lost at step 4
        Word n3&gt;n1#1 | b | sent at step 4, never received
        Word n3&gt;n3#1 | b | sent at step 4, never received"#]]
    .assert_eq(&reported(&page));
}

#[test]
fn every_message_says_where_it_began_and_how_it_ended() {
    let lines = [
        "request n1 \"a\"",
        "deliver n1>n2#1 Word",
        "duplicate n1>n3#1 Word",
        "cut n1-n3",
        "request n1 \"b\"",
        "heal n1-n3",
        "tamper n1>n2#2 Word lies",
        "inject n1>n3 made up",
        "deliver n1>n2#2 Word",
        "drop n1>n1#1 Word",
    ];
    let reported = reported(&page_of(vec![finding("p", "because", play(3, &lines))]));
    expect![[r#"
        Word n1&gt;n2#1 | a | sent at step 1, received at step 2
        Word n1&gt;n3#1 | a | sent at step 1, lost at step 4
        Word n1&gt;n3#2 | a | copied at step 3, lost at step 4
        Word n1&gt;n3#3 | b | sent at step 5, lost at step 5
        Word n1&gt;n1#2 | b | sent at step 5, never received
        Word n1&gt;n3#4 | made up | forged, sent at step 8, never received
        Word n1&gt;n2#2 | lies | forged, sent at step 5, received at step 9
        Word n1&gt;n1#1 | a | sent at step 1, lost at step 10"#]]
    .assert_eq(&reported);
}

const HOSTILE: &str =
    "</script><script>alert(1)</script><img src=x onerror='alert(2)'>\"'`&lt;\u{202e}\u{0}<!--";

fn hostile_report() -> HtmlReport {
    let word = serde_json::to_string(HOSTILE).expect("a text is JSON");
    let lines =
        [format!("request n1 {word}"), "deliver n1>n2#1 Word".to_owned(), format!("inject n1>n2 {HOSTILE}")];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let mut hostile = finding(HOSTILE, HOSTILE, play(2, &lines));
    hostile.replay = HOSTILE.to_owned();
    let forbidden = Some(shakedown_check::Forbidden { action: HOSTILE.into(), reason: HOSTILE.into() });
    let spec = shakedown_report::SpecStep { actions: vec![HOSTILE.into()], forbidden, state: HOSTILE.into() };
    hostile.spec = vec![spec; 2];
    hostile.causes = [(HOSTILE.to_owned(), 3)].into();
    hostile.explained = Some(explained(&hostile));
    let trace = hostile.trace.as_ref().expect("there is a trace");
    let alignment = Alignment::of(trace, &play(2, &lines[..1]));
    let point = CoveragePoint { executions: 1, mean: f64::INFINITY, low: f64::NAN, high: -1.0 };
    HtmlReport {
        title: HOSTILE.to_owned(),
        verdict: ReportVerdict::Unknown,
        verdict_text: HOSTILE.to_owned(),
        facts: vec![(HOSTILE.to_owned(), HOSTILE.to_owned())],
        properties: vec![PropertyTally { name: HOSTILE.to_owned(), ..PropertyTally::default() }],
        fired: vec![Fired { what: HOSTILE.to_owned(), count: 0, is_expected: true }],
        warnings: vec![HOSTILE.to_owned()],
        plots: vec![CoveragePlot {
            measure: HOSTILE.to_owned(),
            band: HOSTILE.to_owned(),
            curves: vec![CoverageCurve { label: HOSTILE.to_owned(), points: vec![point] }],
        }],
        comparisons: vec![Comparison {
            title: HOSTILE.to_owned(),
            measure: HOSTILE.to_owned(),
            baseline: Some(HOSTILE.to_owned()),
            rows: vec![ComparisonRow {
                strategy: HOSTILE.to_owned(),
                coverage: Some((f64::NAN, f64::INFINITY)),
                p_value: Some(f64::NAN),
                effect: Some(0.5),
                effect_word: Some(HOSTILE.to_owned()),
                ..ComparisonRow::default()
            }],
            notes: vec![HOSTILE.to_owned()],
            means: [(f64::NAN, 1.0), (f64::MIN, f64::MAX), (1.0, 1.0)]
                .map(|(low, high)| MeanInterval { strategy: HOSTILE.to_owned(), low, high })
                .to_vec(),
        }],
        findings: vec![hostile.clone(), hostile],
        histories: vec![cycle_of(HOSTILE, 3), timeline_of(HOSTILE, 3)],
        beside: Some(BesideReport { titles: [HOSTILE.to_owned(), HOSTILE.to_owned()], alignment }),
        links: vec![(HOSTILE.to_owned(), format!("./{HOSTILE}")), (HOSTILE.to_owned(), HOSTILE.to_owned())],
    }
}

/// An explanation of this finding: every second step is needed, and what passes is the first step alone.
fn explained(finding: &FindingReport) -> Explained {
    let trace = finding.trace.as_ref().expect("there is a trace");
    let chance = Chance { met: 100, other: 0, of: 400, low: 0.2, high: 0.3 };
    let steps = trace.board.steps().iter().enumerate().map(|(place, step)| ExplainedStep {
        number: place + 1,
        step: step.clone(),
        need: if place % 2 == 0 { Need::Needed } else { Need::FreeAlone },
        is_in_past: Some(true),
        chance: Some(chance),
    });
    let swap = |first| Swap { first, result: SwapResult::Passes };
    let explanation = Explanation {
        violation: finding.failure.violation.clone(),
        steps: steps.collect(),
        at_boot: chance,
        continuation: Continuation { count: 400, steps_max: 50, is_everywhere: true },
        swaps: (1..trace.board.steps().len()).map(swap).collect(),
        nearest: Some(Nearest { change: Change::Lost(1), steps: trace.board.steps()[..1].to_vec() }),
        is_minimal: true,
        executions: 1,
    };
    Explained { explanation, passing: Some(trace.clone()), forbidden: finding.forbidden() }
}

/// A cycle of transactions with this text everywhere.
fn cycle_of(text: &str, count: usize) -> HistoryFinding {
    let transaction = |number: usize| CycleTransaction {
        name: format!("T{number}{text}"),
        ops: vec![text.to_owned(); 7],
        label: text.to_owned(),
        why: text.to_owned(),
    };
    HistoryFinding {
        title: text.to_owned(),
        about: text.to_owned(),
        lines: vec![text.to_owned(); 100],
        drawing: Some(HistoryDrawing::Cycle((0..count).map(transaction).collect())),
    }
}

/// A timeline of two clients; the last operation is the culprit, the one before it has no answer, and one is
/// of no client.
fn timeline_of(text: &str, count: u32) -> HistoryFinding {
    let bar = |number: u32| TimelineBar {
        client: (number % 2) as usize,
        began: 2 * number,
        ended: (number != count - 2).then_some(2 * number + 3),
        label: text.to_owned(),
        place: (number != count - 1).then_some(number as usize),
        is_culprit: number == count - 1,
    };
    let mut bars: Vec<TimelineBar> = (0..count).map(bar).collect();
    bars.push(TimelineBar { client: 7, began: u32::MAX, ended: Some(0), ..bar(0) });
    let clients = vec![text.to_owned(); 2];
    HistoryFinding {
        drawing: Some(HistoryDrawing::Timeline(Timeline { clients, bars })),
        ..cycle_of(text, 0)
    }
}

#[test]
fn a_cycle_has_a_box_for_each_transaction_and_an_arrow_from_each() {
    let page =
        render(&HtmlReport { histories: vec![cycle_of("x", 3), cycle_of("x", 13)], ..HtmlReport::default() });
    assert_eq!(page.matches("class=\"txn\"").count(), 3, "the second one is too long");
    assert_eq!(page.matches("class=\"dependency\"").count(), 3);
    assert_eq!(page.matches("and 2 more").count(), 3, "operations that a box has no room for");
    assert!(page.contains("The cycle has 13 transactions, too many to draw."));
    assert!(page.contains("40 more lines are left out."));
}

#[test]
fn a_timeline_shows_where_it_breaks() {
    let page = render(&HtmlReport { histories: vec![timeline_of("x", 70)], ..HtmlReport::default() });
    assert_eq!(page.matches("class=\"op culprit\"").count(), 1);
    assert_eq!(page.matches("class=\"op open\"").count(), 1);
    assert_eq!(page.matches("class=\"op\"").count(), 58, "60 are drawn");
    assert_eq!(page.matches("class=\"effect\"").count(), 59);
    assert!(page.contains("no order explains this answer"));
    assert!(page.contains("10 earlier operations are left out of the drawing."));
}

#[test]
fn foreign_text_stays_text() {
    let page = render(&hostile_report());
    let clean = page_of(vec![
        finding("p", "r", play(2, &EVERYTHING[..1])),
        finding("p", "r", play(2, &EVERYTHING[..1])),
    ]);
    let count = |text: &str, page: &str| page.matches(text).count();
    assert_eq!(count("<script", &page), count("<script", &clean), "no script but ours");
    assert_eq!(count("</script", &page), count("</script", &clean));
    assert_eq!(count("<img", &page), 0);
    assert_eq!(count("<!--", &page), 0);
    assert!(!page.contains(['\u{202e}', '\u{0}']));
    assert!(page.contains("&lt;img src=x onerror=&#39;alert(2)&#39;&gt;"), "it is shown as what it is");
    let data = between(&page, "<script type=\"application/json\" class=\"steps\">", "</script>");
    let data = &data[data.find('{').unwrap()..=data.rfind('}').unwrap()];
    let data: serde_json::Value = serde_json::from_str(data).expect("the data of a finding is JSON");
    assert_eq!(data["steps"].as_array().map(Vec::len), Some(3));
}

#[test]
fn a_page_has_a_limit_whatever_comes_in() {
    let long = "<&\"é😀".repeat(2_000);
    let request = format!("request n1 {}", serde_json::to_string(&long).unwrap());
    let mut lines = vec![request.as_str()];
    lines.extend(["deliver n1>n2#1 Word", "duplicate n1>n3#1 Word", "tick n1"]);
    lines.extend(["duplicate n1>n3#1 Word"; 60]);
    let mut one = finding(&long, &long, play(3, &lines));
    one.replay = long.clone();
    one.text = long.clone();
    let point = |executions| CoveragePoint { executions, mean: 1e300, low: -1e300, high: 1e308 };
    let curve = CoverageCurve { label: long.clone(), points: (0..2_000).map(point).collect() };
    let plot = CoveragePlot { measure: long.clone(), band: long.clone(), curves: vec![curve; 30] };
    let row =
        ComparisonRow { strategy: long.clone(), coverage: Some((1e300, 1.0)), ..ComparisonRow::default() };
    let report = HtmlReport {
        title: long.clone(),
        verdict: ReportVerdict::Fail,
        verdict_text: long.clone(),
        facts: vec![(long.clone(), long.clone()); 300],
        properties: vec![PropertyTally { name: long.clone(), ..PropertyTally::default() }; 300],
        fired: vec![Fired { what: long.clone(), count: 1, is_expected: true }; 300],
        warnings: vec![long.clone(); 300],
        plots: vec![plot; 20],
        comparisons: vec![
            Comparison {
                title: long.clone(),
                measure: long.clone(),
                baseline: Some(long.clone()),
                rows: vec![row; 300],
                notes: vec![long.clone(); 100],
                means: vec![MeanInterval { strategy: long.clone(), low: 1.0, high: 2.0 }; 300],
            };
            90
        ],
        findings: vec![one; 70],
        histories: vec![cycle_of(&long, 12); 90],
        beside: None,
        links: vec![(long.clone(), format!("./{long}")); 300],
    };
    let page = render(&report);
    assert!(page.len() <= PAGE_SIZE_MAX, "{} bytes", page.len());
    for printed in [
        "more lines are left out",
        "more warnings are left out",
        "plots are left out",
        "rows are left out",
        "tables are left out",
        "more findings",
    ] {
        assert!(page.contains(printed), "{printed}");
    }
}

#[test]
fn of_a_long_execution_the_end_is_shown_and_the_page_says_so() {
    let mut lines = vec!["request n1 \"hello\""];
    lines.extend(["tick n2"; 1_998]);
    lines.push("deliver n1>n2#1 Word");
    let page = page_of(vec![finding("p", "because", play(2, &lines))]);
    assert!(page.contains("Steps 1 to 1400 are left out of the diagram"));
    assert!(page.contains("data-step=\"2000\""));
    assert!(!page.contains("data-step=\"1400\""));
    assert!(page.contains("sent at step 1, received at step 2000"), "it comes from above");
}

#[test]
fn a_cluster_that_never_began_has_a_page_too() {
    let mut none = finding("panic at boot", "it fell over", play(2, &[]));
    none.trace = None;
    assert!(page_of(vec![none]).contains("There is no diagram"));
    assert!(
        page_of(vec![finding("p", "r", play(2, &[]))]).contains("space-time"),
        "nor does one without steps harm"
    );
}

#[test]
fn rounds_are_bands_and_columns() {
    let lines = ["round 1 ask n1,n2,n3", "tick n1", "round 1 tell n1,n3", "round 2 ask n1"];
    let page = page_of(vec![finding("p", "because", play(3, &lines))]);
    let drawing = between(&page, "<svg class=\"space-time\"", "</svg>");
    assert_eq!(drawing.matches("class=\"band ").count(), 3);
    assert_eq!(drawing.matches("class=\"isolated\"").count(), 3, "n2 in one round, n2 and n3 in the next");
    let grid = between(&page, "<svg class=\"rounds-grid\"", "</svg>");
    assert_eq!((grid.matches("class=\"in\"").count(), grid.matches("class=\"out\"").count()), (6, 3));
}

#[test]
fn variables_that_differ_from_a_specification_are_a_table() {
    let reason = "after Timeout(1) the specification and the implementation differ\n  \
                  role[1]: expected candidate, got follower\n  net[a <vote>]: expected 1, got –\neither side may be wrong";
    let page = page_of(vec![finding("inconsistent state: role", reason, play(2, &[]))]);
    let table = between(&page, "<table class=\"differing\">", "</table>");
    for row in [
        "<tr><th scope=\"col\">variable</th><th scope=\"col\">expected</th><th scope=\"col\">got</th></tr>",
        "<tr><th scope=\"row\">role[1]</th><td>candidate</td><td>follower</td></tr>",
        "<tr><th scope=\"row\">net[a &lt;vote&gt;]</th><td>1</td><td>–</td></tr>",
    ] {
        assert!(table.contains(row), "{table}");
    }
    let words = between(&page, "<p class=\"reason\">", "</p>");
    assert!(words.contains("after Timeout(1)") && !words.contains("expected candidate"), "{words}");
    let other = page_of(vec![finding("election-safety", reason, play(2, &[]))]);
    assert!(!other.contains("class=\"differing\">"), "only findings of a specification have the table");
}
