//! Specifications with something wrong never panic. `examples/fuzz.rs` does the same for as long as one
//! likes.

use crate::mutation::{case, seeds, survives};

#[test]
fn two_hundred_broken_specifications_end_in_an_error_or_a_result() {
    let seeds = seeds();
    assert!(seeds.len() > 60, "the tests' specifications are found");
    for number in 0..200 {
        let case = case(&seeds, number);
        if let Err(what) = survives(&case, 30) {
            panic!("case {number} ({}): {what}\n{}\n{}", case.name, case.text, case.config);
        }
    }
}
