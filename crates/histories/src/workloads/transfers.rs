//! Banks: whether one order of the transfers leads to all that was read.
//!
//! Nobody knows the balances before everything: they are what the first read needs. Real time plays no part:
//! a read may be of an earlier state, as snapshot isolation allows. No transfer overdraws an account, for
//! then it would have failed.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::Problems;
use crate::{Item, Operation, Outcome};

/// The most transfers that are put into an order: sets of them are bits of a number.
const TRANSFERS_MAX: usize = 64;

/// How many states are looked at before a search gives up.
const STATES_MAX: usize = 100_000;

/// Balances, in the order of the accounts.
type Balances = Vec<i128>;

struct Transfer {
    from: usize,
    to: usize,
    amount: i128,
    is_certain: bool,
}

/// What is searched.
struct Search {
    transfers: Vec<Transfer>,
    /// What was read, each once.
    reads: Vec<Balances>,
    total: i128,
    seen: FxHashSet<State>,
}

/// What happened so far.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    /// The transfers that came, bit by bit.
    came: u64,
    /// Which of the reads are explained.
    explained: Vec<bool>,
    /// The balances, or how they have changed if nothing was read yet.
    balances: Balances,
    /// What accounts must have had before everything, if nothing was read yet.
    needed: Option<Balances>,
}

/// Adds that no order of the transfers leads to what was read, or that this is not decided. Every read has
/// been held to the rules before: all have the same accounts, whose balances are numbers and add up to the
/// total.
pub(super) fn decide(history: &[Operation], reads: &[&Operation], total: i64, problems: &mut Problems) {
    let open = |why: String, problems: &mut Problems| {
        problems.leave_open(format!("whether one order of the transfers leads to all reads: {why}"));
    };
    let search = match Search::new(history, reads, total) {
        Ok(search) => search,
        Err(why) => return open(why, problems),
    };
    match search.finds_order() {
        Some(true) => {}
        Some(false) => {
            let lines: Vec<usize> = reads.iter().map(|read| read.line).collect();
            problems.add("no-order", &lines, || {
                "each read alone is right, but no order of the transfers leads to all of them".to_owned()
            });
        }
        None => open(format!("the search was given up after {STATES_MAX} states"), problems),
    }
}

impl Search {
    fn new(history: &[Operation], reads: &[&Operation], total: i64) -> Result<Search, String> {
        // One that was answered with `false` did not happen.
        let may_have = |op: &&Operation| op.outcome != Outcome::Fail && op.answered != Item::Truth(false);
        let transfers: Vec<&Operation> =
            history.iter().filter(|op| op.f == "transfer").filter(may_have).collect();
        if transfers.len() > TRANSFERS_MAX {
            return Err(format!("there are {}, and at most {TRANSFERS_MAX} are tried", transfers.len()));
        }
        // Accounts by what they are written as: the fields of JSON are texts, whatever transfers name.
        let mut accounts = BTreeSet::<String>::new();
        for (account, _) in reads.iter().flat_map(|read| read.answered.fields()) {
            accounts.insert(account.shown());
        }
        for operation in &transfers {
            accounts.extend([asked(operation, "from")?.shown(), asked(operation, "to")?.shown()]);
        }
        let accounts: Vec<String> = accounts.into_iter().collect();
        let place =
            |account: &Item| accounts.binary_search(&account.shown()).expect("all accounts are known");
        let transfer = |operation: &&Operation| {
            let amount = asked(operation, "amount")?.number();
            Ok(Transfer {
                from: place(asked(operation, "from")?),
                to: place(asked(operation, "to")?),
                amount: amount.ok_or_else(|| unclear(operation, "amount"))?.into(),
                is_certain: operation.outcome == Outcome::Ok,
            })
        };
        let transfers = transfers.iter().map(transfer).collect::<Result<_, String>>()?;
        let mut distinct = BTreeSet::new();
        for read in reads {
            let fields = read.answered.fields();
            if fields.len() != accounts.len() {
                return Err("transfers name accounts that no read has".to_owned());
            }
            let mut balances = vec![0; accounts.len()];
            for (account, balance) in fields {
                balances[place(account)] = balance.number().unwrap_or(0).into();
            }
            distinct.insert(balances);
        }
        let reads = distinct.into_iter().collect();
        Ok(Search { transfers, reads, total: total.into(), seen: FxHashSet::default() })
    }

    /// Whether there is an order; nothing if it took too long.
    fn finds_order(mut self) -> Option<bool> {
        let accounts = self.transfers.iter().map(|transfer| transfer.from.max(transfer.to) + 1);
        let accounts = accounts.chain(self.reads.iter().map(Vec::len)).max().unwrap_or(0);
        let nothing = vec![0; accounts];
        let first = State {
            came: 0,
            explained: vec![false; self.reads.len()],
            balances: nothing.clone(),
            needed: Some(nothing),
        };
        let mut left = vec![first];
        while let Some(state) = left.pop() {
            if self.seen.len() > STATES_MAX {
                return None;
            }
            if !self.seen.insert(state.clone()) {
                continue;
            }
            if self.is_end(&state) {
                return Some(true);
            }
            self.go_on(&state, &mut left);
        }
        Some(false)
    }

    fn is_end(&self, state: &State) -> bool {
        let mut certain = (0..).zip(&self.transfers).filter(|(_, transfer)| transfer.is_certain);
        state.explained.iter().all(|is| *is) && certain.all(|(bit, _)| state.came >> bit & 1 == 1)
    }

    /// What may come next. The latest transfers are put in first, so that the earliest are tried first.
    fn go_on(&self, state: &State, left: &mut Vec<State>) {
        for (bit, transfer) in self.transfers.iter().enumerate().rev() {
            if state.came >> bit & 1 == 0 {
                left.extend(self.after(state, bit, transfer));
            }
        }
        let Some(needed) = &state.needed else { return };
        // The first read says what the balances are; each of them may be the first.
        for read in &self.reads {
            let had = read.iter().zip(&state.balances).map(|(read, changed)| read - changed);
            if had.zip(needed).all(|(had, needed)| had >= *needed) {
                let next = State { balances: read.clone(), needed: None, ..state.clone() };
                left.push(self.with_reads(next));
            }
        }
    }

    /// What a transfer leads to, unless it overdraws an account.
    fn after(&self, state: &State, bit: usize, transfer: &Transfer) -> Option<State> {
        let mut next = state.clone();
        next.came |= 1 << bit;
        next.balances[transfer.from] -= transfer.amount;
        next.balances[transfer.to] += transfer.amount;
        match &mut next.needed {
            None => next.balances.iter().all(|balance| *balance >= 0).then(|| self.with_reads(next)),
            Some(needed) => {
                for (needed, changed) in needed.iter_mut().zip(&next.balances) {
                    *needed = (*needed).max(-changed);
                }
                (needed.iter().sum::<i128>() <= self.total).then_some(next)
            }
        }
    }

    /// The same, with the reads that it explains: taking one as soon as it fits never hurts.
    fn with_reads(&self, mut state: State) -> State {
        for (explained, read) in state.explained.iter_mut().zip(&self.reads) {
            *explained |= *read == state.balances;
        }
        state
    }
}

fn asked<'h>(operation: &'h Operation, name: &str) -> Result<&'h Item, String> {
    let field = operation.asked.field(name).or_else(|| operation.answered.field(name));
    field.ok_or_else(|| unclear(operation, name))
}

fn unclear(operation: &Operation, name: &str) -> String {
    format!("line {} has no number or account as its `{name}`", operation.line)
}
