//! The oracles that ask, when an execution is over, whether some order of the operations explains it:
//! linearizability, serializability of the outcome, sequential consistency of the final state.
//!
//! They read what clients asked and were told from the board. The first needs nothing else. The other two
//! look at what nodes hold in the end, which says little while messages are still under way: tell them after
//! how many calm rounds to judge (see [`crate::Calm`]).

use std::fmt::Display;

use shakedown_cluster::RequestInfo;

use crate::calm::CalmEnough;
use crate::history::{history, understand_registers};
use crate::serializability::Strictness;
use crate::{
    Asked, Doubt, LimitHit, Linearizability, Model, Obstacle, Oracle, RegisterValues, Registers,
    SearchLimits, Seen, SequentialConsistency, Serializability, Understood, linearizability,
    sequential_consistency, serializability,
};

/// How requests and answers are read.
type Understand<M> = Box<dyn Fn(&RequestInfo) -> Result<Understood<M>, Doubt>>;

/// What did not fit, in words.
fn violated<M: Model>(what: &str, obstacle: &Obstacle, history: &[Asked<M>], outcome: &str) -> Doubt
where
    M::Op: Display,
    M::Answer: Display,
{
    let operation = |place: usize| {
        let (node, operation) = &history[place];
        match operation.answer() {
            Some(answer) => format!("{node} `{}`: {answer}", operation.op),
            None => format!("{node} `{}`: no answer", operation.op),
        }
    };
    Doubt::Violated(format!("{what}: {}{outcome}", obstacle.describe(operation)))
}

fn unknown(limit: LimitHit) -> Doubt {
    Doubt::Unknown(limit.to_string())
}

/// The history of requests and answers is linearizable.
pub struct Linearizable<M: Model> {
    model: M,
    understand: Understand<M>,
    limits: SearchLimits,
    judged: u64,
}

impl Linearizable<Registers> {
    /// For targets that speak the vocabulary of registers.
    pub fn registers() -> Linearizable<Registers> {
        Linearizable::new(Registers, understand_registers)
    }
}

impl<M: Model> Linearizable<M> {
    /// For any model, given how a request and its answer are read.
    pub fn new(
        model: M,
        understand: impl Fn(&RequestInfo) -> Result<Understood<M>, Doubt> + 'static,
    ) -> Linearizable<M> {
        Linearizable { model, understand: Box::new(understand), limits: SearchLimits::default(), judged: 0 }
    }

    /// With other limits.
    #[must_use]
    pub fn limits(mut self, limits: SearchLimits) -> Self {
        self.limits = limits;
        self
    }
}

impl<S, M: Model> Oracle<S> for Linearizable<M>
where
    M::Op: Display + Clone,
    M::Answer: Display + Clone,
{
    fn name(&self) -> &str {
        "linearizability"
    }

    fn about(&self) -> &str {
        "the history of requests and answers is linearizable"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.judged)
    }

    fn after_step(&mut self, _seen: &Seen<'_, S>) -> Result<(), String> {
        Ok(())
    }

    fn at_end(&mut self, seen: &Seen<'_, S>) -> Result<(), Doubt> {
        let asked = history::<M>(seen.board(), &self.understand)?;
        // Without an answer there is nothing that an order would have to explain.
        self.judged += asked.iter().filter(|(_, operation)| operation.answer().is_some()).count() as u64;
        let operations: Vec<_> = asked.iter().map(|(_, operation)| operation.clone()).collect();
        match linearizability::check(&self.model, &operations, self.limits) {
            Linearizability::Linearizable(_) => Ok(()),
            Linearizability::NotLinearizable(obstacle) => {
                Err(violated::<M>("no order explains the answers", &obstacle, &asked, ""))
            }
            Linearizability::Unknown(limit) => Err(unknown(limit)),
        }
    }
}

/// Some serial order of the transactions explains their answers and what is there in the end.
pub struct SerializableOutcome<F> {
    outcome: F,
    understand: Understand<Registers>,
    strictness: Strictness,
    limits: SearchLimits,
    calm: CalmEnough,
    judged: u64,
}

