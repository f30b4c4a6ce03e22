//! The order of the versions of each key, and who appended what.

use rustc_hash::FxHashSet;

use crate::anomaly::{AnomalyKind, Report, plain};
use crate::{Element, History, Key, Op, Outcome, TransactionId};

/// No transaction.
pub(crate) const NOBODY: u32 = u32::MAX;

/// Who appended an element to a key.
#[derive(Clone, Copy)]
struct Append {
    element: Element,
    transaction: u32,
    /// Whether the transaction appended nothing to the key after it.
    is_final: bool,
    /// Where it stands in the order of versions; [`NOBODY`] if nowhere.
    position: u32,
}

/// For each key its elements in order: the longest list that a committed transaction read.
pub(crate) struct Versions<'h> {
    longest: Vec<&'h [Element]>,
    /// Who read it; [`NOBODY`] if nobody read anything.
    readers: Vec<u32>,
    /// All appends, those of one key together.
    appends: Vec<Append>,
    first_append: Vec<u32>,
    /// For each position of each key the place of its append; [`NOBODY`] for an element that nobody appended.
    writers: Vec<u32>,
    /// Where the positions of each key begin.
    first_position: Vec<u32>,
    /// For each key the first position that an aborted transaction or nobody wrote.
    first_aborted: Vec<u32>,
    first_garbage: Vec<u32>,
    /// Transactions whose outcome is unknown, but something of which was read: they were committed.
    revealed: FxHashSet<u32>,
    /// The first of two equal elements of a list.
    duplicates: Vec<(Key, Element)>,
    /// Elements of a transaction that stand otherwise than it appended them, the first one first.
    shuffled: Vec<(Key, Element, Element, u32)>,
    /// Appends of an element that had been appended to the key before: the two transactions.
    repeated: Vec<(Key, Element, u32, u32)>,
}

impl<'h> Versions<'h> {
    pub fn infer(history: &'h History) -> Versions<'h> {
        let keys = history.key_count();
        let (longest, readers, counts) = survey(history);
        let mut first_append = vec![0; keys + 1];
        for key in 0..keys {
            first_append[key + 1] = first_append[key] + counts[key];
        }
        let nothing = Append { element: Element(0), transaction: NOBODY, is_final: true, position: NOBODY };
        let mut versions = Versions {
            appends: vec![nothing; first_append[keys] as usize],
            first_position: Vec::with_capacity(keys + 1),
            writers: Vec::with_capacity(longest.iter().map(|list| list.len()).sum()),
            first_aborted: vec![NOBODY; keys],
            first_garbage: vec![NOBODY; keys],
            longest,
            readers,
            first_append,
            revealed: FxHashSet::default(),
            duplicates: Vec::new(),
            shuffled: Vec::new(),
            repeated: Vec::new(),
        };
        versions.gather(history);
        let mut finder = Finder::default();
        for key in 0..keys {
            versions.place(history, key, &mut finder);
            versions.find_shuffled(key);
        }
        versions.first_position.push(versions.writers.len() as u32);
        versions
    }

    /// Puts the appends of one key together.
    fn gather(&mut self, history: &History) {
        let mut next = self.first_append.clone();
        for id in history.ids() {
            for op in history.ops(id) {
                let Op::Append(key, element) = op else { continue };
                let place = &mut next[key.0 as usize];
                if *place > self.first_append[key.0 as usize] {
                    let before = &mut self.appends[*place as usize - 1];
                    before.is_final = before.transaction != id.0;
                }
                self.appends[*place as usize] =
                    Append { element, transaction: id.0, is_final: true, position: NOBODY };
                *place += 1;
            }
        }
    }

    /// Finds who wrote each position of a key.
    fn place(&mut self, history: &History, key: usize, finder: &mut Finder) {
        let range = self.first_append[key] as usize..self.first_append[key + 1] as usize;
        finder.begin(&self.appends[range.clone()]);
        for place in range.clone() {
            let Append { element, transaction, .. } = self.appends[place];
            if let Some(before) = finder.put(element, place as u32) {
                let before = self.appends[before as usize].transaction;
                self.repeated.push((Key(key as u32), element, before, transaction));
            }
        }
        self.first_position.push(self.writers.len() as u32);
        for (position, element) in (0..).zip(self.longest[key]) {
            let place = finder.find(*element).unwrap_or(NOBODY);
            self.writers.push(place);
            let Some(append) = self.appends.get_mut(place as usize) else {
                self.first_garbage[key] = self.first_garbage[key].min(position);
                continue;
            };
            if std::mem::replace(&mut append.position, position) != NOBODY {
                self.duplicates.push((Key(key as u32), *element));
            }
            match history.transaction(TransactionId(append.transaction)).outcome {
                Outcome::Ok => {}
                Outcome::Fail => self.first_aborted[key] = self.first_aborted[key].min(position),
                Outcome::Info => drop(self.revealed.insert(append.transaction)),
            }
        }
    }

    /// Finds elements that stand otherwise than their transaction appended them, or without those that it
    /// appended before.
    fn find_shuffled(&mut self, key: usize) {
        let range = self.first_append[key] as usize..self.first_append[key + 1] as usize;
        for pair in self.appends[range].windows(2) {
            let [first, second] = pair else { continue };
            let is_one = first.transaction == second.transaction;
            if is_one && second.position != NOBODY && first.position > second.position {
                self.shuffled.push((Key(key as u32), first.element, second.element, first.transaction));
            }
        }
    }

    /// The longest list of a key that was read.
    #[inline]
    pub fn longest(&self, key: Key) -> &'h [Element] {
        self.longest[key.0 as usize]
    }

