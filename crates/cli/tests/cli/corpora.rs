//! Corpora on disk: minimised, merged, replayed, and begun with.

use crate::command::{json, shakedown, text};

/// What the command says if nothing is wrong.
fn printed(arguments: &[&str]) -> String {
    let output = shakedown(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// What the command complains of.
fn complaint(arguments: &[&str]) -> String {
    let output = shakedown(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stdout));
    text(&output.stderr)
}

const RUN: [&str; 6] = ["run", "appmaster", "--strategy", "fuzz:model", "--executions", "400"];

/// How much the guide of a run has seen after so many executions.
fn covered(arguments: &[&str]) -> u64 {
    let summary = json(arguments);
    summary["coverage"][0]["covered"].as_u64().expect("there is coverage")
}

#[test]
fn a_corpus_survives_and_is_merged_minimised_replayed_and_begun_with() {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let path = |name: &str| folder.path().join(name).to_str().expect("a plain name").to_owned();
    let (monday, tuesday, both, few) = (path("monday"), path("tuesday"), path("both"), path("few"));
    printed(&[&RUN[..], &["--keep", &monday]].concat());
    printed(&[&RUN[..], &["--keep", &tuesday, "--seed", "2"]].concat());

    let replayed = printed(&["corpus", "replay", &monday]);
    assert!(replayed.contains("inputs of appmaster with fuzz:model"), "{replayed}");
    assert_eq!(replayed, printed(&["corpus", "replay", &monday, "--jobs", "2"]), "jobs change nothing");
    printed(&["corpus", "merge", &monday, &tuesday, "--into", &both]);
    let shortened = printed(&["corpus", "min", &both, "--into", &few]);
    let inputs = |name: &str| {
        let text =
            std::fs::read_to_string(folder.path().join(name).join("corpus.json")).expect("it is there");
        let corpus: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        corpus["inputs"].as_array().expect("there are inputs").len()
    };
    assert!(inputs("few") < inputs("both"), "{shortened}");

    let count = inputs("few").to_string();
    let begin =
        ["run", "appmaster", "--strategy", "fuzz:model", "--json", "--executions", &count, "--corpus"];
    let all = covered(&[&begin[..], &[&few]].concat());
    let apart: Vec<_> =
        ["1", "2"].map(|seed| covered(&[&RUN[..], &["--json", "--seed", seed]].concat())).into();
    assert!(all >= *apart.iter().max().expect("there are two"), "{all} of {apart:?}");

    let complaint_of =
        |corpus: &str, more: &[&str]| complaint(&[&RUN[..], &["--corpus", corpus], more].concat());
    let other = complaint_of(&few, &["--nodes", "6"]);
    assert!(other.contains("the corpora differ in configuration"), "{other}");
    let nothing = complaint_of(&path("nowhere"), &[]);
    assert!(nothing.contains("holds neither a corpus nor a campaign"), "{nothing}");
    let random = complaint(&["run", "appmaster", "--strategy", "random", "--corpus", &few]);
    assert!(random.contains("this strategy plays no inputs: choose `fuzz`"), "{random}");
}

#[test]
fn a_campaign_that_began_with_a_corpus_is_resumed_with_it() {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let path = |name: &str| folder.path().join(name).to_str().expect("a plain name").to_owned();
    let (first, kept) = (path("first"), path("kept"));
    printed(&[&RUN[..], &["--keep", &first]].concat());
    let run = [&RUN[..], &["--corpus", &first]].concat();
    let whole = json(&[&run[..], &["--json"]].concat());
    printed(&[&run[..], &["--keep", &kept]].concat());
    let resumed = json(&["resume", &kept, "--json"]);
    assert_eq!(resumed["fingerprint"], whole["fingerprint"]);
    assert_eq!(resumed["coverage"], whole["coverage"]);
}

#[test]
fn the_guides_of_the_code_say_what_they_need() {
    let refused = complaint(&["run", "appmaster", "--strategy", "fuzz", "--guide", "code"]);
    assert!(refused.contains("RUSTC_WRAPPER=$PWD/scripts/instrument.sh cargo run --release"), "{refused}");
}
