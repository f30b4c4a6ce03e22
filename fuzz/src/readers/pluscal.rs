//! PlusCal algorithms.

use std::fs;
use std::path::Path;

use shakedown_tla::pluscal::{Options, Status, status, translate};

use crate::{Outcome, Room};

/// The algorithms of the translator's own tests.
pub(super) fn algorithms(_: &Room) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/tla/tests/pluscal");
    let mut paths: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "tla"));
    paths.sort();
    paths.iter().filter_map(|path| fs::read(path).ok()).collect()
}

/// Translates an algorithm.
pub(super) fn command(room: &Room, input: &[u8]) -> Vec<String> {
    let file = room.put("Algorithm.tla", input);
    ["tla", "pcal", "--stdout", "--label", &file].map(str::to_owned).into()
}

/// Translates an algorithm. What was translated is up to date, and is translated to the same again.
pub(super) fn read(input: &[u8]) -> Result<Outcome, String> {
    let Ok(text) = std::str::from_utf8(input) else { return Ok(Outcome::Refused) };
    let options = Options { label: true, ..Options::default() };
    let translation = match translate("Algorithm", text, &options) {
        Ok(translation) => translation,
        Err(error) if error.to_string().is_empty() => return Err("an error without a message".to_owned()),
        Err(_) => return Ok(Outcome::Refused),
    };
    match status(&translation.text) {
        Status::Current | Status::Unknown => {}
        other => return Err(format!("a translation that was just made is {other:?}")),
    }
    match translate("Algorithm", &translation.text, &options) {
        Ok(again) if again.text == translation.text => Ok(Outcome::Taken),
        Ok(_) => Err("translated a second time, it is another".to_owned()),
        Err(error) => Err(format!("translated a second time, it is refused: {error}")),
    }
}
