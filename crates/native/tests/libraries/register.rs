//! The register of `clients/c/examples`.

use std::sync::Arc;

use serde_json::Value as Json;
use shakedown_cluster::{
    CaughtPanics, Cluster, Contract, Environment, Fingerprint, InProcess, Node, Options, Recording, Setup,
    Step,
};
use shakedown_native::{NativeNode, SharedLibrary, serve};
use shakedown_remote::{Encoding, HostCommand, HostPool, Plain, RemoteNode, decode, write_frame};

use crate::compiled::library;

const SOURCE: &str = "clients/c/examples/register.c";
const VECTORS: &str = include_str!("../../../../clients/vectors/register.json");

const STEPS: &[&str] = &[
    "request n1 10",
    "request n2 5",
    "request n1 20",
    "deliver n1>n2#2 Replicate",
    "deliver n1>n2#1 Replicate",
    "deliver n2>n1#1 Ack",
    "tick n1",
    "deliver n1>n3#1 Replicate",
    "deliver n1>n3#2 Replicate",
    "deliver n3>n1#2 Ack",
    "crash n3",
    "restart n3",
];

/// Plays the steps; the fingerprint of the execution and the last states.
fn play<N: Node>(environment: Arc<dyn Environment>) -> (Fingerprint, String) {
    let setup = Setup {
        nodes: 3,
        contract: Contract::asynchronous(),
        options: Arc::new(Options::default()),
        workload: ["10", "5", "20"].map(Arc::from).to_vec(),
        steps: 100,
        seed: 4,
        recording: Recording::Full,
    };
    let mut cluster: InProcess<N> =
        InProcess::boot_in(Some(environment), &setup, CaughtPanics::Findings).expect("it boots");
    for step in STEPS {
        let step: Step = step.parse().unwrap_or_else(|error| panic!("{step}: {error}"));
        cluster.perform(&step).unwrap_or_else(|error| panic!("{step}: {error}"));
    }
    assert_eq!(cluster.board().stopped(), None);
    (cluster.board().fingerprint(), format!("{:?}", cluster.states()))
}

pub fn in_process_and_hosted_executions_are_the_same() {
    let library = library(SOURCE, "register", &[]);
    let (here, states) = play::<NativeNode>(Arc::new(SharedLibrary::with_notice(&library, Arc::new(|_| {}))));
    assert_eq!(states, "[value 20 version 2, value 10 version 1, value 0 version 0]");
    for encoding in [Encoding::MsgPack, Encoding::Json] {
        let program = std::env::current_exe().expect("the program has a path");
        let command = HostCommand::new(program).args([crate::HOST.into(), library.clone().into_os_string()]);
        let pool = HostPool::with_notice(command.encoding(encoding), Arc::new(|_| {}));
        let hosted = play::<RemoteNode<Plain>>(Arc::new(pool));
        assert_eq!(hosted, (here, states.clone()), "{encoding:?}");
    }
}

pub fn the_transcript_of_the_vectors_is_followed() {
    let library = library(SOURCE, "register-vectors", &[]);
    let vectors: Json = serde_json::from_str(VECTORS).expect("it is JSON");
    let transcript = vectors["transcript"].as_array().expect("it is a list");
    for encoding in [Encoding::Json, Encoding::MsgPack] {
        let word = if encoding == Encoding::Json { "json" } else { "msgpack" };
        let mut input =
            format!("{{\"call\":\"hello\",\"protocol\":1,\"encoding\":\"{word}\"}}\n").into_bytes();
        for exchange in transcript {
            write_frame(encoding, &exchange["call"], &mut input).expect("it can be written");
        }
        let mut output = Vec::new();
        serve(&library, &mut &input[..], &mut output).expect("it serves");
        let end = output.iter().position(|byte| *byte == b'\n').expect("there is a handshake") + 1;
        let handshake: Json = serde_json::from_slice(&output[..end]).expect("it is JSON");
        for (field, expected) in vectors["handshake"].as_object().expect("it is a map") {
            assert_eq!(&handshake[field], expected, "{field}");
        }
        let mut reader = shakedown_remote::FrameReader::default();
        let mut rest = &output[end..];
        for exchange in transcript.iter().filter(|exchange| !exchange["reply"].is_null()) {
            let frame = reader.next(encoding, &mut rest).expect("there is a reply");
            let reply: Json = decode(encoding, frame).expect("it can be read");
            assert_eq!(reply, exchange["reply"], "{encoding:?}: {}", exchange["call"]);
        }
    }
}
