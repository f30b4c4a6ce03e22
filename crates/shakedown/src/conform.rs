//! Implementations and TLA+ specifications: executions followed on a model, states compared with a
//! specification, paths of a state graph, trace validation.

pub use shakedown_conform::paths::{Cover, Covers, Ends, Shape};
pub use shakedown_conform::{
    ActionCall, BadModel, ModelSource, NO_SPEC, SPEC_OPTION, Value, compare, follow, validate,
};
