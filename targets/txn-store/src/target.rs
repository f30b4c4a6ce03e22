//! The target: its options, its workload and its oracle.

use shakedown_check::Transactions;
use shakedown_cluster::{Contract, Crashes, Random};
use shakedown_target::{Config, Target};

use crate::{Action, Isolation, Op, Request, TxnNode};

/// The store on a network that reorders and doubles messages but loses none, so that every transaction ends.
pub fn target() -> Target<TxnNode> {
    let contract = Contract {
        loss: shakedown_cluster::Loss::Never,
        crashes: Crashes::Never,
        ..Contract::asynchronous()
    };
    Target::new("txn-store")
        .version(concat!("shakedown-txn-store ", env!("CARGO_PKG_VERSION")))
        .about("a store of lists with transactions; isolation=snapshot and eighteen others have a fault")
        .nodes(3)
        .nodes_min(1)
        .steps(300)
        .option(
            "isolation",
            Isolation::default(),
            "how transactions are kept apart; all but the default have a fault",
        )
        .option("keys", 3u64, "how many keys there are: fewer are contended more")
        .option("model", "strict-serializable".to_owned(), "the consistency model that histories must have")
        .contract(contract)
        .workload(12, workload)
        .oracles(|config| {
            let model = config.options.text("model").unwrap_or("strict-serializable");
            vec![Box::new(Transactions::new(model))]
        })
}

/// Transactions of one to three operations; half of them append, each element once.
fn workload(config: &Config, random: &mut Random) -> Vec<Request> {
    let keys = config.options.get("keys").unwrap_or(3).max(1);
    let mut element = 0;
    let mut op = |random: &mut Random| -> Op {
        let key = random.below(keys) + 1;
        if random.chance(0.5) {
            element += 1;
            (Action::Append, key, Some(element))
        } else {
            (Action::R, key, None)
        }
    };
    (0..config.requests).map(|_| (0..1 + random.below(3)).map(|_| op(random)).collect()).collect()
}
