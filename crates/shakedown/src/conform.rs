//! Implementations and TLA+ specifications: states of a model as coverage, conformance, trace validation.

pub use shakedown_conform::paths::{Cover, Covers, Ends, Shape};
pub use shakedown_conform::{
    Account, ActionCall, BadModel, Conforms, Heard, Mapping, ModelGuide, ModelSource, Projection, Recorder,
    Stutter, Value, conformance, raft, validate,
};
