//! Nodes that a file can describe: in a program that speaks the node protocol, or in a shared library.

use shakedown_cluster::Node;
use shakedown_remote::{PlainMessage, PlainState, Value};

/// A node whose messages, requests and states are plain values.
pub trait PlainNode:
    Node<Message = PlainMessage, Request = Value, Answer = Value, State = PlainState> + 'static
{
}

impl<N> PlainNode for N where
    N: Node<Message = PlainMessage, Request = Value, Answer = Value, State = PlainState> + 'static
{
}
