//! Clusters: what a node is and is handed, what may happen to it, and everything that can be seen of an
//! execution.

pub use shakedown_cluster::{
    BadOption, Board, Clients, Cluster, Context, Contract, Crashes, Disk, DiskModel, Event, Fact, Fate,
    Fingerprint, Happening, Loss, Message, MessageId, MessageInfo, Moment, Name, Node, NodeId, NodeSet,
    Operation, Options, Order, Panic, Random, Recording, Refusal, RequestId, RequestInfo, Saved, Schedule,
    Step, StepKind, Stop, Timers, Trace, Value,
};
