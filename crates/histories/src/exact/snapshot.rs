//! Whether an order of beginnings and commits explains what transactions read, if each reads what was
//! committed when it began, and no two that overlap write one key.

use rustc_hash::FxHashSet;

use super::{Contents, STATES_MAX, Search};
use crate::Op;

/// How far an execution has come.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    begun: u64,
    committed: u64,
    contents: Contents,
    /// Of each transaction that is open, whether a key that it writes was committed since it began: it can
    /// never commit.
    doomed: u64,
}

/// Whether there is such an order; nothing if the search gave up.
pub(super) fn exists(search: &Search<'_>) -> Option<bool> {
    let state = State { begun: 0, committed: 0, contents: search.nothing(), doomed: 0 };
    continues(search, state, &mut FxHashSet::default())
}

fn continues(search: &Search<'_>, state: State, seen: &mut FxHashSet<State>) -> Option<bool> {
    if search.certain & !state.committed == 0 {
        return Some(true);
    }
    if state.doomed & search.certain != 0 || !seen.insert(state.clone()) {
        return Some(false);
    }
    if seen.len() > STATES_MAX {
        return None;
    }
    let places = || 0..search.transactions.len();
    let is_open = |place: &usize| (state.begun & !state.committed & !state.doomed) >> place & 1 == 1;
    for place in places().filter(is_open) {
        match continues(search, commit(search, &state, place), seen) {
            Some(false) => {}
            found => return found,
        }
    }
    for place in places().filter(|place| may_begin(search, &state, *place)) {
        if search.after(place, &state.contents).is_none() {
            continue;
        }
        let begun = State { begun: state.begun | 1 << place, ..state.clone() };
        match continues(search, begun, seen) {
            Some(false) => {}
            found => return found,
        }
    }
    Some(false)
}

/// Whether all that must come before a transaction were committed, and none that must come after it has
/// begun.
fn may_begin(search: &Search<'_>, state: &State, place: usize) -> bool {
    let is_behind = |other: usize| state.begun >> other & 1 == 1 && search.before[other] >> place & 1 == 1;
    state.begun >> place & 1 == 0
        && search.before[place] & search.certain & !state.committed == 0
        && search.before[place] & state.begun & !state.committed == 0
        && !(0..search.before.len()).any(is_behind)
}

fn commit(search: &Search<'_>, state: &State, place: usize) -> State {
    let mut after = State { committed: state.committed | 1 << place, ..state.clone() };
    let mut written = Vec::new();
    for op in search.history.ops(search.transactions[place]) {
        let held = &mut after.contents[op.key().0 as usize];
        match op {
            Op::Append(key, element) => {
                held.push(element);
                written.push(key);
            }
            Op::Write(key, value) => {
                *held = vec![value];
                written.push(key);
            }
            _ => {}
        }
    }
    let writes_it = |op: Op<'_>| matches!(op, Op::Append(..) | Op::Write(..)) && written.contains(&op.key());
    for other in
        (0..search.transactions.len()).filter(|other| (after.begun & !after.committed) >> other & 1 == 1)
    {
        if search.history.ops(search.transactions[other]).any(writes_it) {
            after.doomed |= 1 << other;
        }
    }
    after
}
