//! Banks: `transfer` between accounts, `read` all balances.
//!
//! The rules are Jepsen's: balances add up to the total, none is below zero or nil, and all reads have the
//! same accounts. The total is given, or that of most reads; the accounts are those of most reads. If reads
//! keep the rules, an order of the transfers that leads to all of them is searched for.

use std::collections::{BTreeMap, BTreeSet};

use super::{Problems, Rules, transfers, unknown_f};
use crate::{Item, Operation, Outcome, ReadError};

/// Finds reads whose total differs, balances below zero or nil, and accounts that are missing or should not
/// be there.
pub(super) fn check(history: &[Operation], rules: Rules) -> Result<Problems, ReadError> {
    let mut problems = Problems::new(rules.most_of_a_kind);
    let mut reads: Vec<(&Operation, i64)> = Vec::new();
    let mut accounts = BTreeMap::<&Item, usize>::new();
    for operation in history {
        match operation.f.as_str() {
            "transfer" => {}
            "read" if operation.outcome == Outcome::Ok => {
                reads.push((operation, balances(operation, &mut accounts, &mut problems)?));
            }
            "read" => {}
            _ => return Err(unknown_f(operation, "a bank has transfer, read")),
        }
    }
    let mut totals = BTreeMap::<i64, usize>::new();
    reads.iter().for_each(|(_, total)| *totals.entry(*total).or_default() += 1);
    let most_reads = totals.iter().max_by_key(|(total, count)| (**count, std::cmp::Reverse(**total)));
    let Some(usual) = rules.total.or(most_reads.map(|(total, _)| *total)) else { return Ok(problems) };
    let whose = if rules.total.is_some() { "should add up" } else { "add up in most reads" };
    for (read, total) in &reads {
        if *total != usual {
            problems.add("wrong-total", &[read.line], || {
                format!("the balances add up to {total}, and {whose} to {usual}")
            });
        }
    }
    let is_usual = |account: &Item| accounts.get(account).is_some_and(|count| *count * 2 > reads.len());
    for (read, _) in &reads {
        let Item::Map(balances) = &read.answered else { continue };
        let read_accounts: BTreeSet<&Item> = balances.iter().map(|(account, _)| account).collect();
        for account in
            accounts.keys().filter(|account| is_usual(account) && !read_accounts.contains(*account))
        {
            problems
                .add("missing-account", &[read.line], || format!("there is no account {}", account.shown()));
        }
        for account in read_accounts.into_iter().filter(|account| !is_usual(account)) {
            problems.add("unexpected-account", &[read.line], || {
                format!("there is an account {}, which most reads do not have", account.shown())
            });
        }
    }
    if problems.is_valid() {
        let reads: Vec<&Operation> = reads.iter().map(|(read, _)| *read).collect();
        transfers::decide(history, &reads, usual, &mut problems);
    }
    Ok(problems)
}

fn balances<'h>(
    operation: &'h Operation,
    accounts: &mut BTreeMap<&'h Item, usize>,
    problems: &mut Problems,
) -> Result<i64, ReadError> {
    let Item::Map(balances) = &operation.answered else {
        let shown = operation.answered.shown();
        return Err(operation.wrong(format!("{shown} is no map of accounts to balances")));
    };
    let mut total = 0_i64;
    for (account, balance) in balances {
        *accounts.entry(account).or_default() += 1;
        let balance = match balance {
            Item::Number(balance) => balance,
            Item::Nil => {
                problems.add("nil-balance", &[operation.line], || {
                    format!("account {} has no balance", account.shown())
                });
                continue;
            }
            other => return Err(operation.wrong(format!("{} is no balance", other.shown()))),
        };
        total = total.saturating_add(*balance);
        if *balance < 0 {
            problems
                .add("overdrawn", &[operation.line], || format!("account {} has {balance}", account.shown()));
        }
    }
    Ok(total)
}
