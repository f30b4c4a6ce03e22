//! Nodes in any language: programs that speak the node protocol, and targets that a text file describes
//! (feature `remote`).

pub use shakedown_native::{CannotLoad, Library, NativeNode, SharedLibrary};
pub use shakedown_remote::{
    Bytes, CannotStart, Encoding, Hello, HostCheck, HostCommand, HostPool, Notice, Plain, PlainMessage,
    PlainState, RemoteNode, Row, RowOutcome, Value, Vocabulary, check_host,
};
pub use shakedown_target_file::{BadTargetFile, FILE_NAME, load, read};
