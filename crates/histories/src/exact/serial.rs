//! Whether one order of all transactions, one after the other, explains what they read.

use rustc_hash::FxHashSet;

use super::{Contents, STATES_MAX, Search};

/// Whether there is such an order; nothing if the search gave up.
pub(super) fn exists(search: &Search<'_>) -> Option<bool> {
    let mut seen = FxHashSet::default();
    continues(search, 0, &search.nothing(), &mut seen)
}

fn continues(
    search: &Search<'_>,
    came: u64,
    contents: &Contents,
    seen: &mut FxHashSet<(u64, Contents)>,
) -> Option<bool> {
    if search.certain & !came == 0 {
        return Some(true);
    }
    if !seen.insert((came, contents.clone())) {
        return Some(false);
    }
    if seen.len() > STATES_MAX {
        return None;
    }
    for place in 0..search.transactions.len() {
        if !search.may_come(place, came) {
            continue;
        }
        let Some(after) = search.after(place, contents) else { continue };
        match continues(search, came | 1 << place, &after, seen) {
            Some(false) => {}
            found => return found,
        }
    }
    Some(false)
}