impl<F> SerializableOutcome<F> {
    /// For targets that speak the vocabulary of registers, given what is there in the end: what somebody
    /// would read who asks a quorum, such as [`serializability::majority`] of what the nodes hold.
    pub fn new<S>(outcome: F) -> SerializableOutcome<F>
    where
        F: FnMut(&Seen<'_, S>) -> Result<RegisterValues, Doubt>,
    {
        SerializableOutcome {
            outcome,
            understand: Box::new(understand_registers),
            strictness: Strictness::AnyOrder,
            limits: SearchLimits::default(),
            calm: CalmEnough::always(),
            judged: 0,
        }
    }

    /// With this way to read a request and its answer.
    #[must_use]
    pub fn understand(
        mut self,
        understand: impl Fn(&RequestInfo) -> Result<Understood<Registers>, Doubt> + 'static,
    ) -> Self {
        self.understand = Box::new(understand);
        self
    }

    /// With only those orders.
    #[must_use]
    pub fn strictness(mut self, strictness: Strictness) -> Self {
        self.strictness = strictness;
        self
    }

    /// With other limits.
    #[must_use]
    pub fn limits(mut self, limits: SearchLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Judging only executions that end with at least so many calm rounds after the last request.
    #[must_use]
    pub fn after_calm(mut self, rounds: u64) -> Self {
        self.calm = CalmEnough::after_requests(rounds);
        self
    }
}

impl<S, F: FnMut(&Seen<'_, S>) -> Result<RegisterValues, Doubt>> Oracle<S> for SerializableOutcome<F> {
    fn name(&self) -> &str {
        match self.strictness {
            Strictness::AnyOrder => "serializability-of-the-outcome",
            Strictness::RealTime => "strict-serializability-of-the-outcome",
        }
    }

    fn about(&self) -> &str {
        "some serial order of the transactions explains their answers and the final state"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.judged)
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        self.calm.observe(seen.board());
        Ok(())
    }

    fn at_end(&mut self, seen: &Seen<'_, S>) -> Result<(), Doubt> {
        if self.calm.judge(seen.board()).is_none() {
            return Ok(());
        }
        let asked = history::<Registers>(seen.board(), &self.understand)?;
        self.judged += asked.len() as u64;
        let outcome = (self.outcome)(seen)?;
        let transactions: Vec<_> = asked.iter().map(|(_, operation)| operation.clone()).collect();
        match serializability::check(&Registers, &transactions, &outcome, self.strictness, self.limits) {
            Serializability::Serializable(_) => Ok(()),
            Serializability::NotSerializable(obstacle) => {
                let what = "no serial order explains the transactions and their outcome";
                Err(violated::<Registers>(what, &obstacle, &asked, &format!(" ({outcome} in the end)")))
            }
            Serializability::Unknown(limit) => Err(unknown(limit)),
        }
    }
}

/// In the end all running nodes hold the same values, and some sequentially consistent order leads to them.
pub struct SequentiallyConsistent<F> {
    values: F,
    understand: Understand<Registers>,
    limits: SearchLimits,
    calm: CalmEnough,
    judged: u64,
}

impl<F> SequentiallyConsistent<F> {
    /// For targets that speak the vocabulary of registers, given what a node in this state holds.
    pub fn new<S>(values: F) -> SequentiallyConsistent<F>
    where
        F: FnMut(&S) -> RegisterValues,
    {
        SequentiallyConsistent {
            values,
            understand: Box::new(understand_registers),
            limits: SearchLimits::default(),
            calm: CalmEnough::always(),
            judged: 0,
        }
    }

    /// With this way to read a request and its answer.
    #[must_use]
    pub fn understand(
        mut self,
        understand: impl Fn(&RequestInfo) -> Result<Understood<Registers>, Doubt> + 'static,
    ) -> Self {
        self.understand = Box::new(understand);
        self
    }

    /// With other limits.
    #[must_use]
    pub fn limits(mut self, limits: SearchLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Judging only executions that end with at least so many calm rounds after the last request.
    #[must_use]
    pub fn after_calm(mut self, rounds: u64) -> Self {
        self.calm = CalmEnough::after_requests(rounds);
        self
    }
}

impl<S, F: FnMut(&S) -> RegisterValues> Oracle<S> for SequentiallyConsistent<F> {
    fn name(&self) -> &str {
        "sequential-consistency-of-the-final-state"
    }

    fn about(&self) -> &str {
        "all running nodes end with the same values, and a sequentially consistent order leads to them"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.judged)
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        self.calm.observe(seen.board());
        Ok(())
    }

    fn at_end(&mut self, seen: &Seen<'_, S>) -> Result<(), Doubt> {
        if self.calm.judge(seen.board()).is_none() {
            return Ok(());
        }
        let asked = history::<Registers>(seen.board(), &self.understand)?;
        self.judged += asked.len() as u64;
        let finals: Vec<_> = seen.up().map(|(node, state)| (node, (self.values)(state))).collect();
        match sequential_consistency::check(&Registers, &asked, &finals, self.limits) {
            SequentialConsistency::Consistent(_) => Ok(()),
            SequentialConsistency::Divergence(a, b) => {
                let held = |node| finals.iter().find(|(other, _)| *other == node).map(|(_, values)| values);
                let text = |node| held(node).map_or_else(String::new, RegisterValues::to_string);
                Err(Doubt::Violated(format!("divergence: {a} ends with {}, {b} with {}", text(a), text(b))))
            }
            SequentialConsistency::NoOrder(obstacle) => {
                let outcome =
                    finals.first().map_or_else(String::new, |(_, values)| format!(" ({values} in the end)"));
                let what = "no sequentially consistent order explains the requests and the final state";
                Err(violated::<Registers>(what, &obstacle, &asked, &outcome))
            }
            SequentialConsistency::Unknown(limit) => Err(unknown(limit)),
        }
    }
}
