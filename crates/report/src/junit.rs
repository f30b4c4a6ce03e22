//! JUnit XML: what CI servers show as test results. One test case for every property that was checked.
//!
//! The format is a handful of elements, so it is written by hand; what is foreign goes through `escape`.

use std::fmt::Write;

use shakedown_campaign::PropertyTally;

use crate::FindingReport;
use crate::escape::text;

/// The longest name, in characters.
const NAME_MAX: usize = 250;
/// The longest text of a failure.
const TEXT_MAX: usize = 100_000;

/// What a campaign was, for the test suite around its properties.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct JUnitSuite {
    /// The name of the suite: the target, and what else tells campaigns apart.
    pub name: String,
    /// How long the campaign took, in seconds.
    pub seconds: f64,
    /// The properties that were checked. If none is known by name, and nothing was found, one test case
    /// stands for all.
    pub properties: Vec<PropertyTally>,
    /// Why the campaign is inconclusive, if it is: [`Verdict::unknown_reason`](shakedown_campaign::Verdict).
    pub unknown: Option<String>,
}

/// A JUnit report: every violated property is a failed test case with the text form of its first finding.
pub fn junit(suite: &JUnitSuite, findings: &[FindingReport]) -> String {
    let mut cases = String::new();
    for finding in findings {
        let violation = &finding.failure.violation;
        let case = Case { suite, name: &violation.property };
        let replay =
            if finding.replay.is_empty() { String::new() } else { format!("\nreplay: {}\n", finding.replay) };
        // What is in the baseline does not fail the build.
        let contents = match finding.is_known {
            true => format!(
                "      <skipped type=\"known\" message=\"known: {}\"/>\n",
                text(&violation.reason, 1_000)
            ),
            false => format!(
                "      <failure type=\"violation\" message=\"{}\">{}</failure>\n",
                text(&violation.reason, 1_000),
                text(&format!("{}{replay}", finding.text), TEXT_MAX)
            ),
        };
        case.put(&mut cases, &contents);
    }
    // What was violated is a finding.
    let unviolated = || suite.properties.iter().filter(|tally| tally.violated == 0);
    for tally in unviolated() {
        Case { suite, name: &tally.name }.put(&mut cases, &outcome(tally));
    }
    let mut tests = findings.len() + unviolated().count();
    let inconclusive = unviolated().filter(|tally| tally.inconclusive > 0).count();
    let known = findings.iter().filter(|finding| finding.is_known).count();
    let skipped = known + unviolated().filter(|tally| tally.premise == 0).count();
    let errors = usize::from(suite.unknown.is_some()) + inconclusive;
    if let Some(reason) = &suite.unknown {
        tests += 1;
        let contents = format!("      <error type=\"unknown\" message=\"{}\"/>\n", text(reason, 1_000));
        Case { suite, name: "the campaign is conclusive" }.put(&mut cases, &contents);
    }
    if tests == 0 {
        tests = 1;
        Case { suite, name: "no property is violated" }.put(&mut cases, "");
    }
    let seconds = if suite.seconds.is_finite() { suite.seconds.max(0.0) } else { 0.0 };
    let counts = format!(
        "tests=\"{tests}\" failures=\"{}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{seconds:.3}\"",
        findings.len() - known
    );
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"shakedown\" {counts}>\n  <testsuite name=\"{}\" {counts}>\n{cases}  </testsuite>\n</testsuites>\n",
        text(&suite.name, NAME_MAX)
    )
}

/// What came of a property that was not violated.
fn outcome(tally: &PropertyTally) -> String {
    let PropertyTally { premise, inconclusive, .. } = tally;
    match (premise, inconclusive) {
        (0, _) => {
            "      <skipped type=\"untested\" message=\"its premise held in no execution\"/>\n".to_owned()
        }
        (_, 0) => String::new(),
        _ => format!(
            "      <error type=\"unknown\" message=\"inconclusive in {inconclusive} of {premise} executions\"/>\n"
        ),
    }
}

struct Case<'a> {
    suite: &'a JUnitSuite,
    name: &'a str,
}

impl Case<'_> {
    fn put(&self, xml: &mut String, contents: &str) {
        let (name, class) = (text(self.name, NAME_MAX), text(&self.suite.name, NAME_MAX));
        let _ = write!(xml, "    <testcase name=\"{name}\" classname=\"{class}\"");
        if contents.is_empty() {
            xml.push_str("/>\n");
        } else {
            let _ = write!(xml, ">\n{contents}    </testcase>\n");
        }
    }
}
