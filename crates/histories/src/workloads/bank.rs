//! Banks: `transfer` between accounts, `read` all balances.
//!
//! The total is that of most reads.

use std::collections::BTreeMap;

use super::{Problems, unknown_f};
use crate::{Item, Operation, Outcome, ReadError};

/// Finds reads whose total differs, balances below zero, and accounts that are missing.
pub(super) fn check(history: &[Operation], most: usize) -> Result<Problems, ReadError> {
    let mut problems = Problems::new(most);
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
    let Some((usual, _)) = totals.iter().max_by_key(|(total, count)| (**count, std::cmp::Reverse(**total)))
    else {
        return Ok(problems);
    };
    for (read, total) in &reads {
        if total != usual {
            problems.add("wrong-total", &[read.line], || {
                format!("the balances add up to {total}, but to {usual} in most reads")
            });
        }
    }
    for (account, _) in accounts.iter().filter(|(_, count)| **count < reads.len()) {
        problems.add("missing-account", &[], || format!("some reads have no account {}", account.shown()));
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
        let Item::Number(balance) = balance else {
            return Err(operation.wrong(format!("{} is no balance", balance.shown())));
        };
        total = total.saturating_add(*balance);
        if *balance < 0 {
            problems
                .add("overdrawn", &[operation.line], || format!("account {} has {balance}", account.shown()));
        }
    }
    Ok(total)
}
