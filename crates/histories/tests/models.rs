//! The order of models is that of `models.txt`, and a history shows each of its steps.

use std::collections::BTreeSet;
use std::path::Path;

use shakedown_histories::{
    AnomalyKind, Check, CycleKind, MODELS, Model, Orders, Promise, edn, list_append, rw_register,
};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");

/// The lines of `models.txt`: a model, one that it implies, and the file that tells them apart.
fn steps() -> Vec<[String; 3]> {
    let text = std::fs::read_to_string(Path::new(FOLDER).join("models.txt")).expect("it can be read");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with(';'));
    let words = |line: &str| -> Vec<String> { line.split_whitespace().map(str::to_owned).collect() };
    lines.map(|line| words(line).try_into().expect("a line has three words")).collect()
}

#[test]
fn models_imply_what_the_file_lists() {
    let listed: BTreeSet<(String, String)> = steps().into_iter().map(|[a, b, _]| (a, b)).collect();
    let known: BTreeSet<(String, String)> = MODELS
        .iter()
        .flat_map(|model| model.implied().map(|weaker| (model.name.to_owned(), weaker.name.to_owned())))
        .collect();
    assert_eq!(listed, known);
    assert_eq!(steps().len(), listed.len());
}

#[test]
fn a_history_tells_each_model_from_those_that_it_implies() {
    for [stronger, weaker, file] in steps() {
        if file == "=" {
            continue;
        }
        let text = std::fs::read_to_string(Path::new(FOLDER).join(&file)).expect("it can be read");
        let report = list_append::check(&edn::read(&text).expect("it can be read"), Check::default());
        assert!(report.allows(&weaker), "{file}: {weaker} {:?}", report.kinds());
        assert!(!report.allows(&stronger), "{file}: {stronger} {:?}", report.kinds());
    }
}

/// Every kind of anomaly.
fn kinds() -> Vec<AnomalyKind> {
    use AnomalyKind::{
        CyclicVersions, DirtyUpdate, DuplicateAppends, DuplicateElements, DuplicateWrites, FracturedRead,
        FutureRead, G1a, G1b, GMonotonic, GUpdate, GarbageRead, IncompatibleOrder, Internal, LostUpdate,
        Vanishing,
    };
    let mut kinds = vec![
        CyclicVersions,
        DirtyUpdate,
        DuplicateAppends,
        DuplicateElements,
        DuplicateWrites,
        FracturedRead,
        FutureRead,
        G1a,
        G1b,
        GMonotonic,
        GUpdate,
        GarbageRead,
        IncompatibleOrder,
        Internal,
        LostUpdate,
        Vanishing,
    ];
    for promise in [Promise::Serial, Promise::Snapshot] {
        kinds.extend(
            [Orders::Data, Orders::Process, Orders::RealTime]
                .map(|orders| AnomalyKind::NoOrder(promise, orders)),
        );
    }
    for cycle in
        [CycleKind::G0, CycleKind::G1c, CycleKind::GSingle, CycleKind::GNonadjacent, CycleKind::G2Item]
    {
        kinds.extend(
            [Orders::Data, Orders::Process, Orders::RealTime].map(|orders| AnomalyKind::Cycle(cycle, orders)),
        );
    }
    kinds
}

/// Every kind is what a file of `list_append` or `rw_register` has to show.
#[test]
fn a_file_shows_every_kind() {
    let mut shown = BTreeSet::new();
    for folder in ["list_append", "rw_register"] {
        for entry in std::fs::read_dir(Path::new(FOLDER).join(folder)).expect("the folder is there") {
            let file = entry.expect("it can be listed").path();
            let text = std::fs::read_to_string(file).expect("it can be read");
            let lines = text.lines().filter_map(|line| line.strip_prefix("; "));
            let lists =
                lines.filter_map(|line| line.strip_prefix("anomalies: ").or(line.strip_prefix("also: ")));
            shown.extend(lists.flat_map(|list| list.split(", ")).map(str::to_owned));
        }
    }
    for kind in kinds() {
        assert!(shown.contains(&kind.name()), "no file shows {}", kind.name());
    }
}

