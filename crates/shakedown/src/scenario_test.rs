//! Scenarios in a plain `#[test]`.

use shakedown_campaign::{ScenarioRun, ScenarioSummary, Silent, Target};
use shakedown_cluster::Node;
use shakedown_report::{Text, line};
use shakedown_scenario::Scenario;

use crate::environment::setting;
use crate::test_output::remark_in_test;

/// The most lines of an iteration's log in a test's output.
const LOG_LINES_MAX: usize = 40;

/// Runs a scenario from a plain `#[test]`.
pub trait CheckScenario<M> {
    /// Runs this number of iterations on top of PCTCP, seed 1. The summary has the assertions:
    /// [`at_least`](ScenarioSummary::at_least), [`never_fails`](ScenarioSummary::never_fails),
    /// [`without_doubt`](ScenarioSummary::without_doubt).
    ///
    /// At run time, `SHAKEDOWN_SEED`, `SHAKEDOWN_JOBS` and `SHAKEDOWN_STRATEGY` take precedence. How the
    /// first iteration ended that violated something or did not succeed is printed on standard error, which a
    /// test that fails shows.
    ///
    /// ```
    /// # use shakedown::prelude::*;
    /// # struct Gossip { largest: u64 }
    /// # #[derive(Clone, Debug)]
    /// # struct Tell(u64);
    /// # impl Message for Tell {
    /// #     fn kind(&self) -> &'static str { "Tell" }
    /// # }
    /// # impl Node for Gossip {
    /// #     type Message = Tell;
    /// #     type Request = u64;
    /// #     type Answer = ();
    /// #     type State = u64;
    /// #     type Disk = ();
    /// #     fn boot(_disk: &(), _ctx: &mut Context<'_, Self>) -> Self { Gossip { largest: 0 } }
    /// #     fn request(&mut self, _id: RequestId, number: u64, ctx: &mut Context<'_, Self>) {
    /// #         ctx.broadcast(&Tell(number));
    /// #     }
    /// #     fn receive(&mut self, _from: NodeId, Tell(number): Tell, ctx: &mut Context<'_, Self>) {
    /// #         if number > self.largest { self.largest = number; ctx.broadcast(&Tell(number)); }
    /// #     }
    /// #     fn observe(&self) -> u64 { self.largest }
    /// # }
    /// # fn gossip() -> Target<Gossip> {
    /// #     Target::new("gossip").requests(1, |_, _| 7)
    /// # }
    /// use shakedown::CheckScenario;
    /// use shakedown::scenario::*;
    ///
    /// // Whatever is sent to n3 directly, the first time, is lost: it hears of it from others.
    /// let n3 = NodeId::new(3);
    /// Scenario::new("gossip goes around")
    ///     .filter(when(is_send().and(kind("Tell")).and(to(n3)).once()).then(drop_message()))
    ///     .property(machine().on(is_receive().and(to(n3))).goto_success())
    ///     .check(gossip(), 100)
    ///     .at_least(0.9)
    ///     .never_fails()
    ///     .without_doubt();
    /// ```
    ///
    /// # Panics
    /// If the scenario cannot run: it names a node, a kind of message, a part, a set or a state that there is
    /// not, has no property, or one without a success state.
    #[track_caller]
    fn check<N>(self, target: Target<N>, iterations: u64) -> ScenarioSummary
    where
        N: Node<Message = M> + 'static;
}

impl<M: 'static> CheckScenario<M> for Scenario<M> {
    #[track_caller]
    fn check<N>(self, target: Target<N>, iterations: u64) -> ScenarioSummary
    where
        N: Node<Message = M> + 'static,
    {
        let name = self.name();
        let target = target.scenario(self);
        let run = ScenarioRun { iterations, ..ScenarioRun::new(&target, name) };
        let run = ScenarioRun {
            seed: setting("SEED").unwrap_or(run.seed),
            jobs: setting("JOBS").unwrap_or(run.jobs),
            strategy: setting("STRATEGY").unwrap_or(run.strategy),
            ..run
        };
        let summary = match run.run(&Silent) {
            Ok(summary) => summary,
            Err(error) => panic!("{error}"),
        };
        let violated = summary.violations.first().map(|(number, _)| *number);
        if let Some(number) = violated.or(summary.first_without_success) {
            let again = ScenarioRun { first: number, iterations: 1, explain: true, ..run };
            if let Ok(again) = again.run(&Silent) {
                remark_in_test(&ending(number, &again.log));
            }
        }
        summary
    }
}

/// The last lines of an iteration's log.
fn ending(number: u64, log: &[String]) -> Text {
    let before = log.len().saturating_sub(LOG_LINES_MAX);
    let mut text = Text::new();
    line!(text, "iteration {number}:");
    if before > 0 {
        line!(text, "  ({before} events before these)");
    }
    for line in &log[before..] {
        line!(text, "  {line}");
    }
    text
}
