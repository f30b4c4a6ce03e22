//! The gate notices what it is there for.

use std::process::Command;

use shakedown_fuzz::{Form, Mutator, READERS, Random, Room, Seeds};

#[test]
fn a_panic_a_hang_an_allocation_and_a_deep_recursion_are_found_and_their_inputs_are_saved() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_fuzz"))
        .args([
            "self-test",
            "--cases",
            "8",
            "--case-time",
            "1",
            "--memory",
            "256",
            "--seconds",
            "120",
            "--out",
        ])
        .arg(folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("6 findings in all"), "{text}");
    for (case, input, reason) in [
        (1, "panic", "a panic: "),
        (2, "thread", "on another thread"),
        (3, "hang", "more than 1 s of processor time"),
        (4, "memory", ""),
        (5, "stack", "the process ended: signal"),
        (6, "wrong", "a wrong outcome"),
    ] {
        let line = text.lines().find(|line| line.contains(&format!("case {case}:"))).unwrap_or_default();
        assert!(line.contains(reason) && !line.is_empty(), "case {case} in\n{text}");
        let saved = folder.path().join(format!("self-test-{case}"));
        assert_eq!(std::fs::read_to_string(saved).unwrap(), input);
    }
}

#[test]
fn every_reader_has_seeds_and_reads_some_of_them_as_what_they_claim_to_be() {
    let output = Command::new(env!("CARGO_BIN_EXE_fuzz"))
        .args(["--cases", "30", "--jobs", "2", "--seconds", "120", "--out"])
        .arg(tempfile::tempdir().unwrap().path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for reader in READERS {
        let line = text.lines().find(|line| line.starts_with(reader.name)).unwrap_or_default();
        let numbers: Vec<u64> =
            line.split_whitespace().skip(1).filter_map(|word| word.parse().ok()).collect();
        let [cases, taken, seeds, findings] = numbers[..] else { panic!("{} in\n{text}", reader.name) };
        assert!(cases == 30 && taken > 0 && seeds > 0 && findings == 0, "{} in\n{text}", reader.name);
    }
}

#[test]
fn a_number_fixes_a_case() {
    let reader = READERS.iter().find(|reader| reader.name == "strategy").unwrap();
    let room = Room::new().unwrap();
    let cases = |seed| -> Vec<Vec<u8>> {
        let seeds = Seeds::of(reader, &room);
        (0..200).map(|number| seeds.case(reader, seed, number).input).collect()
    };
    assert_eq!(cases(1), cases(1));
    assert_ne!(cases(1), cases(2));
}

#[test]
fn most_changes_of_json_are_json_again() {
    let input = br#"{"name":"n1","numbers":[1,2,3],"inner":{"text":"deliver n1>n2#1","flag":true}}"#;
    let mutator = Mutator { form: Form::Json, donor: input };
    let mut random = Random::new(7);
    let changed: Vec<_> = (0..500).map(|_| mutator.mutate(input, &mut random)).collect();
    let valid =
        changed.iter().filter(|text| serde_json::from_slice::<serde_json::Value>(text).is_ok()).count();
    assert!((250..500).contains(&valid), "{valid} of 500");
    assert!(changed.iter().filter(|text| text[..] != input[..]).count() > 450);
}
