//! A target that puts anything into every text it has, and failure files in which every field does: nothing
//! of it reaches a terminal as it is, and every report stays well formed.
//!
//! The test program starts itself again; then it is the command line of the target below.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use serde_json::Value;
use shakedown::prelude::*;
use shakedown_cases::cases;

#[path = "../../report/tests/reports/sarif_rules.rs"]
mod sarif_rules;
mod second_process;
#[path = "../../report/tests/reports/xml.rs"]
mod xml;

/// Escape sequences (CSI, OSC, their C1 forms), carriage returns, lines that look like ours, characters that
/// turn the direction of writing or take no room, NUL, what XML forbids, and markup.
const HOSTILE: &str = "a\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{9d}x\u{9c}\rFORGED\nFORGED\r\n  FORGED\u{85}FORGED\
    \u{202e}r\u{202c}\u{2066}i\u{2069}\u{200f}\u{61c}\u{200b}\u{feff}\u{2028}FORGED\u{2029}\0\u{8}\u{7f}\u{fffe}\u{e0041}\
    ]]></script><script>alert(1)</script><img src=x onerror='alert(2)'>&\"b";

struct Hostile(u64);

#[derive(Clone, Debug)]
struct Word;

impl Message for Word {
    fn kind(&self) -> &'static str {
        "Word"
    }

    fn describe(&self) -> String {
        HOSTILE.to_owned()
    }
}

#[derive(Clone, PartialEq, Eq, Hash, serde::Serialize)]
struct State(u64, &'static str);

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{HOSTILE} {}", self.0)
    }
}

impl Node for Hostile {
    type Message = Word;
    type Request = String;
    type Answer = String;
    type State = State;
    type Disk = ();

    fn boot(_disk: &(), _ctx: &mut Context<'_, Self>) -> Self {
        Hostile(0)
    }

    fn request(&mut self, id: RequestId, _word: String, ctx: &mut Context<'_, Self>) {
        ctx.broadcast(&Word);
        ctx.answer(id, &HOSTILE.to_owned());
    }

    fn receive(&mut self, _from: NodeId, _word: Word, ctx: &mut Context<'_, Self>) {
        self.0 += 1;
        let how: String = ctx.options().get("how").expect("the target has this option");
        assert_ne!(how, "panic", "{HOSTILE}");
        ctx.emit(Fact::new("heard").with(HOSTILE, HOSTILE.to_owned()));
        if how == "flood" {
            (0..100_000).for_each(|_| ctx.broadcast(&Word));
        }
    }

    fn observe(&self) -> State {
        State(self.0, HOSTILE)
    }
}

fn target() -> Target<Hostile> {
    Target::<Hostile>::new(HOSTILE)
        .about(HOSTILE)
        .version(HOSTILE)
        .requests(3, |_, _| HOSTILE.to_owned())
        .option("how", "oracle".to_owned(), HOSTILE)
        .option("text", HOSTILE.to_owned(), HOSTILE)
        .oracles(|config| {
            let how: String = config.options.get("how").expect("checked when the execution began");
            vec![invariant(HOSTILE, move |seen: &Seen<'_, State>| {
                let fails = how == "oracle" && seen.states().iter().any(|state| state.0 > 1);
                if fails { Err(HOSTILE.to_owned()) } else { Ok(()) }
            })]
        })
}

/// The exit code of a command and all that it prints, which must be harmless.
fn hostile(arguments: &[&str]) -> (i32, String) {
    let output = second_process::run(arguments);
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).expect("it prints text");
    check_harmless(&format!("{arguments:?}"), &text);
    (output.status.code().unwrap_or(-1), text)
}

/// Nothing that a terminal obeys, nothing that turns or hides text, and no line that only foreign text made.
fn check_harmless(what: &str, text: &str) {
    let is_harmful = |c: &char| {
        (c.is_control() && *c != '\n')
            || "\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}\u{200b}\u{200c}\u{200d}\
                \u{200e}\u{200f}\u{61c}\u{2028}\u{2029}\u{2060}\u{feff}\u{fffe}\u{e0041}"
                .contains(*c)
    };
    let harmful = text.chars().find(is_harmful);
    assert_eq!(harmful, None, "{what}: {text}");
    let forged = text.lines().find(|line| line.trim_start().starts_with("FORGED"));
    assert_eq!(forged, None, "{what}: {text}");
    assert!(!text.contains(") panicked at"), "{what}: {text}");
}

fn files(folder: &Path) -> Vec<String> {
    [("--html", "page.html"), ("--junit", "junit.xml"), ("--sarif", "log.sarif")]
        .iter()
        .flat_map(|(flag, name)| [(*flag).to_owned(), folder.join(name).display().to_string()])
        .collect()
}

/// What the files of a report must be, whatever is in them.
fn check_files(folder: &Path) {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("the file was written");
    let page = read("page.html");
    check_harmless("the page", &page.replace('\t', " ").replace("FORGED", ""));
    for markup in ["<script>alert", "<img src"] {
        assert!(!page.contains(markup), "{markup} got through");
    }
    let junit = read("junit.xml");
    xml::check_junit(&junit);
    check_harmless("JUnit", &junit.replace('\t', " ").replace("FORGED", ""));
    let log = read("log.sarif");
    check_harmless("SARIF", &log);
    sarif_rules::check_sarif(&serde_json::from_str(&log).expect("it is JSON"));
}

