//! Values of a specification of Raft as Rust types.

use shakedown_cluster::{NODES_MAX, NodeId, NodeSet};
use shakedown_conform::Value;
use shakedown_conform::compare::{Misread, Variables, read};

use crate::Role;

/// A server: the specifications number them from 1.
pub fn node(value: &Value) -> Result<NodeId, Misread> {
    let number = read::number("a server", value)?;
    if (1..=NODES_MAX as u64).contains(&number) {
        Ok(NodeId::new(number as usize))
    } else {
        Err(Misread::new("a server", "a number from 1 on", number))
    }
}

/// A server, or none where the specification has 0.
pub fn node_or_none(value: &Value) -> Result<Option<NodeId>, Misread> {
    if value.as_int() == Some(0) { Ok(None) } else { node(value).map(Some) }
}

/// A set of servers.
pub fn nodes(value: &Value) -> Result<NodeSet, Misread> {
    read::set("a set of servers", value)?.iter().map(node).collect()
}

/// A number in a field of a record.
pub fn number_in(value: &Value, field: &'static str) -> Result<u64, Misread> {
    read::number(field, read::field(value, field)?)
}

/// A truth value in a field of a record.
pub fn truth_in(value: &Value, field: &'static str) -> Result<bool, Misread> {
    read::truth(field, read::field(value, field)?)
}

/// A role.
pub fn role(value: &Value) -> Result<Role, Misread> {
    match read::text("role", value)? {
        "leader" => Ok(Role::Leader),
        "candidate" => Ok(Role::Candidate),
        "follower" => Ok(Role::Follower),
        other => Err(Misread::new("role", "leader, candidate or follower", other)),
    }
}

/// How many servers there are.
pub fn servers(variables: &Variables) -> Result<usize, Misread> {
    Ok(read::sequence("currentTerm", variables.get("currentTerm")?)?.len())
}

/// The variable of one server.
pub fn of_server<'a>(
    variables: &'a Variables,
    variable: &'static str,
    node: NodeId,
) -> Result<&'a Value, Misread> {
    let all = read::sequence(variable, variables.get(variable)?)?;
    all.get(node.index()).ok_or_else(|| Misread::new(variable, "of all servers", all.len()))
}

/// The value of a server.
pub fn server_value(node: NodeId) -> Value {
    Value::Int(node.number() as i64)
}

/// The value of a number.
pub fn number_value(number: u64) -> Value {
    Value::Int(number as i64)
}

/// A message as the specification has it: its kind, its ends, its term and its other fields.
pub fn message_value(
    kind: &str,
    (from, to): (NodeId, NodeId),
    term: u64,
    fields: Vec<(&'static str, Value)>,
) -> Value {
    let common = [
        ("kind", Value::string(kind)),
        ("from", server_value(from)),
        ("to", server_value(to)),
        ("term", number_value(term)),
    ];
    Value::record(common.into_iter().chain(fields))
}
