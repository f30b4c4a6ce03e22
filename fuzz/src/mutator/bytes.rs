//! Changes of plain bytes.

use crate::Random;

/// The input with some of its bytes changed, taken out, doubled, or put in from another input.
pub(crate) fn mutate(input: &[u8], donor: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = input.to_vec();
    let at = random.below(bytes.len() + 1);
    let end = (at + 1 + random.below(64)).min(bytes.len());
    match random.below(9) {
        0 => bytes.truncate(at),
        1 => {
            bytes.drain(at.min(end)..end);
        }
        2 => {
            let part = bytes[at.min(end)..end].repeat(1 + random.below(200));
            bytes.splice(at..at, part);
        }
        3 => {
            let from = random.below(donor.len() + 1);
            let to = (from + random.below(256)).min(donor.len());
            bytes.splice(at..at, donor[from..to].iter().copied());
        }
        4 => {
            let noise: Vec<u8> = (0..1 + random.below(16)).map(|_| random.number() as u8).collect();
            bytes.splice(at..at, noise);
        }
        5 if !bytes.is_empty() => {
            for _ in 0..1 + random.below(8) {
                let at = random.below(bytes.len());
                bytes[at] = random.number() as u8;
            }
        }
        // Bytes that are no UTF-8: a lone continuation, an overlong form, half of a surrogate pair.
        6 => {
            let bad = *random.pick(&[&[0x80][..], &[0xc0, 0xaf], &[0xed, 0xa0, 0x80], &[0xff, 0xfe]]);
            bytes.splice(at..at, bad.iter().copied());
        }
        7 => {
            let mark = *random.pick(&[&[0xef, 0xbb, 0xbf][..], b"\r\n", b"\0\0\0\0", b"\x1b[31m"]);
            bytes.splice(0..0, mark.iter().copied());
        }
        _ if !bytes.is_empty() => {
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
        }
        _ => bytes.push(random.number() as u8),
    }
    bytes
}
