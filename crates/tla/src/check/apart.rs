//! What one worker writes often stands apart from what others read: on cache lines of its own.

use std::ops::Deref;

/// A value on cache lines of its own. Processors fetch lines of 64 bytes in pairs.
#[repr(align(128))]
pub(super) struct Apart<T>(pub T);

impl<T> Deref for Apart<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
