//! Scenarios: unit tests of a protocol over a controlled network, after Netrix (Drăgoi, Nagendra and Srivas,
//! 2024).
//!
//! A [`Scenario`] is a list of filters, which say what the network does otherwise than the strategy
//! underneath would, and a property, a state machine over events that says what should come of it. A
//! [`Monitor`] puts both on top of any strategy. Nothing here knows a target, but for the type of its
//! messages.
//!
//! ```
//! # use shakedown_scenario::*;
//! # #[derive(Clone, Debug)] struct Vote { term: u64 }
//! let votes_in_term = Counter::new("votes").per(|event: &EventView<'_, Vote>| event.message().map_or(0, |vote| vote.term));
//! let f = 2usize;
//! let scenario: Scenario<Vote> = Scenario::new("drop f votes")
//!     .filter(
//!         when(is_send().and(kind("RequestVoteResponse")).and(count(&votes_in_term).less_than(f)))
//!             .then(drop_message().and(increment(&votes_in_term))),
//!     )
//!     .property(machine().on(fact_with("role", "role", "leader")).goto_success());
//! assert!(scenario.validate(5, &["RequestVote", "RequestVoteResponse"]).is_ok());
//! ```

mod action;
mod condition;
mod event;
mod machine;
mod memory;
mod monitor;
mod report;
mod scenario;

pub use action::{
    Action, Deed, Filter, When, crash, deliver_message, deliver_set, drop_message, duplicate_message,
    end_iteration, garble, heal, increment, inject, isolate, pass_message, record, release_set, request,
    restart, split, split_parts, store_in, tamper, when,
};
pub use condition::{
    Amount, Condition, Count, Names, across_partition, always, answered, at, at_all, at_part, between, count,
    crashed, fact, fact_with, from, from_part, in_state, is_in_set, is_receive, is_recorded, is_send,
    is_tick, is_timeout, kind, kinds, like_recorded, message, not, set_has, timer, to, to_part,
    within_partition,
};
pub use event::{Clock, EventView};
pub use machine::{Deadline, FAIL, Machine, On, SUCCESS, machine};
pub use memory::{Counter, Memory};
pub use monitor::{Clause, Monitor, MonitorOptions};
pub use report::{FilterTally, IterationReport, deed_word};
pub use scenario::{BadScenario, FilterInfo, Needs, Scenario, ScenarioInfo};
