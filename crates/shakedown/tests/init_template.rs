//! The Rust project that `shakedown init` makes is compiled here, and its own test is run.

#[path = "../templates/rust/src/main.rs"]
#[expect(dead_code, reason = "the program is compiled, and only its test is run")]
mod project;
