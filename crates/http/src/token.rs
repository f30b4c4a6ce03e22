//! Secret words: how they are made, and how they are compared.

use std::hash::{BuildHasher, RandomState};

/// A word that cannot be guessed: the standard library's hashers start from the system's randomness.
pub fn random_token() -> String {
    let half = || RandomState::new().hash_one("token");
    format!("{:016x}{:016x}", half(), half())
}

/// Whether two words are the same. How long it takes does not depend on where they differ, so that a word
/// cannot be found letter by letter.
pub fn is_same_secret(known: &str, given: &str) -> bool {
    let difference = known.bytes().zip(given.bytes()).fold(0, |difference, (a, b)| difference | (a ^ b));
    known.len() == given.len() && std::hint::black_box(difference) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_are_compared_whole() {
        let (first, second) = (random_token(), random_token());
        assert_eq!((first.len(), second.len()), (32, 32));
        assert_ne!(first, second);
        assert!(is_same_secret(&first, &first.clone()));
        for other in ["", &first[1..], &format!("{first}0"), &second, &first.to_uppercase().replace('0', "1")]
        {
            assert!(!is_same_secret(&first, other), "{other}");
        }
    }
}