fn a_hostile_target_is_shown_as_what_it_is_everywhere() {
    let home = tempfile::tempdir().expect("there is room for a folder");
    let files = files(home.path());
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    for (how, code) in [("oracle", 1), ("panic", 1), ("flood", 2)] {
        let kept = home.path().join(how).display().to_string();
        let set = format!("how={how}");
        let run = ["run", "TARGET", "-n", "5", "--set", &set, "--measure", "state", "--keep", &kept];
        let (found, text) = hostile(&[&run[..], &files[..]].concat());
        assert_eq!(found, code, "{how}: {text}");
        check_files(home.path());
        let lines = home.path().join("lines.jsonl").display().to_string();
        let (found, text) = hostile(&[&["report", &kept, "--json-lines", &lines], &files[..]].concat());
        assert_eq!(found, code, "{how}: {text}");
        check_files(home.path());
        let lines = std::fs::read_to_string(lines).expect("the lines were written");
        check_harmless("JSON lines", &lines);
        for line in lines.lines() {
            serde_json::from_str::<Value>(line).expect("each line is JSON");
        }
        assert_eq!(hostile(&["list", &kept]).0, 0);
        assert_eq!(hostile(&["resume", &kept, "--json"]).0, code);
        if code == 1 {
            assert_eq!(hostile(&["show", &kept]).0, 1);
        }
    }
    assert_eq!(hostile(&["targets"]).0, 0);
    assert_eq!(hostile(&["targets", "--json"]).0, 0);
    let compared = home.path().join("compared").display().to_string();
    let compare = ["compare", "TARGET", "-n", "5", "--trials", "2", "--strategies", "random,pos"];
    assert_eq!(hostile(&[&compare[..], &["--keep", &compared]].concat()).0, 1);
    assert_eq!(hostile(&[&["report", &compared], &files[..]].concat()).0, 1);
    check_files(home.path());
    assert_eq!(hostile(&["run", "not-TARGET"]).0, 2, "an error that names every target");
}

/// Every string in a failure file, as a path of keys and places.
fn strings(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(at.to_owned()),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(place, one)| strings(one, &format!("{at}/{place}"), found));
        }
        Value::Object(map) => {
            let key = |key: &String| key.replace('~', "~0").replace('/', "~1");
            map.iter().for_each(|(name, one)| strings(one, &format!("{at}/{}", key(name)), found));
        }
        _ => {}
    }
}

fn no_field_of_a_failure_file_reaches_the_terminal_as_it_is() {
    let home = tempfile::tempdir().expect("there is room for a folder");
    let out = home.path().join("out").display().to_string();
    assert_eq!(hostile(&["run", "TARGET", "-n", "5", "--out", &out]).0, 1);
    let file = std::fs::read_dir(&out).expect("a folder").next().expect("a file").expect("an entry");
    let text = std::fs::read_to_string(file.path()).expect("it can be read");
    let failure: Value = serde_json::from_str(&text).expect("it is JSON");
    let mut places = Vec::new();
    strings(&failure, "", &mut places);
    assert!(places.len() >= 10, "{places:?}");
    let path = home.path().join("hostile.json");
    let (file, page) = (path.display().to_string(), home.path().join("page.html").display().to_string());
    let smaller = home.path().join("smaller.json").display().to_string();
    let mut tried = 0;
    for place in &places {
        let original = failure.pointer(place).and_then(Value::as_str).expect("there is a text");
        for changed in [HOSTILE.to_owned(), format!("{original} {HOSTILE}")] {
            let mut failure = failure.clone();
            *failure.pointer_mut(place).expect("it is there") = changed.into();
            std::fs::write(&path, failure.to_string()).expect("it can be written");
            for command in [
                &["replay", &file, "--html", &page][..],
                &["replay", &file, "--json"],
                &["show", &file],
                &["shrink", &file, "--out", &smaller, "-n", "20"],
            ] {
                let (code, text) = hostile(command);
                assert!((0..=2).contains(&code), "{place}: {command:?}: {code}: {text}");
                tried += 1;
            }
        }
    }
    let mut failure = failure;
    failure["config"]["options"][HOSTILE] = HOSTILE.into();
    std::fs::write(&path, failure.to_string()).expect("it can be written");
    assert_eq!(hostile(&["replay", &file]).0, 2, "no target has such an option");
    assert!(tried >= 80, "{tried}");
}

fn arguments_that_cannot_be_read_are_repeated_harmlessly() {
    let without_nul = HOSTILE.replace('\0', "");
    let seed = format!("--seed={without_nul}");
    for arguments in
        [&["run", "hostile", &seed][..], &[without_nul.as_str()][..], &["run", "hostile", &without_nul]]
    {
        let (code, text) = hostile(arguments);
        assert_eq!(code, 2, "{text}");
        check_harmless("an argument", &text);
    }
}

fn the_engine_of_tla_escapes_the_same_characters() {
    for c in ('\0'..=char::MAX).map(String::from) {
        assert_eq!(shakedown_tla::command::harmless(&c), shakedown_report::safe_json_text(&c), "{c:?}");
    }
}

fn main() -> ExitCode {
    // An argument cannot hold a NUL, and an environment variable neither.
    if let Some(code) = second_process::command_line(target(), |word| word.replace("TARGET", HOSTILE)) {
        return code;
    }
    cases![
        a_hostile_target_is_shown_as_what_it_is_everywhere,
        no_field_of_a_failure_file_reaches_the_terminal_as_it_is,
        arguments_that_cannot_be_read_are_repeated_harmlessly,
        the_engine_of_tla_escapes_the_same_characters,
    ]
    .run()
}
