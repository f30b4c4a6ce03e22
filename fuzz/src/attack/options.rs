//! Options without sense: every option that takes a value, with values that nobody means.

use crate::attempt::Attempt;

#[rustfmt::skip]
const VALUES: &[&str] = &[
    "", "0", "-1", "1.5", "NaN", "18446744073709551615", "18446744073709551616", "9999999999999999999999", "é\u{301}",
    "\u{1b}[31mred", "\u{202e}txt", "a\nb", "../../..", "/dev/null", "/dev/full/x", "/", "x=", "=x", "==", ",,,", "*",
];

/// Options that name what is written.
const WRITING: &[&str] = &["--out", "--keep", "--html", "--junit", "--sarif", "--into"];

/// Commands with their options; the rest keeps them short.
#[rustfmt::skip]
const COMMANDS: &[(&str, &[&str], &str)] = &[
    ("run figure1", &["--executions", "--seed", "--jobs", "--nodes", "--steps", "--requests", "--crashes", "--set",
        "--weights", "--measure", "--time", "--step-time", "--strategy", "--corpus", "--out", "--keep", "--disk", "--first",
        "--partition", "--variants", "--guide", "--html", "--junit", "--sarif"],
        "--executions 2 --time 1 --steps 40 --no-shrink --json"),
    ("compare figure1", &["--strategies", "--trials", "--keep"], "--executions 2 --time 1"),
    ("space figure1", &["--nodes", "--confidence", "--rounds", "--isolations"], ""),
    ("conform planted-raft", &["--spec", "--config"], "--time 1"),
    ("scenario run", &["--target"], ""),
    ("list", &[""], ""),
    ("show", &["", "--number"], ""),
    ("report", &[""], ""),
    ("merge", &["", "--into"], ""),
    ("replay", &["", "--times"], ""),
    ("shrink", &["", "--executions"], ""),
    ("validate", &["", "--spec"], ""),
    ("tla check", &["", "--config", "--workers", "--memory", "--steps"], ""),
    ("tla simulate", &["", "--depth"], ""),
];

/// All of them.
pub(crate) fn attempts() -> Vec<Attempt> {
    let mut attempts = Vec::new();
    for (command, options, rest) in COMMANDS {
        for option in *options {
            for (number, value) in VALUES.iter().enumerate() {
                // What a process writes is in its own folder, and the whole system is not for reading
                // through.
                let is_outside = value.starts_with("..") || *value == "/";
                if is_outside && (WRITING.contains(option) || *command == "list") {
                    continue;
                }
                let name = format!("{}-{option}-{number}", command.replace(' ', "-"));
                let arguments = arguments(command, option, value, rest);
                attempts.push(Attempt::new(name, move |_| arguments.clone()));
            }
        }
    }
    attempts
}

fn arguments(command: &str, option: &str, value: &str, rest: &str) -> Vec<String> {
    let mut arguments: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    // The option under attack takes the place of the same one in the rest.
    let mut rest = rest.split_whitespace();
    while let Some(word) = rest.next() {
        if word == option {
            rest.next();
        } else {
            arguments.push(word.to_owned());
        }
    }
    arguments.push(if option.is_empty() { value.to_owned() } else { format!("{option}={value}") });
    arguments
}
