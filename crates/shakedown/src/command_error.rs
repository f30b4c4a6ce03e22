//! Why a command, or a file that a test was asked for, could not be had.

/// Something that keeps a command from running.
pub(crate) struct CommandError(pub(crate) String);

impl<E: std::error::Error> From<E> for CommandError {
    fn from(error: E) -> CommandError {
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            let cause_text = cause.to_string();
            if !text.contains(&cause_text) {
                text.push_str(": ");
                text.push_str(&cause_text);
            }
            source = cause.source();
        }
        CommandError(text)
    }
}