/// A history that is too long for all orders to be tried says so of the models that cycles do not decide.
#[test]
fn what_is_not_decided_is_named() {
    let of = |op: &dyn Fn(usize) -> String| -> String {
        let line = |place| format!("{{:type :ok, :f :txn, :process {place}, :value [{}]}}\n", op(place));
        (0..40).map(line).collect()
    };
    let data = Check { process_order: false, real_time: false, ..Check::default() };
    let registers = edn::read(&of(&|place| format!("[:w x {place}]"))).expect("it can be read");
    let report = rw_register::check(&registers, data);
    assert_eq!(report.undecided, ["snapshot-isolation", "serializable"]);
    let all = Check { exact_up_to: 64, ..data };
    assert_eq!(rw_register::check(&registers, all).undecided, [""; 0]);
    let lists = edn::read(&of(&|place| format!("[:append x {place}]"))).expect("it can be read");
    assert_eq!(list_append::check(&lists, data).undecided, [""; 0]);
    // Write skew: whether snapshots explain the rest is not known.
    let skew = "{:type :ok, :f :txn, :process 50, :value [[:r y []] [:append z 1]]}
        {:type :ok, :f :txn, :process 51, :value [[:r z []] [:append y 1]]}";
    let lists = of(&|place| format!("[:append x {place}]")) + skew;
    let report = list_append::check(&edn::read(&lists).expect("it can be read"), data);
    assert_eq!((report.kinds(), report.undecided), (vec!["G2-item".to_owned()], vec!["snapshot-isolation"]));
}

/// What is called `=` forbids the same, beside what only a cycle shows that both forbid.
#[test]
fn models_that_no_history_tells_apart_forbid_the_same() {
    for [stronger, weaker, _] in steps().into_iter().filter(|[.., file]| file == "=") {
        let [strong, weak] = [&stronger, &weaker].map(|name| Model::of(name).expect("it is a model"));
        for kind in kinds().into_iter().filter(|kind| strong.forbids(*kind) && !weak.forbids(*kind)) {
            let is_shown_by_a_cycle =
                matches!(kind, AnomalyKind::GMonotonic | AnomalyKind::GUpdate | AnomalyKind::FracturedRead);
            // Where all orders were tried, the order of versions is not known, which the weaker model asks
            // about.
            let is_of_orders = matches!(kind, AnomalyKind::NoOrder(..));
            assert!(is_shown_by_a_cycle || is_of_orders, "{stronger} {weaker} {kind:?}");
        }
    }
}

#[test]
fn every_kind_rules_something_out_and_the_strictest_model_allows_none() {
    let strict = Model::of("PL-SS").expect("Adya's name for it is known");
    assert_eq!(strict.name, "strict-serializable");
    for kind in kinds() {
        assert!(strict.forbids(kind), "{kind:?}");
    }
}

/// What Elle's own tests (`consistency_model_test.clj`) expect an anomaly to rule out, of the models that are
/// here.
#[test]
fn anomalies_rule_out_what_elle_says() {
    let sessions = ["strong-session-snapshot-isolation", "strong-session-serializable"];
    let strong = ["strong-snapshot-isolation", "strict-serializable"];
    let is_out = |kind: AnomalyKind| -> BTreeSet<&str> {
        MODELS.iter().filter(|model| model.forbids(kind)).map(|model| model.name).collect()
    };
    let expect = |kind: AnomalyKind, models: &[&'static str], besides: &[&'static str]| {
        let expected: BTreeSet<&str> = models.iter().chain(besides).copied().collect();
        assert_eq!(is_out(kind), expected, "{kind:?}");
    };
    let of = |parts: &[&[&'static str]]| -> Vec<&'static str> { parts.concat() };
    // Elle does not name what is listed behind: it has no rule for these models, or none for this anomaly.
    expect(
        AnomalyKind::Cycle(CycleKind::GSingle, Orders::Data),
        &of(&[
            &["consistent-view", "forward-consistent-view", "update-serializable", "snapshot-isolation"],
            &["serializable", "repeatable-read"],
            &sessions,
            &strong,
        ]),
        &["parallel-snapshot-isolation"],
    );
    expect(
        AnomalyKind::Internal,
        &of(&[
            &[
                "read-atomic",
                "update-atomic",
                "parallel-snapshot-isolation",
                "snapshot-isolation",
                "serializable",
            ],
            &sessions,
            &strong,
        ]),
        &["repeatable-read"],
    );
    expect(
        AnomalyKind::Cycle(CycleKind::GSingle, Orders::RealTime),
        &["strong-snapshot-isolation", "strict-serializable"],
        &[],
    );
    let committed: Vec<&str> =
        MODELS.iter().map(|model| model.name).filter(|name| !name.ends_with("read-uncommitted")).collect();
    for kind in [AnomalyKind::G1a, AnomalyKind::DirtyUpdate, AnomalyKind::IncompatibleOrder] {
        expect(kind, &committed, &[]);
    }
    let all: Vec<&str> = MODELS.iter().map(|model| model.name).collect();
    for kind in [AnomalyKind::CyclicVersions, AnomalyKind::DuplicateElements] {
        expect(kind, &all, &[]);
    }
}
