//! A program with the whole command line for targets of one's own:
//!
//!     cargo run -p shakedown-examples --bin own-binary -- run own-raft --set forgets_votes=true

use std::process::ExitCode;

fn main() -> ExitCode {
    shakedown::main(vec![
        Box::new(shakedown_examples::register::target()),
        Box::new(shakedown_examples::own_raft::target()),
        Box::new(shakedown_examples::model_guided::target()),
    ])
}
