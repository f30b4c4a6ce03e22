//! Logs like Kafka's: `send` to a key, which gives an offset, and `poll`, which returns offsets and values of several keys.
//!
//! A value is `[[:send k v]]`, when it has succeeded `[[:send k [offset v]]]`, and `[[:poll {k [[offset v]
//! [offset v]]}]]`. After `assign` or `subscribe` a client may begin anywhere.

use std::collections::{BTreeMap, BTreeSet};

use super::{Problems, Rules, unknown_f};
use crate::{Item, Operation, Outcome, ReadError};

/// An offset, and the line that shows it.
type Seen = (i64, usize);

/// What was sent: whether it may have happened, and the offset if it did.
type Sent = (bool, Option<Seen>);

/// What is known of the log of a key.
#[derive(Default)]
struct Log<'h> {
    /// The value at each offset, and the line that shows it.
    values: BTreeMap<i64, (&'h Item, usize)>,
    /// The first offset of each value.
    offsets: BTreeMap<&'h Item, i64>,
    sent: BTreeMap<&'h Item, Sent>,
    polled: BTreeMap<&'h Item, usize>,
}

#[derive(Default)]
struct Checker<'h> {
    logs: BTreeMap<&'h Item, Log<'h>>,
    /// The offset that each client polled last of each key, and that it was given last when it sent.
    polled: BTreeMap<(i64, &'h Item), Seen>,
    sent: BTreeMap<(i64, &'h Item), Seen>,
    /// Pairs of offsets that a client polled one after the other: what lies between is looked at in the end.
    steps: Vec<(&'h Item, Seen, Seen)>,
}

/// Finds what is lost, doubled, reordered or unseen.
pub(super) fn check(history: &[Operation], rules: Rules) -> Result<Problems, ReadError> {
    let mut problems = Problems::new(rules.most_of_a_kind);
    let mut checker = Checker::default();
    let mut by_end: Vec<&Operation> = history.iter().collect();
    by_end.sort_by_key(|operation| operation.ended.unwrap_or(u32::MAX));
    for operation in by_end {
        match operation.f.as_str() {
            "send" | "poll" | "txn" => checker.take(operation, &mut problems)?,
            "assign" | "subscribe" => {
                checker.polled.retain(|(client, _), _| *client != operation.process);
            }
            "crash" | "debug-topic-partitions" => {}
            _ => return Err(unknown_f(operation, "a log has send, poll, txn, assign, subscribe")),
        }
    }
    checker.finish(&mut problems);
    Ok(problems)
}

impl<'h> Checker<'h> {
    fn take(&mut self, operation: &'h Operation, problems: &mut Problems) -> Result<(), ReadError> {
        let value = operation.value();
        let wrong = || operation.wrong(format!("{} is no list of sends and polls", value.shown()));
        for op in value.list().ok_or_else(wrong)? {
            let parts = op.list().ok_or_else(wrong)?;
            match (parts.first().and_then(Item::text), &parts[1..]) {
                (Some("send"), [key, value]) => self.send(operation, key, value, problems)?,
                (Some("poll"), [Item::Map(keys)]) if operation.outcome == Outcome::Ok => {
                    for (key, pairs) in keys {
                        self.poll(operation, key, pairs.list().ok_or_else(wrong)?, problems)?;
                    }
                }
                (Some("poll"), _) if operation.outcome != Outcome::Ok => {}
                (Some("poll"), [] | [Item::Nil]) => {}
                _ => return Err(wrong()),
            }
        }
        Ok(())
    }

    fn send(
        &mut self,
        operation: &'h Operation,
        key: &'h Item,
        value: &'h Item,
        problems: &mut Problems,
    ) -> Result<(), ReadError> {
        let line = operation.line;
        let log = self.logs.entry(key).or_default();
        let is_acknowledged = operation.outcome == Outcome::Ok && matches!(value, Item::List(_));
        if !is_acknowledged {
            let sent = log.sent.entry(value).or_default();
            sent.0 |= operation.outcome != Outcome::Fail;
            return Ok(());
        }
        let (offset, value) = pair(operation, value)?;
        log.place(offset, value, line, key, problems);
        *log.sent.entry(value).or_default() = (true, Some((offset, line)));
        let before = self.sent.insert((operation.process, key), (offset, line));
        if let Some((before, earlier)) = before.filter(|(before, _)| *before >= offset) {
            problems.add("reordered-send", &[earlier, line], || {
                format!(
                    "client {} sent to {} and got {before}, then {offset}",
                    operation.process,
                    key.shown()
                )
            });
        }
        Ok(())
    }

    fn poll(
        &mut self,
        operation: &'h Operation,
        key: &'h Item,
        pairs: &'h [Item],
        problems: &mut Problems,
    ) -> Result<(), ReadError> {
        let line = operation.line;
        for item in pairs {
            let (offset, value) = pair(operation, item)?;
            let log = self.logs.entry(key).or_default();
            log.place(offset, value, line, key, problems);
            log.polled.entry(value).or_insert(line);
            let before = self.polled.insert((operation.process, key), (offset, line));
            let Some((before, earlier)) = before else { continue };
            if before >= offset {
                problems.add("reordered-poll", &[earlier, line], || {
                    format!("client {} polled {before} of {}, then {offset}", operation.process, key.shown())
                });
            } else {
                self.steps.push((key, (before, earlier), (offset, line)));
            }
        }
        Ok(())
    }

    fn finish(self, problems: &mut Problems) {
        for (key, (from, first), (to, second)) in &self.steps {
            if let Some((offset, _)) = self.logs[key].values.range(from + 1..*to).next() {
                problems.add("skipped-poll", &[*first, *second], || {
                    format!("{from} of {} is followed by {to}, but there is {offset} between", key.shown())
                });
            }
        }
        for (key, log) in &self.logs {
            log.finish(key, problems);
        }
    }
}

impl<'h> Log<'h> {
    /// There is a value at an offset.
    fn place(&mut self, offset: i64, value: &'h Item, line: usize, key: &Item, problems: &mut Problems) {
        let (known, before) = *self.values.entry(offset).or_insert((value, line));
        if known != value {
            problems.add("inconsistent-offset", &[before, line], || {
                format!("offset {offset} of {} has {} and {}", key.shown(), known.shown(), value.shown())
            });
        }
        let first = *self.offsets.entry(value).or_insert(offset);
        if first != offset {
            problems.add("duplicate", &[line], || {
                format!("{} is in {} at {first} and at {offset}", value.shown(), key.shown())
            });
        }
    }

    fn finish(&self, key: &Item, problems: &mut Problems) {
        let highest = self.polled.keys().filter_map(|value| self.offsets.get(*value)).max();
        for (value, line) in &self.polled {
            match self.sent.get(value) {
                None => problems.add("unexpected", &[*line], || {
                    format!("{} is polled from {}, but was never sent to it", value.shown(), key.shown())
                }),
                Some((false, _)) => problems.add("aborted-read", &[*line], || {
                    format!("{} is polled from {}, but its send failed", value.shown(), key.shown())
                }),
                Some(_) => {}
            }
        }
        let acknowledged: BTreeSet<_> = self
            .sent
            .iter()
            .filter_map(|(value, (_, at))| at.map(|(offset, line)| (offset, line, *value)))
            .collect();
        for (offset, line, value) in acknowledged {
            if self.polled.contains_key(value) {
                continue;
            }
            let kind = if highest.is_some_and(|highest| *highest > offset) { "lost" } else { "unseen" };
            problems.add(kind, &[line], || {
                format!("{} was sent to {} at {offset}, and no poll returned it", value.shown(), key.shown())
            });
        }
    }
}

fn pair<'h>(operation: &Operation, item: &'h Item) -> Result<(i64, &'h Item), ReadError> {
    match item.list() {
        Some([Item::Number(offset), value]) => Ok((*offset, value)),
        _ => Err(operation.wrong(format!("{} is no pair of an offset and a value", item.shown()))),
    }
}
