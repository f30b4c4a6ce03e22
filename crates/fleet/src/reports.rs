//! The reports of a batch as bytes. Names that come again and again (facts, properties) are written once.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use shakedown_campaign::{
    CheckOutcome, Checked, PackedLesson, Report, RoundTally, Seen, Tally, Verdict, Violation,
};
use shakedown_cluster::{Fingerprint, StepKind};

use crate::bytes::Bytes;
use crate::wire::{LessonEntry, LessonList, TEXT_MAX, decode, encode};

/// No count of one execution is larger; sums of as many as there can be do not overflow.
const COUNT_MAX: u64 = 1 << 40;
/// The most names of a batch.
const NAMES_MAX: usize = 1 << 16;

#[derive(Serialize, Deserialize)]
struct Packed {
    names: Vec<String>,
    reports: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    verdict: Judgement,
    fingerprint: Option<(u64, u64)>,
    /// Steps by kind, without the zeros at the end.
    steps: Vec<u64>,
    /// Sent, lost, requested, answered.
    counts: [u64; 4],
    /// Rounds and phases, all and with a quorum, and phases with an effect.
    rounds: Option<([u64; 4], Option<u64>)>,
    facts: Vec<(u32, u64)>,
    checked: Vec<(u32, u64, u8)>,
    covered: Vec<Vec<u64>>,
    happened: Vec<Option<u64>>,
    experience: Option<Bytes>,
    world: Option<u64>,
    culprit: Option<u64>,
}

#[derive(Serialize, Deserialize)]
enum Judgement {
    Pass,
    Fail(String, String),
    Unknown(String),
}

/// The names of a batch, each with its number.
#[derive(Default)]
struct Names {
    all: Vec<String>,
    numbers: FxHashMap<String, u32>,
}

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.all.len() as u32;
        self.all.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }
}

/// Writes the reports of a batch.
pub(crate) fn encode_reports(reports: Vec<Report>) -> Vec<u8> {
    let mut names = Names::default();
    let reports = reports.into_iter().map(|report| entry_of(report, &mut names)).collect();
    encode(&Packed { names: names.all, reports })
}

fn entry_of(report: Report, names: &mut Names) -> Entry {
    let Tally { steps, sent, lost, requested, answered, facts, rounds } = report.tally;
    let used = steps.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1);
    let counts = [rounds.rounds, rounds.rounds_with_quorum, rounds.phases, rounds.phases_with_quorum];
    let rounds = (rounds != RoundTally::default()).then_some((counts, rounds.phases_with_effect));
    Entry {
        verdict: match report.verdict {
            Verdict::Pass => Judgement::Pass,
            Verdict::Fail(Violation { property, reason }) => Judgement::Fail(property, reason),
            Verdict::Unknown(reason) => Judgement::Unknown(reason),
        },
        fingerprint: report.fingerprint.map(|Fingerprint(bits)| ((bits >> 64) as u64, bits as u64)),
        steps: steps[..used].to_vec(),
        counts: [sent, lost, requested, answered],
        rounds,
        facts: facts.iter().map(|(name, count)| (names.number(name), *count)).collect(),
        checked: report
            .checked
            .iter()
            .map(|checked| (names.number(&checked.property), checked.evaluations, code_of(checked.outcome)))
            .collect(),
        covered: report.covered,
        happened: report.happened,
        experience: report.experience.map(Bytes),
        world: report.world,
        culprit: report.culprit,
    }
}

fn code_of(outcome: CheckOutcome) -> u8 {
    match outcome {
        CheckOutcome::Held => 0,
        CheckOutcome::Violated => 1,
        CheckOutcome::Unknown => 2,
    }
}

/// Reads the reports of a batch of this many executions.
pub(crate) fn decode_reports(bytes: &[u8], executions: u64) -> Result<Vec<Report>, String> {
    let Packed { names, reports } = decode(bytes)?;
    if reports.len() as u64 != executions {
        return Err(format!("{} reports of {executions} executions", reports.len()));
    }
    if names.len() > NAMES_MAX || names.iter().any(|name| name.len() > TEXT_MAX) {
        return Err("too many names, or too long ones".to_owned());
    }
    reports.into_iter().map(|entry| report_of(entry, &names)).collect()
}

fn report_of(entry: Entry, names: &[String]) -> Result<Report, String> {
    let name = |number: u32| names.get(number as usize).ok_or_else(|| format!("there is no name {number}"));
    let counted = |count: u64| match count {
        0..=COUNT_MAX => Ok(count),
        _ => Err(format!("{count} is too large for one execution")),
    };
    let text = |text: String| match text.len() {
        0..=TEXT_MAX => Ok(text),
        length => Err(format!("a text of {length} bytes")),
    };
    let mut tally = Tally::default();
    if entry.steps.len() > StepKind::ALL.len() {
        return Err(format!("{} kinds of steps", entry.steps.len()));
    }
    for (mine, theirs) in tally.steps.iter_mut().zip(entry.steps) {
        *mine = counted(theirs)?;
    }
    let [sent, lost, requested, answered] = entry.counts;
    (tally.sent, tally.lost) = (counted(sent)?, counted(lost)?);
    (tally.requested, tally.answered) = (counted(requested)?, counted(answered)?);
    if let Some(([rounds, rounds_with_quorum, phases, phases_with_quorum], with_effect)) = entry.rounds {
        tally.rounds = RoundTally {
            rounds: counted(rounds)?,
            rounds_with_quorum: counted(rounds_with_quorum)?,
            phases: counted(phases)?,
            phases_with_quorum: counted(phases_with_quorum)?,
            phases_with_effect: with_effect.map(counted).transpose()?,
        };
    }
    let facts = entry.facts.into_iter().map(|(number, count)| {
        let fact: Cow<'static, str> = name(number)?.clone().into();
        Ok((fact, counted(count)?))
    });
    tally.facts = facts.collect::<Result<BTreeMap<_, _>, String>>()?;
    let checked = entry.checked.into_iter().map(|(number, evaluations, code)| {
        let outcome = match code {
            0 => CheckOutcome::Held,
            1 => CheckOutcome::Violated,
            2 => CheckOutcome::Unknown,
            other => return Err(format!("there is no outcome {other}")),
        };
        Ok(Checked { property: name(number)?.as_str().into(), evaluations: counted(evaluations)?, outcome })
    });
    Ok(Report {
        verdict: match entry.verdict {
            Judgement::Pass => Verdict::Pass,
            Judgement::Fail(property, reason) => {
                Verdict::Fail(Violation { property: text(property)?, reason: text(reason)? })
            }
            Judgement::Unknown(reason) => Verdict::Unknown(text(reason)?),
        },
        fingerprint: entry
            .fingerprint
            .map(|(high, low)| Fingerprint(u128::from(high) << 64 | u128::from(low))),
        checked: checked.collect::<Result<_, _>>()?,
        tally,
        covered: entry.covered,
        happened: entry.happened,
        experience: entry.experience.map(|Bytes(bytes)| bytes),
        world: entry.world,
        culprit: entry.culprit,
    })
}

