//! Nodes that misbehave, under the whole command line: a clear message, the right exit code, nothing lost.
//!
//! The test program runs itself again with `TROUBLE_ARGUMENTS` set; then it is the command line of the target below.

use std::process::{Command, Output};

use shakedown::prelude::*;

struct Troubled {
    trouble: String,
    heard: u64,
}

#[derive(Clone, Debug)]
struct Ping;

impl Message for Ping {
    fn kind(&self) -> &'static str {
        "Ping"
    }
}

impl Node for Troubled {
    type Message = Ping;
    type Request = ();
    type Answer = ();
    type State = u64;
    type Disk = ();

    fn boot(_disk: &(), ctx: &mut Context<'_, Self>) -> Self {
        let trouble: String = ctx.options().get("trouble").expect("the target has this option");
        assert_ne!(trouble, "boot", "cannot boot");
        Troubled { trouble, heard: 0 }
    }

    fn request(&mut self, _id: RequestId, (): (), ctx: &mut Context<'_, Self>) {
        ctx.broadcast(&Ping);
    }

    fn receive(&mut self, from: NodeId, _ping: Ping, ctx: &mut Context<'_, Self>) {
        self.heard += 1;
        match self.trouble.as_str() {
            "receive" => panic!("cannot receive"),
            "nowhere" => ctx.send(NodeId::new(40), Ping),
            "hang" => loop {
                std::thread::yield_now();
            },
            "flood" => (0..100_000).for_each(|_| ctx.send(from, Ping)),
            "chatter" => ctx.broadcast(&Ping),
            _ => {}
        }
    }

    fn observe(&self) -> u64 {
        assert!(!(self.trouble == "observe" && self.heard > 0), "cannot be observed");
        self.heard
    }
}

fn target() -> Target<Troubled> {
    Target::<Troubled>::new("troubled")
        .about("misbehaves")
        .requests(3, |_, _| ())
        .option("trouble", "none".to_owned(), "how it misbehaves")
        .option("bound", 1_000_000u64, "how much a node may hear")
        .oracles(|config| {
            let bound: u64 = config.options.get("bound").expect("checked when the execution began");
            vec![invariant("bound", move |seen: &Seen<'_, u64>| {
                // An oracle may also just assert.
                assert!(seen.states().iter().all(|heard| *heard < bound), "too much was heard");
                Ok(())
            })]
        })
}

#[test]
fn the_command_line() {
    if let Ok(arguments) = std::env::var("TROUBLE_ARGUMENTS") {
        let arguments = std::iter::once("troubled").chain(arguments.split(' ')).map(Into::into);
        let code = shakedown::main_with(vec![Box::new(target())], arguments);
        std::process::exit(if code == 0.into() {
            0
        } else if code == 1.into() {
            1
        } else {
            2
        });
    }
}

fn troubled(arguments: &str) -> (Option<i32>, String) {
    let this = std::env::current_exe().expect("a test knows its own program");
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = format!("{arguments} --out {}", folder.path().display());
    let Output { status, stdout, stderr } = Command::new(this)
        .args(["--exact", "the_command_line", "--nocapture"])
        .env("TROUBLE_ARGUMENTS", arguments)
        .output()
        .expect("the program starts");
    let files = std::fs::read_dir(folder.path()).map_or(0, Iterator::count);
    (
        status.code(),
        format!("{}{}{files} files", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr)),
    )
}

fn check(arguments: &str, code: i32, expected: &[&str]) {
    let (found, printed) = troubled(arguments);
    assert_eq!(found, Some(code), "{arguments}: {printed}");
    for words in expected {
        assert!(printed.contains(words), "{arguments}: `{words}` is missing in {printed}");
    }
}

#[test]
fn no_trouble_is_no_failure() {
    check("run troubled", 0, &["PASS", "0 files"]);
}

#[test]
fn a_panic_is_a_failure_with_a_file_wherever_it_comes_from() {
    check(
        "run troubled --set trouble=boot",
        1,
        &["panicked in boot", "cannot boot", "trouble.rs:", "1 files"],
    );
    check("run troubled --set trouble=receive", 1, &["panicked in receive", "cannot receive", "1 files"]);
    check("run troubled --set trouble=observe", 1, &["panicked in observe", "cannot be observed", "1 files"]);
    check("run troubled --set trouble=nowhere", 1, &["sends to n40, which does not exist", "1 files"]);
    check("run troubled --set bound=2", 1, &["bound is violated", "too much was heard", "1 files"]);
}

#[test]
fn a_node_that_never_goes_quiet_is_stopped() {
    check("run troubled --set trouble=flood", 2, &["UNKNOWN", "more than 10000 messages in one step"]);
    check("run troubled --set trouble=chatter", 0, &["PASS"]);
}

#[test]
fn a_node_that_never_comes_back_ends_the_run_with_2_and_its_execution() {
    check(
        "run troubled --set trouble=hang --step-time 1 --jobs 2",
        2,
        &["does not come back from its call", "--first ", "--executions 1"],
    );
}
