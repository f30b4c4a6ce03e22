//! A target file with a deployment: real servers without a line of Rust.

use std::path::{Path, PathBuf};

use shakedown_cluster::{Fate, Recording};
use shakedown_explore::{Environment, Execution, Explorer, RandomWalk};
use shakedown_remote::Notice;
use shakedown_target::{Beat, Verdict, execute};
use shakedown_target_file::{load, read};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../live/tests/servers")
}

fn notice() -> Notice {
    std::sync::Arc::new(|_: &str| {})
}

#[test]
fn servers_that_a_file_describes_are_started_and_judged() {
    let target = load(&folder().join("shakedown.toml"), notice()).expect("it is a target file");
    assert!(!target.info().is_deterministic);
    let config = target.defaults();
    let live = target.begin(config, 1, Recording::Brief).expect("the servers become ready");
    let environment = Environment::new(target.info().weights.clone(), config.crashes);
    let execution = Execution { number: 0, seed: 1, steps_max: config.steps };
    let mut strategy = RandomWalk::new(environment).strategy(&execution);
    let outcome = execute(live, strategy.as_mut(), config.steps, &Beat::default());
    assert_eq!(outcome.verdict, Verdict::Pass);
    let board = &outcome.trace.board;
    assert!(board.messages().iter().any(|message| matches!(message.fate, Fate::Received(_))));
    assert!(board.requests().iter().any(|request| request.answer.is_some()));
    let checked: Vec<_> = outcome.checked.iter().map(|checked| checked.property.as_ref()).collect();
    assert!(checked.contains(&"linearizability") && checked.contains(&"availability"), "{checked:?}");
}

#[test]
fn a_deployment_that_makes_no_sense_is_refused_with_its_place() {
    let text = std::fs::read_to_string(folder().join("shakedown.toml")).expect("it is there");
    let refused = |from: &str, to: &str| {
        assert!(text.contains(from));
        match read(&text.replacen(from, to, 1), &folder(), notice()) {
            Ok(_) => panic!("it is read"),
            Err(error) => error,
        }
    };
    let port = refused("client_port = \"client\"", "client_port = \"web\"");
    assert!(port.contains("line 11") && port.contains("`client_port` names the port `web`"), "{port}");
    let decoder = refused("name = \"length-prefixed\", width = 4", "name = \"length-prefixed\", width = 9");
    assert!(decoder.contains("a length takes 1 to 8 bytes"), "{decoder}");
    let protocol = refused("\"length-prefixed\", width = 4", "\"carrier-pigeon\"");
    assert!(protocol.contains("unknown variant `carrier-pigeon`"), "{protocol}");
    let both = refused("requests = 12", "requests = 12\ncommand = [\"./node\"]");
    assert!(both.contains("only one of them"), "{both}");
    let request = refused("'{\"read\":0}']", "'read']");
    assert!(request.contains("`read` is no JSON"), "{request}");
}
