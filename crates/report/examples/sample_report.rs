//! Writes a page that shows everything a report can hold, to look at: `cargo run -p
//! shakedown-report --example sample_report -- OUT.html`. Its numbers are made up and say so.

#[path = "../tests/reports/speaker.rs"]
mod speaker;

use std::error::Error;

use shakedown_campaign::PropertyTally;
use shakedown_report::html::{
    Comparison, ComparisonRow, CoverageCurve, CoveragePlot, CoveragePoint, Fired, HtmlReport, ReportVerdict,
    render,
};
use shakedown_report::{FindingReport, SpecStep};
use speaker::{EVERYTHING, finding, play};

fn main() -> Result<(), Box<dyn Error>> {
    let out = std::env::args_os().nth(1).ok_or("say where the page is to go")?;
    Ok(std::fs::write(out, render(&report()))?)
}

fn report() -> HtmlReport {
    HtmlReport {
        title: "Sample report: speakers".to_owned(),
        verdict: ReportVerdict::Fail,
        verdict_text: "3 properties are violated. This is a sample: the numbers are made up.".to_owned(),
        facts: [
            ("target", "speakers"),
            ("strategies", "6, 10 seeds each"),
            ("executions", "600 000"),
            ("speed", "48 200 a second"),
            ("steps", "72 104 331"),
            ("messages", "31 022 940 sent, 2 104 112 lost"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec(),
        properties: [("says-nothing", 600_000, 3), ("hears-all", 412_006, 0), ("never-asked", 0, 0)]
            .map(|(name, premise, violated)| PropertyTally {
                name: name.to_owned(),
                evaluations: premise,
                premise,
                held: premise - violated,
                violated,
                inconclusive: 0,
            })
            .to_vec(),
        fired: [
            ("deliver", 28_918_828),
            ("drop", 310_422),
            ("duplicate", 152_008),
            ("tick", 9_120_443),
            ("crash", 51_200),
            ("restart", 50_102),
            ("flush", 0),
        ]
        .map(|(what, count)| Fired { what: what.to_owned(), count, is_expected: true })
        .to_vec(),
        warnings: vec!["there was no flush step, though the target allows it".to_owned()],
        plots: vec![
            plot("distinct states of the specification", 900.0),
            plot("distinct traces up to causal order", 61_000.0),
        ],
        comparisons: vec![comparison()],
        findings: vec![everything(), rounds(), hostile()],
        histories: Vec::new(),
        beside: None,
        links: Vec::new(),
    }
}

const STRATEGIES: [(&str, f64); 6] = [
    ("random", 0.55),
    ("pctcp", 0.68),
    ("pos", 0.71),
    ("closure", 0.48),
    ("bonusmax", 0.86),
    ("fuzz:model", 0.93),
];

fn plot(measure: &str, most: f64) -> CoveragePlot {
    let point = |share: f64, place: u32| {
        let executions = u64::from(place) * 250;
        let mean = most * share * (1.0 - (-f64::from(place) / (9.0 + 12.0 * share)).exp());
        CoveragePoint { executions, mean, low: mean * 0.94, high: mean * (1.0 + 0.05 * share) }
    };
    let curve = |(label, share): (&str, f64)| CoverageCurve {
        label: label.to_owned(),
        points: (0..=40).map(|place| point(share, place)).collect(),
    };
    CoveragePlot {
        measure: measure.to_owned(),
        band: "lowest to highest of 10 seeds".to_owned(),
        curves: STRATEGIES.map(curve).to_vec(),
    }
}

fn comparison() -> Comparison {
    let row = |(place, (strategy, share)): (usize, (&str, f64))| ComparisonRow {
        strategy: strategy.to_owned(),
        coverage: Some((900.0 * share, 21.0 - 2.0 * place as f64)),
        found: Some((4 + place as u64, 10)),
        first_find: (place != 3).then_some((7_400.0 * (1.0 - share), 910.0 * (1.0 - share))),
        p_value: (place > 0).then(|| [0.0, 0.0004, 0.012, 0.31, 0.00002, 0.00001][place]),
        effect: (place > 0).then(|| [0.5, 0.81, 0.77, 0.44, 0.97, 1.0][place]),
        effect_word: (place > 0)
            .then(|| ["", "large", "large", "negligible", "large", "large"][place].to_owned()),
    };
    Comparison {
        title: "Coverage and findings".to_owned(),
        measure: "states".to_owned(),
        baseline: Some("random".to_owned()),
        rows: STRATEGIES.into_iter().enumerate().map(row).collect(),
        notes: vec![
            "closure and random: no difference (Mann–Whitney U, p = 0.31).".to_owned(),
            "Coverage after 10 000 executions of 10 seeds each; p by a two-sided Mann–Whitney U test."
                .to_owned(),
        ],
        means: Vec::new(),
    }
}

fn everything() -> FindingReport {
    let spec = |place: usize| SpecStep {
        actions: (place != 3).then(|| format!("Say(n{}, \"hello\")", place % 3 + 1)).into_iter().collect(),
        forbidden: None,
        state: format!("/\\ said = {}\n/\\ heard = <<{}, 0, 1>>", place / 3, place / 4),
    };
    FindingReport {
        spec: (0..=EVERYTHING.len()).map(spec).collect(),
        ..finding("nobody-says-panic", "n3 was told to panic, and did", play(3, &EVERYTHING))
    }
}

fn rounds() -> FindingReport {
    let mut lines = vec!["request n1 \"first\"".to_owned(), "request n2 \"second\"".to_owned()];
    for (place, kernel) in ["n1,n2,n3,n4", "n1,n3,n4", "n1,n2", "n2,n3,n4"].into_iter().enumerate() {
        let name = if place % 2 == 0 { "propose" } else { "decide" };
        lines.push(format!("round {} {name} {kernel}", place / 2 + 1));
        lines.push(format!("deliver n1>n{}#1 Word", place + 1));
        lines.push(format!("deliver n2>n{}#1 Word", place + 1));
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    finding(
        "everybody-hears-the-same",
        "n2 heard \"second\" first, n3 heard \"first\" first",
        play(4, &lines),
    )
}

/// A target that tries to be more than text.
fn hostile() -> FindingReport {
    let word = "</script><script>document.title='x'</script><img src=x onerror=\"document.title='x'\">";
    let lines = [format!("request n1 {}", serde_json::json!(word)), "deliver n1>n2#1 Word".to_owned()];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    finding(word, word, play(2, &lines))
}
