//! Models are decided as their definitions say, on random small histories of lists: which cycles there are is
//! computed naively, from all pairs of transactions.

use crate::random_transactions::random_lists;
use shakedown_histories::{
    AnomalyKind, Check, Element, History, Key, Op, Outcome, TransactionId, list_append,
};

/// A relation between transactions: for each the set of those behind it, bit by bit.
type Relation = Vec<u32>;

/// The relation in any number of steps.
fn closure(relation: &Relation) -> Relation {
    let mut closed = relation.clone();
    for via in 0..closed.len() {
        for from in 0..closed.len() {
            if closed[from] >> via & 1 == 1 {
                closed[from] |= closed[via];
            }
        }
    }
    closed
}

fn has_circle(relation: &Relation) -> bool {
    closure(relation).iter().enumerate().any(|(node, after)| after >> node & 1 == 1)
}

fn union(a: &Relation, b: &Relation) -> Relation {
    a.iter().zip(b).map(|(a, b)| a | b).collect()
}

/// First one, then the other.
fn then(first: &Relation, second: &Relation) -> Relation {
    let step = |after: &u32| {
        (0..second.len()).filter(|node| after >> node & 1 == 1).fold(0, |all, node| all | second[node])
    };
    first.iter().map(step).collect()
}

/// A read of a transaction: which operation, and which version of which key.
struct Read {
    reader: u32,
    place: usize,
    key: u32,
    version: usize,
}

/// Adya's history: who wrote each version of each key in order, and who read which.
struct Adya {
    count: usize,
    /// For each key the writers of its versions; of what nobody read, all together in the end.
    writers: Vec<Vec<Vec<u32>>>,
    reads: Vec<Read>,
    /// Where each transaction wrote: key, operation, version.
    writes: Vec<(u32, u32, usize, usize)>,
    only_reads: u32,
}

impl Adya {
    fn of(history: &History) -> Adya {
        let is_ok = |id: &TransactionId| history.transaction(*id).outcome == Outcome::Ok;
        let mut longest: Vec<Vec<Element>> = vec![Vec::new(); history.key_count()];
        for op in history.ids().filter(is_ok).flat_map(|id| history.ops(id)) {
            if let Op::Read(Key(key), Some(list)) = op
                && list.len() > longest[key as usize].len()
            {
                longest[key as usize] = list.to_vec();
            }
        }
        let is_read = |id: TransactionId| {
            history.ops(id).any(
                |op| matches!(op, Op::Append(Key(key), element) if longest[key as usize].contains(&element)),
            )
        };
        let mut adya = Adya {
            count: history.len(),
            writers: longest.iter().map(|list| vec![Vec::new(); list.len() + 1]).collect(),
            reads: Vec::new(),
            writes: Vec::new(),
            only_reads: 0,
        };
        for id in history.ids() {
            if !is_ok(&id) && (history.transaction(id).outcome == Outcome::Fail || !is_read(id)) {
                continue;
            }
            let mut own = vec![0; history.key_count()];
            for (place, op) in history.ops(id).enumerate() {
                let key = op.key().0;
                let of_key = &longest[key as usize];
                match op {
                    Op::Append(_, element) => {
                        let version =
                            of_key.iter().position(|known| *known == element).unwrap_or(of_key.len());
                        adya.writers[key as usize][version].push(id.0);
                        adya.writes.push((id.0, key, place, version));
                        own[key as usize] += 1;
                    }
                    Op::Read(_, list) if is_ok(&id) => {
                        let version = list.map_or(0, <[_]>::len) - own[key as usize];
                        adya.reads.push(Read { reader: id.0, place, key, version });
                    }
                    _ => {}
                }
            }
            if own.iter().all(|count| *count == 0) {
                adya.only_reads |= 1 << id.0;
            }
        }
        adya
    }

    /// Who wrote the version before this one, other than this transaction.
    fn before(&self, key: u32, version: usize, id: u32) -> Option<u32> {
        let of_key = &self.writers[key as usize];
        (0..version).rev().flat_map(|version| of_key[version].first().copied()).find(|writer| *writer != id)
    }

    /// Who overwrote a version next.
    fn next(&self, key: u32, version: usize) -> &[u32] {
        let of_key = &self.writers[key as usize];
        (version..of_key.len()).map(|version| &of_key[version][..]).find(|ids| !ids.is_empty()).unwrap_or(&[])
    }

    fn relation(&self, pairs: impl Iterator<Item = (u32, u32)>) -> Relation {
        let mut relation = vec![0; self.count];
        pairs.filter(|(from, to)| from != to).for_each(|(from, to)| relation[from as usize] |= 1 << to);
        relation
    }

