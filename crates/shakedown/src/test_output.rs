//! What tests print.

use shakedown_report::Text;

/// Prints text on standard error from inside a test: only the macros of the standard library write where the
/// test harness can hold it back.
#[expect(clippy::print_stderr, reason = "the test harness captures this, and a text is harmless")]
pub(crate) fn remark_in_test(text: &Text) {
    eprint!("{text}");
}
