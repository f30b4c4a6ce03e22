//! Fuzzing of schedules (ModelFuzz, Gulcan et al. 2025): inputs that led to something new are changed a
//! little and tried again.
//!
//! An [`Input`](input::Input) says, step by step, which buffer messages are delivered from and how many at
//! most, who crashes and restarts, and when clients ask. It names no message, so whatever a mutation makes of
//! it can be executed. What "new" means is a guide's to say: the states of a model, of the target, the order
//! of events. Without a guide every input is random: that is the baseline.
//!
//! - [`published`] is the algorithm of the paper: a queue, five mutants for every new state, three mutators
//!   composed.
//! - [`own`] keeps a corpus instead of a queue, prefers inputs that lead to rare states and to new ones,
//!   knows more mutators, faults and splicing, and finds out by itself which of them serve.
//!
//! Both play inputs by [`play::Play`], which expands them to ordinary steps.

mod corpus;
mod foreign;
mod generate;
mod input;
mod mutate;
mod operators;
mod own;
mod play;
mod published;
pub(crate) mod saved;
mod stretch;

pub use generate::Shape;
pub(crate) use input::HORIZON_MAX;
pub use own::OwnFuzz;
pub use published::{Empty, Manner, PublishedFuzz, PublishedSettings, Swaps};
