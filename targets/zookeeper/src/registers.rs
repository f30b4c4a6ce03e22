//! What ZooKeeper promises of registers with versions: writes, conditional writes and reads after `sync` are
//! linearizable.

use std::collections::BTreeMap;

use shakedown_check::{Doubt, Model, Understood};
use shakedown_cluster::RequestInfo;
use shakedown_live::has_failed;

use crate::vocabulary::{Answer, Ask, Held, Told};

/// Registers by what requests, done one at a time, do to them.
pub struct VersionedRegisters;

impl Model for VersionedRegisters {
    type State = BTreeMap<u8, Held>;
    type Op = Ask;
    type Answer = Told;

    fn initial(&self) -> BTreeMap<u8, Held> {
        BTreeMap::new()
    }

    fn step(&self, state: &BTreeMap<u8, Held>, ask: &Ask, told: Option<&Told>) -> Option<BTreeMap<u8, Held>> {
        let held = state.get(&ask.key()).copied().unwrap_or_default();
        let after = |value: u64| {
            let mut state = state.clone();
            state.insert(ask.key(), Held { value, version: held.version + 1 });
            state
        };
        match (*ask, told) {
            (Ask::Read(_) | Ask::Sync(_), None) => Some(state.clone()),
            (Ask::Read(_) | Ask::Sync(_), Some(Told::Value(seen))) => (*seen == held).then(|| state.clone()),
            // Without an answer it is not known what a swap had read: it may have been the last version.
            (Ask::Set(_, value) | Ask::Swap(_, value), None) => Some(after(value)),
            (Ask::Set(_, value), Some(Told::Done(made))) => (*made == held.version + 1).then(|| after(value)),
            (Ask::Swap(_, value), Some(Told::Swapped(seen))) => (*seen == held).then(|| after(value)),
            (Ask::Swap(..), Some(Told::Missed(version))) => (*version != held.version).then(|| state.clone()),
            _ => None,
        }
    }

    fn only_looks(&self, _: &Ask, told: &Told) -> bool {
        matches!(told, Told::Value(_) | Told::Missed(_))
    }

    fn keys(&self, ask: &Ask) -> Option<Vec<u64>> {
        Some(vec![ask.key().into()])
    }
}

/// A request and its answer; nothing if it is known not to have happened.
pub(crate) fn read(request: &RequestInfo) -> Result<Option<(Ask, Option<Answer>)>, Doubt> {
    if has_failed(request) {
        return Ok(None);
    }
    let ask: Ask = serde_json::from_str(&request.op)
        .map_err(|error| Doubt::Unknown(format!("`{}` is no request to registers: {error}", request.op)))?;
    let Some(text) = &request.answer else { return Ok(Some((ask, None))) };
    match serde_json::from_str::<Answer>(text).ok().filter(|answer| answer.fits(ask)) {
        Some(answer) => Ok(Some((ask, Some(answer)))),
        None => Err(Doubt::Violated(format!("{} answered `{text}` to `{ask}`", request.node))),
    }
}

/// What has to be linearizable: everything but plain reads.
pub(crate) fn linearizable(request: &RequestInfo) -> Result<Understood<VersionedRegisters>, Doubt> {
    let understood = read(request)?.filter(|(ask, _)| !matches!(ask, Ask::Read(_)));
    Ok(understood.map(|(ask, answer)| (ask, answer.map(|answer| answer.told))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_check::linearizability::{Operation, check};
    use shakedown_check::{Linearizability, SearchLimits};

    /// A request, when it was sent, and when it was answered with what.
    type Asked = (Ask, u32, Option<(u32, Told)>);

    fn is_linearizable(history: &[Asked]) -> bool {
        let operation =
            |(op, called, answered): &Asked| Operation { op: *op, called: *called, answered: *answered };
        let history: Vec<_> = history.iter().map(operation).collect();
        let verdict = check(&VersionedRegisters, &history, SearchLimits::default());
        matches!(verdict, Linearizability::Linearizable(_))
    }

    fn held(value: u64, version: i32) -> Held {
        Held { value, version }
    }

    #[test]
    fn a_version_is_made_once() {
        let first = (Ask::Set(0, 1), 0, Some((1, Told::Done(1))));
        let again = |version| (Ask::Set(0, 2), 2, Some((3, Told::Done(version))));
        assert!(is_linearizable(&[first, again(2)]));
        assert!(!is_linearizable(&[first, again(1)]), "a lost write");
        assert!(!is_linearizable(&[first, again(3)]), "a write that nobody asked for");
        assert!(is_linearizable(&[first, (Ask::Set(0, 9), 0, None), again(3)]), "one of unknown outcome");
    }

    #[test]
    fn a_swap_overwrites_what_it_read() {
        let first = (Ask::Set(0, 1), 0, Some((1, Told::Done(1))));
        let swap = |told| (Ask::Swap(0, 2), 2, Some((3, told)));
        assert!(is_linearizable(&[first, swap(Told::Swapped(held(1, 1)))]));
        assert!(!is_linearizable(&[first, swap(Told::Swapped(held(0, 0)))]));
        assert!(is_linearizable(&[first, swap(Told::Missed(0))]));
        assert!(!is_linearizable(&[first, swap(Told::Missed(1))]), "nobody wrote in between");
    }

    #[test]
    fn a_read_after_sync_is_not_old() {
        let first = (Ask::Set(0, 1), 0, Some((1, Told::Done(1))));
        let sync = |seen| (Ask::Sync(0), 2, Some((3, Told::Value(seen))));
        assert!(is_linearizable(&[first, sync(held(1, 1))]));
        assert!(!is_linearizable(&[first, sync(held(0, 0))]));
    }
}