/// Writes the lessons of a generation.
pub(crate) fn encode_lessons(lessons: Vec<PackedLesson>) -> Vec<u8> {
    let entry = |lesson: PackedLesson| LessonEntry {
        number: lesson.number,
        experience: Bytes(lesson.experience),
        failed: lesson.failed,
        seen: lesson.seen.into_iter().map(with_places).collect(),
    };
    encode(&LessonList(lessons.into_iter().map(entry).collect()))
}

/// What was seen, and the places of what was new: new things are some of those that were seen, in the same
/// order.
fn with_places(seen: Seen) -> (Vec<u64>, Vec<u32>) {
    let mut places = Vec::with_capacity(seen.new.len());
    let mut new = seen.new.iter().peekable();
    for (place, item) in seen.covered.iter().enumerate() {
        if new.next_if_eq(&item).is_some() {
            places.push(place as u32);
        }
    }
    (seen.covered, places)
}

/// Reads the lessons of a generation of this many executions.
pub(crate) fn decode_lessons(bytes: &[u8], executions: u64) -> Result<Vec<PackedLesson>, String> {
    let LessonList(entries) = decode(bytes)?;
    if entries.len() as u64 > executions {
        return Err(format!("{} lessons of {executions} executions", entries.len()));
    }
    let seen = |(covered, places): (Vec<u64>, Vec<u32>)| {
        let item = |place: u32| covered.get(place as usize).copied().ok_or("nothing new is there");
        let new = places.into_iter().map(item).collect::<Result<Vec<_>, _>>()?;
        Ok::<_, String>(Seen { covered, new })
    };
    let lesson = |entry: LessonEntry| {
        Ok(PackedLesson {
            number: entry.number,
            experience: entry.experience.0,
            failed: entry.failed,
            seen: entry.seen.into_iter().map(seen).collect::<Result<Vec<_>, String>>()?,
        })
    };
    entries.into_iter().map(lesson).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::BATCH_MAX;

    fn report() -> Report {
        let mut tally = Tally { sent: 9, lost: 1, requested: 2, answered: 1, ..Tally::default() };
        tally.steps[0] = 7;
        tally.facts.insert("elected".into(), 3);
        (tally.rounds.rounds, tally.rounds.phases_with_effect) = (2, Some(1));
        let checked =
            Checked { property: "agreement".into(), evaluations: 4, outcome: CheckOutcome::Violated };
        Report {
            verdict: Verdict::Fail(Violation { property: "agreement".to_owned(), reason: "n1".to_owned() }),
            fingerprint: Some(Fingerprint(u128::MAX - 5)),
            tally,
            checked: vec![checked],
            covered: vec![vec![1, u64::MAX], vec![]],
            happened: vec![Some(5), None],
            experience: Some(vec![0, 255]),
            world: Some(3),
            culprit: None,
        }
    }

    #[test]
    fn reports_are_read_as_they_were_written() {
        let reports = vec![report(), Report { verdict: Verdict::Unknown("a limit".to_owned()), ..report() }];
        assert_eq!(decode_reports(&encode_reports(reports.clone()), 2), Ok(reports));
    }

    #[test]
    fn reports_that_cannot_be_are_refused() {
        assert!(decode_reports(&encode_reports(vec![report()]), 2).is_err(), "one is missing");
        let mut huge = report();
        huge.tally.sent = u64::MAX;
        let error = decode_reports(&encode_reports(vec![huge]), 1).expect_err("sums would overflow");
        assert_eq!(error, "18446744073709551615 is too large for one execution");
    }

    #[test]
    fn lessons_are_read_as_they_were_written() {
        let seen = vec![Seen { covered: vec![4, 2, 9], new: vec![4, 9] }, Seen::default()];
        let lesson = PackedLesson { number: 3, experience: vec![1, 2], failed: true, seen };
        // A generation may be larger than a batch.
        for count in [1, 2 * BATCH_MAX as usize] {
            let lessons = vec![lesson.clone(); count];
            let bytes = encode_lessons(lessons.clone());
            assert!(decode_lessons(&bytes, count as u64) == Ok(lessons), "{count}");
            let error = decode_lessons(&bytes, count as u64 - 1).expect_err("there are too many");
            assert_eq!(error, format!("{count} lessons of {} executions", count - 1));
        }
    }
}
