//! Why no order explains what clients were told, as far as it can be said in a few lines.

/// Where the search for an order came to its end: the longest beginning of an order that it met, and what did
/// not fit then. All operations are given by their places in the history.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obstacle {
    /// The operations that were looked at: those that have to do with each other.
    pub operations: Vec<usize>,
    /// As many of them in an order as could be explained.
    pub order: Vec<usize>,
    /// The one that has to come next and cannot; nothing if all answers are explained, but not the outcome.
    pub misfit: Option<usize>,
}

/// How many operations of the order are shown; the last ones matter.
const SHOWN_MAX: usize = 12;

impl Obstacle {
    /// In words, when `operation` says what an operation is and what it answered.
    pub fn describe(&self, operation: impl Fn(usize) -> String) -> String {
        let hidden = self.order.len().saturating_sub(SHOWN_MAX);
        let shown: Vec<String> = self.order[hidden..].iter().map(|&place| operation(place)).collect();
        let dots = if hidden > 0 { format!("({hidden} earlier ones), ") } else { String::new() };
        let beginning = match shown.is_empty() {
            true => "at the beginning".to_owned(),
            false => format!("after {dots}{}", shown.join(", ")),
        };
        match self.misfit {
            Some(misfit) => format!("{beginning}, nothing leads to {}", operation(misfit)),
            None => format!("{beginning}, all answers are explained, but not the outcome"),
        }
    }
}
