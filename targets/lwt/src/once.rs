//! Safety of commits: the Paxos of a key puts every transaction at one place.

use std::collections::BTreeMap;

use shakedown_check::{Oracle, Seen};
use shakedown_cluster::NodeId;

use crate::{Ballot, Proposal, Transaction, View};

/// Under each key, the commits in the order of their ballots: a ballot has one transaction, and no
/// transaction is committed again after another one was. (The same one may be committed several times in a
/// row: it was finished again by somebody who could not know that it was already.)
#[derive(Clone, Debug, Default)]
pub struct CommittedOnce {
    /// The transaction of every commit that was seen.
    seen: BTreeMap<u8, BTreeMap<Ballot, Transaction>>,
    /// How often a commit was compared with those before it.
    comparisons: u64,
}

impl Oracle<View> for CommittedOnce {
    fn name(&self) -> &str {
        "committed-once"
    }

    fn about(&self) -> &str {
        "no transaction is committed twice"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.comparisons)
    }

    fn after_step(&mut self, seen: &Seen<'_, View>) -> Result<(), String> {
        for (node, view) in seen.fresh() {
            for (key, commit) in view.commits() {
                self.enter(node, key, commit)?;
            }
        }
        Ok(())
    }
}

impl CommittedOnce {
    fn enter(&mut self, node: NodeId, key: u8, commit: Proposal) -> Result<(), String> {
        let commits = self.seen.entry(key).or_default();
        self.comparisons += u64::from(!commits.is_empty());
        let Proposal { ballot, transaction, .. } = commit;
        if let Some(known) = commits.insert(ballot, transaction) {
            if known == transaction {
                return Ok(());
            }
            return Err(format!(
                "{node} has committed {commit:?} under k{key}, where {ballot:?} is that of {known}"
            ));
        }
        // What is new may lie between commits that were seen before it.
        let mut last: BTreeMap<Transaction, usize> = BTreeMap::new();
        let mut previous = None;
        for (place, (_, transaction)) in commits.iter().enumerate() {
            let earlier = last.insert(*transaction, place);
            if let Some(earlier) = earlier.filter(|_| previous != Some(*transaction)) {
                let between = commits.values().nth(earlier + 1).expect("something lies between");
                return Err(format!(
                    "{node} has committed {commit:?} under k{key}, so {transaction} was committed both before and after {between}"
                ));
            }
            previous = Some(*transaction);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use shakedown_cluster::RequestId;

    use super::*;

    const N1: NodeId = NodeId::new(1);

    fn check(commits: &[(u64, u32)]) -> Result<(), String> {
        let mut oracle = CommittedOnce::default();
        commits.iter().try_for_each(|&(count, number)| {
            let ballot = Ballot { count, node: N1 };
            oracle.enter(N1, 0, Proposal { ballot, transaction: Transaction(RequestId(number)), value: 5 })
        })
    }

    #[test]
    fn a_transaction_is_committed_several_times_in_a_row_but_not_around_another() {
        assert_eq!(check(&[(1, 0), (2, 0), (1, 0), (4, 1), (3, 0), (5, 2)]), Ok(()));
        let around = "n1 has committed t1=5@3.n1 under k0, so t1 was committed both before and after t2";
        assert_eq!(check(&[(1, 0), (2, 1), (3, 0)]), Err(around.to_owned()));
        let between = "n1 has committed t2=5@2.n1 under k0, so t1 was committed both before and after t2";
        assert_eq!(check(&[(1, 0), (3, 0), (2, 1)]), Err(between.to_owned()));
        let same = "n1 has committed t2=5@1.n1 under k0, where 1.n1 is that of t1";
        assert_eq!(check(&[(1, 0), (1, 1)]), Err(same.to_owned()));
    }
}
