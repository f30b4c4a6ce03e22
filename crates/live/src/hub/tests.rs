//! What servers write, good and bad, against a hub: lines in, and what comes of them.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use shakedown_cluster::NodeId;

use super::*;

/// How long something may take that has to come.
const PATIENCE: Duration = Duration::from_secs(60);

fn hub() -> Hub {
    Hub::new(3, 7).expect("there is a port")
}

fn node(number: usize) -> NodeId {
    NodeId::from_index(number - 1)
}

/// A connection that writes these lines, in which `TOKEN` stands for the token.
fn connect(hub: &Hub, lines: &[&str]) -> TcpStream {
    let mut stream = TcpStream::connect(hub.address).expect("it listens");
    for line in lines {
        let line = line.replace("TOKEN", &hub.token);
        stream.write_all(format!("{line}\n").as_bytes()).expect("it reads");
    }
    stream
}

fn until<T>(hub: &mut Hub, mut found: impl FnMut(&mut Hub) -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        hub.pump();
        if let Some(found) = found(hub) {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "it does not come to that");
        hub.wait(Duration::from_millis(1), None);
    }
}

const HELLO: &str = r#"{"type":"hello","protocol":1,"token":"TOKEN","node":1}"#;

const READY: &str = r#"{"type":"ready"}"#;

