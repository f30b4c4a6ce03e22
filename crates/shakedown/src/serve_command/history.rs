//! What was found on which day: new, known, not found again, fixed.
//!
//! Two findings are the same if they are of one target with the same options and have one cause. Days are
//! those on which failure files were written and stores were changed last, in UTC.

use std::collections::{BTreeMap, BTreeSet};

use shakedown_report::html::live::{LiveDay, LiveFailure, LiveReplay};

/// A stored campaign, as the history needs it.
pub(super) struct Record {
    /// Its name.
    pub id: String,
    /// Target and options.
    pub case: String,
    /// The day on which it was stored last.
    pub day: String,
    /// Whether it has come to its end.
    pub is_over: bool,
    /// How many executions it had.
    pub executions: u64,
    /// What it has found.
    pub found: Vec<Found>,
}

/// A finding of a campaign.
pub(super) struct Found {
    /// Its number in the campaign, counted from 1.
    pub number: usize,
    /// The property that is violated.
    pub property: String,
    /// What tells it from others of the same case.
    pub cause: String,
    /// The day on which it was found.
    pub day: String,
    /// The name of its failure file.
    pub file: String,
}

/// All findings of one cause.
struct Same<'a> {
    days: BTreeSet<&'a str>,
    campaigns: BTreeSet<&'a str>,
    latest: (&'a Record, &'a Found),
}

/// What was found on which day, and everything that was found, the latest first.
pub(super) fn history(
    records: &[Record],
    replays: &BTreeMap<String, LiveReplay>,
) -> (Vec<LiveDay>, Vec<LiveFailure>) {
    let mut all: BTreeMap<(&str, &str), Same<'_>> = BTreeMap::new();
    for record in records {
        for found in &record.found {
            let latest = (record, found);
            let new = || Same { days: BTreeSet::new(), campaigns: BTreeSet::new(), latest };
            let same = all.entry((&record.case, &found.cause)).or_insert_with(new);
            same.days.insert(&found.day);
            same.campaigns.insert(&record.id);
            if found.day > same.latest.1.day {
                same.latest = latest;
            }
        }
    }
    let replay = |same: &Same<'_>| replays.get(&same.latest.1.file);
    let of_campaigns = records.iter().map(|record| record.day.as_str());
    let of_findings = all.values().flat_map(|same| same.days.iter().copied());
    let days: BTreeSet<&str> = of_campaigns.chain(of_findings).collect();
    let day = |day: &&str| {
        let on_it = || records.iter().filter(|record| record.day == *day);
        let mut counts = LiveDay {
            day: (*day).to_owned(),
            campaigns: on_it().count(),
            executions: on_it().map(|record| record.executions).sum(),
            ..LiveDay::default()
        };
        for ((case, _), same) in &all {
            let is_first = same.days.first() == Some(day);
            let is_later = same.days.first().is_some_and(|first| first < day);
            match same.days.contains(day) {
                true if is_first => counts.new += 1,
                true => counts.known += 1,
                false if is_later && on_it().any(|record| record.is_over && record.case == *case) => {
                    counts.unseen += 1;
                    counts.fixed += usize::from(replay(same).is_some_and(LiveReplay::is_fixed));
                }
                false => {}
            }
        }
        counts
    };
    let days = days.iter().rev().map(day).collect();
    let mut failures: Vec<_> = all
        .iter()
        .map(|((case, _), same)| LiveFailure {
            property: same.latest.1.property.clone(),
            case: (*case).to_owned(),
            first: same.days.first().copied().unwrap_or_default().to_owned(),
            last: same.days.last().copied().unwrap_or_default().to_owned(),
            campaigns: same.campaigns.len(),
            latest: (same.latest.0.id.clone(), same.latest.1.number),
            replay: replay(same).cloned(),
        })
        .collect();
    failures.sort_by(|a, b| (&b.last, &a.property).cmp(&(&a.last, &b.property)));
    (days, failures)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(id: &str, case: &str, day: u32, causes: &[&str]) -> Record {
        let day = format!("2026-01-{day:02}");
        let found = causes.iter().enumerate().map(|(place, cause)| Found {
            number: place + 1,
            property: (*cause).to_owned(),
            cause: (*cause).to_owned(),
            day: day.clone(),
            file: format!("{id}-{cause}.json"),
        });
        let found = found.collect();
        Record { id: id.to_owned(), case: case.to_owned(), day, is_over: true, executions: 100, found }
    }

    #[test]
    fn three_nights() {
        let mut records = vec![
            record("first", "keeper", 1, &["at-most-three"]),
            record("second", "keeper", 2, &["at-most-three", "agreement"]),
            record("third", "keeper", 3, &["agreement"]),
            record("other", "raft", 3, &[]),
        ];
        let counts = |records: &[Record], replays: &BTreeMap<String, LiveReplay>| -> Vec<_> {
            let days = history(records, replays).0;
            days.iter().map(|day| (day.campaigns, day.new, day.known, day.unseen, day.fixed)).collect()
        };
        let mut replays = BTreeMap::new();
        // The latest day is the first line.
        assert_eq!(counts(&records, &replays), [(2, 0, 1, 1, 0), (1, 1, 1, 0, 0), (1, 1, 0, 0, 0)]);
        let fate = |word: &str| LiveReplay::Done { word: word.to_owned(), detail: String::new() };
        replays.insert("second-at-most-three.json".to_owned(), fate("still fails"));
        assert_eq!(counts(&records, &replays)[0], (2, 0, 1, 1, 0));
        replays.insert("second-at-most-three.json".to_owned(), fate("fixed"));
        assert_eq!(counts(&records, &replays)[0], (2, 0, 1, 1, 1));

        let failures = history(&records, &replays).1;
        let all: Vec<_> =
            failures.iter().map(|one| (&*one.property, &*one.first, &*one.last, one.campaigns)).collect();
        assert_eq!(
            all,
            [("agreement", "2026-01-02", "2026-01-03", 2), ("at-most-three", "2026-01-01", "2026-01-02", 2)]
        );
        assert_eq!(failures[1].latest, ("second".to_owned(), 1));
        // A campaign that is not over might still find it.
        records[2].is_over = false;
        assert_eq!(counts(&records, &replays)[0], (2, 0, 1, 0, 0));
    }
}