    /// Who a transaction depends on by an operation: by what it read, or by what it overwrote.
    fn entries(&self) -> impl Iterator<Item = (u32, u32, usize, bool)> + '_ {
        let read = self.reads.iter().filter_map(|read| {
            let writer = self.writers[read.key as usize].get(read.version.checked_sub(1)?)?.first()?;
            Some((*writer, read.reader, read.place, true))
        });
        let written = self.writes.iter().filter_map(|&(writer, key, place, version)| {
            Some((self.before(key, version, writer)?, writer, place, false))
        });
        read.chain(written)
    }

    fn overwritten(&self) -> impl Iterator<Item = (&Read, u32)> + '_ {
        self.reads
            .iter()
            .flat_map(|read| self.next(read.key, read.version).iter().map(move |writer| (read, *writer)))
    }

    /// Whether a transaction sees a write of another and misses another one; after it, if asked so.
    fn is_seen_in_part(&self, after: bool) -> bool {
        self.reads.iter().any(|seen| {
            let Some(before) = seen.version.checked_sub(1) else { return false };
            let Some(&writer) = self.writers[seen.key as usize][before].first() else { return false };
            writer != seen.reader
                && self.reads.iter().filter(|read| read.reader == seen.reader).any(|missed| {
                    let is_newer = |&(id, key, _, version): &(u32, u32, usize, usize)| {
                        id == writer && key == missed.key && version >= missed.version
                    };
                    (!after || seen.place < missed.place) && self.writes.iter().any(is_newer)
                })
        })
    }

    /// Whether a model of this name allows it.
    fn is_allowed(&self, model: &str) -> bool {
        let ww = self.relation(self.entries().filter(|entry| !entry.3).map(|(from, to, ..)| (from, to)));
        let dependencies = self.relation(self.entries().map(|(from, to, ..)| (from, to)));
        let rw = self.relation(self.overwritten().map(|(read, writer)| (read.reader, writer)));
        let closed = closure(&dependencies);
        let reaches = |from: u32, to: u32| from == to || closed[from as usize] >> to & 1 == 1;
        let committed = !has_circle(&dependencies);
        let lost_update = self.writes.iter().any(|a| {
            let version = |id: u32| self.reads.iter().find(|read| read.reader == id && read.key == a.1);
            self.writes.iter().filter(|b| b.0 != a.0 && b.1 == a.1).any(|b| {
                // The first read counts, if it comes before the write.
                let updates = |write: &(u32, u32, usize, usize)| version(write.0).map(|read| read.version);
                updates(a).is_some() && updates(a) == updates(b)
            })
        });
        let goes_back = self.overwritten().any(|(read, writer)| {
            writer != read.reader
                && self.entries().any(|(from, to, place, _)| {
                    to == read.reader && from != to && place < read.place && reaches(writer, from)
                })
        });
        let g_single =
            self.overwritten().any(|(read, writer)| writer != read.reader && reaches(writer, read.reader));
        let all = union(&dependencies, &rw);
        let update = (0..self.count).any(|one| {
            let hidden = self.only_reads & !(1 << one);
            let shown =
                |(node, after): (usize, &u32)| if hidden >> node & 1 == 1 { 0 } else { after & !hidden };
            has_circle(&all.iter().enumerate().map(shown).collect())
        });
        match model {
            "read-uncommitted" => !has_circle(&ww),
            "read-committed" => committed,
            "cursor-stability" => committed && !lost_update,
            "monotonic-view" => committed && !goes_back,
            "monotonic-atomic-view" => committed && !self.is_seen_in_part(true),
            "consistent-view" => committed && !lost_update && !goes_back && !g_single,
            "update-serializable" => committed && !lost_update && !g_single && !update,
            "read-atomic" => committed && !self.is_seen_in_part(false),
            "update-atomic" => committed && !lost_update && !self.is_seen_in_part(false),
            "parallel-snapshot-isolation" => committed && !lost_update && !g_single,
            "repeatable-read" => !has_circle(&all),
            "snapshot-isolation" => {
                !has_circle(&union(&dependencies, &then(&dependencies, &rw))) && !lost_update
            }
            other => panic!("{other} has no definition here"),
        }
    }
}

const MODELS: [&str; 12] = [
    "read-uncommitted",
    "read-committed",
    "cursor-stability",
    "monotonic-view",
    "monotonic-atomic-view",
    "consistent-view",
    "update-serializable",
    "read-atomic",
    "update-atomic",
    "parallel-snapshot-isolation",
    "repeatable-read",
    "snapshot-isolation",
];

#[test]
fn models_are_decided_by_their_definitions() {
    let histories = std::env::var("HISTORIES").ok().and_then(|count| count.parse().ok()).unwrap_or(100_000);
    let (mut compared, mut forbidden) = (0_u64, [0_u64; 12]);
    for seed in 0..histories {
        let history = random_lists(seed);
        let check = Check { process_order: false, real_time: false, exact_up_to: 0, ..Check::default() };
        let report = list_append::check(&history, check);
        // Definitions are about dependencies: reads that fit no version have none.
        let is_cycle = |kind: &AnomalyKind| matches!(kind, AnomalyKind::Cycle(..) | AnomalyKind::LostUpdate);
        if !report.counts.keys().all(is_cycle) {
            continue;
        }
        compared += 1;
        let adya = Adya::of(&history);
        for (place, model) in MODELS.iter().enumerate() {
            let expected = adya.is_allowed(model);
            let ops: Vec<String> = history.ids().map(|id| history.describe(id)).collect();
            assert_eq!(report.allows(model), expected, "seed {seed}, {model}: {:?} {ops:#?}", report.kinds());
            forbidden[place] += u64::from(!expected);
        }
    }
    println!(
        "{compared} histories are compared; forbidden: {:?}",
        MODELS.iter().zip(forbidden).collect::<Vec<_>>()
    );
    assert!(compared > histories / 2, "{compared}");
    // Every model but the weakest forbids some.
    assert!(forbidden[1..].iter().all(|count| *count > compared / 1_000), "{forbidden:?}");
}