#[test]
fn what_is_not_of_a_server_of_ours_is_refused_and_remembered() {
    let long = "x".repeat(HELLO_MAX + 1);
    let table = [
        ("GET / HTTP/1.1", "no hello"),
        (r#"{"type":"hello","protocol":1,"token":"guess","node":1}"#, "its token is wrong"),
        (r#"{"type":"hello","protocol":1,"node":1}"#, "missing field `token`"),
        (r#"{"type":"event","name":"x"}"#, "its first line is no hello"),
        (&long, "longer than 4096 bytes"),
    ];
    for (line, reason) in table {
        let mut hub = hub();
        let stream = connect(&hub, &[line]);
        until(&mut hub, |hub| hub.refused.clone());
        assert!(hub.trouble().is_none(), "{line}");
        let missing = hub.missing(node(1)).expect("it has not registered");
        assert!(missing.contains("not registered at 127.0.0.1:") && missing.contains(reason), "{missing}");
        let mut answer = String::new();
        // A reset may come before the answer is read.
        if BufReader::new(stream).read_line(&mut answer).is_ok_and(|read| read > 0) {
            assert!(answer.starts_with(r#"{"type":"error","reason":""#), "{answer}");
        }
    }
}

#[test]
fn what_a_server_of_ours_does_wrong_names_it_and_ends_the_execution() {
    let many = r#"{"type":"timer","id":9,"name":"NAME","ms":1}"#;
    let timers: Vec<String> = (0..65).map(|n| many.replace("NAME", &format!("t{n}"))).collect();
    let actions: Vec<String> =
        (0..65).map(|n| format!(r#"{{"type":"action","id":{n},"name":"Act"}}"#)).collect();
    let deep = format!(r#"{{"type":"state","fields":{{"x":{}1{}}}}}"#, "[".repeat(200), "]".repeat(200));
    let table: Vec<(Vec<&str>, &str)> = vec![
        (vec!["nonsense"], "n1 wrote what is not of the protocol: expected ident"),
        (vec![r#"{"type":"dance"}"#], "unknown variant `dance`"),
        (vec![r#"{"type":"send","to":2}"#], "missing field `kind`"),
        (vec![&deep], "recursion limit"),
        (vec![HELLO], "n1 said hello once more"),
        (vec![READY, READY], "n1 said twice that it is ready"),
        (vec![r#"{"type":"send","to":4,"kind":"A"}"#], "n1 sent a message to number 4 of 3"),
        (vec![r#"{"type":"send","to":0,"kind":"A"}"#], "n1 sent a message to number 0 of 3"),
        (vec![r#"{"type":"send","to":2,"kind":"two words"}"#], "`two words` is not a name"),
        (vec![r#"{"type":"send","to":2,"kind":"A","payload":"%"}"#], "n1 wrote what is not of the protocol"),
        (vec![r#"{"type":"event","name":""}"#], "n1 reported what is no event"),
        (vec![r#"{"type":"event","name":"e","fields":{"x":[]}}"#], "the field `x` of a fact is []"),
        (
            vec![r#"{"type":"state","fields":{"life":3}}"#],
            "a field `life` of its state, a name that is taken",
        ),
        (vec![r#"{"type":"timer","id":9,"name":"pause","ms":1}"#], "`pause`, a name that is taken"),
        (vec![r#"{"type":"timer","id":9,"name":"t","ms":-1}"#], "n1 wrote what is not of the protocol"),
        (timers.iter().map(String::as_str).collect(), "n1 has more than 64 timers"),
        (actions.iter().map(String::as_str).collect(), "n1 has more than 64 actions that wait"),
        (
            vec![r#"{"type":"timer","id":9,"name":"t","ms":1}"#, r#"{"type":"action","id":1,"name":"t"}"#],
            "n1 has a timer `t` and an action of the same name",
        ),
        (
            vec![r#"{"type":"action","id":1,"name":"a"}"#, r#"{"type":"action","id":1,"name":"b"}"#],
            "n1 asked for two actions under the number 1",
        ),
        (vec![r#"{"type":"answer","id":0,"answer":1}"#], "n1 answered request 0, which it was not asked"),
        (vec![r#"{"type":"done","seq":1}"#], "n1 acknowledged number 1, which it was not given"),
    ];
    for (lines, reason) in table {
        let mut hub = hub();
        let _stream = connect(&hub, &[&[HELLO], lines.as_slice()].concat());
        let trouble = until(&mut hub, Hub::trouble);
        let Trouble::Unreadable(found) = trouble else { panic!("{lines:?}: the connection is closed") };
        assert!(found.contains(reason), "{lines:?}: {found}");
    }
}

#[test]
fn what_is_wrong_with_a_registration_names_the_server() {
    let table = [
        (HELLO.replace("\"node\":1", "\"node\":4"), "a server has registered as number 4 of 3"),
        (HELLO.replace("\"protocol\":1", "\"protocol\":2"), "n1 speaks version 2 of the library's protocol"),
        (HELLO.to_owned(), "n1 has registered twice in one life"),
    ];
    for (line, reason) in table {
        let mut hub = hub();
        let mut first = None;
        if line == HELLO {
            first = Some(connect(&hub, &[HELLO, READY]));
            until(&mut hub, |hub| hub.missing(node(1)).is_none().then_some(()));
        }
        let _second = connect(&hub, &[&line]);
        let Trouble::Unreadable(found) = until(&mut hub, Hub::trouble) else { panic!("it is closed") };
        assert!(found.contains(reason), "{found}");
        drop(first);
    }
}

#[test]
fn a_line_that_does_not_end_and_a_connection_that_does() {
    let mut hub = hub();
    let mut stream = connect(&hub, &[HELLO, READY]);
    until(&mut hub, |hub| hub.missing(node(1)).is_none().then_some(()));
    let writer = std::thread::spawn(move || {
        let chunk = vec![b'x'; 1 << 20];
        // The hub stops reading before it has all of it.
        (0..40).try_for_each(|_| stream.write_all(&chunk)).is_ok()
    });
    let Trouble::Unreadable(found) = until(&mut hub, Hub::trouble) else { panic!("it is closed") };
    assert!(found.contains("n1 wrote a line of more than 16 MiB"), "{found}");
    drop(hub);
    writer.join().expect("it does not panic");

    let mut hub = self::hub();
    let stream = connect(&hub, &[&HELLO.replace("\"node\":1", "\"node\":2"), READY]);
    until(&mut hub, |hub| hub.missing(node(2)).is_none().then_some(()));
    drop(stream);
    assert!(matches!(until(&mut hub, Hub::trouble), Trouble::Gone(gone) if gone == node(2)));
    // The next life registers again.
    hub.forget(node(2));
    let second = connect(&hub, &[&HELLO.replace("\"node\":1", "\"node\":2"), READY]);
    until(&mut hub, |hub| hub.missing(node(2)).is_none().then_some(()));
    let mut welcome = String::new();
    BufReader::new(second).read_line(&mut welcome).expect("it is open");
    assert!(
        welcome.starts_with(r#"{"type":"welcome","protocol":1,"node":2,"nodes":3,"life":2,"#),
        "{welcome}"
    );
}

/// The reports of a hub as text.
fn texts(hub: &mut Hub) -> Vec<String> {
    let text = |Report { node, what }: Report| match what {
        What::Sent { to, contents, ticket } => {
            format!("{node} sends {to} {} {} as {ticket}", contents_kind(&contents), contents.contents())
        }
        What::Fact(fact) => format!("{node} {fact}"),
        What::State(fields) => format!("{node} shows {}", Value::Map(fields.0)),
        What::TimerSet(name, time) => format!("{node} sets {name} to {} ms", time.as_millis()),
        What::TimerCleared(name) => format!("{node} clears {name}"),
        What::Answered(id, answer) => format!("{node} answers {} by {answer}", id.0),
        What::Asked(name) => format!("{node} asks for {name}"),
    };
    hub.news().reports.into_iter().map(text).collect()
}

fn contents_kind(contents: &shakedown_remote::PlainMessage) -> &'static str {
    shakedown_cluster::Message::kind(contents)
}

#[test]
fn what_servers_do_is_reported_in_order_and_what_they_are_given_is_acknowledged() {
    let mut hub = hub();
    let first = connect(
        &hub,
        &[
            HELLO,
            r#"{"type":"send","to":2,"kind":"Vote","fields":{"term":3},"payload":"AP8=","unknown":1}"#,
            r#"{"type":"event","name":"role","fields":{"role":"candidate","term":3}}"#,
            r#"{"type":"state","fields":{"term":3}}"#,
            r#"{"type":"timer","id":9,"name":"election","ms":150}"#,
            r#"{"type":"timer","id":9,"name":"beat","ms":50}"#,
            r#"{"type":"clear","name":"beat"}"#,
            r#"{"type":"clear","name":"never-set"}"#,
            r#"{"type":"action","id":5,"name":"Campaign","fields":{"term":4}}"#,
        ],
    );
    let second = connect(&hub, &[&HELLO.replace("\"node\":1", "\"node\":2"), READY]);
    until(&mut hub, |hub| (hub.news.reports.len() == 8 && hub.missing(node(2)).is_none()).then_some(()));
    let expected = [
        r#"n1 sends n2 Vote {"term":3} as 0"#,
        "n1 role role=candidate term=3",
        r#"n1 shows {"term":3}"#,
        "n1 sets election to 150 ms",
        "n1 sets beat to 50 ms",
        "n1 clears beat",
        "n1 asks action=Campaign term=4",
        "n1 asks for Campaign",
    ];
    assert_eq!(texts(&mut hub), expected);

    hub.deliver(0);
    assert!(hub.is_at_work(node(2)) && !hub.is_at_work(node(1)));
    assert!(!hub.fire(node(1), Name::new("election")), "it is a timer, and no other action waits");
    assert!(!hub.is_at_work(node(1)), "an action of it waits");
    assert!(!hub.fire(node(1), Name::new("Campaign")));
    assert!(hub.is_at_work(node(1)));
    assert_eq!(texts(&mut hub), ["n1 Campaign term=4"]);
    hub.pump();
    let lines = |stream: &TcpStream, count: usize| {
        let lines = BufReader::new(stream.try_clone().expect("it is open")).lines().take(count);
        lines.map(|line| line.expect("it is text")).collect::<Vec<_>>()
    };
    assert_eq!(
        lines(&first, 3)[1..],
        [r#"{"type":"fire","seq":1,"id":9,"name":"election"}"#, r#"{"type":"permit","seq":2,"id":5}"#]
    );
    let delivered =
        r#"{"type":"deliver","seq":1,"from":1,"kind":"Vote","fields":{"term":3},"payload":"AP8="}"#;
    assert_eq!(lines(&second, 2)[1], delivered);
    (&second).write_all(b"{\"type\":\"done\",\"seq\":1}\n").expect("it is open");
    until(&mut hub, |hub| (!hub.is_at_work(node(2))).then_some(()));

    // Who does not acknowledge is not waited for for ever, and may do so later.
    hub.give_up(node(1));
    assert!(!hub.is_at_work(node(1)));
    assert_eq!(texts(&mut hub), ["n1 unacknowledged given=2"]);
    (&first)
        .write_all(b"{\"type\":\"done\",\"seq\":2}\n{\"type\":\"event\",\"name\":\"late\"}\n")
        .expect("it is open");
    until(&mut hub, |hub| (!hub.news.reports.is_empty()).then_some(()));
    assert_eq!(texts(&mut hub), ["n1 late"]);
    assert!(hub.trouble().is_none());
}

#[test]
fn a_server_that_takes_requests_is_asked_and_answers_once() {
    let mut hub = hub();
    let takes = r#"{"type":"ready","requests":true}"#;
    let (first, _second) =
        (connect(&hub, &[HELLO, takes]), connect(&hub, &[&HELLO.replace(":1}", ":2}"), READY]));
    until(&mut hub, |hub| [1, 2].iter().all(|number| hub.missing(node(*number)).is_none()).then_some(()));
    let request = serde_json::json!({"read": 0});
    assert!(!hub.request(node(2), RequestId(3), &request));
    assert!(hub.request(node(1), RequestId(4), &request));
    assert_eq!(hub.open_requests(), 1);
    let mut lines = BufReader::new(&first).lines();
    let asked = lines.nth(1).expect("it is open").expect("it is text");
    assert_eq!(asked, r#"{"type":"request","seq":1,"id":4,"request":{"read":0}}"#);
    (&first).write_all(b"{\"type\":\"answer\",\"id\":4,\"answer\":{\"value\":7}}\n").expect("it is open");
    until(&mut hub, |hub| (!hub.news.reports.is_empty()).then_some(()));
    assert_eq!(texts(&mut hub), [r#"n1 answers 4 by {"value":7}"#]);
    assert_eq!(hub.open_requests(), 0);
    (&first).write_all(b"{\"type\":\"answer\",\"id\":4}\n").expect("it is open");
    assert!(matches!(until(&mut hub, Hub::trouble), Trouble::Unreadable(_)));
}
