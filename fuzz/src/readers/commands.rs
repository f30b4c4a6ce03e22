//! Readers that are commands: failure files, corpora, stores, traces, and texts on the command line.

use std::fs;
use std::path::Path;

use crate::Room;

/// The target of campaigns and corpora.
const TARGET: &str = "planted-raft --nodes 3 --steps 60 --set fault=quorum-third";
/// What a command that explores may take here.
const BRIEF: &str = "--executions 3 --no-shrink --json";

/// A number from an input: which of several commands reads it.
fn draw(input: &[u8], of: usize) -> usize {
    let sum = input.iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    ((sum >> 32) % of as u64) as usize
}

/// A command from its words; our own folders have no blanks in their names.
fn words(command: &str) -> Vec<String> {
    command.split_whitespace().map(str::to_owned).collect()
}

/// All files in a folder that end so, in the order of their names.
fn files_in(folder: impl AsRef<Path>, ending: &str) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().filter(|path| path.to_string_lossy().ends_with(ending)).flat_map(fs::read).collect()
}

/// Failures of targets with known bugs.
pub(super) fn failures(room: &Room) -> Vec<Vec<u8>> {
    let out = room.name("out");
    // Shrinking takes seconds, and a long schedule is as good to be changed as a short one.
    room.command(&words(&format!(
        "run planted-raft --nodes 4 --set fault=quorum-third --no-shrink --out {out}"
    )));
    room.command(&words(&format!("run raft --steps 120 --no-shrink --out {out}")));
    let mut seeds = files_in(out, ".json");
    seeds.extend(files_in(Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/browser"), "s.json"));
    seeds
}

/// Replays, shows or shrinks a failure file, or makes a page of it.
pub(super) fn failure(room: &Room, input: &[u8]) -> Vec<String> {
    let file = room.put("failure.json", input);
    words(&match draw(input, 5) {
        0 => format!("show {file}"),
        1 => format!("shrink {file} --executions 5 --time 1"),
        2 => format!("replay {file} --html {}", room.name("page.html")),
        3 => format!("replay {file} --json"),
        _ => format!("replay {file}"),
    })
}

/// A small campaign of a fuzzer, stored in a folder.
fn campaign(room: &Room, name: &str, executions: u32) -> String {
    let folder = room.name(name);
    let how = format!("--strategy fuzz --executions {executions} --keep-going --no-shrink --json");
    room.command(&words(&format!("run {TARGET} {how} --keep {folder}")));
    folder
}

/// The corpora of small campaigns.
pub(super) fn corpora(room: &Room) -> Vec<Vec<u8>> {
    let (small, large) = (campaign(room, "small", 10), campaign(room, "large", 40));
    let into = room.name("corpus");
    room.command(&words(&format!("corpus min {small} --into {into}/small")));
    room.command(&words(&format!("corpus min {large} --into {into}/large")));
    let (small, large) = (format!("{into}/small"), format!("{into}/large"));
    [small, large].iter().flat_map(|folder| files_in(folder, ".json")).collect()
}

/// Plays a corpus, or takes it together with itself.
pub(super) fn corpus(room: &Room, input: &[u8]) -> Vec<String> {
    room.put("corpus/corpus.json", input);
    let (folder, into) = (room.name("corpus"), room.name("into"));
    words(&match draw(input, 4) {
        0 => format!("corpus min {folder} --into {into}"),
        1 => format!("corpus merge {folder} {folder} --into {into}"),
        2 => format!("run {TARGET} {BRIEF} --strategy fuzz --corpus {folder} --out {into}"),
        _ => format!("corpus replay {folder}"),
    })
}

/// The files of small campaigns: of a fuzzer, short and long, and of a comparison.
pub(super) fn stores(room: &Room) -> Vec<Vec<u8>> {
    let (short, long) = (campaign(room, "short", 20), campaign(room, "long", 300));
    let compared = room.name("compared");
    let how = "--strategies random,pctcp --trials 2 --executions 20";
    room.command(&words(&format!("compare figure1 {how} --keep {compared}")));
    [short, long, compared].iter().flat_map(|folder| files_in(folder, ".sqlite")).collect()
}

/// Looks at a stored campaign, or continues it.
pub(super) fn store(room: &Room, input: &[u8]) -> Vec<String> {
    room.put("store/campaign.sqlite", input);
    let (folder, into) = (room.name("store"), room.name("into"));
    words(&match draw(input, 8) {
        0 => format!("show {folder}"),
        1 => format!("report {folder}"),
        2 => format!("merge {folder} {folder} --into {into}"),
        3 => format!("corpus min {folder} --into {into}"),
        4 => format!("report {folder} --json-lines {into} --junit {into}.xml"),
        5 | 6 => format!("resume {folder} --time 0 --json"),
        _ => format!("list {folder}"),
    })
}

/// A strategy, then weights, settings and a guide, a line each.
pub(super) fn strategies(_: &Room) -> Vec<Vec<u8>> {
    let lines = [
        "random",
        "pctcp:depth=3,messages=40\ntick=30,crash=0",
        "pos\n\nfault=quorum-third",
        "closure:rounds=6,isolations=2,level=b\n\n\nstate",
        "closure:level=c,by=crash",
        "lossy:loss=0.5,rounds=4",
        "crashing:interval=3,down=2",
        "fuzz:mode=published\n\n\ntrace",
        "fuzz:guide=state",
        "partitions",
        "bonusmax",
        "waypoint:waypoints=[LogDiff(1)]",
        "negvisits",
        "ucbzero",
        "novelty\ndeliver=10",
        "swarm:[pctcp:depth=3]",
        "return:explore=pos",
        "portfolio:arms=[random, swarm:pos],shares=equal",
    ];
    lines.map(|line| line.as_bytes().to_vec()).into()
}

/// Runs a few short executions with what the text says.
pub(super) fn strategy(room: &Room, input: &[u8]) -> Vec<String> {
    // No argument of a program has a zero in it.
    let text = String::from_utf8_lossy(input).replace('\0', "0");
    let target = ["figure1", "planted-raft", "lwt"][draw(input, 3)];
    let mut command = words(&format!("run {target} --steps 60 --time 1 {BRIEF} --out {}", room.name("out")));
    let options = ["--strategy=", "--weights=", "--set=", "--measure="].into_iter().zip(text.split('\n'));
    let given = options.filter(|(_, value)| !value.is_empty());
    command.extend(given.map(|(option, value)| format!("{option}{value}")));
    command
}

/// Traces of failures, written by `replay`, and one by hand.
pub(super) fn traces(room: &Room) -> Vec<Vec<u8>> {
    let by_hand = r#"{"format": "shakedown-trace", "version": 1, "constants": {"Server": [1, 2, 3]}}
{"initial": {"role": {"1": "follower"}}}
{"action": "Timeout", "args": [1], "state": {"role": {"1": "candidate"}, "currentTerm": {"1": 1}}}
{"state": {"role": {"1": "leader"}}}
"#;
    let (out, trace) = (room.name("out"), room.name("trace.jsonl"));
    room.command(&words(&format!(
        "run planted-raft --nodes 4 --set fault=quorum-third --no-shrink --out {out}"
    )));
    for entry in fs::read_dir(&out).into_iter().flatten().flatten() {
        room.command(&words(&format!("replay {} --trace {trace}", entry.path().display())));
    }
    let mut seeds = vec![by_hand.as_bytes().to_vec()];
    seeds.extend(fs::read(&trace));
    seeds
}

/// Validates a trace.
pub(super) fn trace(room: &Room, input: &[u8]) -> Vec<String> {
    let file = room.put("trace.jsonl", input);
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("../specs/RaftEvents.tla");
    let hidden = if draw(input, 4) == 0 { "--hidden *" } else { "" };
    let limits = "--max-candidates 200 --max-hidden 2 --json";
    words(&format!("validate {file} --spec {} {limits} {hidden}", spec.display()))
}

/// The histories that the checker is tested with.
pub(super) fn histories(_room: &Room) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/histories/tests/list_append");
    let mut files: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort();
    files.iter().filter_map(|file| fs::read(file).ok()).collect()
}

/// Checks a history.
pub(super) fn history(room: &Room, input: &[u8]) -> Vec<String> {
    let file = room.put("history", input);
    let json = if draw(input, 2) == 0 { "--json" } else { "" };
    let models = [
        "strict-serializable",
        "linearizable:cas",
        "linearizable:log",
        "linearizable:set",
        "linearizable:counter --keyed",
    ];
    let model = models[draw(input, models.len())];
    words(&format!("check-history {file} {json} --model {model}"))
}
