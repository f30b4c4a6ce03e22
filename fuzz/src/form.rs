//! What inputs are built of.

/// What inputs are built of: mutations respect it more often than not, so that they get past the first check.
#[derive(Clone, Copy)]
pub enum Form {
    /// One JSON document, or one on each line.
    Json,
    /// Text of tokens, with those that mean something.
    Text(&'static [&'static str]),
    /// An SQLite file.
    Sqlite,
    /// Bytes of any other form.
    Bytes,
}
