//! The readers. To add one, write the function that makes its command, and its entry in [`READERS`]; its
//! seeds go to `fuzz/seeds/NAME`.

mod commands;
mod frames;
mod pluscal;
mod self_test;
mod spec;
mod wire;
mod words;

use crate::{Form, Reader};

/// Everything that reads what strangers send.
pub const READERS: &[Reader] = &[
    Reader {
        name: "failure",
        about: "failure files: replay, show, shrink, page",
        form: Form::Json,
        make: commands::failures,
        command: commands::failure,
        read: None,
    },
    Reader {
        name: "corpus",
        about: "corpora of inputs: replay, min, merge, run --corpus",
        form: Form::Json,
        make: commands::corpora,
        command: commands::corpus,
        read: None,
    },
    Reader {
        name: "store",
        about: "stored campaigns: list, show, report, merge, resume, corpus",
        form: Form::Sqlite,
        make: commands::stores,
        command: commands::store,
        read: None,
    },
    Reader {
        name: "spec",
        about: "TLA+ specifications, each with its configuration: load and check",
        form: Form::Text(words::SPEC),
        make: spec::specs,
        command: spec::spec_command,
        read: Some(spec::spec),
    },
    Reader {
        name: "cfg",
        about: "configurations of a specification",
        form: Form::Text(words::CFG),
        make: spec::cfgs,
        command: spec::cfg_command,
        read: None,
    },
    Reader {
        name: "pluscal",
        about: "PlusCal algorithms: translate, and see whether a translation is up to date",
        form: Form::Text(words::PLUSCAL),
        make: pluscal::algorithms,
        command: pluscal::command,
        read: Some(pluscal::read),
    },
    Reader {
        name: "strategy",
        about: "strategies, weights, options and guides as text: run",
        form: Form::Text(words::STRATEGY),
        make: commands::strategies,
        command: commands::strategy,
        read: None,
    },
    Reader {
        name: "trace",
        about: "traces for a specification: validate",
        form: Form::Json,
        make: commands::traces,
        command: commands::trace,
        read: None,
    },
    Reader {
        name: "history",
        about: "histories of transactions in EDN and JSON lines: check-history",
        form: Form::Text(words::HISTORY),
        make: commands::histories,
        command: commands::history,
        read: None,
    },
    Reader {
        name: "frames-json",
        about: "frames of the node protocol in JSON, as hosts write them",
        form: Form::Json,
        make: frames::json_frames,
        command: frames::host,
        read: Some(frames::read_json),
    },
    Reader {
        name: "frames-msgpack",
        about: "frames of the node protocol in MessagePack",
        form: Form::Bytes,
        make: frames::msgpack_frames,
        command: frames::host,
        read: Some(frames::read_msgpack),
    },
    Reader {
        name: "target-file",
        about: "files that describe targets: targets --target-file",
        form: Form::Text(words::TARGET_FILE),
        make: frames::target_files,
        command: frames::target_file_command,
        read: Some(frames::read_target_file),
    },
    Reader {
        name: "wire",
        about: "what real servers send each other: ZooKeeper's ports, frames behind their lengths",
        form: Form::Bytes,
        make: wire::streams,
        command: wire::no_command,
        read: Some(wire::read),
    },
];

/// A reader that does what readers must not do, to see that the fuzzer notices.
pub const SELF_TEST: Reader = Reader {
    name: "self-test",
    about: "inputs that panic, hang, allocate, recurse, and one that is in order",
    form: Form::Text(&["good"]),
    make: self_test::make,
    command: |_, _| Vec::new(),
    read: Some(self_test::read),
};
