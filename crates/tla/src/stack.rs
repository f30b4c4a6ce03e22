//! A guard against running out of stack.
//!
//! Parsing, compiling and evaluating a specification recurse as deep as the specification says. Instead of
//! counting calls, whose frames differ in size, the guard looks at how far the stack has grown since it was
//! made.

/// How much stack a caller's own thread is assumed to have left: half of what a test thread has.
pub(crate) const CALLER_STACK_BYTES: usize = 1 << 20;

/// Knows where the stack was, and how far it may grow.
#[derive(Clone, Copy)]
pub(crate) struct StackGuard {
    start: usize,
    bytes_max: usize,
}

impl StackGuard {
    /// A guard that allows `bytes_max` more bytes from here.
    pub(crate) fn new(bytes_max: usize) -> StackGuard {
        StackGuard { start: here(), bytes_max }
    }

    /// Whether the stack has grown further than allowed.
    #[inline]
    pub(crate) fn exceeded(self) -> bool {
        self.start.abs_diff(here()) > self.bytes_max
    }
}

/// The address of a local variable, which is where the stack is now.
#[inline]
fn here() -> usize {
    let marker = 0u8;
    std::hint::black_box(&raw const marker) as usize
}
