//! The corpus: inputs that led to something new, and which of them to go on from.
//!
//! An input is worth more the rarer the states are that it was the first to reach, the longer its way was,
//! and the more its mutants have found; it is worth less with every mutant that was made of it. A few are
//! drawn and the best of them is taken: so no list has to be kept in order, and every input has a chance.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use shakedown_cluster::Random;

use super::generate::Shape;
use super::input::Input;
use super::saved::{Reader, Writer};
use crate::Lesson;

/// How many of the things that an input was the first to reach are kept in mind.
const MARKS_MAX: usize = 4;
/// The most inputs of a corpus.
const MEMBERS_MAX: usize = 50_000;
/// How many inputs count as the newest.
const NEWEST: usize = 32;
/// How many inputs count as new where it matters how much they have yielded.
const RICH_NEWEST: usize = 512;
/// How many inputs are drawn to take the best of.
const DRAWN: usize = 16;

/// What sort of inputs is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    /// Such as lead to where few have been.
    Rare,
    /// Such as have come to much that was new.
    Rich,
}

/// An input of the corpus.
#[derive(Clone, PartialEq, Debug)]
struct Member {
    input: Arc<Input>,
    /// Some of what it was the first to reach.
    marks: Vec<u64>,
    /// How many mutants were made of it.
    chosen: u32,
    /// How much they found.
    found: u32,
    /// How much it found itself.
    yielded: u32,
    /// How many things it came to in all: how long its way was.
    depth: u32,
}

/// See the module's text.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Corpus {
    members: Vec<Member>,
    /// How many executions have come to each mark.
    visits: FxHashMap<u64, u32>,
}

impl Corpus {
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// All inputs.
    pub fn inputs(&self) -> impl Iterator<Item = &Input> {
        self.members.iter().map(|member| member.input.as_ref())
    }

    /// How much a mutant of this input may be expected to find.
    fn worth(&self, member: &Member, wanted: Wanted) -> f64 {
        if wanted == Wanted::Rich {
            return f64::from(member.yielded);
        }
        let visits = |mark: &u64| self.visits.get(mark).copied().unwrap_or(1);
        let rarest = member.marks.iter().map(visits).min().unwrap_or(1);
        let found = (1.0 + f64::from(member.found)) / (1.0 + f64::from(member.chosen));
        found * f64::from(member.depth).powi(2) / f64::from(rarest)
    }

    /// One of the better inputs, and its number.
    pub fn choose(&self, wanted: Wanted, random: &mut Random) -> Option<(u32, &Arc<Input>)> {
        let mut best: Option<(f64, usize)> = None;
        if self.members.is_empty() {
            return None;
        }
        // Half of the time one of the newest, which nobody has gone on from. What was rich long ago would be
        // poor today.
        let newest = match wanted {
            Wanted::Rich => RICH_NEWEST,
            Wanted::Rare if random.chance(0.5) => NEWEST,
            Wanted::Rare => self.members.len(),
        };
        for _ in 0..DRAWN {
            let number = self.members.len() - 1 - random.index(newest.min(self.members.len()));
            let worth = self.worth(&self.members[number], wanted);
            if best.is_none_or(|(most, _)| worth > most) {
                best = Some((worth, number));
            }
        }
        best.map(|(_, number)| (number as u32, &self.members[number].input))
    }

    /// Takes in what an execution came to that was made from this member.
    pub fn credit(&mut self, parent: Option<u32>, covered: &[u64], found: usize) {
        for mark in covered {
            if let Some(visits) = self.visits.get_mut(mark) {
                *visits = visits.saturating_add(1);
            }
        }
        if let Some(parent) = parent.and_then(|parent| self.members.get_mut(parent as usize)) {
            parent.chosen = parent.chosen.saturating_add(1);
            parent.found = parent.found.saturating_add(found as u32);
        }
    }

    /// Adds an input that led to these new things. If there is no room, it takes the place of the worst of a
    /// few.
    pub fn add(&mut self, input: Input, lesson: &Lesson<'_>, random: &mut Random) {
        let new = lesson.new;
        // The last ones are the deepest.
        let marks: Vec<u64> = new.iter().rev().take(MARKS_MAX).copied().collect();
        self.visits.extend(marks.iter().map(|mark| (*mark, 1)));
        let member = Member {
            input: Arc::new(input),
            marks,
            chosen: 0,
            found: 0,
            yielded: new.len() as u32,
            depth: lesson.covered.len() as u32,
        };
        if self.members.len() < MEMBERS_MAX {
            self.members.push(member);
            return;
        }
        let mut worst = random.index(self.members.len());
        for _ in 1..DRAWN {
            let other = random.index(self.members.len());
            let worth = |number: usize| self.worth(&self.members[number], Wanted::Rare);
            if worth(other) < worth(worst) {
                worst = other;
            }
        }
        for mark in &self.members[worst].marks {
            self.visits.remove(mark);
        }
        self.members[worst] = member;
    }

    pub fn save(&self, writer: &mut Writer) {
        writer.number(self.members.len() as u64);
        for member in &self.members {
            writer.number(u64::from(member.chosen));
            writer.number(u64::from(member.found));
            writer.number(u64::from(member.yielded));
            writer.number(u64::from(member.depth));
            writer.number(member.marks.len() as u64);
            for mark in &member.marks {
                writer.number(*mark);
                writer.number(u64::from(self.visits.get(mark).copied().unwrap_or(1)));
            }
            writer.input(&member.input);
        }
    }

    pub fn load(reader: &mut Reader<'_>, shape: &Shape) -> Result<Corpus, String> {
        let length = reader.count(40)?;
        if length > MEMBERS_MAX {
            return Err(format!("a corpus has {length} inputs: at most {MEMBERS_MAX} are allowed"));
        }
        let small = |number: u64| u32::try_from(number).map_err(|_| format!("{number} is too large a count"));
        let mut corpus = Corpus::default();
        for _ in 0..length {
            let (chosen, found) = (small(reader.number()?)?, small(reader.number()?)?);
            let (yielded, depth) = (small(reader.number()?)?, small(reader.number()?)?);
            let count = reader.count(16)?;
            if count > MARKS_MAX {
                return Err(format!("an input has {count} marks: at most {MARKS_MAX} are allowed"));
            }
            let mut marks = Vec::with_capacity(count);
            for _ in 0..count {
                let mark = reader.number()?;
                corpus.visits.insert(mark, small(reader.number()?)?.max(1));
                marks.push(mark);
            }
            let input = Arc::new(reader.input(shape)?);
            corpus.members.push(Member { input, marks, chosen, found, yielded, depth });
        }
        Ok(corpus)
    }
}
