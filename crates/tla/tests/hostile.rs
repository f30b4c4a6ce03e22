//! Specifications that strangers send: what they make the program read, and how much memory they make it
//! take.
#![cfg(all(feature = "cli", target_os = "linux"))]
#![allow(clippy::unwrap_used)] // Everything here is a test; what fails should panic.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder of its own that is removed in the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("shakedown-hostile-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Scratch(std::fs::canonicalize(folder).unwrap())
    }

    fn file(&self, name: &str, text: impl AsRef<[u8]>) -> &Scratch {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    /// A module with a body, and a configuration for it.
    fn spec(&self, name: &str, extends: &str, body: &str, config: &str) -> &Scratch {
        self.file(
            &format!("{name}.tla"),
            format!("---- MODULE {name} ----\nEXTENDS {extends}\n{body}\n====\n"),
        );
        self.file(&format!("{name}.cfg"), config)
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        run_in(&self.0, arguments)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

struct Ran {
    code: Option<i32>,
    text: String,
    /// The most resident memory, in kibibytes.
    peak_kibibytes: u64,
    /// The processor time, in hundredths of a second.
    ticks: u64,
}

/// Runs the program, and watches its memory until it ends.
fn run_in(folder: &Path, arguments: &[&str]) -> Ran {
    let printed = folder.join("printed");
    let out = std::fs::File::create(&printed).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_shakedown-tla"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(out.try_clone().unwrap())
        .stderr(out)
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let times = format!("/proc/{}/stat", child.id());
    let (mut peak_kibibytes, mut ticks) = (0, 0);
    let code = loop {
        if let Ok(text) = std::fs::read_to_string(&status)
            && let Some(line) = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))
        {
            let peak = line.trim().trim_end_matches("kB").trim().parse().unwrap_or(0);
            peak_kibibytes = peak_kibibytes.max(peak);
        }
        if let Ok(text) = std::fs::read_to_string(&times)
            && let Some((_, fields)) = text.rsplit_once(") ")
        {
            let user = fields.split(' ').nth(11).and_then(|ticks| ticks.parse().ok());
            ticks = ticks.max(user.unwrap_or(0));
        }
        if let Some(status) = child.try_wait().unwrap() {
            break status.code();
        }
        std::thread::yield_now();
    };
    Ran { code, text: std::fs::read_to_string(printed).unwrap(), peak_kibibytes, ticks }
}

const STEPS: &str = "INIT Init\nNEXT Next\n";

#[test]
fn a_file_is_read_when_it_is_asked_for_and_only_where_that_is_allowed() {
    let scratch = Scratch::new("files");
    let outside = scratch.0.join("outside/numbers").display().to_string();
    let body = |path: &str| {
        format!(
            "VARIABLE x\nNever == \"../outside/pipe.json\"\nInit == x = JsonDeserialize(\"{path}\")\nNext == x' = x"
        )
    };
    scratch.file("outside/numbers", "[1, 2]").file("spec/near.json", "[3]");
    // A program that opened it would wait forever.
    assert!(Command::new("mkfifo").arg(scratch.0.join("outside/pipe.json")).status().unwrap().success());
    for (name, path) in [("Near", "near.json"), ("Far", outside.as_str()), ("Pipe", "../outside/pipe.json")] {
        scratch.spec(&format!("spec/{name}"), "Naturals, Json", "", STEPS);
        let text = format!("---- MODULE {name} ----\nEXTENDS Naturals, Json\n{}\n====\n", body(path));
        scratch.file(&format!("spec/{name}.tla"), text);
    }
    let near = scratch.run(&["check", "spec/Near.tla"]);
    assert_eq!(near.code, Some(0), "{}", near.text);
    for command in ["check", "simulate", "graph"] {
        let refused = scratch.run(&[command, "spec/Far.tla"]);
        assert_eq!(refused.code, Some(75), "{command}: {}", refused.text);
        let place = format!("Far:5:13: {outside} is outside");
        assert!(refused.text.contains(&place) && refused.text.contains("--allow-read"), "{}", refused.text);
    }
    let allowed = scratch.run(&["check", "spec/Far.tla", "--allow-read", "outside"]);
    assert_eq!(allowed.code, Some(0), "{}", allowed.text);
    let pipe = scratch.run(&["check", "spec/Pipe.tla", "--allow-read", "outside"]);
    assert_eq!(pipe.code, Some(75), "{}", pipe.text);
    assert!(pipe.text.contains("no regular file"), "{}", pipe.text);
}

