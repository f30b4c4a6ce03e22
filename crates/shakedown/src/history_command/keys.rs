//! Keys of a history of operations on objects, checked by the workers of a fleet: each key alone is
//! linearizable or not.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::ValueEnum as _;
use shakedown_campaign::Pieces;
use shakedown_check::LimitHit;
use shakedown_check::objects::{KeyVerdict, Object, ObjectHistory, keys_by_size};

use super::{CheckHistory, Format};
use crate::command_line::CommandError;
use crate::interruption::interruptions;

/// The name of the bench.
const HISTORY_BENCH: &str = "history";
/// How long a call of a node may take; a history has none.
const STEP_TIME: Duration = Duration::from_secs(30);

/// A history as it travels: how it is written, its object, whether values are pairs of a key and a value, and
/// its text.
type Common = (String, String, bool, String);
/// What came of a key as it travels: a code and the limit that was reached.
type Found = (u8, u64);

#[cfg(feature = "fleet")]
fn found(verdict: KeyVerdict) -> Found {
    match verdict {
        KeyVerdict::Linearizable => (0, 0),
        KeyVerdict::NotLinearizable => (1, 0),
        KeyVerdict::Unknown(LimitHit::Steps(steps)) => (2, steps),
        KeyVerdict::Unknown(LimitHit::Memory(bytes)) => (3, bytes as u64),
        KeyVerdict::Unknown(LimitHit::Operations(count)) => (4, count as u64),
    }
}

/// What came of a key; nothing if it cannot be read.
fn verdict(found: &[u8]) -> Option<KeyVerdict> {
    let (code, limit): Found = serde_json::from_slice(found).ok()?;
    let size = usize::try_from(limit).ok()?;
    match code {
        0 => Some(KeyVerdict::Linearizable),
        1 => Some(KeyVerdict::NotLinearizable),
        2 => Some(KeyVerdict::Unknown(LimitHit::Steps(limit))),
        3 => Some(KeyVerdict::Unknown(LimitHit::Memory(size))),
        4 => Some(KeyVerdict::Unknown(LimitHit::Operations(size))),
        _ => None,
    }
}

/// What a fleet finds out of each key; nothing where none is asked for, and of keys after the first that is
/// not linearizable.
pub(super) fn keys_by_fleet(
    options: &CheckHistory,
    text: &str,
    format: Format,
    object: Object,
    history: &ObjectHistory,
) -> Result<Vec<Option<KeyVerdict>>, CommandError> {
    let mut known = vec![None; history.keys.len()];
    let Some(fleet) = options.fleet.connect(STEP_TIME)? else { return Ok(known) };
    let format = format.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let common: Common = (format, object.to_string(), options.keyed, text.to_owned());
    let stop = interruptions();
    let is_stopped = || stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
    let keys = keys_by_size(history);
    let pieces = Pieces {
        bench: HISTORY_BENCH,
        common: serde_json::to_vec(&common).expect("a text is plain data"),
        numbers: 0..keys.len() as u64,
        piece: &|number| keys[number as usize].to_string().into_bytes(),
        is_long: false,
        is_late: &is_stopped,
    };
    let spread = fleet.spread(&pieces, &mut |number, result| {
        // What cannot be read is checked here.
        let found = verdict(&result);
        known[keys[number as usize]] = found;
        match found {
            Some(KeyVerdict::NotLinearizable) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    });
    spread.map_err(|error| CommandError(error.to_string()))?;
    fleet.end();
    match is_stopped() {
        true => Err(CommandError("interrupted: the history is not checked".to_owned())),
        false => Ok(known),
    }
}

/// A bench for keys of this history.
#[cfg(feature = "fleet")]
pub(crate) fn bench(name: &str, common: &[u8]) -> Result<Box<dyn shakedown_campaign::Bench>, String> {
    if name != HISTORY_BENCH {
        return Err(format!("this program has no bench `{name}`"));
    }
    let (format, object, is_keyed, text): Common =
        serde_json::from_slice(common).map_err(|error| error.to_string())?;
    let format = <Format as clap::ValueEnum>::from_str(&format, false)?;
    let object = Object::of(&object).ok_or_else(|| format!("there is no object `{object}`"))?;
    let recorded = super::read_operations(&text, format).map_err(|error| error.to_string())?;
    let history =
        super::object::understand(object, &recorded, is_keyed).map_err(|error| error.to_string())?;
    Ok(Box::new(Keys(history)))
}

#[cfg(feature = "fleet")]
struct Keys(ObjectHistory);

#[cfg(feature = "fleet")]
impl shakedown_campaign::Bench for Keys {
    fn run(&self, pieces: &[Vec<u8>], means: &shakedown_campaign::Means<'_>) -> Result<Vec<Vec<u8>>, String> {
        let Keys(history) = self;
        shakedown_campaign::side_by_side(pieces, means.jobs, |piece| {
            let key = str::from_utf8(piece).ok().and_then(|key| key.parse().ok());
            let key = key.filter(|key: &usize| *key < history.keys.len()).ok_or("there is no such key")?;
            let verdict =
                shakedown_check::objects::check_key(history, key, shakedown_check::SearchLimits::default());
            Ok(serde_json::to_vec(&found(verdict)).expect("a verdict is plain data"))
        })
    }
}
