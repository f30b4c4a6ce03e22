//! What the integration tests share with the experiments. The tests themselves are in `tests/`.

pub mod recorded;