#[test]
fn what_is_wrong_with_a_file_is_reported_with_its_place() {
    let scratch = Scratch::new("places");
    let body = "VARIABLE x\nInit == x = 0\nNext == x' = x";
    scratch.spec("Self", "Naturals, Self", body, STEPS);
    scratch.spec(
        "Inner",
        "Naturals",
        "---- MODULE I ----\nINSTANCE I\n====\nINSTANCE I\nVARIABLE x\nInit == x = 0\nNext == x' = x",
        STEPS,
    );
    scratch.spec("Circle", "Naturals", &format!("INSTANCE Other\n{body}"), STEPS);
    scratch.spec("Other", "Naturals", "A == INSTANCE Circle WITH x <- 1", "");
    scratch.spec(
        "Number",
        "Naturals",
        &format!("CONSTANT N\n{body}"),
        "CONSTANT\n  N = 99999999999999999999\nINIT Init NEXT Next",
    );
    scratch.spec("Empty", "Naturals", body, "\n\\* nothing\n");
    scratch.spec("Nothing", "Naturals", "A == 1", "");
    scratch.spec("Bytes", "Naturals", body, STEPS);
    scratch.file("Bytes.tla", b"---- MODULE Bytes ----\nx == \"\xff\"\n====\n");
    scratch.spec("Config", "Naturals", body, STEPS);
    scratch.file("Config.cfg", b"INIT Init\nNEXT \xfe");
    let cases = [
        ("Self", 150, "Self:2:19: module Self extends or instantiates itself"),
        ("Inner", 150, "Inner:4:1: module I extends or instantiates itself"),
        ("Circle", 150, "Other:3:6: module Circle extends or instantiates itself: Circle > Other > Circle"),
        ("Number", 151, "Number.cfg:2:7: the number 99999999999999999999 does not fit into 64 bits"),
        ("Empty", 151, "Empty.cfg:1:1: the configuration is empty"),
        ("Nothing", 0, "No error has been found"),
        ("Bytes", 153, "Bytes.tla:2:7: this is not UTF-8"),
        ("Config", 153, "Config.cfg:2:6: this is not UTF-8"),
    ];
    for (name, code, words) in cases {
        let ran = scratch.run(&["check", &format!("{name}.tla")]);
        assert_eq!(ran.code, Some(code), "{name}: {}", ran.text);
        assert!(ran.text.contains(words), "{name}: {}", ran.text);
    }
}

/// Modules that each have two instances of the next.
fn instances(scratch: &Scratch, depth: usize) {
    let extends = "Naturals, Sequences, FiniteSets, TLC";
    for level in 0..depth {
        let next = level + 1;
        let body = format!(
            "CONSTANT c\nA == INSTANCE I{next} WITH c <- c + 1\nB == INSTANCE I{next} WITH c <- c + 2\nv == A!v + B!v"
        );
        scratch.spec(&format!("I{level}"), extends, &body, "");
    }
    scratch.spec(&format!("I{depth}"), extends, "CONSTANT c\nv == c", "");
    let body = "VARIABLE x\nI == INSTANCE I0 WITH c <- x\nInit == x = 0\nNext == x' = I!v % 3";
    scratch.spec("Instances", "Naturals", body, STEPS);
}

#[test]
fn memory_stays_within_one_and_a_half_of_its_limit() {
    const LIMIT_MEBIBYTES: u64 = 96;
    let scratch = Scratch::new("memory");
    let step = |name: &str, next: &str| {
        let body =
            format!("VARIABLE x\nF == [n \\in 1..200000 |-> n]\nInit == x = <<1>>\nNext == x' = {next}");
        scratch.spec(name, "Naturals, Sequences, FiniteSets, TLC, Randomization", &body, STEPS);
    };
    step("Subsets", "RandomSetOfSubsets(2000000, 1000, 1..2000)");
    step("Functions", "[a \\in 1..16000000 |-> [b \\in 1..16000000 |-> <<a, b>>]]");
    step("Itself", "Append(x, x)");
    step("Doubled", "x \\o x");
    step("Texts", "{ToString(<<n, \"and a text that is rather long\">>) : n \\in 1..4000000}");
    step("Chosen", "[n \\in 1..100000 |-> CHOOSE f \\in [1..200000 -> {0, 1}] : TRUE]");
    step("Excepts", "[n \\in 1..100000 |-> [F EXCEPT ![n] = 0]]");
    step("Powerset", "SUBSET (1..22)");
    let tableau: Vec<String> =
        (0..13).map(|n| format!("(<>(x = {n}) \\/ []<>(x = {n}) \\/ <>[](x = {n}))")).collect();
    let live = format!(
        "VARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 3\nSpec == Init /\\ [][Next]_x\nProp == ~({})",
        tableau.join(" /\\ ")
    );
    scratch.spec("Tableau", "Naturals", &live, "SPECIFICATION Spec\nPROPERTY Prop\n");
    instances(&scratch, 18);
    for name in [
        "Subsets",
        "Functions",
        "Itself",
        "Doubled",
        "Texts",
        "Chosen",
        "Excepts",
        "Powerset",
        "Tableau",
        "Instances",
    ] {
        let file = format!("{name}.tla");
        let limit = LIMIT_MEBIBYTES.to_string();
        let ran = scratch.run(&["check", &file, "--quiet", "--memory", &limit]);
        assert_eq!(ran.code, Some(152), "{name}: {}", ran.text);
        let mebibytes = ran.peak_kibibytes >> 10;
        assert!(mebibytes <= LIMIT_MEBIBYTES * 3 / 2, "{name} took {mebibytes} MiB: {}", ran.text);
    }
}