    /// The transaction that read the longest list of a key; [`NOBODY`] if nobody read anything.
    pub fn longest_reader(&self, key: Key) -> u32 {
        self.readers[key.0 as usize]
    }

    /// The transactions that wrote the positions of a key, in order.
    pub fn writers(&self, key: Key) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + '_ {
        let positions =
            self.first_position[key.0 as usize] as usize..self.first_position[key.0 as usize + 1] as usize;
        self.writers[positions].iter().map(|&place| self.transaction_at(place))
    }

    fn transaction_at(&self, place: u32) -> u32 {
        self.appends.get(place as usize).map_or(NOBODY, |append| append.transaction)
    }

    /// The append at a position of a key: its transaction, and whether that appended nothing to the key after
    /// it.
    #[inline]
    fn at(&self, key: Key, position: usize) -> (u32, bool) {
        let place = self.writers[self.first_position[key.0 as usize] as usize + position];
        self.appends
            .get(place as usize)
            .map_or((NOBODY, true), |append| (append.transaction, append.is_final))
    }

    /// The transaction that wrote a position of a key.
    #[inline]
    pub fn writer(&self, key: Key, position: usize) -> u32 {
        self.at(key, position).0
    }

    /// Whether the version that ends with this position was never meant to be seen.
    #[inline]
    pub fn is_intermediate(&self, key: Key, position: usize) -> bool {
        !self.at(key, position).1
    }

    /// How many positions there are before this key.
    #[inline]
    pub fn positions_before(&self, key: Key) -> usize {
        self.first_position[key.0 as usize] as usize
    }

    /// How many positions there are.
    pub fn position_count(&self) -> usize {
        self.writers.len()
    }

    /// The first position of a key whose element an aborted transaction appended.
    #[inline]
    pub fn first_aborted(&self, key: Key) -> usize {
        self.first_aborted[key.0 as usize] as usize
    }

    /// The first position of a key whose element nobody appended.
    #[inline]
    pub fn first_garbage(&self, key: Key) -> usize {
        self.first_garbage[key.0 as usize] as usize
    }

    /// The committed transactions that appended to a key what no read returned.
    pub fn unobserved<'v>(&'v self, history: &'v History, key: Key) -> impl Iterator<Item = u32> + 'v {
        let range =
            self.first_append[key.0 as usize] as usize..self.first_append[key.0 as usize + 1] as usize;
        let is_committed = |id: &u32| {
            history.transaction(TransactionId(*id)).outcome == Outcome::Ok || self.revealed.contains(id)
        };
        let unobserved = self.appends[range].iter().filter(|append| append.position == NOBODY);
        unobserved.map(|append| append.transaction).filter(is_committed)
    }

    /// The transactions that appended an element to a key, wherever it stands.
    pub fn who_appended(&self, key: Key, element: Element) -> Option<u32> {
        let range =
            self.first_append[key.0 as usize] as usize..self.first_append[key.0 as usize + 1] as usize;
        self.appends[range].iter().find(|append| append.element == element).map(|append| append.transaction)
    }

    /// Reports what the order of versions shows by itself.
    pub fn report(&self, history: &History, most: usize, report: &mut Report) {
        for &(key, element, before, after) in &self.repeated {
            let (key, element) = (history.key_name(key), history.element_name(element));
            let text = format!("T{before} and T{after} append {element} to {key}");
            report.add(most, plain(AnomalyKind::DuplicateAppends, &[before, after], text));
        }
        for &(key, element) in &self.duplicates {
            let (reader, writer) = (self.longest_reader(key), self.who_appended(key, element));
            let writer = writer.unwrap_or(reader);
            let text = format!(
                "T{reader} reads {} of {} twice, and T{writer} appended it once",
                history.element_name(element),
                history.key_name(key),
            );
            report.add(most, plain(AnomalyKind::DuplicateElements, &[writer, reader], text));
        }
        for &(key, first, second, id) in &self.shuffled {
            let (first, second) = (history.element_name(first), history.element_name(second));
            let text = format!(
                "T{id} appended {first} to {} before {second}, but reads do not have them in this order",
                history.key_name(key)
            );
            report.add(most, plain(AnomalyKind::Internal, &[id], text));
        }
        for key in (0..history.key_count() as u32).map(Key) {
            let aborted = self.first_aborted(key);
            if aborted >= self.longest(key).len() {
                continue;
            }
            // What has an unknown outcome but was read was committed.
            let is_committed =
                |id: &u32| *id != NOBODY && history.transaction(TransactionId(*id)).outcome != Outcome::Fail;
            if let Some(over) = self.writers(key).skip(aborted + 1).find(is_committed) {
                let (under, name) = (self.writer(key, aborted), history.key_name(key));
                let reader = self.longest_reader(key);
                let text = format!(
                    "T{over} appended to {name} behind what T{under} had appended, which was aborted, as T{reader} reads"
                );
                report.add(most, plain(AnomalyKind::DirtyUpdate, &[under, over, reader], text));
            }
        }
    }
}

