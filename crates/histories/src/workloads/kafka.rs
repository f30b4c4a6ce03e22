//! Logs like Kafka's: `send` to a key, which gives an offset, and `poll`, which returns offsets and values of
//! several keys.
//!
//! A value is `[[:send k v]]`, when it was acknowledged `[[:send k [offset v]]]`, and `[[:poll {k [[offset v]
//! [offset v]]}]]`. Each value is sent to a key once.
//!
//! A log is right if its sends can be put into an order, each between its beginning and its end, in which
//! offsets grow, with gaps or without; if a poll returns only what had been sent then, one value after the
//! other without leaving out any that is there; and if no acknowledged value is missing below one that was
//! polled. A poll need not return the newest values. A client begins anywhere, and so it does after `assign`
//! or `subscribe`. What is found is exactly that.

use std::collections::{BTreeMap, BTreeSet};

use super::{Problems, Rules, unknown_f};
use crate::{Item, Operation, Outcome, ReadError};

/// An offset, and the line that shows it.
type Seen = (i64, usize);

/// What was sent.
struct Sent {
    /// Whether it may have happened.
    may_be: bool,
    /// The offset that acknowledged it.
    acknowledged: Option<Seen>,
    began: u32,
    /// When it must have happened; nothing if nobody knows.
    ended: Option<u32>,
    line: usize,
}

/// What is known of the log of a key.
#[derive(Default)]
struct Log<'h> {
    /// The value at each offset, and the line that shows it.
    values: BTreeMap<i64, (&'h Item, usize)>,
    /// The first offset of each value.
    offsets: BTreeMap<&'h Item, i64>,
    sent: BTreeMap<&'h Item, Sent>,
    /// The poll that returned each value and ended first: when it did, and its line.
    polled: BTreeMap<&'h Item, (u32, usize)>,
}

