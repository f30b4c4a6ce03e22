//! Targets: what is tested, and one execution of it.
//!
//! A [`Target`] describes a kind of system under test ([`TargetInfo`], plain data) and makes executions of it
//! ([`Live`]). Its node type is forgotten here ([`AnyTarget`]), so nothing above is generic. [`execute`] lets
//! a strategy choose the steps of one execution, [`replay`] does a schedule again.

mod checked;
mod code;
mod execute;
mod guides;
mod live;
mod retrace;
mod target;
mod threads;
mod verdict;
mod waypoints;

pub use checked::{CheckOutcome, Checked};
pub use code::Turn;
pub use execute::{
    Beat, CannotReplay, Outcome, Patience, begin_with_model, drive, execute, execute_until, follow,
    follow_as_far, replay, replay_with_model,
};
pub use guides::{GuideInfo, MODEL};
pub use live::{Abstractions, ColourOf, Holds, Live, watch};
pub use retrace::{Retrace, SETTLING, before_settling, is_settling};
pub use target::{
    AnyTarget, Booter, CannotBegin, Config, OptionInfo, REQUESTS_MAX, STEPS_MAX, Target, TargetInfo,
};
pub use threads::{Tenure, is_ours, own_process, wait_for_threads};
pub use verdict::{Verdict, Violation};
