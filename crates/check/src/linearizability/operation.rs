//! What a history consists of.

/// An operation of a history: what was asked and answered, and when.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation<Op, Answer> {
    /// What was asked.
    pub op: Op,
    /// The place of the call in the order of events.
    pub called: u32,
    /// The place of the answer in the order of events, and the answer; nothing if there was none. An answer
    /// at the place of a call counts as after it, and no answer counts as before its own call.
    pub answered: Option<(u32, Answer)>,
}

impl<Op, Answer> Operation<Op, Answer> {
    /// The place of the answer.
    pub(crate) fn returned(&self) -> Option<u32> {
        self.answered.as_ref().map(|(place, _)| (*place).max(self.called))
    }

    pub(crate) fn answer(&self) -> Option<&Answer> {
        self.answered.as_ref().map(|(_, answer)| answer)
    }
}
