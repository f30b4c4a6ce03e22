//! Failures of the past in a test: tried before it explores, and saved when it finds one.

use std::path::{Path, PathBuf};

use shakedown_campaign::{Campaign, Failure};
use shakedown_report::{Text, line};

use super::{STEP_TIME, Test, harmless};
use crate::environment::setting;
use crate::regressions::{Tried, try_all};
use crate::test_output::remark_in_test;

impl Test {
    /// Where failures of the past lie: as `SHAKEDOWN_REGRESSIONS` says, or else the test.
    pub(super) fn regression_folder(&self) -> Option<PathBuf> {
        match setting::<String>("REGRESSIONS") {
            Some(off) if off == "off" => None,
            Some(folder) => Some(PathBuf::from(folder)),
            None => self.regressions.clone(),
        }
    }

    /// Tries failures of the past, and fails with the first that still fails.
    #[track_caller]
    pub(super) fn try_regressions(&self, campaign: &Campaign<'_>, folder: &Path) {
        let tried = try_all(self.target.as_ref(), &campaign.plan.config, folder, STEP_TIME);
        let (tried, _) = match tried {
            Ok(tried) => tried,
            Err(error) => panic!("{}: {}", folder.display(), harmless(&error.0)),
        };
        if let Some(failing) = tried.iter().find(|tried| tried.fate.is_failure()) {
            self.replay(&failing.path);
        }
        let mut text = Text::new();
        for Tried { path, fate, .. } in &tried {
            line!(text, "regression {}: {} {}", path.display(), fate.word(), fate.detail());
        }
        remark_in_test(&text);
    }
}

/// Saves a failure that was found among those of the past, if their folder is there. Gives what there is to
/// print of it.
pub(super) fn saved(failure: &Failure, folder: &Path) -> Text {
    let mut text = Text::new();
    // A failure that does not repeat would be tried in vain.
    if !failure.repeats || !folder.is_dir() {
        return text;
    }
    let path = folder.join(failure.file_name());
    match failure.write(&path) {
        Ok(()) => line!(text, "  regression    {}: tried first from now on", path.display()),
        Err(error) => line!(text, "  regression    not saved: {error}"),
    }
    text
}