/// The longest committed read of each key, who read it, and how many appends the key has.
fn survey(history: &History) -> (Vec<&[Element]>, Vec<u32>, Vec<u32>) {
    let mut longest: Vec<&[Element]> = vec![&[]; history.key_count()];
    let mut readers = vec![NOBODY; history.key_count()];
    let mut counts = vec![0_u32; history.key_count()];
    for id in history.ids() {
        let is_ok = history.transaction(id).outcome == Outcome::Ok;
        for op in history.ops(id) {
            match op {
                Op::Append(key, _) => counts[key.0 as usize] += 1,
                Op::Read(key, Some(list)) if is_ok && list.len() > longest[key.0 as usize].len() => {
                    longest[key.0 as usize] = list;
                    readers[key.0 as usize] = id.0;
                }
                _ => {}
            }
        }
    }
    (longest, readers, counts)
}

/// Finds the append of an element of one key: by a table where elements are dense, as they nearly always are.
#[derive(Default)]
struct Finder {
    table: Vec<u32>,
    sparse: rustc_hash::FxHashMap<Element, u32>,
}

impl Finder {
    fn begin(&mut self, appends: &[Append]) {
        self.sparse.clear();
        let highest = appends.iter().map(|append| append.element.0 as usize).max().unwrap_or(0);
        self.table.clear();
        if highest <= 8 * appends.len() + 64 {
            self.table.resize(highest + 1, NOBODY);
        }
    }

    /// Notes an append; gives the one of the same element that was there before, which stays.
    fn put(&mut self, element: Element, place: u32) -> Option<u32> {
        let known = match self.table.get_mut(element.0 as usize) {
            Some(known) => known,
            None => self.sparse.entry(element).or_insert(NOBODY),
        };
        if *known != NOBODY {
            return Some(*known);
        }
        *known = place;
        None
    }

    fn find(&self, element: Element) -> Option<u32> {
        let known = self.table.get(element.0 as usize).or_else(|| self.sparse.get(&element));
        known.copied().filter(|place| *place != NOBODY)
    }
}
