mod target;
pub use target::{AnyTarget, CannotBegin, Config, Live, OptionInfo, Target, Violation};
