//! Scenario unit tests: filters over messages and events, and a property as a state machine.

pub use shakedown_scenario::{
    Action, Amount, BadScenario, Clock, Condition, Count, Counter, Deadline, Deed, EventView, FAIL, Filter,
    FilterTally, Machine, Memory, Names, On, SUCCESS, Scenario, ScenarioInfo, When, across_partition, always,
    answered, at, at_all, at_part, between, count, crash, crashed, deliver_message, deliver_set,
    drop_message, duplicate_message, end_iteration, fact, fact_with, from, from_part, garble, heal, in_state,
    increment, inject, is_in_set, is_receive, is_recorded, is_send, is_tick, is_timeout, isolate, kind,
    kinds, like_recorded, machine, message, not, pass_message, record, release_set, request, restart,
    set_has, split, split_parts, store_in, tamper, timer, to, to_part, when, within_partition,
};
