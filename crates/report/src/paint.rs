//! Colours, where they are wanted.

/// Puts colours around text, or leaves it as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paint {
    on: bool,
}

impl Paint {
    /// With colours, or without.
    pub fn new(on: bool) -> Paint {
        Paint { on }
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// What is wrong.
    pub fn bad(self, text: &str) -> String {
        self.with("1;31", text)
    }

    /// What is right.
    pub fn good(self, text: &str) -> String {
        self.with("1;32", text)
    }

    /// What to look out for.
    pub fn warn(self, text: &str) -> String {
        self.with("33", text)
    }

    /// A heading.
    pub fn strong(self, text: &str) -> String {
        self.with("1", text)
    }

    /// What is of less weight.
    pub fn faint(self, text: &str) -> String {
        self.with("2", text)
    }
}
