//! The journal of a campaign as bytes.

use shakedown_campaign::JournalEntry;
use shakedown_cluster::Fingerprint;

/// Journal entries as they are stored.
pub(crate) fn encode(journal: &[JournalEntry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for JournalEntry { fingerprint, new } in journal {
        let Some(Fingerprint(fingerprint)) = fingerprint else {
            bytes.push(0);
            continue;
        };
        bytes.push(1);
        bytes.extend(fingerprint.to_le_bytes());
        bytes.extend(new.iter().flat_map(|new| new.to_le_bytes()));
    }
    bytes
}

/// The entries that were stored for so many guides; nothing if the bytes are something else.
pub(crate) fn decode(mut bytes: &[u8], guides: usize) -> Option<Vec<JournalEntry>> {
    let mut journal = Vec::new();
    while let Some((flag, rest)) = bytes.split_first() {
        bytes = rest;
        let (fingerprint, new) = match flag {
            0 => (None, Vec::new()),
            1 => {
                let (fingerprint, rest) = bytes.split_first_chunk()?;
                let (new, rest) = rest.split_at_checked(guides.checked_mul(4)?)?;
                bytes = rest;
                let new = new.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
                (Some(Fingerprint(u128::from_le_bytes(*fingerprint))), new)
            }
            _ => return None,
        };
        journal.push(JournalEntry { fingerprint, new });
    }
    Some(journal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_encoded_is_decoded_and_nothing_else_is() {
        let entry = |fingerprint, new| JournalEntry { fingerprint, new };
        let journal = vec![
            entry(Some(Fingerprint(7 << 100)), vec![3, 0]),
            entry(None, Vec::new()),
            entry(Some(Fingerprint(1)), vec![u32::MAX, 1]),
        ];
        let bytes = encode(&journal);
        assert_eq!(decode(&bytes, 2), Some(journal));
        assert_eq!(decode(&bytes[..bytes.len() - 1], 2), None);
        assert_eq!(decode(&bytes, 1), None);
    }
}
