//! An async service: a counter that one node keeps and all nodes add to, with calls, time-outs and retries.
//!
//! It is the service of docs/first-async-protocol.md, with the bug and without it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use shakedown::async_node::{Async, AsyncNode, Env};
use shakedown::prelude::*;

/// What a node asks the keeper: add this. A retry has the same client and number.
#[derive(Clone, Debug)]
pub struct Add {
    /// The node that asks.
    pub client: usize,
    /// Which request of this node.
    pub number: u64,
    /// How much to add.
    pub amount: u64,
}

impl Message for Add {
    fn kind(&self) -> &'static str {
        "Add"
    }

    fn describe(&self) -> String {
        format!("{} (request {})", self.amount, self.number)
    }
}

/// The counter, at its keeper.
#[derive(Default)]
pub struct Counter {
    total: u64,
    /// What was answered, by client and number, where retries are recognised.
    answered: Option<BTreeMap<(usize, u64), u64>>,
}

impl Counter {
    /// Adds, unless it is known that this was done before.
    pub fn apply(&mut self, add: &Add) -> u64 {
        let key = (add.client, add.number);
        if let Some(total) = self.answered.as_ref().and_then(|answered| answered.get(&key)) {
            return *total;
        }
        self.total += add.amount;
        if let Some(answered) = &mut self.answered {
            answered.insert(key, self.total);
        }
        self.total
    }
}

/// One node.
pub struct Server {
    env: Env<Server>,
    counter: RefCell<Counter>,
    asked: Cell<u64>,
}

const KEEPER: NodeId = NodeId::new(1);

impl AsyncNode for Server {
    type Message = Add;
    type Reply = u64;
    type Request = u64;
    type Answer = u64;
    type State = u64;
    type Disk = ();

    async fn boot(_disk: (), env: Env<Server>) -> Server {
        let knows_retries = env.options().get("knows_retries").unwrap_or(false);
        let counter = Counter { total: 0, answered: knows_retries.then(BTreeMap::new) };
        Server { env, counter: RefCell::new(counter), asked: Cell::new(0) }
    }

    async fn serve(self: Rc<Self>, _from: NodeId, add: Add) -> u64 {
        self.counter.borrow_mut().apply(&add)
    }

    async fn request(self: Rc<Self>, _id: RequestId, amount: u64) -> Option<u64> {
        self.asked.set(self.asked.get() + 1);
        let add = Add { client: self.env.id().number(), number: self.asked.get(), amount };
        loop {
            let call = self.env.call(KEEPER, add.clone());
            if let Ok(Ok(total)) = self.env.timeout(Duration::from_millis(20), call).await {
                return Some(total);
            }
        }
    }

    fn observe(&self) -> u64 {
        self.counter.borrow().total
    }
}

/// The counter, with or without the bug.
pub fn target() -> Target<Async<Server>> {
    Target::new("async-counter")
        .about("a counter with retries; knows_retries=false adds some of them twice")
        .contract(Contract { duplication: false, crashes: Crashes::Never, ..Contract::asynchronous() })
        .option("knows_retries", false, "whether the keeper recognises a retry")
        .requests(4, |number, _random| 10 * (number as u64 + 1))
        .oracles(|_config| vec![nothing_is_added_twice()])
}

fn nothing_is_added_twice() -> Box<dyn Oracle<u64>> {
    invariant("nothing-is-added-twice", |seen: &Seen<'_, u64>| {
        let asked: u64 =
            seen.board().requests().iter().filter_map(|request| request.op.parse::<u64>().ok()).sum();
        let total = *seen.state(KEEPER);
        if total <= asked {
            Ok(())
        } else {
            Err(format!("{asked} were to be added, the counter is at {total}"))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retry_is_added_twice() {
        let finding = Test::new(target()).executions(1_000).expect_violation("nothing-is-added-twice");
        let steps: Vec<_> = finding.failure.schedule.steps.iter().map(ToString::to_string).collect();
        assert_eq!(steps.iter().filter(|step| step.starts_with("deliver")).count(), 2, "{steps:?}");
    }

    #[test]
    fn a_keeper_that_knows_retries_adds_nothing_twice() {
        Test::new(target()).set("knows_retries", true).executions(1_000).run();
    }
}