#[test]
fn the_time_for_definitions_grows_with_their_number_only() {
    let scratch = Scratch::new("definitions");
    let definitions: String = (0..50_000).map(|n| format!("D{n} == {n}\n")).collect();
    let body = format!("{definitions}VARIABLE x\nInit == x = D7\nNext == x' = x");
    scratch.spec("Many", "Naturals", &body, STEPS);
    // The table of names is read once for each of these; comparing every name with every other took seconds.
    let uses: String = (0..40).map(|n| format!("M{n} == INSTANCE Many WITH x <- y\n")).collect();
    let invariant: Vec<String> = (0..40).map(|n| format!("M{n}!D9 = 9")).collect();
    let body = format!("VARIABLE y\n{uses}Init == y = 0\nNext == y' = y\nAll == {}", invariant.join(" /\\ "));
    scratch.spec("Uses", "Naturals", &body, "INIT Init\nNEXT Next\nINVARIANT All\n");
    let ran = scratch.run(&["check", "Uses.tla", "--quiet"]);
    assert_eq!(ran.code, Some(0), "{}", ran.text);
    assert!(ran.ticks < 1_500, "{} hundredths of a second", ran.ticks);
}

/// A value that is nested millions deep is refused with its place: whatever drops, compares or prints it
/// would recurse as deep.
#[test]
fn a_value_that_is_nested_without_end_is_refused() {
    let scratch = Scratch::new("nested");
    let step = |name: &str, next: &str| {
        let body = format!(
            "VARIABLE x\nRECURSIVE Nest(_, _)\nNest(v, n) == IF n = 0 THEN v ELSE Nest(<<v>>, n - 1)\n\
             Init == x = <<1>> /\\ TLCSet(1, 0)\nNext == {next}"
        );
        let extends = "Naturals, Sequences, TLC, SequencesExt, Functions, FiniteSetsExt";
        scratch.spec(name, extends, &body, STEPS);
    };
    let million = "[n \\in 1..3000000 |-> n]";
    step("Tuples", &format!("x' = FoldLeft(LAMBDA v, n : <<v>>, 1, {million})"));
    step("Pairs", &format!("x' = FoldLeft(LAMBDA v, n : <<v, v>>, 1, {million})"));
    step("Sets", "x' = FoldSet(LAMBDA n, v : {v}, 1, 1..3000000)");
    step("Records", &format!("x' = FoldFunction(LAMBDA n, v : [a |-> v], 1, {million})"));
    step("Arguments", &format!("x' = FoldLeft(LAMBDA v, n : (v :> n), 1, {million})"));
    step("Lambdas", &format!("x' = FoldLeft(LAMBDA v, n : [m \\in Nat |-> v], 1, {million})[1]"));
    step("Powersets", &format!("x' = <<1 \\in FoldLeft(LAMBDA v, n : SUBSET v, Nat, {million})>>"));
    step(
        "Filters",
        &format!("x' = <<1 \\in FoldLeft(LAMBDA v, n : {{m \\in Nat : m \\in v}}, Nat, {million})>>"),
    );
    step("Steps", "x' = <<x>>");
    step("Registers", "TLCSet(1, <<TLCGet(1)>>) /\\ x' = <<x[1] + 1>>");
    step("Calls", "x' = Nest(1, 1000000)");
    for name in [
        "Tuples",
        "Pairs",
        "Sets",
        "Records",
        "Arguments",
        "Lambdas",
        "Powersets",
        "Filters",
        "Steps",
        "Registers",
        "Calls",
    ] {
        let file = format!("{name}.tla");
        let ran = scratch.run(&["check", &file, "--quiet"]);
        let is_refused = ran.text.contains("nested more than 2000 deep")
            || (name == "Calls" && ran.text.contains("recursion is too deep"));
        assert!(is_refused, "{name}: exit {:?}, {}", ran.code, &ran.text[..ran.text.len().min(500)]);
        assert!(ran.text.contains(&format!("{name}:")), "{name} has no place: {}", ran.text);
    }
}