#[derive(Default)]
struct Checker<'h> {
    logs: BTreeMap<&'h Item, Log<'h>>,
    /// The offset that each client polled last of each key, and that it was given last when it sent.
    polled: BTreeMap<(i64, &'h Item), Seen>,
    sent: BTreeMap<(i64, &'h Item), Seen>,
    /// Clients with an assignment of which nobody knows when it came, if it did: each of their polls may
    /// begin anywhere.
    unassigned: BTreeSet<i64>,
    /// Clients with a poll of which nobody knows what it returned, and when: any two of their polls may have
    /// it between them.
    uncertain: BTreeSet<i64>,
    /// Pairs of offsets that a client polled one after the other: what lies between is looked at in the end.
    steps: Vec<(&'h Item, Seen, Seen)>,
}

/// Finds what is lost, doubled, reordered, early or unseen.
pub(super) fn check(history: &[Operation], rules: Rules) -> Result<Problems, ReadError> {
    let mut problems = Problems::new(rules.most_of_a_kind);
    let mut checker = Checker::default();
    for operation in history {
        match operation.f.as_str() {
            "send" | "poll" | "txn" => checker.take(operation, &mut problems)?,
            "assign" | "subscribe" if operation.outcome == Outcome::Fail => {}
            "assign" | "subscribe" => {
                checker.forget(operation.process);
                if operation.outcome == Outcome::Info {
                    checker.unassigned.insert(operation.process);
                }
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
        if self.unassigned.contains(&operation.process) {
            self.forget(operation.process);
        }
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
                (Some("poll"), _) if operation.outcome == Outcome::Fail => {}
                (Some("poll"), _) if operation.outcome == Outcome::Info => {
                    self.uncertain.insert(operation.process);
                }
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
        let mut sent = Sent {
            may_be: operation.outcome != Outcome::Fail,
            acknowledged: None,
            began: operation.began,
            ended: None,
            line,
        };
        if !is_acknowledged {
            log.note(value, sent);
            return Ok(());
        }
        let (offset, value) = pair(operation, value)?;
        log.place(offset, value, line, key, problems);
        sent.acknowledged = Some((offset, line));
        sent.ended = operation.ended;
        log.note(value, sent);
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
            let ended = (operation.ended.unwrap_or(u32::MAX), line);
            let first = log.polled.entry(value).or_insert(ended);
            *first = ended.min(*first);
            let before = self.polled.insert((operation.process, key), (offset, line));
            let Some((before, earlier)) = before else { continue };
            let is_certain = earlier == line || !self.uncertain.contains(&operation.process);
            if before >= offset {
                problems.add("reordered-poll", &[earlier, line], || {
                    format!("client {} polled {before} of {}, then {offset}", operation.process, key.shown())
                });
            } else if is_certain {
                self.steps.push((key, (before, earlier), (offset, line)));
            }
        }
        Ok(())
    }

    /// A client begins anywhere.
    fn forget(&mut self, client: i64) {
        self.polled.retain(|(of, _), _| *of != client);
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

    /// A value was sent. If that was done more than once, any of them may be the one that is there.
    fn note(&mut self, value: &'h Item, sent: Sent) {
        let Some(known) = self.sent.get_mut(value) else {
            self.sent.insert(value, sent);
            return;
        };
        known.may_be |= sent.may_be;
        known.acknowledged = known.acknowledged.or(sent.acknowledged);
        known.began = known.began.min(sent.began);
        known.ended = None;
    }

    /// Finds offsets that do not grow with time. In the order of offsets, none may have been sent after a
    /// later one was there for certain: it was acknowledged, or polled.
    fn find_reordered(&self, key: &Item, problems: &mut Problems) {
        // The latest beginning of all sends so far, and where that was.
        let mut latest: Option<(u32, i64, usize)> = None;
        for (offset, (value, _)) in &self.values {
            let Some(sent) = self.sent.get(value).filter(|sent| sent.may_be) else { continue };
            let polled = self.polled.get(value).copied();
            if let Some((there, line)) = polled.filter(|(there, _)| *there < sent.began) {
                problems.add("early-poll", &[line, sent.line], || {
                    format!(
                        "{} of {} was polled at {there}, before its send began",
                        value.shown(),
                        key.shown()
                    )
                });
            }
            let ended = sent.ended.map(|ended| (ended, sent.line));
            let there = ended.into_iter().chain(polled).min();
            if let (Some((there, line)), Some((began, before, earlier))) = (there, latest)
                && there < began
            {
                problems.add("reordered-send", &[line, earlier], || {
                    format!("{offset} of {} was there before the send began that got {before}", key.shown())
                });
            }
            latest = latest.max(Some((sent.began, *offset, sent.line)));
        }
    }

    fn finish(&self, key: &Item, problems: &mut Problems) {
        let highest = self.polled.keys().filter_map(|value| self.offsets.get(*value)).max();
        for (value, (_, line)) in &self.polled {
            match self.sent.get(value) {
                None => problems.add("unexpected", &[*line], || {
                    format!("{} is polled from {}, but was never sent to it", value.shown(), key.shown())
                }),
                Some(sent) if !sent.may_be => problems.add("aborted-read", &[*line], || {
                    format!("{} is polled from {}, but its send failed", value.shown(), key.shown())
                }),
                Some(_) => {}
            }
        }
        let acknowledged: BTreeSet<_> = self
            .sent
            .iter()
            .filter_map(|(value, sent)| sent.acknowledged.map(|(offset, line)| (offset, line, *value)))
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
        // A client's own sends that are out of order are found before.
        if !problems.counts.contains_key("reordered-send") {
            self.find_reordered(key, problems);
        }
    }
}

fn pair<'h>(operation: &Operation, item: &'h Item) -> Result<(i64, &'h Item), ReadError> {
    match item.list() {
        Some([Item::Number(offset), value]) => Ok((*offset, value)),
        _ => Err(operation.wrong(format!("{} is no pair of an offset and a value", item.shown()))),
    }
}
