//! One output needs one replay: a finding is done again once for all that is printed and written of it.

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

use shakedown::check::Guide;
use shakedown::prelude::*;
use shakedown_toys::Ticker;

/// Executions that were begun, replays among them.
static BEGUN: AtomicU64 = AtomicU64::new(0);

/// A guide that follows no specification, but is asked like one that does.
struct NoSpec;

impl<S> Guide<S> for NoSpec {
    fn covered(&mut self, _cluster: &dyn shakedown::cluster::Cluster<State = S>) -> Vec<u64> {
        Vec::new()
    }
}

/// Every execution fails at its end.
fn target() -> Target<Ticker> {
    Target::<Ticker>::new("clock")
        .nodes(1)
        .steps(5)
        .guide("model", "nothing", |_| Ok(Box::new(NoSpec)))
        .oracles(|_| {
            BEGUN.fetch_add(1, Ordering::Relaxed);
            vec![finally("never", |_| Err("it ended".to_owned()))]
        })
}

/// How many executions a command begins. It finds a failure.
fn begun_by(arguments: &[&str]) -> u64 {
    let before = BEGUN.load(Ordering::Relaxed);
    let arguments = std::iter::once(&"shakedown").chain(arguments).map(Into::into);
    let code = shakedown::main_with(vec![Box::new(target())], arguments);
    assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::from(1)), "it fails");
    BEGUN.load(Ordering::Relaxed) - before
}

#[test]
fn a_finding_is_replayed_once_for_all_that_is_printed_and_written_of_it() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (out, kept, page, cases) = (path("out"), path("kept"), path("page.html"), path("cases.xml"));
    let run = ["run", "clock", "--executions", "1", "--no-shrink"];
    let with = |more: &[&str]| begun_by(&[&run, more].concat());
    assert_eq!(with(&["--out", &out, "--json"]), 1, "JSON needs no replay");
    assert_eq!(with(&["--out", &out]), 2, "the diagram needs one");
    assert_eq!(with(&["--out", &out, "--html", &page, "--junit", &cases]), 2, "files need no further one");
    assert_eq!(with(&["--keep", &kept]), 2);
    assert_eq!(begun_by(&["report", &kept, "--junit", &cases]), 1, "nor does a report");
    let failure = std::fs::read_dir(Path::new(&kept).join("failures")).expect("there is a folder").next();
    let failure = failure.expect("there is a file").expect("it can be read").path();
    assert_eq!(begun_by(&["replay", &failure.to_string_lossy(), "--html", &page]), 1);
}
