//! What the process takes of the memory: a gauge for the engine's budget.

use crate::Budget;
use crate::budget::Gauge;

/// A budget for everything that the process does.
pub(super) fn budget(mebibytes: usize) -> Budget {
    Budget::new(mebibytes.saturating_mul(1 << 20), gauge())
}

/// The resident size, as Linux reports it.
#[cfg(target_os = "linux")]
fn gauge() -> Option<Gauge> {
    use std::os::unix::fs::FileExt;

    let pages = std::fs::File::open("/proc/self/statm").ok()?;
    let page_bytes = page_bytes().unwrap_or(4_096);
    Some(Box::new(move || {
        let mut text = [0u8; 128];
        let read = pages.read_at(&mut text, 0).unwrap_or(0);
        let text = std::str::from_utf8(&text[..read]).unwrap_or_default();
        let resident = text.split_ascii_whitespace().nth(1).and_then(|pages| pages.parse().ok());
        resident.unwrap_or(0usize).saturating_mul(page_bytes)
    }))
}

/// Other systems have no such file: there only what is larger than the budget at once is refused, and states
/// are counted.
#[cfg(not(target_os = "linux"))]
fn gauge() -> Option<Gauge> {
    None
}

/// The size of a page: what the kernel passes to a program under number 6 (AT_PAGESZ) of its auxiliary
/// vector.
#[cfg(target_os = "linux")]
fn page_bytes() -> Option<usize> {
    const PAGE_SIZE: usize = 6;
    let vector = std::fs::read("/proc/self/auxv").ok()?;
    let word = |bytes: &[u8]| bytes.try_into().ok().map(usize::from_ne_bytes);
    vector
        .chunks_exact(2 * size_of::<usize>())
        .find(|entry| word(&entry[..size_of::<usize>()]) == Some(PAGE_SIZE))
        .and_then(|entry| word(&entry[size_of::<usize>()..]))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_gauge_rises_with_what_is_taken() {
        let gauge = gauge().unwrap();
        let before = gauge();
        assert!(before > 1 << 18, "{before}");
        let taken = std::hint::black_box(vec![1u8; 64 << 20]);
        assert!(gauge() >= before + (48 << 20), "{before}, then {}", gauge());
        drop(taken);
    }
}
